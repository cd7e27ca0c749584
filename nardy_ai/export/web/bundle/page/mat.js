// A match as a `.mat` file, byte for byte as nardy_ai.rules writes it; short nardy is read by GNU Backgammon.
import { DICE_TAG, diceTag } from "./mat_dice.js";
import { playsRollOff, scoreOf, throwsOf, winnerOf } from "./match.js";

const VARIATIONS = { "short/standard": "Backgammon", "short/nackgammon": "NackGammon", "short/hypergammon": "HyperGammon (3)" };
const RIGHT_COLUMN = 33;
const LEFT_WIDTH = 27;
const LONGEST_NAME = 30;
const UNPLAYED = "????";

/** The text of a match. `packaged`: whether the profile is one that every nardy-ai has. */
export function matText(match, profile, packaged = true) {
  const lines = tags(match, profile, packaged).map(([name, value]) => `; [${name} "${escaped(value)}"]`);
  lines.push("", ` ${match.length} point match`);
  const before = { ...match, games: [] };
  for (const game of match.games) {
    const score = scoreOf(before, profile);
    before.games = [...before.games, game];
    const over = winnerOf(before, profile) !== null;
    lines.push("", ...gameLines(match, game, profile, before.games.length, score, over));
  }
  return `${lines.join("\n")}\n`;
}

function tags(match, profile, packaged) {
  const other = profile.family === "long" ? "LongNarde" : "ShortNarde";
  const found = [
    ["Player 1", match.names[0]],
    ["Player 2", match.names[1]],
    ["Variation", (packaged && VARIATIONS[match.profile]) || other],
    ["Rules", packaged ? match.profile : "other"],
    ...cubeTags(match, profile),
  ];
  const rolled = rollOffs(match, profile);
  if (rolled) found.push(["RollOffs", rolled]);
  match.games.forEach((game, i) => found.push([`${DICE_TAG} ${i + 1}`, diceTag(game)]));
  return found;
}

// The page plays without turning the cube; what a match or money play has by its profile stands all the same.
function cubeTags(match, profile) {
  if (profile.family === "long") return [];
  const on = (flag) => (flag ? "On" : "Off");
  const found = match.length > 0 ? [["Crawford", on(profile.cube.enabled)]] : [["Jacoby", on(profile.cube.jacoby)], ["Beaver", on(profile.cube.beavers)]];
  if (match.length === 0 && profile.cube.automatic_doubles) found.push(["AutomaticDoubles", String(profile.cube.automatic_doubles)]);
  return [...found, ["CubeLimit", "1024"]];
}

function rollOffs(match, profile) {
  const played = playsRollOff(profile);
  const told = [];
  match.games.forEach((game, i) => {
    const rolls = throwsOf(match, game, profile).rollOffs;
    if (rolls.length > 1 || (rolls.length === 1 && (!played || rolls[0][0] === rolls[0][1])))
      told.push(`${i + 1}:${rolls.map((dice) => dice.join("-")).join(",")}`);
  });
  return told.join(" ");
}

// ---- games ---------------------------------------------------------------------------------------

function gameLines(match, game, profile, number, score, matchOver) {
  const { starter, turns } = throwsOf(match, game, profile);
  const rows = [];
  const add = (player, text) => {
    if (player === 0 || rows.length === 0 || rows[rows.length - 1][1]) rows.push(["", ""]);
    rows[rows.length - 1][player] = text;
  };
  turns.forEach((dice, turn) => {
    const rolled = `${Math.max(...dice)}${Math.min(...dice)}: `;
    const play = game.plays[turn];
    add((starter + turn) % 2, play === undefined ? rolled + UNPLAYED : (rolled + playText(play)).trimEnd());
  });
  const lines = [` Game ${number}`, padded(` ${lineName(match.names[0])} : ${score[0]}`, 31) + ` ${lineName(match.names[1])} : ${score[1]}`];
  rows.forEach(([left, right], i) => lines.push(`${String(i + 1).padStart(3)}) ${padded(left, LEFT_WIDTH)} ${right}`.trimEnd()));
  return game.result ? withEnd(lines, game.result, matchOver, rows) : lines;
}

function withEnd(lines, { winner, points }, matchOver, rows) {
  if (winner === null) return [...lines, `${" ".repeat(6)}Draw`];
  const text = `Wins ${points} point${points === 1 ? "" : "s"}${matchOver ? " and the match" : ""}`;
  // GNU Backgammon takes a result on a line of its own here for a second one.
  if (winner === 1 && rows.length > 0 && !rows[rows.length - 1][1]) return [...lines.slice(0, -1), `${padded(lines[lines.length - 1], RIGHT_COLUMN)} ${text}`];
  return [...lines, " ".repeat(winner === 0 ? 6 : RIGHT_COLUMN + 1) + text];
}

/** A play in numbers alone, a checker at a time, hits where they are made. */
export function playText(notation) {
  if (notation === "pass") return "";
  const number = (point) => point.replace("*", "").replace("bar", "25").replace("off", "0");
  const words = [];
  for (const token of notation.split(" ")) {
    const [, way, times] = /^([^(]+)(?:\((\d)\))?$/.exec(token);
    const points = way.split("/");
    for (let again = 0; again < Number(times ?? 1); again++)
      for (let at = 1; at < points.length; at++) words.push(`${number(points[at - 1])}/${number(points[at])}${points[at].endsWith("*") && again === 0 ? "*" : ""}`);
  }
  return words.join(" ");
}

// ---- texts ---------------------------------------------------------------------------------------

const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

const padded = (text, width) => text + " ".repeat(Math.max(0, width - Array.from(text).length));

function escaped(value) {
  const one = (c) => (c === '"' || c === "\\" ? `\\${c}` : UNPRINTABLE.test(c) ? `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}` : c);
  return Array.from(value, one).join("");
}

// A name as a line of names and score can hold it.
function lineName(name) {
  const plain = Array.from(name, (c) => (c === ":" ? "_" : UNPRINTABLE.test(c) ? " " : c)).join("");
  const words = plain.trim().split(/\s+/).join(" ");
  const bytes = new TextEncoder().encode(words).slice(0, LONGEST_NAME);
  let short = new TextDecoder().decode(bytes);
  while (short.endsWith("\ufffd") && !words.startsWith(short)) short = short.slice(0, -1);
  return short.trim() || "?";
}
