// What a web bundle says of the stored boards and rolls; test_parity.py judges it.
//   node parity_client.mjs BUNDLE SET KERNELS      (a page imports `told`)

const text = (board) => board.flat().map((count) => count.toString(16)).join("");

/** The board after a play with its maker in row 0, as 52 hexadecimal digits. */
const left = ({ position }) => text([position.board[1], position.board[0]]);

/** @param set { positions: keys, rolls: [[number, die, die]], checkers } */
export function told({ nardy, positionOf }, set) {
  const placed = set.positions.map((key) => positionOf(key, set.checkers));
  const values = nardy.evaluateAll(placed);
  return {
    kernels: nardy.kernels,
    outcomes: values.map(({ outcomes }) => Object.values(outcomes)),
    rolls: set.rolls.map(([number, ...dice]) => ({
      plays: nardy.plays(placed[number], dice).map(left),
      best: left(nardy.best(placed[number], dice)),
    })),
  };
}

if (typeof process !== "undefined" && process.argv[1]?.endsWith("parity_client.mjs")) {
  const { readFileSync, writeSync } = await import("node:fs");
  const { pathToFileURL } = await import("node:url");
  const [bundle, place, ...kinds] = process.argv.slice(2);
  const folder = pathToFileURL(`${bundle}/`);
  const { open, positionOf } = await import(new URL("nardy.js", folder));
  const set = JSON.parse(readFileSync(place, "utf8"));
  const found = [];
  for (const kernels of kinds) found.push(told({ nardy: await open({ folder, kernels }), positionOf }, set));
  // Written here and now: what a pipe has not taken when the process ends is lost.
  const bytes = new TextEncoder().encode(JSON.stringify(found));
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
}
