// The dialog in which the terms of a match are agreed on: the bot, rules, level, length, colour, halves of the dice.
import { button, byId, choice, make, showDialog } from "./dom.js";
import { halvesPart } from "./halves.js";
import { LENGTHS } from "./match.js";

/**
 * Opens the dialog.
 * @param bots { name, title, usual, profiles, going } of each: usual is the name of its own profile, going whether a
 *   match with it is under way
 * @param bot the name of the one at the table
 * @param from { key, profile } of a pasted position, which leaves bot, rules and length no choice; or null
 * @param told { begin(bot, terms, halves), goOn(bot) }
 */
export function openTermsDialog({ settings, bots, bot, from }, told) {
  const { words } = settings;
  const dialog = byId("terms-dialog");
  const here = bots.find(({ name }) => name === bot);
  const chosen = { bot: here, profile: from ? from.profile : usualProfile(settings, here), level: settings.get("level"), colour: settings.get("colour"), length: null };
  const lengths = make("select", { id: "match-length" });
  const showLengths = () => {
    const tas = chosen.bot.profiles.find(({ name }) => name === chosen.profile).match.length ?? null;
    const kept = settings.get("length");
    chosen.length = LENGTHS.includes(chosen.length ?? kept) ? (chosen.length ?? kept) : (tas ?? 3);
    lengths.replaceChildren(...LENGTHS.map((length) => make("option", { value: length, selected: length === chosen.length }, words.lengthName(length, length === tas))));
  };
  lengths.onchange = () => (chosen.length = Number(lengths.value));
  const shownLevel = make("output", { id: "level-shown", htmlFor: "level" }, words.levelName(chosen.level));
  const level = make("input", { id: "level", type: "range", min: 1, max: 10, step: 1, value: chosen.level, "aria-describedby": "level-shown" });
  level.oninput = () => {
    chosen.level = Number(level.value);
    shownLevel.textContent = words.levelName(chosen.level);
  };
  const rules = make("div", {});
  const goOn = button(
    words.goOn,
    () => {
      dialog.close();
      told.goOn(chosen.bot.name);
    },
    { id: "go-on-with" },
  );
  const warning = make("p", { className: "warning" });
  const going = make("div", { role: "status" }, warning, goOn);
  const showBot = () => {
    rules.replaceChildren(rulesChoice(settings, chosen, showLengths));
    showLengths();
    warning.textContent = chosen.bot.going ? words.reallyNew : "";
    going.className = chosen.bot.going ? "row" : "idle";
    goOn.hidden = !chosen.bot.going || chosen.bot === here;
  };
  showBot();
  const opponents = choice(
    words.botChoice,
    bots.map(({ name, title }) => [name, title]),
    bot,
    (name) => {
      chosen.bot = bots.find((each) => each.name === name);
      chosen.profile = usualProfile(settings, chosen.bot);
      showBot();
    },
    { id: "opponent" },
  );
  const { part, halves } = halvesPart(words);
  const form = make(
    "form",
    { noValidate: true },
    make("h2", { id: "terms-title" }, words.newMatch),
    from || bots.length === 1 ? null : opponents,
    going,
    from ? null : rules,
    make("label", { className: "level" }, make("span", {}, words.level), level, shownLevel),
    from ? null : make("label", {}, make("span", {}, words.matchLength), lengths),
    colours(words, chosen),
    part,
    make("div", { className: "row" }, make("button", { type: "submit", className: "main", id: "begin" }, words.start), button(words.cancel, () => dialog.close())),
  );
  form.onsubmit = (event) => {
    event.preventDefault();
    const both = halves();
    if (!both) return;
    dialog.close();
    for (const name of ["level", "colour"]) settings.put(name, chosen[name]);
    if (!from) {
      settings.put("length", chosen.length);
      settings.put("profile", { ...settings.get("profile"), [chosen.bot.name]: chosen.profile });
    }
    told.begin(chosen.bot.name, { profile: chosen.profile, level: chosen.level, length: from ? 0 : chosen.length, from: from?.key ?? null, names: [words.you, words.bot] }, both);
  };
  showDialog(dialog, form);
}

// The rules that were played with this bot last, else those of its own.
function usualProfile(settings, { name, profiles, usual }) {
  const last = settings.get("profile")[name];
  return profiles.some((profile) => profile.name === last) ? last : usual;
}

function rulesChoice(settings, chosen, changed) {
  const title = settings.get("language") === "ru" ? "title_ru" : "title";
  return choice(
    settings.words.profile,
    chosen.bot.profiles.map((each) => [each.name, each[title] || each.title || each.name]),
    chosen.profile,
    (name) => {
      chosen.profile = name;
      changed();
    },
    { id: "profile" },
  );
}

function colours(words, chosen) {
  const radio = (name) => {
    const input = make("input", { type: "radio", name: "colour", value: name, checked: chosen.colour === name });
    input.onchange = () => (chosen.colour = name);
    return make("label", { className: "tick" }, input, make("span", { className: `dot ${name}`, "aria-hidden": "true" }), make("span", {}, words[name]));
  };
  return make("fieldset", { className: "colours" }, make("legend", {}, words.colour), radio("light"), radio("dark"));
}
