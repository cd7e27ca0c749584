// Compares this browser's answers with those that the Python package stored in vectors.json.
import { positionKey, positionOf } from "./positions.js";

/** What differs is counted, with the first example of it in words. */
export function compareWithVectors(nardy, vectors) {
  const report = { ok: false, boards: 0, largestDifference: 0, rolls: 0, bestPlays: 0, levelPlays: 0, equalWorth: 0, fault: null };
  const fault = (text) => (report.fault ??= text);
  for (const { profile, start, rolls, dice } of vectors.rules) {
    if (positionKey(nardy.start({ profile })) !== start) fault(`${profile}: another start`);
    dice.forEach((expected, turn) => {
      if (String(nardy.roll(vectors.seed, { profile, turn })) !== String(expected)) fault(`${profile}: other dice`);
    });
    for (const roll of rolls) comparePlays(nardy, profile, roll, report, fault);
  }
  compareEvaluations(nardy, vectors, report, fault);
  for (const roll of vectors.best) compareBest(nardy, vectors.equal_worth, roll, report, fault);
  for (const roll of vectors.levels) compareLevel(nardy, vectors.equal_worth, roll, report, fault);
  report.ok = report.fault === null;
  return report;
}

function comparePlays(nardy, profile, { position, roll, plays }, report, fault) {
  const placed = positionOf(position, nardy.profile(profile).checkers);
  const found = nardy.plays(placed, roll, { profile }).map((play) => play.notation);
  report.rolls++;
  if (JSON.stringify(found) !== JSON.stringify(plays)) fault(`${profile}: other plays of ${roll}`);
}

function compareEvaluations(nardy, { evaluations, tolerance }, report, fault) {
  for (const { plies, positions, outcomes, equities } of evaluations) {
    const placed = positions.map((key) => positionOf(key, nardy.profile().checkers));
    const found = nardy.evaluateAll(placed, { plies });
    found.forEach((value, i) => {
      const differences = Object.values(value.outcomes).map((share, k) => Math.abs(share - outcomes[i][k]));
      const largest = Math.max(...differences, Math.abs(value.equity - equities[i]));
      report.boards++;
      // Written so that what is no number is a fault too.
      if (!(largest <= report.largestDifference)) report.largestDifference = largest;
      if (!(largest <= tolerance)) fault(`board ${i} at ${plies} plies differs by ${largest}`);
    });
  }
}

function compareBest(nardy, equalWorth, { position, roll, plies, plays, equities }, report, fault) {
  const found = nardy.best(positionOf(position, nardy.profile().checkers), roll, { plies }).notation;
  report.bestPlays++;
  if (found === plays[0]) return;
  const place = plays.indexOf(found);
  if (place > 0 && Math.abs(equities[0] - equities[place]) < equalWorth) report.equalWorth++;
  else fault(`the best play of ${roll} at ${plies} plies is ${found} here and ${plays[0]} there`);
}

function compareLevel(nardy, equalWorth, { position, roll, level, key, plays, seen, noise }, report, fault) {
  const found = nardy.best(positionOf(position, nardy.profile().checkers), roll, { level, key });
  report.levelPlays++;
  const place = plays.indexOf(found.notation);
  // Judgement may differ in its last digits, the noise of a board may not.
  if (place > 0 && Math.abs(seen[0] - seen[place]) < equalWorth) report.equalWorth++;
  else if (place !== 0) fault(`level ${level} plays ${found.notation} with ${roll} here and ${plays[0]} there`);
  else if (nardy.noise({ ...key, seat: Number(position.split(":")[1]) }, found.board) !== noise) fault(`the noise of ${found.notation} differs`);
}
