// The dialog of what the player chooses for the page.
import { button, byId, choice, make, showDialog, tick } from "./dom.js";
import { LANGUAGES } from "./words.js";

/** @param changed called after each choice */
export function openSettingsDialog(settings, model, changed) {
  const { words } = settings;
  const dialog = byId("settings-dialog");
  const put = (name) => (value) => {
    settings.put(name, value);
    changed(name);
    if (name === "language") openSettingsDialog(settings, model, changed);
  };
  showDialog(
    dialog,
    make(
      "div",
      { className: "form" },
      make("h2", { id: "settings-title" }, words.settings),
      choice(words.languageWord, Object.entries(LANGUAGES).map(([name, each]) => [name, each.language]), settings.get("language"), put("language"), { id: "choose-language" }),
      choice(words.theme, ["auto", "light", "dark"].map((name) => [name, words.themeShort(name)]), settings.get("theme"), put("theme"), { id: "choose-theme" }),
      choice(words.speed, ["normal", "fast", "off"].map((name) => [name, words.speedName(name)]), settings.get("speed"), put("speed"), { id: "choose-speed" }),
      choice(words.colour, ["light", "dark"].map((name) => [name, words[name]]), settings.get("colour"), put("colour"), { id: "choose-colour" }),
      tick(words.autoThrow, settings.get("autoThrow"), put("autoThrow"), { id: "auto-throw" }),
      tick(words.showCosts, settings.get("showCosts"), put("showCosts"), { id: "show-costs" }),
      model ? make("p", { className: "note" }, words.aboutText(model.net, model.provenance?.games)) : null,
      make("div", { className: "row" }, button(words.close, () => dialog.close(), { className: "main" })),
    ),
  );
}
