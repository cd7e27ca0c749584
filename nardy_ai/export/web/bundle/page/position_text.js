// Positions as people paste them: our key, or the position ID of GNU Backgammon alone or with its match ID.
import { positionOf } from "../positions.js";

const GIVEN = /^([A-Za-z0-9+/]{14})(?::([01]):([0-3])|:[A-Za-z0-9+/]{12})?$/;

/**
 * The key of the position that a text names; null where it names none of so many checkers a side.
 * @param start the start of the game: an ID alone says neither who started nor how many turns were played, so the
 *   player on roll is taken for the one who did, before his first turn where none of his checkers has moved
 */
export function pastedKey(text, checkers, start) {
  const found = GIVEN.exec(text.trim().replace(/^(position id|gnubg id)\s*:\s*/i, ""));
  if (!found) return null;
  const [, id, seat = "0"] = found;
  try {
    const { board } = positionOf(`${id}:0:3`, checkers);
    const turns = found[3] ?? (String(board[0]) === String(start.board[0]) ? "0" : "3");
    return `${id}:${seat}:${turns}`;
  } catch {
    return null;
  }
}
