// The canonical text of a play, the same that the Python package writes: 8/5 6/5, bar/20*, 24/18(2), 6/off, pass.

const name = (point) => (point === 25 ? "bar" : point === 0 ? "off" : String(point));

// Higher points first, then the ways in their order, shorter before longer.
function inOrder(a, b) {
  if (a[0] !== b[0]) return b[0] - a[0];
  if (a[a.length - 1] !== b[b.length - 1]) return b[b.length - 1] - a[a.length - 1];
  return compare(a, b);
}

function compare(a, b) {
  for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
}

// Single movements joined to the ways of checkers. Where fewer go on from a point than came to it, those from
// the highest points stay there.
function waysOf(steps) {
  const targets = new Map();
  for (const [from, to] of steps) targets.set(from, [...(targets.get(from) ?? []), to]);
  const arrived = new Map();
  const ended = [];
  for (const point of [...targets.keys()].sort((a, b) => b - a)) {
    const leaving = targets.get(point).sort((a, b) => b - a);
    const comers = (arrived.get(point) ?? []).sort((a, b) => compare(b, a));
    arrived.delete(point);
    const staying = Math.max(0, comers.length - leaving.length);
    ended.push(...comers.slice(0, staying));
    const going = comers.slice(staying);
    while (going.length < leaving.length) going.push([point]);
    going.forEach((way, i) => arrived.set(leaving[i], [...(arrived.get(leaving[i]) ?? []), [...way, leaving[i]]]));
  }
  for (const ways of arrived.values()) ended.push(...ways);
  return ended;
}

/**
 * Text and moves of a play.
 * @param steps single movements [from, to] in an order in which they can be made
 * @param hits  own points on which a checker of the opponent was hit
 */
export function written(steps, hits) {
  const ways = waysOf(steps).sort(inOrder);
  // A hit is shown on the first way over the point, which is one that ends there if any does.
  const hitter = new Map(hits.map((point) => [point, ways.find((way) => way.indexOf(point, 1) > 0)]));
  const words = [];
  const moves = [];
  for (let i = 0; i < ways.length; ) {
    const way = ways[i];
    let times = 1;
    while (i + times < ways.length && compare(ways[i + times], way) === 0) times++;
    i += times;
    const star = (point) => hitter.has(point) && compare(hitter.get(point), way) === 0;
    const path = way.filter((point, at) => at === 0 || at === way.length - 1 || star(point));
    words.push(path.map((point, at) => name(point) + (at > 0 && star(point) ? "*" : "")).join("/") + (times > 1 ? `(${times})` : ""));
    for (let t = 0; t < times; t++) for (let at = 1; at < path.length; at++) moves.push([path[at - 1], path[at]]);
  }
  return { notation: words.join(" ") || "pass", moves };
}
