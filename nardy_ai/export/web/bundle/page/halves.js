// The part of a dialog in which the halves of the seed come together.
import { commitmentTo, LONGEST_HALF, newBotHalf, plainHalf } from "./fair_dice.js";
import { make } from "./dom.js";
import { movedHalf } from "./movements.js";

let current = null;

/** Lets the field that is open follow the player's movements, until he types in it. */
export function followMovements() {
  if (current?.isConnected && current.dataset.typed === undefined) current.value = movedHalf();
}

/**
 * A fieldset with a new half of the bot, committed to, and a field for the player's.
 * @returns { part, halves() }: halves answers { bot, player }, or null where the player's is empty, and says so
 */
export function halvesPart(words, legend = words.fairDice) {
  const bot = newBotHalf();
  const input = make("input", { id: "player-half", maxLength: 2 * LONGEST_HALF, autocomplete: "off", spellcheck: false, value: movedHalf(), "aria-describedby": "half-advice half-fault" });
  const fault = make("p", { id: "half-fault", className: "fault", role: "alert" });
  input.addEventListener("input", () => {
    input.dataset.typed = "";
    fault.textContent = "";
  });
  current = input;
  const part = make(
    "fieldset",
    { className: "halves" },
    make("legend", {}, legend),
    make("p", {}, words.commitment),
    make("code", { id: "commitment", className: "digest" }, commitmentTo(bot)),
    make("label", {}, make("span", {}, words.yourHalf), input),
    make("p", { id: "half-advice", className: "note" }, words.halfAdvice),
    fault,
  );
  const halves = () => {
    const player = plainHalf(input.value);
    if (player) return { bot, player };
    fault.textContent = words.halfMissing;
    input.focus();
    return null;
  };
  return { part, halves };
}
