// The dialog after a game: how it ended, the seed and the check of its dice, the next game.
import { button, byId, make, showDialog } from "./dom.js";
import { checkedDice } from "./fair_dice.js";
import { halvesPart } from "./halves.js";

/** @param told { next(halves), newMatch() } */
export function openResultDialog({ settings, table }, told) {
  const { words } = settings;
  const { game, match } = table;
  const dialog = byId("result-dialog");
  const over = table.phase === "match_over";
  const { winner, kind, points, how } = game.result;
  const next = over ? null : halvesPart(words, words.nextDice);
  const form = make(
    "form",
    { noValidate: true },
    make("h2", { id: "result-title" }, over ? words.matchOver : words.gameOver),
    make("p", { className: "result" }, words.won(winner, kind, points, how), over && table.winner !== null ? ` ${words.matchWon(table.winner)}` : ""),
    match.from === null ? make("p", { className: "score" }, words.scoreWords(...table.score, match.length)) : null,
    revealed(words, game),
    next?.part,
    make(
      "div",
      { className: "row" },
      make("button", { type: "submit", className: "main", id: "go-on" }, over ? words.newMatch : words.nextGame),
      button(words.close, () => dialog.close()),
    ),
  );
  form.onsubmit = (event) => {
    event.preventDefault();
    if (over) {
      dialog.close();
      told.newMatch();
      return;
    }
    const both = next.halves();
    if (!both) return;
    dialog.close();
    told.next(both);
  };
  showDialog(dialog, form);
}

function revealed(words, game) {
  const verdict = make("p", { id: "dice-verdict", role: "status" });
  const check = button(
    words.checkDice,
    () => {
      const { ok, fault, number } = checkedDice({ botHalf: game.bot, playerHalf: game.player, commitment: game.commitment, throws: game.throws });
      verdict.textContent = ok ? words.diceFair(game.throws.length) : words.diceUnfair(fault, number);
      verdict.className = ok ? "good" : "fault";
    },
    { id: "check-dice" },
  );
  return make(
    "fieldset",
    { className: "halves" },
    make("legend", {}, words.fairDice),
    make("p", {}, words.revealed),
    make("code", { id: "bot-half", className: "digest" }, game.bot),
    make("p", {}, words.yourHalf),
    make("code", { className: "digest" }, game.player),
    make("div", { className: "row" }, check),
    verdict,
    make("p", { className: "note" }, words.howChecked),
  );
}
