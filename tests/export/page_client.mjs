// What the page reckons without a browser, in Node: one JSON object on stdout, which test_web_page_parts.py judges.
//   node page_client.mjs FOLDER REQUEST.json
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const folder = pathToFileURL(`${process.argv[2]}/`);
const request = JSON.parse(readFileSync(process.argv[3], "utf8"));
const part = (name) => import(new URL(`page/${name}.js`, folder));
const [{ open, positionOf }, dice, steps, mat, match, texts, statistics] = await Promise.all([
  import(new URL("nardy.js", folder)),
  ...["fair_dice", "turn_steps", "mat", "match", "position_text", "dice_statistics"].map(part),
]);
const nardy = await open();

/** All boards in which a turn can be given, however the steps are made; and whether each lit place leads on. */
function reached(turn, found = new Set(), seen = new Set()) {
  const state = `${turn.board}|${turn.left}`;
  if (seen.has(state)) return found;
  seen.add(state);
  if (turn.play) found.add(turn.play.notation);
  const next = turn.steps();
  if (next.length === 0 && !turn.play) found.add(`dead end ${state}`);
  for (const { from, to } of next) {
    if (!turn.move(from, to)) found.add(`refused ${from}/${to}`);
    else {
      reached(turn, found, seen);
      turn.undo();
    }
  }
  return found;
}

const turns = request.turns.map(({ profile, position, roll }) => {
  const facts = nardy.profile(profile);
  const placed = positionOf(position, facts.checkers);
  const plays = nardy.plays(placed, roll, { profile });
  const turn = new steps.TurnSteps(steps.stepRules(facts), placed, roll, plays);
  return { found: [...reached(turn)].sort(), why: plays[0].notation === "pass" ? steps.whyPass(steps.stepRules(facts), placed.board, roll) : null };
});

const sources = request.steps.map(({ profile, board, roll, made = [] }) => {
  const facts = nardy.profile(profile);
  const position = { board, seat: 0, turns: 3 };
  const turn = new steps.TurnSteps(steps.stepRules(facts), position, roll, nardy.plays(position, roll, { profile }));
  for (const [from, to] of made) if (!turn.move(from, to)) return "refused";
  return [...turn.sources()].sort((a, b) => a - b).map((from) => [from, [...turn.targets(from).keys()].sort((a, b) => a - b)]);
});

const games = request.golden.games.map(({ bot, player, throws }) => {
  const key = dice.keyOf(bot, player);
  return { commitment: dice.commitmentTo(bot), key, throws: throws.map((_, number) => dice.throwOf(key, number)) };
});
const { bot, player, number } = request.golden.late;

const records = request.records.map((saved) => {
  const read = match.matchOf(saved, nardy.profiles);
  return read && mat.matText(read, nardy.profile(saved.profile), nardy.profile(saved.profile).packaged);
});

console.log(
  JSON.stringify({
    turns,
    sources,
    why: request.why.map(({ profile, board, roll }) => steps.whyPass(steps.stepRules(nardy.profile(profile)), board, roll)),
    golden: { games, late: dice.throwOf(dice.keyOf(bot, player), number), halves: request.golden.halves.map(([text]) => dice.plainHalf(text)) },
    records,
    pasted: request.pasted.map((text) => texts.pastedKey(text, 15, nardy.start())),
    counted: statistics.counted(request.throws),
    checked: request.checked.map(dice.checkedDice),
  }),
);
