// The dialog in which a match is agreed on.
import { button, byId, choice, make } from "./dom.js";
import { halvesPart } from "./halves.js";
import { LENGTHS } from "./match.js";

/**
 * Opens the dialog.
 * @param from the key of a pasted position, in which rules and length stay out; or null
 * @param begin called with the terms and the halves
 */
export function openNewDialog({ settings, profiles, usual, going, from, profile }, begin) {
  const { words } = settings;
  const dialog = byId("new-dialog");
  const own = profiles.some(({ name }) => name === settings.get("profile")) ? settings.get("profile") : usual;
  const chosen = { profile: from ? profile : own, level: settings.get("level"), colour: settings.get("colour"), length: null };
  const lengths = make("select", { id: "match-length" });
  const showLengths = () => {
    const tas = profiles.find(({ name }) => name === chosen.profile).match.length ?? null;
    const kept = settings.get("length");
    chosen.length = LENGTHS.includes(chosen.length ?? kept) ? (chosen.length ?? kept) : (tas ?? 3);
    lengths.replaceChildren(...LENGTHS.map((length) => make("option", { value: length, selected: length === chosen.length }, words.lengthName(length, length === tas))));
  };
  showLengths();
  lengths.onchange = () => (chosen.length = Number(lengths.value));
  const shownLevel = make("output", { id: "level-shown", htmlFor: "level" }, words.levelName(chosen.level));
  const level = make("input", { id: "level", type: "range", min: 1, max: 10, step: 1, value: chosen.level, "aria-describedby": "level-shown" });
  level.oninput = () => {
    chosen.level = Number(level.value);
    shownLevel.textContent = words.levelName(chosen.level);
  };
  const title = settings.get("language") === "ru" ? "title_ru" : "title";
  const rules = choice(
    words.profile,
    profiles.map((each) => [each.name, each[title] || each.title || each.name]),
    chosen.profile,
    (name) => {
      chosen.profile = name;
      showLengths();
    },
    { id: "profile" },
  );
  const { part, halves } = halvesPart(words);
  const form = make(
    "form",
    { noValidate: true },
    make("h2", { id: "new-title" }, words.newMatch),
    going ? make("p", { className: "warning" }, words.reallyNew) : null,
    from ? null : rules,
    make("label", { className: "level" }, make("span", {}, words.level), level, shownLevel),
    from ? null : make("label", {}, make("span", {}, words.matchLength), lengths),
    colours(words, chosen),
    part,
    make("div", { className: "row" }, make("button", { type: "submit", className: "main", id: "begin" }, words.start), going ? button(words.cancel, () => dialog.close()) : null),
  );
  form.onsubmit = (event) => {
    event.preventDefault();
    const both = halves();
    if (!both) return;
    dialog.close();
    for (const name of ["level", "colour"]) settings.put(name, chosen[name]);
    if (!from) for (const name of ["profile", "length"]) settings.put(name, chosen[name]);
    begin({ profile: chosen.profile, level: chosen.level, length: from ? 0 : chosen.length, from, names: [words.you, words.bot] }, both);
  };
  dialog.replaceChildren(form);
  if (!dialog.open) dialog.showModal();
}

function colours(words, chosen) {
  const radio = (name) => {
    const input = make("input", { type: "radio", name: "colour", value: name, checked: chosen.colour === name });
    input.onchange = () => (chosen.colour = name);
    return make("label", { className: "tick" }, input, make("span", { className: `dot ${name}`, "aria-hidden": "true" }), make("span", {}, words[name]));
  };
  return make("fieldset", { className: "colours" }, make("legend", {}, words.colour), radio("light"), radio("dark"));
}
