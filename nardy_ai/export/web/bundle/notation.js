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
  let sources = 0;
  let targets = 0;
  for (const [from, to] of steps) {
    sources |= 1 << from;
    targets |= 1 << to;
  }
  const ways = (sources & targets ? waysOf(steps) : steps.slice()).sort(inOrder);
  // A hit is shown on the first way over the point, which is one that ends there if any does.
  const hitters = hits.map((point) => ways.find((way) => way.indexOf(point, 1) > 0));
  const words = [];
  const moves = [];
  for (let i = 0, times; i < ways.length; i += times) {
    const way = ways[i];
    for (times = 1; i + times < ways.length && compare(ways[i + times], way) === 0; ) times++;
    const shown = [];
    let word = name(way[0]);
    for (let at = 1, last = way[0]; at < way.length; at++) {
      const hit = hits.indexOf(way[at]);
      const star = hit >= 0 && compare(hitters[hit], way) === 0;
      if (!star && at < way.length - 1) continue;
      word += `/${name(way[at])}${star ? "*" : ""}`;
      shown.push([last, way[at]]);
      last = way[at];
    }
    words.push(times > 1 ? `${word}(${times})` : word);
    for (let t = 0; t < times; t++) for (const [from, to] of shown) moves.push([from, to]);
  }
  return { notation: words.join(" ") || "pass", moves };
}
