// A game with its history. It belongs to a Nardy, whose calls answer at once, or to a NardyWorker, whose calls
// answer with promises; the game's own methods then answer the same way.
import { NardyError } from "./errors.js";

const isLater = (value) => typeof value?.then === "function";
const after = (value, use) => (isLater(value) ? value.then(use) : use(value));

export class Game {
  #nardy;
  #thrown = []; // of each turn: { position, dice, plays, play }
  #busy = false;

  /** Use `nardy.game(options)`. */
  static begin(nardy, { profile = nardy.model.profile, seed, number = 0, turns = [] } = {}) {
    const game = new Game();
    game.#nardy = nardy;
    game.profile = profile;
    game.seed = seed ?? anySeed();
    game.number = number;
    game.dice = game.plays = game.result = null;
    if (!Array.isArray(turns)) throw new NardyError("turns of a saved game is a list");
    return after(nardy.start({ profile }), (position) => {
      game.position = position;
      return game.#replay(turns, 0);
    });
  }

  #replay(turns, from) {
    for (let i = from; i < turns.length; i++) {
      const rolled = this.roll(turns[i]?.dice);
      const played = () => (turns[i].play === undefined ? this : this.play(turns[i].play));
      if (isLater(rolled)) return rolled.then(played).then(() => this.#replay(turns, i + 1));
      played();
    }
    return this;
  }

  /** How many turns have been played; passed ones count. */
  get turn() {
    return this.#thrown.length - (this.dice ? 1 : 0);
  }

  /** What has been played: { position, dice, play } of each turn. */
  get history() {
    return this.#thrown.slice(0, this.turn).map(({ position, dice, play }) => ({ position, dice, play }));
  }

  // One change at a time: a second one waits for nobody, it is refused.
  #step(value, use) {
    if (!isLater(value)) return use(value);
    this.#busy = true;
    return value.then(use).finally(() => (this.#busy = false));
  }

  #ready(rolled) {
    if (this.#busy) throw new NardyError("the game is still waiting for an earlier call: await it first");
    if (this.result) throw new NardyError("the game is over");
    if (rolled && !this.dice) throw new NardyError("there is no roll yet: call roll() first");
    if (!rolled && this.dice) throw new NardyError("the roll has not been played yet: call play() first");
  }

  /** Throws the dice of this turn, or takes those that were thrown on a table. */
  roll(dice) {
    this.#ready(false);
    const { profile, seed, number, turn, position } = this;
    const rolled = dice ?? this.#nardy.roll(seed, { profile, game: number, turn });
    const listed = after(rolled, (found) => after(this.#nardy.plays(position, found, { profile }), (plays) => ({ found, plays })));
    return this.#step(listed, ({ found, plays }) => {
      this.dice = found;
      this.plays = plays;
      this.#thrown.push({ position, dice: found, plays, play: null });
      return found;
    });
  }

  /** Makes a play of the roll: one of `plays`, a ranked one, or its notation. */
  play(choice) {
    this.#ready(true);
    const notation = typeof choice === "string" ? choice.trim().toLowerCase().replace(/\s+/g, " ") : choice?.notation;
    const play = this.plays.find((each) => each.notation === notation);
    if (!play) throw new NardyError(`${JSON.stringify(notation)} is no legal play of this roll; game.plays lists them`);
    const { profile } = this;
    return this.#step(this.#nardy.result(play.position, { profile }), (outcome) => {
      this.#thrown[this.#thrown.length - 1].play = play;
      this.position = play.position;
      this.dice = this.plays = null;
      this.result = outcome && resultOf(outcome, play.position.seat, this.#nardy.profile(profile));
      return this;
    });
  }

  /** Takes back the last play; its roll stands and can be played otherwise. false: there is nothing to take back. */
  undo() {
    if (this.#busy) throw new NardyError("the game is still waiting for an earlier call: await it first");
    if (this.turn === 0) return false;
    if (this.dice) this.#thrown.pop();
    const last = this.#thrown[this.#thrown.length - 1];
    last.play = null;
    Object.assign(this, { position: last.position, dice: last.dice, plays: last.plays, result: null });
    return true;
  }

  /** All plays of the roll with their worth, best first. */
  rank(options = {}) {
    this.#ready(true);
    return this.#nardy.rank(this.position, this.dice, { ...options, profile: this.profile });
  }

  /** The best play of the roll, or the one that a level chooses; its noise hangs on seed, number and turn of the game. */
  best(options = {}) {
    this.#ready(true);
    const key = { seed: this.seed, game: this.number, turn: this.turn };
    return this.#nardy.best(this.position, this.dice, { key, ...options, profile: this.profile });
  }

  /** What the position is worth to the player on roll before the throw. */
  evaluate(options = {}) {
    return this.#nardy.evaluate(this.position, { ...options, profile: this.profile });
  }

  /** The game as JSON; `nardy.game(saved)` goes on with it. */
  toJSON() {
    const turns = this.#thrown.map(({ dice, play }) => (play ? { dice, play: play.notation } : { dice }));
    return { profile: this.profile, seed: String(this.seed), number: this.number, turns };
  }
}

// The winner by seat (0 started the game), null for a draw, and the points of the win.
function resultOf(outcome, seat, { outcomes, points }) {
  if (outcome === "draw") return { outcome, winner: null, points: 0 };
  const winner = outcome.startsWith("win") ? seat : 1 - seat;
  return { outcome: outcome.replace(/^lose/, "win"), winner, points: Math.abs(points[outcomes.indexOf(outcome)]) };
}

function anySeed() {
  const words = globalThis.crypto.getRandomValues(new Uint32Array(2));
  return (BigInt(words[0]) << 32n) | BigInt(words[1]);
}
