// Positions as short texts: the position ID of GNU Backgammon with what stands beside the board.
import { NardyError } from "./errors.js";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const isCount = (value, most) => Number.isInteger(value) && value >= 0 && value <= most;

function isRow(row) {
  if (!Array.isArray(row) || row.length !== 26) return false;
  for (let column = 0; column < 26; column++) if (!isCount(row[column], 15)) return false;
  return true;
}

/** Throws where a value is not even shaped like a position; whether it can stand on the table the engine says. */
export function checkShape(position) {
  const rows = position?.board;
  if (!Array.isArray(rows) || rows.length !== 2 || !isRow(rows[0]) || !isRow(rows[1]))
    throw new NardyError("a position has a board of two rows with 26 counts from 0 to 15 each");
  if (!isCount(position.seat, 1)) throw new NardyError("seat of a position is 0 (the player on roll started the game) or 1");
  if (!isCount(position.turns, 3)) throw new NardyError("turns of a position is 0, 1, 2, or 3 for three and more");
}

/** `<id>:<seat>:<turns>`, from which `positionOf` makes the position again; equal to `str(position.key)` in Python. */
export function positionKey(position) {
  checkShape(position);
  const bits = [];
  for (const row of [position.board[1], position.board[0]])
    for (const count of row.slice(0, 25)) bits.push(...Array(count).fill(1), 0);
  if (bits.length > 80) throw new NardyError("a position with more than 15 checkers a side has no ID");
  let id = "";
  // Bytes have their lowest bit first, letters take the highest of a byte first.
  const bit = (place) => bits[(place & ~7) + 7 - (place & 7)] ?? 0;
  for (let at = 0; at < 84; at += 6) {
    let letter = 0;
    for (let place = at; place < at + 6; place++) letter = 2 * letter + (place < 80 ? bit(place) : 0);
    id += LETTERS[letter];
  }
  return `${id}:${position.seat}:${position.turns}`;
}

/** The position of a key in a game of so many checkers a side. */
export function positionOf(key, checkers = 15) {
  const parts = /^([A-Za-z0-9+/]{14}):([01]):([0-3])$/.exec(key);
  const wrong = () => new NardyError(`${JSON.stringify(String(key).slice(0, 40))} is no key of a position with ${checkers} checkers a side`);
  if (!parts) throw wrong();
  const bits = [];
  for (let place = 0; place < 84; place++) {
    const value = (LETTERS.indexOf(parts[1][Math.floor(place / 6)]) >> (5 - (place % 6))) & 1;
    if (place < 80) bits[(place & ~7) + 7 - (place & 7)] = value;
    else if (value) throw wrong();
  }
  const board = [[], []];
  let at = 0;
  for (const side of [1, 0]) {
    let left = checkers;
    for (let column = 0; column < 25; column++) {
      let count = 0;
      while (bits[at] === 1) at++, count++;
      at++;
      board[side].push(count);
      left -= count;
    }
    if (left < 0 || at > 80) throw wrong();
    board[side].push(left);
  }
  if (bits.slice(at).includes(1)) throw wrong();
  return { board, seat: Number(parts[2]), turns: Number(parts[3]) };
}
