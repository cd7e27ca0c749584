// What a page does with a bundle, in Node: one JSON object on stdout, which test_web_engine.py judges.
//   node web_client.mjs FOLDER [FOLDER THAT SHOULD NOT OPEN ...]
import { pathToFileURL } from "node:url";

const [folder, ...others] = process.argv.slice(2).map((path) => pathToFileURL(`${path}/`));
const { NardyError, open, openWorker, positionKey, positionOf } = await import(new URL("nardy.js", folder));

/** The message of what a call refuses; a fault of any other kind is told as such. */
async function refusal(call) {
  try {
    await call();
    return null;
  } catch (error) {
    return error instanceof NardyError ? error.message : `${error.name}: ${error.stack}`;
  }
}

const saved = (game) => JSON.parse(JSON.stringify(game));

function wholeGame(nardy) {
  const game = nardy.game({ seed: 7, number: 3 });
  while (!game.result) {
    game.roll();
    game.play(game.turn % 2 ? game.plays[game.plays.length - 1] : game.best());
  }
  return { ...saved(game), end: positionKey(game.position), result: game.result };
}

function atLevels(nardy, seed) {
  const game = nardy.game({ seed, number: 1 });
  const levels = [];
  while (!game.result) {
    game.roll();
    const level = game.position.seat ? 10 : 2;
    levels.push([game.best({ level }).notation, game.best({ plies: nardy.model.levels[level - 1].plies }).notation]);
    game.play(levels[levels.length - 1][0]);
  }
  const other = (turns) => turns.filter(([chosen, best]) => chosen !== best).length;
  return {
    turns: saved(game).turns,
    blurred: other(levels.filter((_, turn) => turn % 2 === 0)),
    full: other(levels.filter((_, turn) => turn % 2 === 1)),
  };
}

function takingBack(nardy) {
  const game = nardy.game({ seed: 1 });
  const states = [];
  const note = () => states.push([positionKey(game.position), game.dice, game.turn]);
  const first = game.undo();
  for (let i = 0; i < 4; i++) {
    game.roll();
    note();
    game.play(game.plays[0]);
  }
  const undone = [];
  game.roll();
  while (game.undo()) undone.unshift([positionKey(game.position), game.dice, game.turn]);
  return { first, states, undone };
}

async function errors(nardy) {
  const start = nardy.start();
  const board = (change) => ({ ...start, board: start.board.map((row, side) => row.map((count, i) => (side === 0 ? change(count, i) : count))) });
  const game = nardy.game({ seed: 1 });
  const other = nardy.model.game === "long" ? "short/standard" : "long/fns";
  const calls = {
    dice: () => nardy.plays(start, [7, 1]),
    fraction: () => nardy.plays(start, [2.5, 1]),
    plies: () => nardy.best(start, [3, 1], { plies: 4 }),
    profile: () => nardy.start({ profile: "long/none" }),
    family: () => nardy.best(nardy.start({ profile: other }), [3, 1], { profile: other }),
    count: () => nardy.check(board((count, i) => (i === 0 ? 300 : count))),
    sum: () => nardy.check(board((count, i) => (i === 0 ? count + 1 : count))),
    seat: () => nardy.plays({ board: start.board, turns: 0 }, [3, 1]),
    nothing: () => nardy.evaluate(undefined),
    key: () => positionOf("4HPwATDgc/ABMA"),
    key_bits: () => positionOf("/////////////w:0:0"),
    seed: () => nardy.roll(-1),
    seed_text: () => nardy.game({ seed: "seven" }).roll(),
    early: () => game.play("pass"),
    twice: () => (game.roll(), game.roll()),
    illegal: () => game.play("24/23 1/off"),
    kernels: () => open({ folder, kernels: "fast" }),
    level_0: () => nardy.best(start, [3, 1], { level: 0 }),
    level_11: () => nardy.best(start, [3, 1], { level: 11 }),
    level_text: () => nardy.best(start, [3, 1], { level: "3" }),
    level_plies: () => nardy.best(start, [3, 1], { level: 3, plies: 1 }),
    level_rank: () => nardy.rank(start, [3, 1], { level: 3 }),
    level_key: () => nardy.best(start, [3, 1], { level: 3, key: -1 }),
  };
  const found = {};
  for (const [name, call] of Object.entries(calls)) found[name] = await refusal(call);
  return found;
}

async function inWorker(nardy) {
  const worker = await openWorker({ folder });
  const start = nardy.start();
  const rank = await worker.rank(start, [3, 1], { plies: 1 });
  const game = await worker.game({ seed: 7, number: 3 });
  await game.roll();
  const busy = game.play(await game.best());
  const refused = await refusal(() => game.undo());
  await busy;
  await game.roll();
  await game.play(game.plays[0].notation);
  game.undo();
  const again = await worker.game(saved(game));
  // Of three calls at once one is stopped; the others are answered by the worker that replaces it.
  const stop = new AbortController();
  const calls = [worker.best(start, [6, 5], { plies: 3, signal: stop.signal }), worker.best(start, [6, 5]), worker.evaluate(start)];
  const settled = Promise.allSettled(calls);
  stop.abort();
  const [stopped, best, value] = await settled;
  const at_level = (await worker.best(start, [6, 5], { level: 1, key: 5 })).notation === nardy.best(start, [6, 5], { level: 1, key: "5" }).notation;
  const wrong = await refusal(() => worker.best(start, [0, 1]));
  const late = worker.best(start, [6, 5], { plies: 3 });
  worker.close();
  return {
    facts: [worker.kernels, worker.profiles.length, worker.profile().name],
    same_rank: JSON.stringify(rank) === JSON.stringify(nardy.rank(start, [3, 1], { plies: 1 })),
    saved: [saved(game), saved(again)],
    refused,
    wrong,
    at_level,
    stopped: [stopped.status, stopped.reason?.name],
    answered: best.value?.notation === nardy.best(start, [6, 5]).notation && value.value?.equity === nardy.evaluate(start).equity,
    closed: [await refusal(() => late), await refusal(() => worker.start())],
    self_test: (await nardy.selfTest()).ok,
  };
}

function speed(nardy) {
  const start = nardy.start();
  const rolls = [];
  for (let turn = 0, game = nardy.game({ seed: 2 }); turn < 40 && !game.result; turn++) {
    game.roll();
    rolls.push([game.position, game.dice]);
    game.play(game.best());
  }
  const times = 10;
  const began = process.cpuUsage();
  for (let i = 0; i < times; i++) for (const [position, dice] of rolls) nardy.best(position, dice);
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000 / rolls.length / times;
}

const report = { self_tests: {}, speed_ms: {} };
const engines = [];
for (const kernels of ["simd", "plain"]) {
  const nardy = await open({ folder, kernels });
  engines.push(nardy);
  report.self_tests[nardy.kernels] = await nardy.selfTest();
  report.speed_ms[nardy.kernels] = speed(nardy);
}
const [nardy, plain] = engines;
const positions = nardy.game(wholeGame(nardy)).history.map(({ position }) => position);
report.same_bits = JSON.stringify(nardy.evaluateAll(positions)) === JSON.stringify(plain.evaluateAll(positions));
report.game = wholeGame(nardy);
report.at_levels = [atLevels(nardy, 7), atLevels(plain, 7n), atLevels(nardy, "8")];
report.taking_back = takingBack(nardy);
report.errors = await errors(nardy);
report.worker = await inWorker(nardy);
report.not_opened = [];
for (const other of others) report.not_opened.push(await refusal(async () => (await open({ folder: other })).selfTest()));
// Pages that come over plain HTTP have no crypto.subtle: the lengths and the net's own checksum remain.
Object.defineProperty(globalThis, "crypto", { value: undefined });
report.without_digests = [];
for (const other of [folder, ...others]) report.without_digests.push(await refusal(() => open({ folder: other })));
console.log(JSON.stringify(report));
process.exit(0);
