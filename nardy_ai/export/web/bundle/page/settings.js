// What the player has chosen for the page itself; kept where the browser keeps anything.
import { LANGUAGES, usualLanguage } from "./words.js";

const KEY = "nardy-ai:settings";
const CHOICES = {
  language: Object.keys(LANGUAGES),
  theme: ["auto", "light", "dark"],
  colour: ["light", "dark"],
  speed: ["normal", "fast", "off"],
  autoThrow: [false, true],
  showCosts: [true, false],
};
const isLevel = (value) => Number.isInteger(value) && value >= 1 && value <= 10;

export class Settings {
  #values = { theme: "auto", colour: "light", speed: "normal", autoThrow: false, showCosts: true, level: 5, length: null, bot: null, profile: {} };

  constructor() {
    this.#values.language = usualLanguage();
    let kept = null;
    try {
      kept = JSON.parse(localStorage.getItem(KEY));
    } catch {
      // Storage is off, or what it holds is no JSON: the page has its usual settings.
    }
    for (const [name, allowed] of Object.entries(CHOICES)) if (allowed.includes(kept?.[name])) this.#values[name] = kept[name];
    if (isLevel(kept?.level)) this.#values.level = kept.level;
    if (Number.isInteger(kept?.length)) this.#values.length = kept.length;
    if (typeof kept?.bot === "string") this.#values.bot = kept.bot;
    // Of each bot by its name.
    for (const [bot, profile] of Object.entries(kept?.profile ?? {})) if (typeof profile === "string") this.#values.profile[bot] = profile;
  }

  get(name) {
    return this.#values[name];
  }

  put(name, value) {
    this.#values[name] = value;
    try {
      localStorage.setItem(KEY, JSON.stringify(this.#values));
    } catch {
      // Kept until the page is closed.
    }
  }

  get words() {
    return LANGUAGES[this.#values.language];
  }

  /** Milliseconds of a movement that takes so long at the normal speed; 0 without animation. */
  duration(usual) {
    if (this.#values.speed === "off" || matchMedia("(prefers-reduced-motion: reduce)").matches) return 0;
    return this.#values.speed === "fast" ? usual * 0.4 : usual;
  }

  /** Milliseconds for reading what happened; shorter without animation, yet never nothing. */
  pause(usual) {
    return { normal: usual, fast: usual * 0.5, off: 0 }[this.#values.speed];
  }
}
