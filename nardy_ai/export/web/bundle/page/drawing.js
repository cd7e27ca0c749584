// Shapes of the board as SVG text. Colours come from the style sheet, by class.
import { BAR, OFF, seenBy } from "./geometry.js";

const round = (number) => Math.round(number * 10) / 10;
const attributes = (values) => Object.entries(values).map(([name, value]) => ` ${name}="${typeof value === "number" ? round(value) : value}"`).join("");

export function shape(name, values, inside = "") {
  return `<${name}${attributes(values)}>${inside}</${name}>`;
}

const gradient = (id, name, stops, values = {}) =>
  shape(name, { id, ...values }, stops.map(([offset, part]) => shape("stop", { offset, class: part })).join(""));

/** Colours that shade. */
function shades() {
  const ball = { cx: "36%", cy: "30%", r: "78%" };
  return shape(
    "defs",
    {},
    gradient("shade-light", "radialGradient", [["0", "light-1"], ["0.55", "light-2"], ["1", "light-3"]], ball) +
      gradient("shade-dark", "radialGradient", [["0", "dark-1"], ["0.5", "dark-2"], ["1", "dark-3"]], ball) +
      gradient("shade-frame", "linearGradient", [["0", "frame-1"], ["0.5", "frame-2"], ["1", "frame-3"]], { x1: 0, y1: 0, x2: 1, y2: 1 }) +
      gradient("shade-field", "radialGradient", [["0", "field-1"], ["1", "field-2"]], { cx: "50%", cy: "50%", r: "75%" }) +
      gradient("shade-bar", "linearGradient", [["0", "bar-1"], ["0.5", "bar-2"], ["1", "bar-1"]], { x1: 0, y1: 0, x2: 1, y2: 0 }),
  );
}

/** Frame, fields, points and their numbers: what stays. `at` is a Geometry. */
export function table(at) {
  const half = 6 * at.cell;
  const field = (x) =>
    shape("rect", { class: "field", x, y: at.top, width: half, height: at.fieldHeight, fill: "url(#shade-field)" }) +
    shape("rect", { class: "field-edge", x, y: at.top, width: half, height: at.fieldHeight });
  const trays = [0, 1].map((side) => shape("rect", { class: "tray", ...at.tray(side), rx: 8 })).join("");
  return (
    shades() +
    shape("rect", { class: "frame", x: 0, y: 0, width: at.width, height: at.height, rx: 22, fill: "url(#shade-frame)" }) +
    shape("rect", { class: "frame-line", x: 3, y: 3, width: at.width - 6, height: at.height - 6, rx: 19 }) +
    field(at.left) +
    field(at.left + half + at.bar) +
    shape("rect", { class: "bar", x: at.left + half, y: at.top, width: at.bar, height: at.fieldHeight, fill: "url(#shade-bar)" }) +
    trays +
    Array.from({ length: 24 }, (_, i) => point(at, i + 1)).join("")
  );
}

function point(at, place) {
  const x = at.x(place);
  const edge = at.isTop(place) ? at.top : at.top + at.fieldHeight;
  const down = at.isTop(place) ? 1 : -1;
  const tip = edge + down * (at.point - 8);
  const half = at.cell / 2 - 2.5;
  const body = `M${round(x - half)} ${edge}L${round(x)} ${round(tip)}L${round(x + half)} ${edge}Z`;
  const number = edge - down * (at.font * 0.95);
  return (
    shape("path", { class: `point tone-${place % 2}`, d: body }) +
    shape("text", { class: "number", x, y: number, "font-size": at.font, "text-anchor": "middle", "dominant-baseline": "central" }, String(place))
  );
}

/** One checker; `count` is written on it where it is given. */
export function checker({ x, y }, side, radius, count = 0, more = "") {
  return shape(
    "g",
    { class: `checker side-${side}${more && ` ${more}`}`, transform: `translate(${round(x)} ${round(y)})` },
    shape("circle", { class: "shadow", cx: 1.5, cy: 3, r: radius }) +
      shape("circle", { class: "body", r: radius - 1 }) +
      shape("circle", { class: "groove", r: radius * 0.68 }) +
      (more === "marked" ? shape("circle", { class: "mark", r: radius - 1 }) : "") +
      (count ? shape("text", { class: "count", "font-size": radius * 0.92, "text-anchor": "middle", "dominant-baseline": "central", y: 1 }, String(count)) : ""),
  );
}

const SEEN_WITHOUT_COUNT = 5;

/** All checkers of a board `[mine, his]`, both seen by the player at the screen. */
export function checkers(at, family, board, marked = new Set()) {
  const parts = [];
  for (const side of [0, 1])
    for (let column = 0; column < 25; column++) {
      const count = board[side][column];
      const place = side === 0 ? column + 1 : seenBy(family, column + 1);
      for (let i = 0; i < count; i++) {
        const top = i === count - 1;
        const more = top && marked.has(`${side}:${place}`) ? "marked" : "";
        parts.push(checker(at.checker(place, i, count, side), side, at.radius, top && count > SEEN_WITHOUT_COUNT ? count : 0, more));
      }
    }
  for (const side of [0, 1]) for (let i = 0; i < board[side][25]; i++) parts.push(edgewise(at.borneOff(i, side), side));
  return parts.join("");
}

function edgewise({ x, y, width, height }, side) {
  return shape("rect", { class: `slab side-${side}`, x: x - width / 2, y: y - height / 2, width, height, rx: 4 });
}

const PIPS = [[], [[0, 0]], [[-1, -1], [1, 1]], [[-1, -1], [0, 0], [1, 1]], [[-1, -1], [1, -1], [-1, 1], [1, 1]], [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]], [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]]];

/** Dice as they lie: { value, used } each. */
export function dice(at, lying, side) {
  return at
    .dice(lying.length, side)
    .map(({ x, y }, i) => {
      const half = at.die / 2;
      const dots = PIPS[lying[i].value].map(([dx, dy]) => shape("circle", { class: "pip", cx: dx * half * 0.52, cy: dy * half * 0.52, r: half * 0.175 })).join("");
      const face = shape("rect", { class: "shadow", x: -half + 2, y: -half + 4, width: 2 * half, height: 2 * half, rx: half * 0.36 }) + shape("rect", { class: "face", x: -half, y: -half, width: 2 * half, height: 2 * half, rx: half * 0.36 });
      return shape("g", { class: `die side-${side}${lying[i].used ? " used" : ""}`, transform: `translate(${round(x)} ${round(y)})` }, face + dots);
    })
    .join("");
}

/** Light on the places where a lifted checker may go, and on those from which one can be lifted. */
export function lights(at, board, { sources, targets, lifted }) {
  const parts = [];
  if (lifted === null)
    for (const place of sources) {
      const count = board[0][place - 1];
      parts.push(shape("circle", { class: "can-lift", cx: at.checker(place, count - 1, count).x, cy: at.checker(place, count - 1, count).y, r: at.radius + 1.5 }));
    }
  else {
    const count = board[0][lifted - 1];
    const { x, y } = at.checker(lifted, count - 1, count);
    parts.push(shape("circle", { class: "lifted", cx: x, cy: y, r: at.radius + 2 }));
  }
  for (const place of targets) {
    const area = at.area(place);
    parts.push(shape("rect", { class: "lit", ...area, rx: 8 }));
    if (place === OFF) continue;
    const count = board[0][place - 1];
    const spot = at.checker(place, count, count + 1);
    parts.push(shape("circle", { class: "landing", cx: spot.x, cy: spot.y, r: at.radius * 0.38 }));
  }
  return parts.join("");
}

/** A play as arrows, [from, to] each in the player's numbers. */
export function arrows(at, board, moves) {
  const left = new Map();
  const arrived = new Map();
  return moves
    .map(([from, to]) => {
      const there = (board[0][from - 1] ?? 0) + (arrived.get(from) ?? 0) - (left.get(from) ?? 0);
      left.set(from, (left.get(from) ?? 0) + 1);
      const start = at.checker(from, Math.max(0, there - 1), Math.max(1, there));
      const lying = to === OFF ? board[0][25] : board[0][to - 1];
      const landed = lying + (arrived.get(to) ?? 0);
      arrived.set(to, (arrived.get(to) ?? 0) + 1);
      const end = at.checker(to, landed, landed + 1);
      return arrow(start, end);
    })
    .join("");
}

function arrow(start, end) {
  const [dx, dy] = [end.x - start.x, end.y - start.y];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  const neck = { x: end.x - 26 * ux, y: end.y - 26 * uy };
  const head = [end, { x: neck.x - 15 * uy, y: neck.y + 15 * ux }, { x: neck.x + 15 * uy, y: neck.y - 15 * ux }];
  return (
    shape("line", { class: "arrow", x1: start.x, y1: start.y, x2: neck.x, y2: neck.y }) +
    shape("path", { class: "arrow-head", d: `M${head.map(({ x, y }) => `${round(x)} ${round(y)}`).join("L")}Z` })
  );
}

export { BAR, OFF };
