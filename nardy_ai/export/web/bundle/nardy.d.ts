/** Two rows of 26 counts: 0 the player on roll (of a play: its maker), 1 the other; each from its own side:
 * columns 0..23 are the own points 1..24, 24 the bar, 25 borne off. */
export type Board = [number[], number[]];

/** Two numbers from 1 to 6; their order makes no difference. */
export type Dice = [number, number];

/** A board and what stands beside it; a plain value that can be stored as JSON. */
export interface Position {
  /** The player on roll in row 0. */
  board: Board;
  /** 0 where the player on roll started the game, else 1. */
  seat: 0 | 1;
  /** How many turns he has had; 3 stands for three or more. */
  turns: 0 | 1 | 2 | 3;
}

/** A legal result of a roll. */
export interface Play {
  /** Its one canonical text: `8/5 6/5`, `bar/20*`, `24/18(2)`, `6/off`, `pass`. */
  notation: string;
  /** From and to in the maker's own numbers, 25 = bar, 0 = off; a checker that moves twice has one pair. */
  moves: [number, number][];
  /** The board it leads to, the maker still in row 0. */
  board: Board;
  /** The position it leads to, the other player on roll. */
  position: Position;
}

/** Chances and worth. Of a position: for the player on roll before the throw; of a play: for its maker. */
export interface Evaluation {
  /** Chances by name; they exclude one another and add up to 1. `win` is the plain win. */
  outcomes: Record<string, number>;
  /** Expectation of points won less points lost. */
  equity: number;
}

export interface RankedPlay extends Play, Evaluation {
  /** With how many plies it was judged. */
  plies: number;
}

/** A rule profile. */
export interface Profile {
  /** `long/fns`, `short/standard`, … */
  name: string;
  title: string;
  title_ru: string;
  source: string;
  source_ru: string;
  /** Whether every nardy-ai has it; false for a player's own. */
  packaged: boolean;
  family: "long" | "short";
  /** Checkers a side. */
  checkers: number;
  /** All rules of movement and scoring, a line `name = value` each. */
  options: string;
  match: { next_start: "alternate" | "winner" | "rolloff"; draw_points?: number; length?: number };
  /** How the doubling cube is used; null in long nardy. */
  cube: { enabled: boolean; jacoby: boolean; beavers: boolean; automatic_doubles: number | "unlimited" } | null;
  /** Names of the outcomes, in the order of `points`. */
  outcomes: string[];
  /** What each outcome is worth to the player on roll. */
  points: number[];
  /** Whether plays or outcomes depend on `seat`, and on `turns`. */
  usesSeat: boolean;
  usesTurns: boolean;
}

/** A mean with its 95 % interval, in points. */
export interface Score {
  mean: number;
  low: number;
  high: number;
}

/** A level of play. What was not measured is null. */
export interface LevelInfo {
  level: number;
  /** Standard deviation of the noise on the worth of every play, in points. */
  noise: number;
  /** Look-ahead. */
  plies: number;
  /** Points a game against level 10, against the level above, against the bot `greedy`. */
  against_full: Score | null;
  against_next: Score | null;
  against_greedy: Score | null;
  /** Points lost a decision. */
  loss: Score | null;
}

/** What a model of the bundle is and where it comes from. */
export interface ModelInfo {
  /** By which `open` takes it: the name of the file that it came from. */
  name: string;
  game: "long" | "short";
  profile: string;
  encoding: string;
  /** Layer sizes of its main net: `196/80/6`. */
  net: string;
  nets: string[];
  outcomes: string[];
  point_of_view: string;
  /** Checksum of the model file that was exported. */
  model_sha256: string;
  provenance: Record<string, unknown>;
  /** Levels of play 1 (weakest) to 10 (the full bot), in their order: `best(position, dice, { level })`. */
  levels: LevelInfo[];
  /** How the figures of `levels` were measured; null: these are the usual levels, and nobody measured them. */
  levels_measured: { game: string; pairs: number; seed: number; version: string; decisions: string | null } | null;
  strength: {
    opponent: string;
    game: string;
    pairs: number;
    seed: number;
    ppg: number;
    low: number;
    high: number;
    wins: number;
  }[];
}

export interface OpenOptions {
  /** Where the bundle lies; by default where nardy.js does. */
  folder?: string | URL;
  /** Which model of the bundle, by its name; by default the first one. */
  model?: string;
  /** Which engine: with SIMD where it runs (`auto`, the default), or one of them. */
  kernels?: "auto" | "simd" | "plain";
  /** Judge bear-offs by exact tables, as the Python package does. They are computed when the net is first
   * used under a profile, in some seconds and up to 50 MB. */
  tables?: boolean;
}

/** Rules: a name of `profiles`; the model's own by default. */
export interface UnderProfile {
  profile?: string;
}

export interface Judged extends UnderProfile {
  /** Look-ahead: 0 (default) is the net alone, each ply more an expectation over 21 rolls. At most 3. */
  plies?: number;
}

/** What the noise of a level hangs on: a number, or what the dice of a turn hang on too (in a stream of its own). */
export type NoiseKey = number | bigint | string | { seed: number | bigint | string; game?: number; turn?: number; seat?: 0 | 1 };

export interface Chosen extends Judged {
  /** A level of play, 1 (weakest) to 10 (the full bot), in place of `plies`. Noise on the net's judgement makes it
   * weaker; dice know nothing of it, and the worth of the play that is answered is the net's honest one. */
  level?: number;
  /** Of the noise, by default 0: the same key, position and roll give the same play. */
  key?: NoiseKey;
}

export interface SelfTestReport {
  /** Whether everything agrees. */
  ok: boolean;
  /** Boards whose outcomes and equity were compared, and the largest difference. */
  boards: number;
  largestDifference: number;
  /** Rolls whose lists of plays were compared. */
  rolls: number;
  /** Best plays that were compared; how many differ but are worth the same within 2e-5. */
  bestPlays: number;
  /** Choices of levels that were compared, with their noise. */
  levelPlays: number;
  equalWorth: number;
  /** The first difference in words, or null. */
  fault: string | null;
}

export interface SavedGame {
  profile: string;
  seed: string;
  number: number;
  turns: { dice: Dice; play?: string }[];
}

export interface GameOptions extends UnderProfile {
  /** Of the dice; by default a random one. The same seed and number give the same dice. */
  seed?: number | bigint | string;
  number?: number;
  /** Turns of a saved game to begin with. */
  turns?: SavedGame["turns"];
}

export interface GameResult {
  /** `win`, `win_mars`, …, seen by the winner, or `draw`. */
  outcome: string;
  /** Seat of the winner: 0 started the game. null: a draw. */
  winner: 0 | 1 | null;
  /** Points of the win, 0 for a draw. */
  points: number;
}

/** What the direct and the worker's games have in common. */
interface GameState {
  readonly profile: string;
  readonly seed: number | bigint | string;
  readonly number: number;
  /** The position on the table, `position.seat` being whose turn it is. */
  readonly position: Position;
  /** The roll that is to be played; null before it is thrown. */
  readonly dice: Dice | null;
  /** The legal plays of the roll. */
  readonly plays: Play[] | null;
  /** null while the game goes on. */
  readonly result: GameResult | null;
  /** How many turns have been played; passed ones count. */
  readonly turn: number;
  readonly history: { position: Position; dice: Dice; play: Play }[];
  /** Takes back the last play; its roll stands. false: there is nothing to take back. */
  undo(): boolean;
  toJSON(): SavedGame;
}

/** A game whose calls answer at once. */
export interface Game extends GameState {
  /** Throws the dice, or takes those that were thrown on a table. */
  roll(dice?: Dice): Dice;
  /** Makes a play of the roll, named by itself or by its notation. */
  play(play: Play | string): Game;
  rank(options?: { plies?: number }): RankedPlay[];
  /** The best play, or the choice of a level, whose noise hangs on seed, number and turn of this game. */
  best(options?: { plies?: number; level?: number; key?: NoiseKey }): RankedPlay;
  evaluate(options?: { plies?: number }): Evaluation;
}

/** A game whose calls answer with promises; one call at a time changes it. */
export interface WorkerGame extends GameState {
  roll(dice?: Dice): Promise<Dice>;
  play(play: Play | string): Promise<WorkerGame>;
  rank(options?: { plies?: number; signal?: AbortSignal }): Promise<RankedPlay[]>;
  best(options?: { plies?: number; level?: number; key?: NoiseKey; signal?: AbortSignal }): Promise<RankedPlay>;
  evaluate(options?: { plies?: number; signal?: AbortSignal }): Promise<Evaluation>;
}

interface Facts {
  /** Checksum of the whole bundle: another one for each export that differs. */
  readonly version: string;
  /** The model that judges here. */
  readonly model: ModelInfo;
  /** All models of the bundle, the usual one first. */
  readonly models: ModelInfo[];
  readonly profiles: Profile[];
  /** Which kernels judge: `simd128` or `plain`. */
  readonly kernels: string;
  /** One of `profiles` by name; the model's own by default. */
  profile(name?: string): Profile;
}

/** The engine in this thread: every call answers at once. Calls throw `NardyError` for what will not do. */
export interface Nardy extends Facts {
  /** The position before the first roll. */
  start(options?: UnderProfile): Position;
  /** Throws where the position cannot stand on the table. */
  check(position: Position, options?: UnderProfile): void;
  /** The outcome for the player on roll; null while the game goes on. */
  result(position: Position, options?: UnderProfile): string | null;
  /** The dice of one turn of a game: they depend on seed, game and turn alone. */
  roll(seed: number | bigint | string, options?: UnderProfile & { game?: number; turn?: number }): Dice;
  /** Every distinct legal result of a roll; a single `pass` where nothing can move. */
  plays(position: Position, dice: Dice, options?: UnderProfile): Play[];
  /** The same with their worth, best first; those that were judged with fewer plies stand last. */
  rank(position: Position, dice: Dice, options?: Judged): RankedPlay[];
  /** The play that `rank` puts first, found faster. */
  best(position: Position, dice: Dice, options?: Chosen): RankedPlay;
  /** The noise of a play's board under a key, in standard deviations. */
  noise(key: NoiseKey, board: Board): number;
  evaluate(position: Position, options?: Judged): Evaluation;
  evaluateAll(positions: Position[], options?: Judged): Evaluation[];
  game(options?: GameOptions): Game;
  /** Compares this browser's answers with the package's. */
  selfTest(): Promise<SelfTestReport>;
}

export interface Stoppable {
  /** Stops a search: its promise is rejected and the worker replaced; other calls are answered all the same. */
  signal?: AbortSignal;
}

/** The engine in a worker: the same calls, answered by promises. */
export interface NardyWorker extends Facts {
  start(options?: UnderProfile): Promise<Position>;
  check(position: Position, options?: UnderProfile): Promise<void>;
  result(position: Position, options?: UnderProfile): Promise<string | null>;
  roll(seed: number | bigint | string, options?: UnderProfile & { game?: number; turn?: number }): Promise<Dice>;
  plays(position: Position, dice: Dice, options?: UnderProfile): Promise<Play[]>;
  rank(position: Position, dice: Dice, options?: Judged & Stoppable): Promise<RankedPlay[]>;
  best(position: Position, dice: Dice, options?: Chosen & Stoppable): Promise<RankedPlay>;
  noise(key: NoiseKey, board: Board): Promise<number>;
  evaluate(position: Position, options?: Judged & Stoppable): Promise<Evaluation>;
  evaluateAll(positions: Position[], options?: Judged & Stoppable): Promise<Evaluation[]>;
  game(options?: GameOptions): Promise<WorkerGame>;
  selfTest(): Promise<SelfTestReport>;
  /** Ends the worker; calls that wait are rejected. */
  close(): void;
}

/** Opens the bundle in this thread. */
export function open(options?: OpenOptions): Promise<Nardy>;

/** Opens the bundle in a worker, so that a page never freezes. */
export function openWorker(options?: OpenOptions): Promise<NardyWorker>;

/** Whether this browser runs 128-bit SIMD. */
export function hasSimd(): boolean;

/** `<id>:<seat>:<turns>` with the position ID of GNU Backgammon: the key that the Python package writes. */
export function positionKey(position: Position): string;

/** The position of such a key in a game of so many checkers a side (15 by default). */
export function positionOf(key: string, checkers?: number): Position;

/** What was asked or loaded will not do; its message is one sentence that says why. */
export class NardyError extends Error {}
