// The single steps of a turn, in any order in which they can be made. What a turn may come to is the engine's
// list of plays alone; here is only by which steps one gets there.

/** What the steps of a profile depend on, from its options. */
export function stepRules({ family, options }) {
  const value = (name) => new RegExp(`^${name} = (.+)$`, "m").exec(options)?.[1];
  return { family, passingBlock: value("block") === "conditional" && value("block_transient") === "true" };
}

const total = (row, from, to) => row.slice(from, to).reduce((sum, count) => sum + count, 0);

/** The opponent's number of one's own point. */
export function facing(family, point) {
  if (family === "short") return 25 - point;
  return point > 12 ? point - 12 : point + 12;
}

// Six neighbours without an opponent's checker in front of them.
function isBlock([mine, his]) {
  if (his[25] > 0) return false;
  const held = (point) => point >= 1 && mine[facing("long", point) - 1] > 0;
  let run = 0;
  for (let point = 24; point >= 1; point--) {
    run = held(point) ? run + 1 : 0;
    if (run >= 6 && !held(point - 1) && total(his, 0, point - 1) === 0) return true;
  }
  return false;
}

/** The board after one step with a die; null where the checker cannot go. Points as everywhere: 25 bar, 0 off. */
export function afterStep(rules, [mine, his], from, die) {
  if (mine[from - 1] === 0 || (from !== 25 && mine[24] > 0)) return null;
  const to = Math.max(0, from - die);
  if (from - die <= 0) {
    if (total(mine, 6, 25) > 0) return null;
    if (from < die && total(mine, from, 6) > 0) return null;
  } else {
    const met = his[facing(rules.family, to) - 1];
    if (met >= (rules.family === "long" ? 1 : 2)) return null;
  }
  const board = [[...mine], [...his]];
  board[0][from - 1]--;
  board[0][to === 0 ? 25 : to - 1]++;
  if (to > 0 && rules.family === "short" && his[24 - to] === 1) {
    board[1][24 - to] = 0;
    board[1][24]++;
  }
  return rules.passingBlock && isBlock(board) ? null : board;
}

export class TurnSteps {
  #rules;
  #plays = new Map(); // board -> play
  #alive = new Map(); // node -> whether a play can be reached from it
  #made = []; // { from, to, die, node } with the node before it

  /** @param rules those of `stepRules`; @param plays the engine's list for this position and roll */
  constructor(rules, position, dice, plays) {
    this.#rules = rules;
    for (const play of plays) this.#plays.set(String(play.board), play);
    const left = dice[0] === dice[1] ? Array(4).fill(dice[0]) : [...dice].sort((a, b) => b - a);
    this.node = { board: position.board, left };
  }

  /** The board as it lies, the mover in row 0. */
  get board() {
    return this.node.board;
  }

  /** The dice that are not used yet. */
  get left() {
    return this.node.left;
  }

  get made() {
    return this.#made.map(({ from, to, die }) => ({ from, to, die }));
  }

  /** The play that lies on the board where the turn can be given, else null. */
  get play() {
    return this.#plays.get(String(this.board)) ?? null;
  }

  #next(node) {
    const found = [];
    for (const die of new Set(node.left))
      for (let from = 25; from >= 1; from--) {
        const board = afterStep(this.#rules, node.board, from, die);
        if (!board) continue;
        const left = [...node.left];
        left.splice(left.indexOf(die), 1);
        found.push({ from, to: Math.max(0, from - die), die, node: { board, left } });
      }
    return found;
  }

  #leads(node) {
    const key = `${node.board}|${node.left}`;
    if (!this.#alive.has(key))
      this.#alive.set(key, this.#plays.has(String(node.board)) || this.#next(node).some((step) => this.#leads(step.node)));
    return this.#alive.get(key);
  }

  /** The steps that can be made now: { from, to, die, node }. */
  steps(node = this.node) {
    return this.#next(node).filter((step) => this.#leads(step.node));
  }

  /** Points from which a checker can go. */
  sources() {
    return new Set(this.steps().map(({ from }) => from));
  }

  /** Where one checker can go from a point, alone and on: point -> the steps to it, as few as will do. */
  targets(point) {
    const found = new Map();
    let ways = [[]];
    for (let length = 0; length < this.left.length && ways.length > 0; length++) {
      const longer = [];
      for (const way of ways) {
        const last = way[way.length - 1];
        for (const step of this.steps(last?.node ?? this.node)) {
          if (step.from !== (last?.to ?? point) || found.has(step.to)) continue;
          found.set(step.to, [...way, step]);
          if (step.to > 0) longer.push([...way, step]);
        }
      }
      ways = longer;
    }
    return found;
  }

  /** Moves a checker; false where it cannot go there. */
  move(from, to) {
    const way = this.targets(from).get(to);
    if (!way) return false;
    for (const { from: start, to: end, die, node } of way) {
      this.#made.push({ from: start, to: end, die, before: this.node });
      this.node = node;
    }
    return true;
  }

  /** Takes the last step back; false where there is none. */
  undo() {
    const last = this.#made.pop();
    if (!last) return false;
    this.node = last.before;
    return true;
  }
}

/**
 * Why nothing can be played: "bar" (what is on the bar cannot enter), "closed" (no checker has an open landing) or
 * "rule" (head or block forbid what is open).
 */
export function whyPass(rules, board, dice) {
  if (board[0][24] > 0) return "bar";
  const loose = { ...rules, passingBlock: false };
  const open = [...new Set(dice)].some((die) => Array.from({ length: 24 }, (_, i) => 24 - i).some((from) => afterStep(loose, board, from, die)));
  return open ? "rule" : "closed";
}
