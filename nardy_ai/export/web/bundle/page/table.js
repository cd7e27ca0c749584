// The game at the table: who throws, who plays, what lies there, and how it goes on. It knows nothing of the page;
// what happens is told to `told`, which may take its time to show it.
import { newGame, nextStarter, nextThrow, playsRollOff, resignation, resultOf, scoreOf, throwsOf, winnerOf } from "./match.js";
import { BAR, OFF, seenBy } from "./geometry.js";
import { positionOf } from "../positions.js";
import { sha256Hex } from "./sha256.js";
import { facing, stepRules, TurnSteps, whyPass } from "./turn_steps.js";

const LARGER_FIRST = (dice) => [...dice].sort((a, b) => b - a);
const allDice = (dice) => (dice[0] === dice[1] ? Array(4).fill(dice[0]) : dice);

export class Table {
  #nardy;
  #told;
  #epoch = 0; // counts what was laid on the table: an answer that comes late for an earlier one is dropped

  /**
   * @param told { changed(), say(key, ...values), saved(match), thrown(), slid(side, from, to), read(ms), judged(),
   *   failed(error), autoThrow(), showCosts() }: what thrown, slid and read answer is waited for
   */
  constructor(nardy, told) {
    this.#nardy = nardy;
    this.#told = told;
    this.match = null;
    this.phase = "empty"; // empty, opening, waiting, throw, thrown, play, game_over, match_over
  }

  get game() {
    return this.match.games[this.match.games.length - 1];
  }

  get score() {
    return scoreOf(this.match, this.profile);
  }

  get winner() {
    return winnerOf(this.match, this.profile);
  }

  /** The player on roll: 0 is at the screen; null before it is decided. */
  get onRoll() {
    return this.starter === null ? null : this.starter ^ this.position.seat;
  }

  // ---- laying a match on the table -------------------------------------------------------------

  /** Whether a match lies here as it is; not while a saved one is replayed. */
  get laid() {
    return this.phase !== "empty" && this.phase !== "opening";
  }

  /** Takes everything off the table. */
  clear() {
    this.halt();
    this.match = null;
    this.phase = "empty";
  }

  /** Leaves what lies there as it is: nothing goes on, and no answer that is on its way counts. */
  halt() {
    this.#epoch++;
  }

  /**
   * Lays a match on the table, a new one or one that was saved, and goes on with it.
   * @returns null, or where its present game could not be replayed to its end the number of turns that could be
   */
  async open(match) {
    const epoch = ++this.#epoch;
    const profile = this.#nardy.profile(match.profile);
    Object.assign(this, { match, profile, rules: stepRules(profile) });
    // What lay here before is gone before the first answer is there: nothing of it can be pressed any more.
    this.#lay(null);
    this.#told.changed();
    try {
      this.start = await this.#startOf(match);
      if (epoch !== this.#epoch) return null;
      const cut = await this.#replay(epoch);
      if (epoch !== this.#epoch) return null;
      if (!this.ended) this.phase = "waiting";
      this.#told.saved(match);
      this.#run(epoch);
      return cut;
    } catch (error) {
      if (epoch !== this.#epoch) return null;
      throw error;
    }
  }

  async #startOf({ from, profile }) {
    return from === null ? this.#nardy.start({ profile }) : positionOf(from, this.profile.checkers);
  }

  #lay(position) {
    Object.assign(this, { position, starter: null, dice: null, plays: null, steps: null, lifted: null, history: [], hints: null, lying: null, marked: new Set(), moving: null, phase: "opening" });
  }

  // Brings the table to where the game's throws and plays lead. What does not fit is cut off.
  async #replay(epoch) {
    this.#lay(this.start);
    const { game, match, profile } = this;
    const kept = { throws: [...game.throws], plays: [...game.plays], result: game.result };
    game.throws = [];
    game.plays = [];
    game.result = null;
    this.starter = game.starter;
    for (const dice of kept.throws) {
      if (this.ended) break;
      if (String(dice) !== String(nextThrow(game))) break;
      game.throws.push(dice);
      const { starter, turns } = throwsOf(match, game, profile);
      this.starter = starter;
      if (turns.length <= game.plays.length) continue;
      await this.#lieDown(LARGER_FIRST(dice), epoch);
      if (epoch !== this.#epoch) return null;
      const notation = kept.plays[game.plays.length];
      const play = this.plays.find((each) => each.notation === notation);
      if (!play) break;
      await this.#made(play, epoch);
      if (epoch !== this.#epoch) return null;
    }
    const resigned = kept.result?.how === "resignation" && !game.result && game.plays.length === kept.plays.length;
    if (resigned) this.#end(kept.result);
    const whole = game.throws.length === kept.throws.length && game.plays.length === kept.plays.length;
    game.costs = game.costs.slice(0, game.plays.length).map((cost) => (Number.isFinite(cost) && cost >= 0 ? cost : null));
    return whole ? null : game.plays.length;
  }

  get ended() {
    return this.phase === "game_over" || this.phase === "match_over";
  }

  // The dice of the player on roll lie on the board, the larger first, with what may be played.
  async #lieDown(dice, epoch) {
    const plays = await this.#nardy.plays(this.position, dice, { profile: this.match.profile });
    if (epoch !== this.#epoch) return;
    this.dice = dice;
    this.plays = plays;
    this.steps = new TurnSteps(this.rules, this.position, dice, plays);
  }

  // A play is made: the other player is on roll, or the game is over.
  async #made(play, epoch) {
    const { match, game, profile } = this;
    const outcome = await this.#nardy.result(play.position, { profile: match.profile });
    if (epoch !== this.#epoch) return;
    this.history.push({ player: this.onRoll, position: this.position, dice: this.dice, play, only: this.plays.length === 1 });
    game.plays.push(play.notation);
    const played = { player: this.onRoll, moves: play.moves };
    Object.assign(this, { position: play.position, dice: null, plays: null, steps: null, lifted: null, hints: null, moving: null });
    this.marked = this.#marksOf(played);
    if (outcome) this.#end(resultOf(outcome, this.onRoll, profile, throwsOf(match, game, profile).stake));
  }

  #marksOf({ player, moves }) {
    if (player === 0) return new Set();
    return new Set(moves.filter(([, to]) => to !== OFF).map(([, to]) => `1:${seenBy(this.profile.family, to)}`));
  }

  #end(result) {
    this.game.result = result;
    this.dice = this.plays = this.steps = this.lifted = this.hints = null;
    this.phase = this.winner !== null || this.match.from !== null ? "match_over" : "game_over";
  }

  // ---- how it goes on --------------------------------------------------------------------------

  async #run(epoch) {
    try {
      while (epoch === this.#epoch && (await this.#next(epoch)));
    } catch (error) {
      if (epoch === this.#epoch) this.#told.failed(error);
    }
  }

  // One thing that happens by itself; false where the player has to do something.
  async #next(epoch) {
    if (this.ended) return this.#rest("changed");
    if (this.starter === null) return this.#rollOff(epoch);
    const player = this.onRoll;
    if (!this.dice) {
      if (player === 0 && !this.#told.autoThrow() && this.phase !== "thrown") {
        this.phase = "throw";
        this.#told.say("yourThrow", this.#lastSaid());
        return this.#rest("changed");
      }
      return this.#throw(epoch);
    }
    if (this.plays[0].notation === "pass") return this.#pass(epoch, player);
    if (player === 1) return this.#botPlays(epoch);
    this.phase = "play";
    this.#told.say("yourPlay", this.dice.join("-"));
    return this.#rest("changed");
  }

  #rest(what) {
    this.#told[what]();
    return false;
  }

  // What the bot did last, for the sentence that asks the player to throw.
  #lastSaid() {
    const last = this.history[this.history.length - 1];
    return last?.player === 1 && last.play.notation !== "pass" ? [last.dice.join("-"), last.play.notation] : null;
  }

  #thrown() {
    const { game } = this;
    const dice = nextThrow(game);
    game.throws.push(dice);
    this.#told.saved(this.match);
    return dice;
  }

  async #rollOff(epoch) {
    this.phase = "waiting";
    const [mine, his] = this.#thrown();
    this.lying = { rollOff: [mine, his] };
    this.#told.changed();
    await this.#told.thrown();
    if (epoch !== this.#epoch) return false;
    const { starter } = throwsOf(this.match, this.game, this.profile);
    if (starter === null) this.#told.say("rollOffTie", mine);
    else this.#told.say("rollOff", mine, his, starter);
    await this.#told.read(1500);
    if (epoch !== this.#epoch) return false;
    this.starter = starter;
    this.lying = null;
    if (starter !== null && playsRollOff(this.profile)) await this.#lieDown(LARGER_FIRST([mine, his]), epoch);
    return epoch === this.#epoch;
  }

  async #throw(epoch) {
    this.phase = "waiting";
    this.lying = null;
    this.marked = this.onRoll === 1 ? new Set() : this.marked;
    await this.#lieDown(LARGER_FIRST(this.#thrown()), epoch);
    if (epoch !== this.#epoch) return false;
    this.#told.say(this.onRoll === 0 ? "yourPlay" : "botThinks", this.dice.join("-"));
    this.#told.changed();
    await this.#told.thrown();
    return epoch === this.#epoch;
  }

  async #pass(epoch, player) {
    this.phase = "waiting";
    this.#told.say(player === 0 ? "youPass" : "botPasses", this.dice.join("-"), whyPass(this.rules, this.position.board, this.dice));
    this.#told.changed();
    await this.#told.read(1800);
    if (epoch !== this.#epoch) return false;
    await this.#made(this.plays[0], epoch);
    return this.#saved(epoch);
  }

  async #botPlays(epoch) {
    this.phase = "waiting";
    const { position, dice, match, game } = this;
    // The bot is told the position and the dice that lie there, and nothing of what will be thrown.
    const key = noiseKey(game);
    const [play] = await Promise.all([this.#nardy.best(position, dice, { profile: match.profile, level: match.level, key }), this.#told.read(450)]);
    if (epoch !== this.#epoch) return false;
    await this.#show(play, epoch);
    if (epoch !== this.#epoch) return false;
    await this.#made(play, epoch);
    if (epoch !== this.#epoch) return false;
    this.#told.say("botPlayed", dice.join("-"), play.notation);
    return this.#saved(epoch);
  }

  async #show(play, epoch) {
    for (const [from, to] of play.moves) {
      const places = [from, to].map((point) => seenBy(this.profile.family, point));
      await this.#told.slid(1, ...places);
      if (epoch !== this.#epoch) return;
      this.moving = moved(this.board, this.profile.family, from, to);
      this.#told.changed();
    }
  }

  #saved(epoch) {
    if (epoch !== this.#epoch) return false;
    this.#told.saved(this.match);
    this.#told.changed();
    return true;
  }

  // ---- what is seen ----------------------------------------------------------------------------

  /** The board as the player at the screen sees it: [mine, his]. */
  get board() {
    if (this.moving) return this.moving;
    const [own, other] = this.steps ? this.steps.board : this.position.board;
    return this.onRoll === 1 ? [other, own] : [own, other];
  }

  /** The dice that lie there: { side, lying: [{ value, used }] }, or null. */
  get shownDice() {
    if (this.lying) return { side: "both", lying: this.lying.rollOff.map((value) => ({ value, used: false })) };
    if (!this.dice) return this.#lastDice();
    const all = allDice(this.dice);
    const left = [...(this.onRoll === 0 && this.steps ? this.steps.left : all)];
    const lying = all.map((value) => {
      const at = left.indexOf(value);
      if (at >= 0) left.splice(at, 1);
      return { value, used: at < 0 };
    });
    return { side: this.onRoll, lying };
  }

  // The bot's throw stays, faded, until the player throws.
  #lastDice() {
    const last = this.history[this.history.length - 1];
    if (this.phase !== "throw" || last?.player !== 1) return null;
    return { side: 1, lying: allDice(last.dice).map((value) => ({ value, used: true })) };
  }

  get sources() {
    return this.phase === "play" ? this.steps.sources() : new Set();
  }

  get targets() {
    return this.phase === "play" && this.lifted !== null ? new Set(this.steps.targets(this.lifted).keys()) : new Set();
  }

  get canUndo() {
    return this.phase === "play" && this.steps.made.length > 0;
  }

  get canGive() {
    return this.phase === "play" && this.steps.play !== null;
  }

  // ---- what the player does --------------------------------------------------------------------

  throwDice() {
    if (this.phase !== "throw") return;
    this.phase = "thrown";
    this.#told.changed();
    this.#run(this.#epoch);
  }

  lift(place) {
    if (this.phase !== "play") return;
    if (this.sources.has(place)) {
      this.lifted = place;
      this.#told.say("lifted", place);
    } else this.#told.say(this.canGive ? "canGive" : "cannotLift");
    this.#told.changed();
  }

  /** Puts the lifted checker back; `place` is where it was tried. */
  put(place) {
    if (this.lifted === null) return;
    if (place !== null && place !== this.lifted) this.#told.say("cannotLand");
    else this.#told.say("yourPlay", this.dice.join("-"));
    this.lifted = null;
    this.#told.changed();
  }

  move(from, to) {
    if (this.phase !== "play" || !this.steps.move(from, to)) return;
    this.lifted = null;
    this.#told.say(this.canGive ? "canGive" : "yourPlay", this.dice.join("-"));
    this.#told.changed();
  }

  undo() {
    if (this.phase !== "play" || !this.steps.undo()) return;
    this.lifted = null;
    this.#told.say("yourPlay", this.dice.join("-"));
    this.#told.changed();
  }

  /** Gives the turn. */
  async give() {
    const play = this.canGive ? this.steps.play : null;
    if (!play) return;
    const epoch = this.#epoch;
    this.phase = "waiting";
    this.lifted = null;
    this.#told.changed();
    try {
      await this.#made(play, epoch);
    } catch (error) {
      if (epoch === this.#epoch) this.#told.failed(error);
      return;
    }
    if (!this.#saved(epoch)) return;
    const turn = this.history[this.history.length - 1];
    const index = this.game.plays.length - 1;
    await this.#run(epoch);
    if (this.#told.showCosts()) this.#judge(epoch, this.game, turn, index);
  }

  // What a play cost, judged by the full bot; asked for once the bot has answered.
  async #judge(epoch, game, turn, index) {
    if (turn.only) {
      turn.cost = 0;
      this.#told.judged(turn);
      return;
    }
    try {
      const ranked = await this.#nardy.rank(turn.position, turn.dice, { profile: this.match.profile, plies: 1 });
      const mine = ranked.find(({ notation }) => notation === turn.play.notation);
      turn.cost = Math.max(0, ranked[0].equity - mine.equity);
      turn.best = ranked[0].notation;
      game.costs[index] = turn.cost;
      if (epoch !== this.#epoch) return;
      this.#told.saved(this.match);
      this.#told.judged(turn);
    } catch (error) {
      if (epoch === this.#epoch) this.#told.failed(error);
    }
  }

  /** The best plays of the roll, as the full bot sees them. */
  async hint() {
    if (this.phase !== "play") return;
    const { position, dice, match } = this;
    const epoch = this.#epoch;
    while (this.steps.undo());
    this.lifted = null;
    this.#told.changed();
    try {
      const ranked = await this.#nardy.rank(position, dice, { profile: match.profile, plies: 1 });
      // What the player moved while he waited stays.
      if (epoch !== this.#epoch || position !== this.position || this.phase !== "play") return;
      this.hints = ranked.slice(0, 5);
      this.#told.changed();
    } catch (error) {
      if (epoch === this.#epoch) this.#told.failed(error);
    }
  }

  /** What giving up would cost now; null where it is not possible. */
  get resignation() {
    if (this.phase !== "throw" && this.phase !== "play") return null;
    const stake = throwsOf(this.match, this.game, this.profile).stake;
    return resignation(0, this.board[0][25], this.profile, stake);
  }

  resign() {
    const lost = this.resignation;
    if (!lost) return;
    this.#epoch++;
    this.#end(lost);
    this.#saved(this.#epoch);
  }

  /** Begins the next game of the match. */
  async nextGame(halves) {
    if (this.phase !== "game_over") return;
    const epoch = ++this.#epoch;
    const starter = nextStarter(this.match, this.profile, this.starter);
    this.match.games.push(newGame(halves, starter));
    this.#lay(this.start);
    this.phase = "waiting";
    this.starter = starter;
    this.#told.saved(this.match);
    if (starter !== null) {
      this.#told.say("startsNow", starter);
      this.#told.changed();
      await this.#told.read(900);
    }
    this.#run(epoch);
  }
}

// What the noise of a level hangs on: the same in a game that was reloaded, another in every turn.
function noiseKey({ commitment, plays }) {
  return parseInt(sha256Hex(`${commitment} ${plays.length}`).slice(0, 12), 16);
}

/** A board [mine, his] after the bot's checker went from one of its points to another. */
export function moved([mine, his], family, from, to) {
  const board = [[...mine], [...his]];
  board[1][from === BAR ? 24 : from - 1]--;
  board[1][to === OFF ? 25 : to - 1]++;
  const met = to === OFF ? 0 : facing(family, to) - 1;
  if (to !== OFF && family === "short" && board[0][met] === 1) {
    board[0][met] = 0;
    board[0][24]++;
  }
  return board;
}
