// Begins the page: settings, the bots in their workers, the matches that are kept.
import { Bundle } from "../bundle.js";
import { openWorker } from "../nardy.js";
import { button, byId, make } from "./dom.js";
import { followMovements } from "./halves.js";
import { goesOn, matchOf, newMatch } from "./match.js";
import { gatherMovements } from "./movements.js";
import { forgetFiles, workOffline } from "./offline.js";
import { Page } from "./page.js";
import { Settings } from "./settings.js";
import { Store } from "./store.js";

const FOLDER = new URL("../", import.meta.url);
const settings = new Settings();
const stores = new Map(); // of the bots by their names
const seats = new Map(); // { nardy, table } of the bots that were opened
const opening = new Map(); // promises of seats
let models = [];
let profiles = [];
let chosen = null; // the name of the bot that is played with
let choices = 0;
const told = new Map(); // what stands at the top of the page: { actions, values } by the key of the words
const page = new Page(settings, { choose, begin, bots, translate });

gatherMovements(followMovements);
start();

async function start() {
  try {
    const bundle = await Bundle.at(FOLDER);
    models = bundle.models;
  } catch (error) {
    noBot(error);
    return;
  }
  for (const { name } of models) stores.set(name, new Store(FOLDER.pathname, name, { taken: () => otherTab(name), failed: () => notice("storageOff") }));
  const usual = models.some(({ name }) => name === settings.get("bot")) ? settings.get("bot") : models[0].name;
  if (!stores.get(usual).works) notice("storageOff");
  document.addEventListener("visibilitychange", () => !document.hidden && !stores.get(chosen).mine && otherTab(chosen));
  if (!(await choose(usual))) return;
  checkVersion(seats.get(usual).nardy);
  document.documentElement.dataset.ready = "true";
  performance.mark("playable");
  workOffline((takeOver) => notice("newVersion", [["reload", takeOver]]));
}

// ---- whom one plays with -------------------------------------------------------------------------

/** What is known of the bots before they are opened; see `openTermsDialog`. */
function bots() {
  const { words } = settings;
  return models.map(({ name, game, profile }) => {
    const alone = models.filter((other) => other.game === game).length === 1;
    const own = profilesOf(game);
    const kept = chosen === name && page.table.match ? page.table.match : matchOf(stores.get(name).load(), own);
    return {
      name,
      title: alone ? words.gameName(game) : words.botTitle(game, name),
      here: name === chosen,
      usual: profile,
      profiles: own,
      going: kept !== null && goesOn(kept, profiles.find((each) => each.name === kept.profile)),
    };
  });
}

const profilesOf = (game) => profiles.filter(({ family }) => family === game);

/** Goes over to a bot, and on with what was begun or is kept with it; false where it does not open. */
async function choose(name, begun = null) {
  const choice = ++choices;
  chosen = name;
  settings.put("bot", name);
  if (!seats.has(name)) {
    page.sit(null);
    page.say("loading");
    try {
      await seatWith(name);
    } catch (error) {
      if (choice === choices) noBot(error);
      return false;
    }
  }
  // Meanwhile another one may have been chosen.
  if (choice === choices) await goOn(name, begun);
  return true;
}

/** Opens a bot, once. */
function seatWith(name) {
  const open = async () => {
    try {
      const nardy = await openWorker({ folder: FOLDER, model: name });
      profiles = nardy.profiles;
      seats.set(name, { nardy, table: page.tableFor(nardy, stores.get(name)) });
    } finally {
      opening.delete(name);
    }
  };
  if (!opening.has(name)) opening.set(name, open());
  return opening.get(name);
}

/** Begins a match. It is kept at once: the halves of its dice have been shown. */
function begin(name, terms, halves) {
  const match = newMatch(terms, halves);
  stores.get(name).take();
  stores.get(name).save(match);
  return choose(name, match);
}

/** Lays the match that was begun or is kept with a bot on the table, or asks for a new one. */
async function goOn(name, begun = null) {
  const [store, seat] = [stores.get(name), seats.get(name)];
  const own = profilesOf(seat.nardy.model.game);
  store.adopt((match) => matchOf(match, own) !== null);
  const kept = begun ?? (store.works ? store.load() : (seat.table.match ?? undefined));
  const match = kept === undefined ? undefined : matchOf(kept, own);
  store.take();
  page.sit(seat);
  page.showBots();
  if (match) {
    try {
      const cut = await seat.table.open(match);
      if (cut !== null) notice("savedCut", [], cut);
      return;
    } catch (error) {
      seat.table.clear();
      if (begun) page.say("botStopped", error.message);
    }
  }
  if (begun) return;
  if (match !== undefined) {
    const known = profiles.some((profile) => profile.name === kept?.profile);
    store.putAside();
    notice(known && !own.some((profile) => profile.name === kept.profile) ? "savedOtherModel" : "savedDamaged");
  }
  seat.table.clear();
  page.say("firstGame");
  page.show();
  page.askNew();
}

// ---- what is told at the top of the page ---------------------------------------------------------

function noBot(error) {
  const reason = error.message.replace(/\.$/, "");
  page.say("noWorker", reason);
  notice("noWorker", [["again", () => forgetFiles()]], reason);
}

function otherTab(name) {
  if (name !== chosen || byId("notice-otherTab")) return;
  page.freeze();
  notice("otherTab", [["playHere", () => goOn(name)]]);
}

// The page's own files and those of the bot come from one export, unless a cache mixed them.
function checkVersion({ version }) {
  const own = document.querySelector('meta[name="nardy-version"]').content;
  if (own !== version) notice("otherVersion", [["reload", () => forgetFiles()]]);
}

/** A sentence at the top of the page, with what can be done. */
function notice(key, actions = [], ...values) {
  byId(`notice-${key}`)?.remove();
  told.set(key, { actions, values });
  byId("notices").append(noticePart(key));
}

function noticePart(key) {
  const { actions, values } = told.get(key);
  const { words } = settings;
  const text = typeof words[key] === "function" ? words[key](...values) : words[key];
  return make(
    "div",
    { id: `notice-${key}`, className: "notice" },
    make("p", {}, text),
    ...actions.map(([name, use]) => button(words[name], use)),
    actions.length ? null : button("×", () => byId(`notice-${key}`).remove(), { className: "quiet round", ariaLabel: words.close }),
  );
}

/** Says what stands at the top of the page in the language that was chosen. */
function translate() {
  for (const key of told.keys()) byId(`notice-${key}`)?.replaceWith(noticePart(key));
}
