// What stands beside the board: advice, record, dice, position.
import { positionKey } from "../positions.js";
import { byId, make } from "./dom.js";
import { counted, throwsByPlayer } from "./dice_statistics.js";
import { throwsOf } from "./match.js";

/** Draws all panels. `table` may have no match yet. */
export function showPanels(words, table, { costs, thinking, pick }) {
  showAdvice(words, table, { costs, thinking, pick });
  showRecord(words, table);
  showDice(words, table);
  showPosition(table);
}

// ---- advice --------------------------------------------------------------------------------------

function showAdvice(words, table, { costs, thinking, pick }) {
  const parts = [];
  if (thinking) parts.push(make("p", {}, words.thinking));
  if (table.hints) {
    const rows = table.hints.map((play) =>
      make("li", {}, make("button", { type: "button", className: "hint", onclick: () => pick(play), onmouseenter: () => pick(play), onfocus: () => pick(play) }, make("span", {}, play.notation), make("b", {}, words.worth(play.equity)))),
    );
    parts.push(make("p", {}, words.hints), make("ol", { className: "hints" }, ...rows));
  }
  if (costs) {
    const last = table.match ? lastJudged(table.history) : null;
    if (last?.only) parts.push(make("p", {}, words.forcedPlay(last.play.notation)));
    else if (last) parts.push(make("p", { id: "last-cost", className: last.cost < 0.0005 ? "good" : "" }, words.lastCost(last.play.notation, last.cost, last.best)));
    const all = (table.match?.games ?? []).flatMap((game) => game.costs).filter((cost) => typeof cost === "number");
    if (all.length) parts.push(make("p", { className: "note" }, words.meanCost(all.reduce((sum, cost) => sum + cost, 0) / all.length, all.length)));
  }
  if (!parts.length) parts.push(make("p", { className: "note" }, words.noAdvice));
  byId("advice").replaceChildren(...parts);
}

function lastJudged(history) {
  const mine = history.filter(({ player }) => player === 0);
  const last = mine[mine.length - 1];
  return last?.cost === undefined ? null : last;
}

// ---- record --------------------------------------------------------------------------------------

let recorded = "";

function showRecord(words, table) {
  const { match } = table;
  const state = match ? JSON.stringify([words.language, match.games.length, table.game.plays.length, table.game.throws.length, match.games.flatMap(({ costs }) => costs)]) : words.language;
  if (state === recorded) return;
  recorded = state;
  const box = byId("record");
  const games = (match?.games ?? []).map((game, i) => gamePart(words, table, game, i));
  byId("download").disabled = byId("copy-record").disabled = !match || match.from !== null;
  byId("record-note").textContent = match && match.from !== null ? words.noRecord : "";
  if (games.every((part) => !part)) box.replaceChildren(make("p", { className: "note" }, words.recordEmpty));
  else box.replaceChildren(make("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel: words.record }, ...games.filter(Boolean)));
  const scroll = box.querySelector(".scroll");
  if (scroll) scroll.scrollTop = scroll.scrollHeight;
}

function gamePart(words, table, game, index) {
  const { starter, turns } = throwsOf(table.match, game, table.profile);
  if (!turns.length) return null;
  const rows = turns.map((dice, turn) => {
    const player = (starter + turn) % 2;
    const play = game.plays[turn];
    const cost = game.costs[turn];
    const shown = play === undefined ? "…" : play === "pass" ? words.pass : play;
    return make(
      "li",
      { className: `by-${player}` },
      make("span", { className: "who" }, player === 0 ? words.you : words.bot),
      make("span", { className: "roll" }, `${Math.max(...dice)}-${Math.min(...dice)}`),
      make("span", {}, shown),
      typeof cost === "number" && cost >= 0.0005 ? make("span", { className: "cost" }, words.worth(-cost)) : null,
    );
  });
  const { result } = game;
  return make("section", {}, make("h3", {}, words.gameNumber(index + 1)), make("ol", { className: "turns" }, ...rows), result ? make("p", {}, words.won(result.winner, result.kind, result.points, result.how)) : null);
}

// ---- dice ----------------------------------------------------------------------------------------

let diced = "";

function showDice(words, table) {
  const { match } = table;
  const by = match ? throwsByPlayer(match.games, (game) => throwsOf(match, game, table.profile)) : [[], []];
  const commitment = match ? table.game.commitment : "";
  const state = JSON.stringify([words.language, by.map((throws) => throws.length), commitment]);
  if (state === diced) return;
  diced = state;
  const [mine, his] = by.map(counted);
  const share = (count, throws) => (throws ? `${count}` : "–");
  const row = (name, of, expected) => make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, of(mine)), make("td", {}, of(his)), make("td", { className: "note" }, expected));
  const head = make("tr", {}, make("th", { scope: "col" }, words.face), make("th", { scope: "col" }, words.you), make("th", { scope: "col" }, words.bot), make("th", { scope: "col" }, words.expected));
  const number = (value, digits) => (words.language === "Русский" ? value.toFixed(digits).replace(".", ",") : value.toFixed(digits));
  const each = (of) => [...new Set([mine, his].map((part) => number(of(part), 1)))].join("/");
  const rows = [1, 2, 3, 4, 5, 6].map((face) => row(String(face), (part) => share(part.faces[face - 1], part.throws), each((part) => part.throws / 3)));
  const sums = [
    row(words.throws, (part) => String(part.throws), ""),
    row(words.doubles, (part) => share(part.doubles, part.throws), each((part) => part.throws / 6)),
    row(words.mean, (part) => (part.throws ? number(part.mean, 2) : "–"), number(3.5, 2)),
  ];
  byId("dice").replaceChildren(
    make("table", {}, make("caption", {}, words.diceSoFar), make("thead", {}, head), make("tbody", {}, ...rows, ...sums)),
    ...(commitment ? [make("p", { className: "note" }, words.shownCommitment), make("code", { className: "digest" }, commitment)] : []),
  );
}

// ---- position ------------------------------------------------------------------------------------

function showPosition(table) {
  byId("position-id").value = table.match && table.position ? positionKey(table.position).split(":")[0] : "";
  byId("copy-position").disabled = !table.match;
}
