// The page's side of a worker: the methods of Nardy, each answering with a promise.
import { NardyError } from "./errors.js";
import { Game } from "./game.js";

const METHODS = ["start", "check", "result", "roll", "plays", "rank", "best", "evaluate", "evaluateAll", "noise", "selfTest"];

/** Opens the bundle in a worker: a page that waits for an answer goes on moving. */
export async function openWorker({ folder = new URL(".", import.meta.url), model, kernels = "auto", tables = false } = {}) {
  const client = new NardyWorker({ folder: String(folder), model, kernels, tables });
  try {
    Object.assign(client, await client.opened);
  } catch (error) {
    client.close();
    throw error;
  }
  return client;
}

class NardyWorker {
  #options;
  #worker = null;
  #asked = new Map(); // id -> { request, resolve, reject }
  #last = 0;

  constructor(options) {
    this.#options = options;
    this.#begin();
  }

  #begin() {
    this.opened = new Promise((resolve, reject) => this.#asked.set(0, { resolve, reject }));
    this.opened.catch(() => {});
    this.#worker = makeWorker(
      (reply) => this.#settle(reply),
      () => this.#fail("the worker stopped: reload the page"),
    );
    this.#worker.then((worker) => worker.postMessage({ id: 0, method: "open", words: [this.#options] })).catch(() => this.#fail("this browser starts no module workers"));
  }

  #settle({ id, value, error }) {
    const asked = this.#asked.get(id);
    if (!asked) return;
    this.#asked.delete(id);
    if (error === undefined) asked.resolve(value);
    else asked.reject(new NardyError(error));
  }

  #fail(sentence) {
    for (const { reject } of this.#asked.values()) reject(new NardyError(sentence));
    this.#asked.clear();
  }

  async #post(request) {
    const { opened } = this;
    try {
      await opened;
      const worker = await this.#worker;
      // Where the worker has been replaced meanwhile, the request was posted again.
      if (opened === this.opened && this.#asked.has(request.id)) worker.postMessage(request);
    } catch (error) {
      this.#settle({ id: request.id, error: error.message });
    }
  }

  /** Calls a method of Nardy in the worker; `options.signal` of the last word stops a search. */
  ask(method, ...words) {
    if (!this.#worker) return Promise.reject(new NardyError("the worker was closed"));
    const { signal, ...options } = words[words.length - 1] ?? {};
    if (signal) words[words.length - 1] = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    const request = { id: ++this.#last, method, words };
    return new Promise((resolve, reject) => {
      const stop = () => this.#abort(request.id, signal.reason);
      const leave = (settle) => (value) => {
        signal?.removeEventListener("abort", stop);
        settle(value);
      };
      this.#asked.set(request.id, { request, resolve: leave(resolve), reject: leave(reject) });
      signal?.addEventListener("abort", stop);
      this.#post(request);
    });
  }

  // A running search cannot be interrupted: the worker is replaced and asked again for what others wait for.
  #abort(id, reason) {
    const asked = this.#asked.get(id);
    if (!asked) return;
    this.#asked.delete(id);
    asked.reject(reason);
    const opening = this.#asked.get(0);
    if (opening) return; // nothing was sent yet, and what is not waited for will not be
    this.#worker.then((worker) => worker.terminate());
    const waiting = [...this.#asked.values()];
    this.#begin();
    for (const { request } of waiting) this.#post(request);
  }

  profile(name = this.model.profile) {
    const found = this.profiles.find((profile) => profile.name === name);
    if (!found) throw new NardyError(`there is no profile ${JSON.stringify(name)}; nardy.profiles lists them`);
    return found;
  }

  game(options) {
    return Game.begin(this, options);
  }

  close() {
    this.#worker?.then((worker) => worker.terminate()).catch(() => {});
    this.#worker = null;
    this.#fail("the worker was closed");
  }
}

for (const method of METHODS)
  NardyWorker.prototype[method] = function (...words) {
    return this.ask(method, ...words);
  };

async function makeWorker(take, fail) {
  const place = new URL("worker.js", import.meta.url);
  if (globalThis.process?.versions?.node) {
    const { Worker } = await import(/* @vite-ignore */ "node:worker_threads");
    // What Node was told for the program, such as --input-type, is not meant for the worker.
    const worker = new Worker(place, { execArgv: [] });
    worker.on("message", take);
    worker.on("error", fail);
    return worker;
  }
  const worker = new Worker(place, { type: "module" });
  worker.onmessage = ({ data }) => take(data);
  worker.onerror = fail;
  worker.onmessageerror = fail;
  return worker;
}
