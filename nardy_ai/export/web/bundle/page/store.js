// The match that is going on with a bot, in the browser's storage: one for each bot of a folder, played in one tab.

export class Store {
  #key;
  #older;
  #owner = `${Date.now()}-${Math.random()}`;
  #told;
  #failed = false;

  /** @param told { taken(), failed() }: another tab has taken the game over; the browser keeps it no longer */
  constructor(folder, bot, told) {
    this.#key = `nardy-ai:game:${folder}:${bot}`;
    this.#older = `nardy-ai:game:${folder}`;
    this.#told = told;
    this.works = this.#try(() => {
      localStorage.setItem(`${this.#key}:test`, "1");
      localStorage.removeItem(`${this.#key}:test`);
      return true;
    }, false);
    addEventListener("storage", ({ key }) => {
      if (key === `${this.#key}:owner` && !this.mine) this.#told.taken();
    });
  }

  #try(use, otherwise) {
    try {
      return use();
    } catch {
      return otherwise;
    }
  }

  /** Whether no other tab has taken the game over. */
  get mine() {
    return !this.works || this.#try(() => localStorage.getItem(`${this.#key}:owner`), this.#owner) === this.#owner;
  }

  /** Makes this tab the one that plays. */
  take() {
    if (this.works) this.#try(() => localStorage.setItem(`${this.#key}:owner`, this.#owner));
  }

  /** What was saved: undefined where there is nothing, null where it cannot be read. */
  load() {
    const text = this.works ? this.#try(() => localStorage.getItem(this.#key), null) : null;
    return text === null ? undefined : this.#try(() => JSON.parse(text), null);
  }

  /** Takes over what a page of one bot alone kept for this folder, where it fits and nothing newer is kept. */
  adopt(fits) {
    const text = this.works ? this.#try(() => localStorage.getItem(this.#older), null) : null;
    if (text === null || this.load() !== undefined || !this.#try(() => fits(JSON.parse(text)), false)) return;
    this.#try(() => {
      localStorage.setItem(this.#key, text);
      localStorage.removeItem(this.#older);
    });
  }

  /** Saves, unless another tab plays. */
  save(match) {
    if (!this.works) return;
    if (!this.mine) {
      this.#told.taken();
      return;
    }
    try {
      localStorage.setItem(this.#key, JSON.stringify(match));
    } catch {
      if (!this.#failed) this.#told.failed();
      this.#failed = true;
    }
  }

  /** Keeps aside what could not be read, under a key of its own. */
  putAside() {
    this.#try(() => {
      localStorage.setItem(`${this.#key}:damaged`, localStorage.getItem(this.#key));
      localStorage.removeItem(this.#key);
    });
  }
}
