// nardy-ai in a page: rules, plays and a trained net. README.md explains it, nardy.d.ts has the types.
import { Bundle, hasSimd } from "./bundle.js";
import { Engine } from "./engine.js";
import { NardyError } from "./errors.js";
import { Game } from "./game.js";
import { compareWithVectors } from "./self_test.js";

export { openWorker } from "./worker_client.js";
export { hasSimd } from "./bundle.js";
export { NardyError } from "./errors.js";
export { positionKey, positionOf } from "./positions.js";

/** Opens the bundle; calls of what it gives answer at once, in the thread that makes them. */
export async function open({ folder = new URL(".", import.meta.url), model, kernels = "auto", tables = false } = {}) {
  if (!["auto", "simd", "plain"].includes(kernels)) throw new NardyError('kernels is "auto", "simd" or "plain"');
  const bundle = await Bundle.at(folder);
  const { engines } = bundle.manifest;
  const chosen = bundle.model(model);
  const [wasm, net, profiles] = await Promise.all([
    bundle.bytes(kernels === "simd" || (kernels === "auto" && hasSimd()) ? engines.simd : engines.plain),
    bundle.bytes(chosen.net),
    bundle.json("profiles.json"),
  ]);
  return new Nardy(bundle, chosen.name, await Engine.of(wasm), net, profiles, tables);
}

/** The engine with one model, under any profile of the model's family; plays and dice under all profiles. */
class Nardy {
  #bundle;
  #engine;
  #net;
  #withTables;
  #games = new Map(); // profile -> { rules, search }

  constructor(bundle, name, engine, net, profiles, withTables) {
    this.#bundle = bundle;
    this.#engine = engine;
    this.#net = net;
    this.#withTables = Boolean(withTables);
    this.version = bundle.manifest.version;
    this.models = bundle.models;
    this.model = this.models.find((model) => model.name === name);
    this.profiles = profiles.map((profile) => {
      const { handle, ...facts } = engine.rules(profile.options);
      this.#games.set(profile.name, { rules: { handle, ...facts }, search: null });
      return { ...profile, ...facts };
    });
    this.kernels = this.#search(this.model.profile).kernels;
  }

  #held(profile = this.model.profile) {
    const held = this.#games.get(profile);
    if (!held) throw new NardyError(`there is no profile ${JSON.stringify(profile)}; nardy.profiles lists them`);
    return held;
  }

  #rules(profile) {
    return this.#held(profile).rules;
  }

  #search(profile) {
    const held = this.#held(profile);
    held.search ??= this.#engine.search(this.#net, held.rules, this.#withTables);
    return held.search;
  }

  /** One of `profiles` by name; the model's own by default. */
  profile(name = this.model.profile) {
    this.#held(name);
    return this.profiles.find((profile) => profile.name === name);
  }

  start({ profile } = {}) {
    return this.#engine.start(this.#rules(profile));
  }

  check(position, { profile } = {}) {
    this.#engine.check(this.#rules(profile), position);
  }

  result(position, { profile } = {}) {
    return this.#engine.result(this.#rules(profile), position);
  }

  roll(seed, { profile, game = 0, turn = 0 } = {}) {
    return this.#engine.dice(this.#rules(profile), numberOf(seed), game, turn);
  }

  plays(position, dice, { profile } = {}) {
    return this.#engine.plays(this.#rules(profile), position, dice);
  }

  rank(position, dice, { profile, plies = 0, level } = {}) {
    if (level !== undefined) throw new NardyError("rank tells what plays are worth, at no level: leave it out, or call best");
    return this.#engine.rank(this.#search(profile), position, dice, plies);
  }

  best(position, dice, { profile, plies, level, key = 0 } = {}) {
    const search = this.#search(profile);
    if (level === undefined) return this.#engine.best(search, position, dice, plies ?? 0);
    if (plies !== undefined) throw new NardyError("a level has its own look-ahead: give level or plies, not both");
    const found = this.model.levels[level - 1];
    if (!Number.isInteger(level) || !found) throw new NardyError("level is a whole number from 1 (weakest) to 10 (the full bot)");
    return this.#engine.chosenAt(search, position, dice, found, this.#noiseKey(key, position));
  }

  /** The noise of a play's board (its maker in row 0) under a key, in standard deviations. */
  noise(key, board) {
    return this.#engine.noise(this.#noiseKey(key), board);
  }

  // A key is a number, or made of the numbers that the dice of a turn hang on.
  #noiseKey(key, position) {
    if (typeof key !== "object" || key === null) return numberOf(key);
    return this.#engine.noiseKey(numberOf(key.seed), key.game ?? 0, key.seat ?? position?.seat ?? 0, key.turn ?? 0);
  }

  evaluate(position, { profile, plies = 0 } = {}) {
    return this.#engine.evaluate(this.#search(profile), [position], plies)[0];
  }

  evaluateAll(positions, { profile, plies = 0 } = {}) {
    if (!Array.isArray(positions)) throw new NardyError("evaluateAll takes a list of positions");
    return this.#engine.evaluate(this.#search(profile), positions, plies);
  }

  game(options) {
    return Game.begin(this, options);
  }

  async selfTest() {
    return compareWithVectors(this, await this.#bundle.json(this.#bundle.model(this.model.name).vectors));
  }
}

function numberOf(value) {
  return typeof value === "string" ? seedOf(value) : value;
}

function seedOf(text) {
  if (!/^\d{1,20}$/.test(text)) throw new NardyError(`${JSON.stringify(text.slice(0, 40))} is no seed: a seed is a whole number`);
  return BigInt(text);
}
