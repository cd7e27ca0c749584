// A match as plain values: what was agreed on, its games with throws and plays, and what follows from them.
// Player 0 is the one at this screen, player 1 the bot. Saved matches are checked by `matchOf`.
import { VERSION as DICE, commitmentTo, keyOf, plainHalf, throwOf } from "./fair_dice.js";

export const FORMAT = 1;
export const LENGTHS = [1, 3, 5, 7, 9, 11, 0];
const MOST_CUBE = 1024;

/**
 * @param terms { profile, length (0: as long as one likes), level, names, from }: from is the key of a pasted
 *   position, in which the player is on roll, or null
 */
export function newMatch({ profile, length, level, names, from = null }, halves) {
  const starter = from === null ? null : Number(from.split(":")[1]);
  return { format: FORMAT, profile, length, level, names, from, games: [newGame(halves, starter)] };
}

/** @param halves { bot, player }; @param starter the player who begins, null where a roll-off decides */
export function newGame({ bot, player }, starter) {
  return { dice: DICE, bot, player, commitment: commitmentTo(bot), starter, throws: [], plays: [], costs: [], result: null };
}

/** The dice of a game's next throw. */
export function nextThrow(game) {
  return throwOf(keyOf(game.bot, game.player), game.throws.length);
}

/** Points of both players from the finished games; draws bring `draw_points` to both. */
export function scoreOf(match, profile) {
  const score = [0, 0];
  for (const { result } of match.games) {
    if (!result) continue;
    if (result.winner === null) for (const player of [0, 1]) score[player] += profile.match.draw_points ?? 0.5;
    else score[result.winner] += result.points;
  }
  return score;
}

/** Who has won the match; null while it goes on. A pasted position is a match of one game. */
export function winnerOf(match, profile) {
  const [mine, his] = scoreOf(match, profile);
  if (match.length === 0 || Math.max(mine, his) < match.length || mine === his) return null;
  return mine > his ? 0 : 1;
}

/** Whether there is still something to play in a match. */
export function goesOn(match, profile) {
  const over = match.games[match.games.length - 1].result !== null;
  return !over || (match.from === null && winnerOf(match, profile) === null);
}

/** Who starts the next game by the profile; null: a roll-off decides. */
export function nextStarter(match, profile, starter) {
  const { result } = match.games[match.games.length - 1];
  if (profile.match.next_start === "rolloff") return null;
  return profile.match.next_start === "winner" && result.winner !== null ? result.winner : 1 - starter;
}

/** Whether the first player plays the dice of the roll-off. */
export function playsRollOff(profile) {
  return /^opening_roll = rolloff_pair$/m.test(profile.options);
}

/**
 * Reads the throws of a game: { rollOffs, starter (null: not decided), stake, turns } with `turns` the throws that
 * are played. Where the roll-off's dice are played, they stand in both lists.
 */
export function throwsOf(match, game, profile) {
  const found = { rollOffs: [], starter: game.starter, stake: 1, turns: [] };
  const doubling = profile.cube?.automatic_doubles ?? 0;
  let doubled = 0;
  for (const dice of game.throws) {
    if (found.starter !== null) {
      found.turns.push(dice);
      continue;
    }
    found.rollOffs.push(dice);
    if (dice[0] === dice[1]) {
      const follows = match.length === 0 && (doubling === "unlimited" || doubled < doubling);
      if (follows && found.stake * 2 <= MOST_CUBE) (found.stake *= 2), doubled++;
    } else {
      found.starter = dice[0] > dice[1] ? 0 : 1;
      if (playsRollOff(profile)) found.turns.push(dice);
    }
  }
  return found;
}

/** The kind of a win for an outcome: `win_mars` -> `mars`, `win` -> the plainest kind of the family. */
export function kindOf(outcome, family) {
  return outcome.split("_").slice(1).join("_") || { long: "oin", short: "single" }[family];
}

/** The result of a finished board whose next player would be `onRoll`. */
export function resultOf(outcome, onRoll, profile, stake) {
  if (outcome === "draw") return { winner: null, kind: "draw", points: 0, how: "play" };
  const winner = outcome.startsWith("win") ? onRoll : 1 - onRoll;
  const points = Math.abs(profile.points[profile.outcomes.indexOf(outcome)]) * stake;
  return { winner, kind: kindOf(outcome, profile.family), points, how: "play" };
}

/** What giving up costs: a double loss while no own checker is off, else the plainest one. */
export function resignation(player, off, profile, stake) {
  const outcome = profile.outcomes.filter((name) => name.startsWith("lose"))[off > 0 ? 0 : 1] ?? "lose";
  const lost = resultOf(outcome, player, profile, stake);
  return { ...lost, how: "resignation" };
}

// ---- what was saved ------------------------------------------------------------------------------

const isDice = (dice) => Array.isArray(dice) && dice.length === 2 && dice.every((die) => Number.isInteger(die) && die >= 1 && die <= 6);
const isText = (value, longest) => typeof value === "string" && value.length <= longest;
const isPlayer = (value) => value === 0 || value === 1;

function isResult(result) {
  if (result === null) return true;
  const { winner, kind, points, how } = result;
  return (winner === null || isPlayer(winner)) && isText(kind, 40) && Number.isFinite(points) && points >= 0 && ["play", "resignation"].includes(how);
}

function isGame(game) {
  return (
    game?.dice === DICE &&
    /^[0-9a-f]{32}$/.test(game.bot) &&
    isText(game.player, 400) &&
    game.player !== "" &&
    plainHalf(game.player) === game.player &&
    game.commitment === commitmentTo(game.bot) &&
    (game.starter === null || isPlayer(game.starter)) &&
    Array.isArray(game.throws) &&
    game.throws.every(isDice) &&
    Array.isArray(game.plays) &&
    game.plays.every((play) => isText(play, 400)) &&
    Array.isArray(game.costs) &&
    isResult(game.result)
  );
}

/** A saved match, or null where it is none of this format. What was played in it is checked by replaying. */
export function matchOf(saved, profiles) {
  if (saved?.format !== FORMAT || !Array.isArray(saved.games) || saved.games.length === 0) return null;
  const agreed =
    profiles.some(({ name }) => name === saved.profile) &&
    LENGTHS.includes(saved.length) &&
    Number.isInteger(saved.level) &&
    saved.level >= 1 &&
    saved.level <= 10 &&
    (saved.from === null || /^[A-Za-z0-9+/]{14}:[01]:[0-3]$/.test(saved.from)) &&
    Array.isArray(saved.names) &&
    saved.names.length === 2 &&
    saved.names.every((name) => isText(name, 60));
  const open = saved.games.slice(0, -1).every((game) => game?.result);
  return agreed && open && saved.games.every(isGame) ? saved : null;
}
