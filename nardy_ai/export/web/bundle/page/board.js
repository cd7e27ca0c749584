// The board on the page: draws what it is told, and tells what is done to it with mouse, finger or keys.
import * as draw from "./drawing.js";
import { BAR, Geometry, OFF, seenBy } from "./geometry.js";

const SVG = "http://www.w3.org/2000/svg";
const LAYERS = ["table", "under", "checkers", "over", "dice", "moving", "areas"];
// The rows as they are seen, the bar between the halves, the tray last.
const ROWS = [
  [13, 14, 15, 16, 17, 18, BAR, 19, 20, 21, 22, 23, 24, OFF],
  [12, 11, 10, 9, 8, 7, BAR, 6, 5, 4, 3, 2, 1, OFF],
];
const DRAG = 7; // pixels from which a press is a drag

function element(name, values = {}) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(values)) made.setAttribute(key, value);
  return made;
}

export class Board {
  #svg;
  #layers = {};
  #places = new Map(); // place -> its area, which takes pointers and keys
  #told;
  #shown = null;
  #focus = 24;
  #row = 0; // of ROWS, in which the focus is
  #press = null;
  #flying = [];

  /**
   * @param told { label(place), lift(place), put(), move(from, to), targets(place) }: what is asked and told
   */
  constructor(host, told) {
    this.#told = told;
    this.#svg = element("svg", { class: "board", role: "group" });
    host.append(this.#svg);
    for (const name of LAYERS) {
      this.#layers[name] = element("g", { class: `layer-${name}` });
      if (name !== "areas") this.#layers[name].setAttribute("aria-hidden", "true");
      this.#svg.append(this.#layers[name]);
    }
    this.#makePlaces();
    this.#listen();
  }

  set label(text) {
    this.#svg.setAttribute("aria-label", text);
  }

  #makePlaces() {
    for (const place of [...Array.from({ length: 24 }, (_, i) => i + 1), BAR, OFF]) {
      const area = element("rect", { class: "place", "data-place": place, role: "button", tabindex: "-1", rx: 8 });
      this.#places.set(place, area);
      this.#layers.areas.append(area);
    }
  }

  /** Chooses between the wide and the narrow drawing; nothing happens where it stays. */
  fit(name) {
    if (this.at?.name === name) return;
    this.at = new Geometry(name);
    this.#svg.setAttribute("viewBox", `0 0 ${this.at.width} ${this.at.height}`);
    this.#svg.dataset.shape = name;
    this.#layers.table.innerHTML = draw.table(this.at);
    for (const [place, area] of this.#places)
      for (const [key, value] of Object.entries(this.at.area(place))) area.setAttribute(key, value);
    if (this.#shown) this.show(this.#shown);
  }

  /**
   * Draws a state.
   * @param shown { family, board: [mine, his], dice: { side, lying } or null, sources, targets, lifted, marked,
   *   arrows }: sources and targets are sets of places, lifted a place or null
   */
  show(shown) {
    this.#shown = shown;
    const { at } = this;
    this.#land();
    this.#layers.under.innerHTML = draw.lights(at, shown.board, { ...shown, sources: new Set(), lifted: null });
    this.#layers.checkers.innerHTML = draw.checkers(at, shown.family, shown.board, shown.marked);
    this.#layers.over.innerHTML = draw.lights(at, shown.board, { ...shown, targets: new Set() }) + draw.arrows(at, shown.board, shown.arrows);
    this.#layers.dice.innerHTML = thrown(at, shown.dice);
    for (const [place, area] of this.#places) {
      area.setAttribute("aria-label", this.#told.label(place));
      area.setAttribute("aria-pressed", String(shown.lifted === place));
      area.classList.toggle("can", shown.lifted === null ? shown.sources.has(place) : shown.targets.has(place) || place === shown.lifted);
      area.setAttribute("tabindex", place === this.#focus ? "0" : "-1");
    }
  }

  // ---- moving checkers -------------------------------------------------------------------------

  /** Lets a checker slide from place to place; the board must be shown anew afterwards. */
  async slide(side, from, to, duration) {
    const { at } = this;
    const { board, family } = this.#shown;
    const row = board[side];
    const column = (place) => (place === OFF ? 25 : (side === 0 ? place : seenBy(family, place)) - 1);
    const [count, there] = [row[column(from)], row[column(to)]];
    const start = at.checker(from, Math.max(0, count - 1), Math.max(1, count), side);
    const end = at.checker(to, there, there + 1, side);
    const lifted = [board[0], board[1]];
    lifted[side] = row.map((n, i) => (i === column(from) ? n - 1 : n));
    this.#layers.checkers.innerHTML = draw.checkers(at, family, lifted);
    this.#layers.over.innerHTML = this.#layers.under.innerHTML = "";
    this.#layers.moving.innerHTML = draw.checker({ x: 0, y: 0 }, side, at.radius);
    const flight = this.#layers.moving.firstChild.animate(
      [start, end].map(({ x, y }) => ({ transform: `translate(${x}px, ${y}px)` })),
      { duration, easing: "cubic-bezier(0.3, 0, 0.2, 1)", fill: "forwards" },
    );
    this.#flying.push(flight);
    await flight.finished.catch(() => {});
  }

  #land() {
    for (const flight of this.#flying) flight.cancel();
    this.#flying = [];
    this.#layers.moving.innerHTML = "";
  }

  /** Shakes the dice that are shown. */
  async shake(duration) {
    const rolls = Array.from(this.#layers.dice.children, (die, i) => {
      const place = die.getAttribute("transform").replace(/translate\(([^ ]+) ([^)]+)\)/, "translate($1px, $2px)");
      const turned = [-200 - 70 * i, 40, 0].map((angle, k) => ({ transform: `${place} rotate(${angle}deg) scale(${[0.4, 1.12, 1][k]})`, opacity: k ? 1 : 0 }));
      return die.animate(turned, { duration, easing: "ease-out" }).finished.catch(() => {});
    });
    await Promise.all(rolls);
  }

  // ---- pointers --------------------------------------------------------------------------------

  #listen() {
    const svg = this.#svg;
    svg.addEventListener("pointerdown", (event) => this.#pressed(event));
    svg.addEventListener("pointermove", (event) => this.#dragged(event));
    svg.addEventListener("pointerup", (event) => this.#released(event));
    svg.addEventListener("pointercancel", () => this.#drop());
    svg.addEventListener("keydown", (event) => this.#typed(event));
    svg.addEventListener("focusin", (event) => this.#focused(placeOf(event.target)));
  }

  #focused(place) {
    if (place === null) return;
    if (place !== BAR && place !== OFF) this.#row = ROWS[0].includes(place) ? 0 : 1;
    this.#places.get(this.#focus).setAttribute("tabindex", "-1");
    this.#focus = place;
    this.#places.get(place).setAttribute("tabindex", "0");
  }

  #point(event) {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.#svg.getScreenCTM().inverse());
    return { x, y };
  }

  #pressed(event) {
    const place = placeOf(event.target);
    if (place === null || event.button !== 0) return;
    // Only keys show the ring of the focus.
    this.#focused(place);
    const { lifted, targets, sources } = this.#shown;
    const wasLifted = lifted === place;
    if (lifted !== null && targets.has(place)) {
      this.#told.move(lifted, place);
      return;
    }
    if (lifted !== null && !sources.has(place)) {
      this.#told.put(place);
      return;
    }
    if (!wasLifted) this.#told.lift(place);
    if (this.#shown.lifted === place) this.#press = { place, wasLifted, x: event.clientX, y: event.clientY, ghost: null, id: event.pointerId };
  }

  #dragged(event) {
    const press = this.#press;
    if (!press || event.pointerId !== press.id) return;
    if (!press.ghost) {
      if (Math.hypot(event.clientX - press.x, event.clientY - press.y) < DRAG) return;
      this.#svg.setPointerCapture?.(event.pointerId);
      this.#layers.moving.innerHTML = draw.checker({ x: 0, y: 0 }, 0, this.at.radius, 0, "ghost");
      press.ghost = this.#layers.moving.firstChild;
    }
    const { x, y } = this.#point(event);
    press.ghost.setAttribute("transform", `translate(${x} ${y})`);
  }

  #released(event) {
    const press = this.#press;
    if (!press || event.pointerId !== press.id) return;
    this.#drop();
    if (!press.ghost) {
      // A second press on the lifted checker puts it down.
      if (press.wasLifted) this.#told.put(press.place);
      return;
    }
    const place = this.#under(this.#point(event));
    if (place !== null && this.#shown.targets.has(place)) this.#told.move(press.place, place);
    else if (place !== press.place) this.#told.put(place);
  }

  #drop() {
    if (this.#press?.ghost) this.#layers.moving.innerHTML = "";
    this.#press = null;
  }

  #under({ x, y }) {
    for (const place of this.#places.keys()) {
      const area = this.at.area(place);
      if (x >= area.x && x <= area.x + area.width && y >= area.y && y <= area.y + area.height) return place;
    }
    return null;
  }

  // ---- keys ------------------------------------------------------------------------------------

  #typed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const place = placeOf(event.target);
    if (place === null) return;
    if (event.key === "Enter" || event.key === " ") this.#chosen(place);
    else if (event.key === "Escape" && this.#shown.lifted !== null) this.#told.put(null);
    else if (!this.#walked(place, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  // Arrow keys lead along the rows as they are seen; bar and tray belong to both, and to the one that one comes from.
  #walked(place, key) {
    if (key === "ArrowUp" || key === "ArrowDown") {
      const at = ROWS[this.#row].indexOf(place);
      this.#row = key === "ArrowUp" ? 0 : 1;
      this.focus(ROWS[this.#row][at]);
      return true;
    }
    const row = ROWS[this.#row];
    const at = { ArrowLeft: row.indexOf(place) - 1, ArrowRight: row.indexOf(place) + 1, Home: 0, End: row.length - 1 }[key];
    if (row[at] === undefined) return false;
    this.focus(row[at]);
    return true;
  }

  #chosen(place) {
    const { lifted, targets } = this.#shown;
    if (lifted !== null && targets.has(place)) this.#told.move(lifted, place);
    else if (lifted === place) this.#told.put(place);
    else this.#told.lift(place);
  }

  /** Puts the focus on a place. */
  focus(place) {
    this.#focused(place);
    this.#places.get(place).focus({ preventScroll: true });
  }

  /** The place that has the focus, or had it last. */
  get place() {
    return this.#focus;
  }
}

// In a roll-off each side has one die.
function thrown(at, dice) {
  if (!dice) return "";
  if (dice.side === "both") return dice.lying.map((die, side) => draw.dice(at, [die], side)).join("");
  return draw.dice(at, dice.lying, dice.side);
}

function placeOf(target) {
  const place = target.dataset?.place;
  return place === undefined ? null : Number(place);
}
