// The languages of the page, and which one speaks.
import { english } from "./words_en.js";
import { russian } from "./words_ru.js";

export const LANGUAGES = { en: english, ru: russian };

/** The language of the browser where the page speaks it, else English. */
export function usualLanguage() {
  const wanted = (navigator.languages ?? [navigator.language]).map((name) => name.slice(0, 2));
  return wanted.find((name) => name in LANGUAGES) ?? "en";
}

/** Puts the words of a language on everything with data-word (its text) or data-label (its label). */
export function speak(words, root = document) {
  for (const place of root.querySelectorAll("[data-word]")) place.textContent = words[place.dataset.word];
  for (const place of root.querySelectorAll("[data-label]")) place.setAttribute("aria-label", words[place.dataset.label]);
}
