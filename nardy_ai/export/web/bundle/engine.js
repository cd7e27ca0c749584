// The C library (nardy.h) compiled to WebAssembly, called with plain JavaScript values.
import { NardyError } from "./errors.js";
import { written } from "./notation.js";
import { checkShape } from "./positions.js";

// Sizes and places of nardy.h's structures; layout.c holds the C side to them.
const POSITION = 54;
const VALUE = 40;
const PLAY = { size: 144, movements: 52, plies: 53, movement: 54, value: 104 };
const MESSAGE = 256;
const ROW = 26;
const CACHE_BYTES = 4n << 20n;
const EMPTY_ROW = Array(ROW).fill(0);

const utf8 = new TextDecoder();

export class Engine {
  #c;
  #scratch;
  #bytesSeen = new Uint8Array(0);
  #viewSeen = null;

  /** @param bytes those of engine.wasm or engine-simd.wasm */
  static async of(bytes) {
    let started;
    try {
      started = await WebAssembly.instantiate(bytes, {});
    } catch (error) {
      throw new NardyError(`the engine does not start (${String(error.message).split("\n")[0]}): copy the whole folder again`);
    }
    return new Engine(started.instance.exports);
  }

  constructor(exports) {
    this.#c = exports;
    exports._initialize();
    const take = (size) => this.#allocate(size);
    this.#scratch = { message: take(MESSAGE), out: take(8), from: take(56), to: take(56), play: take(PLAY.size), level: take(16) };
  }

  // ---- memory ----------------------------------------------------------------------------------

  #allocate(size) {
    const at = this.#c.malloc(size);
    if (at === 0) throw new NardyError("out of memory");
    return at;
  }

  // Views end when the memory grows, which any call can bring about: take them after it.
  get #bytes() {
    if (this.#bytesSeen.length === 0) this.#look();
    return this.#bytesSeen;
  }

  get #view() {
    if (this.#bytesSeen.length === 0) this.#look();
    return this.#viewSeen;
  }

  #look() {
    this.#bytesSeen = new Uint8Array(this.#c.memory.buffer);
    this.#viewSeen = new DataView(this.#c.memory.buffer);
  }

  #word(at) {
    return this.#view.getUint32(at, true);
  }

  #text(at) {
    const bytes = this.#bytes;
    return utf8.decode(bytes.slice(at, bytes.indexOf(0, at)));
  }

  // Runs with a copy of these bytes in the engine's memory.
  #lend(bytes, use) {
    const at = this.#allocate(bytes.length);
    try {
      this.#bytes.set(bytes, at);
      return use(at);
    } finally {
      this.#c.free(at);
    }
  }

  // Calls a function of nardy.h that can fail.
  #call(name, ...words) {
    const { message } = this.#scratch;
    let status;
    words.push(message);
    try {
      status = this.#c[name](...words);
    } catch (error) {
      throw new NardyError(`the engine stopped (${error.message}): reload the page`);
    }
    if (status !== 0) throw new NardyError(this.#text(message));
  }

  #made(name, ...words) {
    const { out } = this.#scratch;
    this.#call(name, ...words, out);
    return this.#word(out);
  }

  #put(position, at) {
    checkShape(position);
    const bytes = this.#bytes;
    const [mine, his] = position.board;
    for (let column = 0; column < ROW; column++) {
      bytes[at + column] = mine[column];
      bytes[at + ROW + column] = his[column];
    }
    bytes[at + 2 * ROW] = position.seat;
    bytes[at + 2 * ROW + 1] = position.turns;
    return at;
  }

  #row(at) {
    const bytes = this.#bytes;
    const row = EMPTY_ROW.slice();
    for (let column = 0; column < ROW; column++) row[column] = bytes[at + column];
    return row;
  }

  #board(at) {
    return [this.#row(at), this.#row(at + ROW)];
  }

  #position(at) {
    const bytes = this.#bytes;
    return { board: this.#board(at), seat: bytes[at + 2 * ROW], turns: bytes[at + 2 * ROW + 1] };
  }

  // ---- rules -----------------------------------------------------------------------------------

  /** A handle of rules from their text, and what they say about outcomes. */
  rules(options) {
    const handle = this.#lend(new TextEncoder().encode(`${options}\0`), (text) => this.#made("nardy_rules_create", text));
    const outcomes = Array.from({ length: this.#c.nardy_outcome_count(handle) }, (_, i) => this.#text(this.#c.nardy_outcome_name(handle, i)));
    return {
      handle,
      family: /^\s*family\s*=\s*(\w+)/.exec(options)[1],
      outcomes,
      points: outcomes.map((_, i) => this.#c.nardy_outcome_points(handle, i)),
      usesSeat: this.#c.nardy_rules_use_seat(handle) === 1,
      usesTurns: this.#c.nardy_rules_use_turns(handle) === 1,
    };
  }

  start(rules) {
    const { to } = this.#scratch;
    this.#call("nardy_start", rules.handle, to);
    return this.#position(to);
  }

  check(rules, position) {
    this.#call("nardy_check", rules.handle, this.#put(position, this.#scratch.from));
  }

  /** The outcome for the player on roll, null while the game goes on. */
  result(rules, position) {
    const { from, out } = this.#scratch;
    this.#call("nardy_result", rules.handle, this.#put(position, from), out);
    return rules.outcomes[this.#word(out) | 0] ?? null;
  }

  dice(rules, seed, game, turn) {
    const { out } = this.#scratch;
    this.#call("nardy_dice", rules.handle, whole(seed, "seed"), whole(game, "the number of a game"), Number(whole(turn, "turn", 32)), out);
    return [this.#word(out), this.#word(out + 4)];
  }

  plays(rules, position, dice) {
    const { from, out } = this.#scratch;
    const [a, b] = roll(dice);
    this.#call("nardy_list_plays", rules.handle, this.#put(position, from), a, b, out, out + 4);
    return this.#list(rules, (at, next) => this.#play(rules, at, next));
  }

  // Reads and releases the list that a call has left in `out`.
  #list(rules, read) {
    const { out } = this.#scratch;
    const list = this.#word(out);
    const count = this.#word(out + 4);
    try {
      const next = this.#next(rules, list);
      return Array.from({ length: count }, (_, i) => read(list + i * PLAY.size, next));
    } finally {
      this.#c.nardy_free(list);
    }
  }

  // What stands beside the boards that the plays of a roll lead to, of which one is at `at`; the position before
  // is in `from`.
  #next(rules, at) {
    const { from, to } = this.#scratch;
    this.#call("nardy_next", rules.handle, from, at, to);
    const bytes = this.#bytes;
    return { seat: bytes[to + 2 * ROW], turns: bytes[to + 2 * ROW + 1] };
  }

  // The play at `at` from the position in `from`.
  #play(rules, at, { seat, turns }) {
    const { from } = this.#scratch;
    const bytes = this.#bytes;
    const steps = [];
    for (let i = at + PLAY.movement, end = i + 2 * bytes[at + PLAY.movements]; i < end; i += 2) steps.push([bytes[i], bytes[i + 1]]);
    const board = this.#board(at);
    const hits = [];
    if (rules.family === "short")
      for (let column = 0; column < 24; column++) if (bytes[from + ROW + column] > bytes[at + ROW + column]) hits.push(24 - column);
    const { notation, moves } = written(steps, hits);
    return { notation, moves, board, position: { board: [board[1].slice(), board[0].slice()], seat, turns } };
  }

  // ---- judging ---------------------------------------------------------------------------------

  /** A handle of a search: the bytes of a net file under rules, with bear-off tables or without. */
  search(net, rules, withTables) {
    const model = this.#lend(net, (bytes) => this.#made("nardy_model_read", bytes, net.length, rules.handle, 0));
    if (withTables) this.#call("nardy_model_use_tables", model, this.#made("nardy_tables_create", rules.handle));
    return {
      handle: this.#made("nardy_search_create", model, 0, CACHE_BYTES),
      kernels: this.#text(this.#c.nardy_model_kernels(model)),
      rules,
    };
  }

  evaluate(search, positions, plies) {
    const count = positions.length;
    return this.#lend(new Uint8Array(count * (POSITION + 2 + VALUE) + 4), (at) => {
      positions.forEach((position, i) => this.#put(position, at + count * VALUE + i * POSITION));
      this.#call("nardy_evaluate", search.handle, at + count * VALUE, count, lookAhead(plies), at);
      return positions.map((_, i) => this.#value(search.rules, at + i * VALUE));
    });
  }

  rank(search, position, dice, plies) {
    const { from, out } = this.#scratch;
    const [a, b] = roll(dice);
    this.#call("nardy_rank", search.handle, this.#put(position, from), a, b, lookAhead(plies), out, out + 4);
    return this.#list(search.rules, (at, next) => this.#ranked(search.rules, at, next));
  }

  best(search, position, dice, plies) {
    const { from, play } = this.#scratch;
    const [a, b] = roll(dice);
    this.#call("nardy_choose", search.handle, this.#put(position, from), a, b, lookAhead(plies), play);
    return this.#ranked(search.rules, play, this.#next(search.rules, play));
  }

  /** The play that a level chooses, { noise, plies }, with the noise of a key. */
  chosenAt(search, position, dice, { noise, plies }, key) {
    const { from, play, level } = this.#scratch;
    const [a, b] = roll(dice);
    this.#view.setFloat64(level, noise, true);
    this.#view.setInt32(level + 8, plies, true);
    this.#call("nardy_choose_at", search.handle, this.#put(position, from), a, b, level, whole(key, "key"), play);
    return this.#ranked(search.rules, play, this.#next(search.rules, play));
  }

  /** The key of the noise of a turn. */
  noiseKey(seed, game, seat, turn) {
    const key = this.#c.nardy_noise_key(whole(seed, "seed"), whole(game, "the number of a game"), seat, Number(whole(turn, "turn", 32)));
    return BigInt.asUintN(64, key);
  }

  /** The standard normal noise of a play's board, its maker in row 0, under a key. */
  noise(key, board) {
    const { from, out } = this.#scratch;
    this.#call("nardy_noise", whole(key, "key"), this.#put({ board, seat: 0, turns: 3 }, from), out);
    return this.#view.getFloat64(out, true);
  }

  #ranked(rules, at, next) {
    const { notation, moves, board, position } = this.#play(rules, at, next);
    const { outcomes, equity } = this.#value(rules, at + PLAY.value);
    return { notation, moves, board, position, plies: this.#bytes[at + PLAY.plies], outcomes, equity };
  }

  #value(rules, at) {
    const view = this.#view;
    const outcomes = {};
    const names = rules.outcomes;
    for (let i = 0; i < names.length; i++) outcomes[names[i]] = view.getFloat32(at + 4 * i, true);
    return { outcomes, equity: view.getFloat32(at + VALUE - 4, true) };
  }
}

function roll(dice) {
  if (!Array.isArray(dice) || dice.length !== 2 || !dice.every((die) => Number.isInteger(die) && die >= 1 && die <= 6))
    throw new NardyError("dice are two whole numbers from 1 to 6, such as [3, 1]");
  return dice;
}

function lookAhead(plies) {
  if (!Number.isInteger(plies) || plies < 0 || plies > 3) throw new NardyError("plies is 0, 1, 2 or 3");
  return plies;
}

function whole(value, what, bits = 64) {
  const fine = typeof value === "bigint" || Number.isSafeInteger(value);
  if (!fine || value < 0 || BigInt(value) >> BigInt(bits)) throw new NardyError(`${what} is a whole number from 0 to 2^${bits} - 1 (a BigInt from 2^53 on)`);
  return BigInt(value);
}
