// The page around the table: shows what lies there, and hands on what is pressed.
import { positionOf } from "../positions.js";
import { ask } from "./ask_dialog.js";
import { Board } from "./board.js";
import { BAR, OFF, seenBy } from "./geometry.js";
import { byId, copied, download, make } from "./dom.js";
import { matText } from "./mat.js";
import { showPanels } from "./panels.js";
import { pastedKey } from "./position_text.js";
import { openResultDialog } from "./result_dialog.js";
import { openSettingsDialog } from "./settings_dialog.js";
import { Table } from "./table.js";
import { openTermsDialog } from "./terms_dialog.js";
import { speak } from "./words.js";

const NARROW = matchMedia("(max-width: 640px) and (orientation: portrait), (max-width: 480px)");
const NOTHING = { match: null, phase: "empty", laid: false, halt() {} };
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

export class Page {
  #said = ["loading"];
  #thinking = false;
  #arrows = [];
  #frozen = false;
  #sources = new Set();
  #targets = new Set();

  /**
   * @param told { choose(bot), begin(bot, terms, halves), bots(), translate() }: another bot is wanted, a match with
   *   one begins; bots answers what `openTermsDialog` wants to know of them; the language is another one
   */
  constructor(settings, told) {
    this.settings = settings;
    this.told = told;
    this.table = NOTHING;
    this.board = new Board(byId("board"), {
      label: (place) => this.#label(place),
      lift: (place) => this.#free(() => this.table.lift(place)),
      put: (place) => this.#free(() => this.table.put(place)),
      move: (from, to) => this.#free(() => this.#moved(from, to)),
    });
    this.#wire();
    NARROW.addEventListener("change", () => this.#fit());
    this.restyle();
    this.#fit();
  }

  get words() {
    return this.settings.words;
  }

  #free(use) {
    if (!this.#frozen && this.table.laid) use();
  }

  // ---- the bot is there ------------------------------------------------------------------------

  /** A table for the games with an opened bot; matches are kept in the store. */
  tableFor(nardy, store) {
    return new Table(nardy, {
      changed: () => this.show(),
      say: (...words) => this.say(...words),
      saved: (match) => store.save(match),
      thrown: () => this.#shaken(),
      slid: (side, from, to) => this.#slid(side, from, to),
      read: (ms) => wait(this.settings.pause(ms)),
      judged: () => this.show(),
      autoThrow: () => this.settings.get("autoThrow"),
      showCosts: () => this.settings.get("showCosts"),
      failed: (error) => this.say("botStopped", error.message),
    });
  }

  /** Sits down at the table with a bot; null: at none while the next one gets ready. */
  sit(seat) {
    this.table.halt();
    this.nardy = seat?.nardy ?? null;
    this.table = seat?.table ?? NOTHING;
    this.#pasted = null;
    this.#arrows = [];
    byId("position-note").textContent = "";
    this.thaw();
    this.show();
  }

  /** Shows the bots that can be chosen, where there are several. */
  showBots() {
    const bots = this.told.bots();
    byId("bot").hidden = bots.length < 2;
    byId("bot").replaceChildren(...bots.map(({ name, title, here }) => make("option", { value: name, selected: here }, title)));
  }

  async #shaken() {
    const duration = this.settings.duration(520);
    if (duration) await this.board.shake(duration);
  }

  async #slid(side, from, to) {
    const duration = this.settings.duration(340);
    if (duration) await this.board.slide(side, from, to, duration);
  }

  /** Opens the dialog of a new match; `from`: { key, profile } of a pasted position. */
  askNew(from = null) {
    const { settings, nardy } = this;
    openTermsDialog(
      { settings, bots: this.told.bots(), bot: nardy.model.name, from },
      {
        begin: (bot, terms, halves) => {
          this.told.begin(bot, terms, halves);
          this.board.focus(24);
        },
        goOn: (bot) => this.told.choose(bot),
      },
    );
  }

  #askResult() {
    openResultDialog(this, { next: (halves) => this.#free(() => this.table.nextGame(halves)), newMatch: () => this.askNew() });
  }

  /** Leaves the table as it is, and takes nothing that is pressed: another tab plays. */
  freeze() {
    this.table.halt();
    this.#frozen = true;
    // Behind a dialog nothing else on the page can be reached.
    for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
    this.show();
  }

  /** Plays again, with what is laid on the table next. */
  thaw() {
    byId("notice-otherTab")?.remove();
    this.#frozen = false;
  }

  // ---- what is said and shown ------------------------------------------------------------------

  /** Says a sentence of the words, on the page and to screen readers. */
  say(key, ...values) {
    this.#said = [key, ...values];
    this.#showSaid();
  }

  #showSaid() {
    const [key, ...values] = this.#said;
    const word = this.words[key];
    byId("said").textContent = typeof word === "function" ? word(...values) : word;
  }

  /** Colours and language as the settings are. */
  restyle() {
    const { settings, words } = this;
    const root = document.documentElement;
    // What was said of a pasted text was said in the other language.
    if (root.lang !== settings.get("language")) byId("position-note").textContent = "";
    root.lang = settings.get("language");
    const theme = settings.get("theme");
    byId("dark").media = { auto: "(prefers-color-scheme: dark)", light: "not all", dark: "all" }[theme];
    root.dataset.colour = settings.get("colour");
    speak(words);
    document.title = words.title;
    this.showBots();
    this.told.translate();
    byId("language").lang = settings.get("language") === "ru" ? "en" : "ru";
    byId("theme").setAttribute("aria-label", words.themeName(theme));
    byId("theme").title = words.themeName(theme);
    byId("open-settings").title = words.settings;
    this.board.label = words.boardLabel;
    this.show();
  }

  #fit() {
    this.board.fit(NARROW.matches ? "narrow" : "wide");
  }

  show() {
    const { table, words } = this;
    this.#showSaid();
    this.#players();
    this.#buttons();
    if (this.nardy && table.match === null) byId("rules-name").textContent = words.gameName(this.nardy.model.game);
    if (table.laid) this.#showBoard(table);
    else this.board.show({ family: "long", board: [Array(26).fill(0), Array(26).fill(0)], dice: null, sources: new Set(), targets: new Set(), lifted: null, marked: new Set(), arrows: [] });
    if (!table.hints) this.#arrows = [];
    showPanels(words, table.laid ? table : NOTHING, { costs: this.settings.get("showCosts"), thinking: this.#thinking, pick: (play) => this.#pick(play) });
    if (table.ended && this.#shownEnd !== table.game) {
      this.#shownEnd = table.game;
      this.say("won", ...["winner", "kind", "points", "how"].map((name) => table.game.result[name]));
      this.#askResult();
    }
  }

  #shownEnd = null;

  #showBoard(table) {
    const { profile } = table;
    // Reckoned once: the labels of all places ask for them.
    this.#sources = this.#frozen ? new Set() : table.sources;
    this.#targets = this.#frozen ? new Set() : table.targets;
    const title = this.settings.get("language") === "ru" ? profile.title_ru : profile.title;
    byId("rules-name").textContent = title || profile.title;
    this.board.show({
      family: profile.family,
      board: table.board,
      dice: table.shownDice,
      sources: this.#sources,
      targets: this.#targets,
      lifted: table.lifted,
      marked: table.marked,
      arrows: table.lifted === null && table.steps?.made.length === 0 ? this.#arrows : [],
    });
  }

  #players() {
    const { table, words } = this;
    const board = table.laid ? table.board : null;
    const score = table.match ? table.score : [0, 0];
    for (const side of [0, 1]) {
      const part = byId(`player-${side}`);
      const put = (name, text) => (part.querySelector(`.${name}`).textContent = text);
      put("name", side === 0 ? words.you : table.match ? words.botLevel(table.match.level) : words.bot);
      put("pips", board ? words.pips(pips(board[side])) : "");
      put("off", board ? words.off(board[side][25]) : "");
      put("points", table.match?.from === null ? words.score(score[side], "").split(" ")[0] : "");
      part.querySelector(".points").setAttribute("aria-label", words.points(score[side]));
      part.querySelector(".points").setAttribute("role", "img");
      part.classList.toggle("on-roll", table.laid && !table.ended && table.onRoll === side);
    }
  }

  #buttons() {
    const { table, words } = this;
    const free = !this.#frozen;
    const shown = {
      throw: free && table.phase === "throw",
      give: free && table.canGive,
      undo: free && table.canUndo,
      hint: free && table.phase === "play",
      resign: free && (table.phase === "throw" || table.phase === "play"),
      "to-result": free && Boolean(table.ended),
    };
    const focused = document.activeElement;
    for (const [id, visible] of Object.entries(shown)) byId(id).hidden = !visible;
    byId("to-result").textContent = table.phase === "match_over" ? words.newMatch : words.nextGame;
    // A button that goes away under the fingers hands the focus to what comes next.
    if (focused?.hidden && focused.closest(".actions")) this.#refocus(shown);
  }

  #refocus(shown) {
    if (shown.throw) byId("throw").focus();
    else if (shown.give) byId("give").focus();
    else this.board.focus(this.board.place);
  }

  #label(place) {
    const { table, words } = this;
    if (!table.laid) return String(place);
    const [mine, his] = table.board;
    const { family } = table.profile;
    const states = [];
    if (table.lifted === place) states.push(words.isLifted);
    else if (this.#targets.has(place)) states.push(words.isLit);
    else if (table.lifted === null && this.#sources.has(place)) states.push(words.canLift);
    const name = { [BAR]: () => words.barLabel(mine[24], his[24]), [OFF]: () => words.offLabel(mine[25], his[25]) }[place];
    return [name ? name() : words.pointLabel(place, mine[place - 1], his[seenBy(family, place) - 1]), ...states].join(", ");
  }

  // ---- what is pressed -------------------------------------------------------------------------

  #moved(from, to) {
    this.#arrows = [];
    this.table.move(from, to);
  }

  #pick(play) {
    this.#arrows = play.moves;
    this.show();
  }

  #wire() {
    const press = (id, use) => (byId(id).onclick = use);
    press("throw", () => this.#free(() => this.table.throwDice()));
    press("give", () => this.#free(() => this.table.give()));
    press("undo", () => this.#free(() => this.table.undo()));
    press("hint", () => this.#free(() => this.#hint()));
    press("resign", () => this.#free(() => this.#resign()));
    press("to-result", () => this.#free(() => this.#askResult()));
    press("open-new", () => this.nardy && this.askNew());
    press("open-settings", () => openSettingsDialog(this.settings, this.nardy?.model, (name) => this.#changed(name)));
    byId("bot").onchange = () => this.told.choose(byId("bot").value);
    press("language", () => {
      this.settings.put("language", this.settings.get("language") === "ru" ? "en" : "ru");
      this.restyle();
    });
    press("theme", () => {
      const order = ["auto", "light", "dark"];
      this.settings.put("theme", order[(order.indexOf(this.settings.get("theme")) + 1) % 3]);
      this.restyle();
    });
    press("download", () => download(`nardy-${this.table.match.profile.split("/").join("-")}.mat`, this.#record()));
    press("copy-record", async () => this.#note("record-note", await copied(this.#record())));
    press("copy-position", async () => this.#note("position-note", await copied(byId("position-id").value)));
    byId("paste-form").onsubmit = (event) => {
      event.preventDefault();
      if (this.nardy) this.#paste(byId("paste").value);
    };
    document.addEventListener("keydown", (event) => this.#typed(event));
  }

  #changed(name) {
    this.restyle();
    if (name === "autoThrow" && this.settings.get("autoThrow")) this.#free(() => this.table.throwDice());
  }

  #note(id, done) {
    byId(id).textContent = done ? this.words.copied : this.words.copyFailed;
  }

  #record() {
    const { match, profile } = this.table;
    return matText(match, profile, profile.packaged);
  }

  async #hint() {
    this.#thinking = true;
    this.show();
    await this.table.hint();
    this.#thinking = false;
    if (this.table.hints) this.#arrows = this.table.hints[0].moves;
    this.show();
  }

  async #resign() {
    const { game, resignation: cost } = this.table;
    const given = await ask(this.words, this.words.reallyResign(cost.points), this.words.resign);
    // Another tab may have taken the game over meanwhile.
    if (given) this.#free(() => this.table.game === game && this.table.resign());
  }

  // Answers of an earlier text that come late say nothing of this one.
  async #paste(text) {
    const profile = this.nardy.profile(this.table.match?.profile ?? this.nardy.model.profile);
    const pasted = (this.#pasted = {});
    byId("position-note").textContent = "";
    const { key, fault } = await this.#position(text, profile);
    if (pasted !== this.#pasted) return;
    if (fault) byId("position-note").textContent = fault;
    else if (!document.querySelector("dialog[open]")) this.askNew({ key, profile: profile.name });
  }

  #pasted = null;

  // The key of the position that a text names under a profile, or what is wrong with it.
  async #position(text, profile) {
    const options = { profile: profile.name };
    try {
      const key = pastedKey(text, profile.checkers, await this.nardy.start(options));
      if (key === null) return { fault: this.words.positionWrong };
      const position = positionOf(key, profile.checkers);
      await this.nardy.check(position, options);
      return (await this.nardy.result(position, options)) === null ? { key } : { fault: this.words.positionOver };
    } catch (error) {
      return { fault: this.words.positionImpossible(error.message) };
    }
  }

  #typed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.querySelector("dialog[open]") || ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName)) return;
    const keys = { t: "throw", d: "give", u: "undo", h: "hint" };
    // The keys of the Russian layout lie at the same places.
    const letter = { KeyT: "t", KeyD: "d", KeyU: "u", KeyH: "h" }[event.code];
    const target = letter && byId(keys[letter]);
    if (target && !target.hidden) {
      target.click();
      event.preventDefault();
    }
  }
}

function pips(row) {
  return row.slice(0, 25).reduce((sum, count, i) => sum + count * (i + 1), 0);
}
