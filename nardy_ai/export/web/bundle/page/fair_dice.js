// Fair dice, version 1: neither side can choose them. docs/web.md of nardy-ai has the definition in words, and
// nardy_ai/rules/fair_dice.py is the same in Python; both are held to the same golden values.
import { hex, sha256, sha256Hex } from "./sha256.js";

export const VERSION = 1;
export const LONGEST_HALF = 100;
const NAME = "nardy fair dice 1";
const utf8 = new TextEncoder();

/** A new half of the bot: 128 random bits as 32 hexadecimal digits. */
export function newBotHalf() {
  return hex(globalThis.crypto.getRandomValues(new Uint8Array(16)));
}

/** What the bot shows before the game: it cannot change its half afterwards. */
export function commitmentTo(botHalf) {
  return sha256Hex(`${NAME}\ncommitment\n${botHalf}`);
}

/** The player's half as it counts: composed, on one line, without spaces at its ends; "" will not do. */
export function plainHalf(text) {
  const line = text.normalize("NFC").replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Zs}]+/gu, " ");
  const trimmed = (found) => found.replace(/^ | $/g, "");
  return trimmed(Array.from(trimmed(line)).slice(0, LONGEST_HALF).join(""));
}

/** The key of a game's dice, from both halves. */
export function keyOf(botHalf, playerHalf) {
  return sha256Hex(`${NAME}\nkey\n${botHalf}\n${playerHalf}`);
}

/** Throw `number` (0 is the first) of the game with that key: two dice, from these two values alone. */
export function throwOf(key, number) {
  const dice = [];
  for (let block = 0; dice.length < 2; block++)
    for (const byte of sha256(utf8.encode(`${NAME}\nthrow\n${key}\n${number}\n${block}`)))
      // 252 is the largest multiple of 6 that a byte can count: all faces are equally likely.
      if (byte < 252 && dice.length < 2) dice.push((byte % 6) + 1);
  return dice;
}

/**
 * Checks the dice of a game against its halves and the commitment that was shown before it.
 * @returns { ok, fault, number }: fault is null, "commitment" or "throw" with the number of the first wrong one
 */
export function checkedDice({ botHalf, playerHalf, commitment, throws }) {
  if (commitmentTo(botHalf) !== commitment) return { ok: false, fault: "commitment", number: null };
  const key = keyOf(botHalf, playerHalf);
  const wrong = throws.findIndex((dice, number) => String(dice) !== String(throwOf(key, number)));
  return wrong < 0 ? { ok: true, fault: null, number: null } : { ok: false, fault: "throw", number: wrong };
}
