// Where everything lies on the board, in units of its drawing. The player at the screen has his home at the bottom
// right; places are his own points 1 to 24, 25 the bar, 0 the tray.
import { facing } from "./turn_steps.js";

export const BAR = 25;
export const OFF = 0;
const CELL = 64;

const SHAPES = {
  // For screens that are wider than high: trays at the right.
  wide: { left: 26, right: 110, top: 40, bottom: 40, bar: 60, point: 286, middle: 104, trays: "right", font: 19, die: 58 },
  // For phones held upright: trays above and below, so that columns are as wide as they can be.
  narrow: { left: 12, right: 12, top: 104, bottom: 104, bar: 44, point: 330, middle: 132, trays: "ends", font: 28, die: 76 },
};

export class Geometry {
  constructor(name) {
    Object.assign(this, SHAPES[name]);
    this.name = name;
    this.radius = 29.5;
    this.cell = CELL;
    this.fieldWidth = 12 * CELL + this.bar;
    this.fieldHeight = 2 * this.point + this.middle;
    this.width = this.left + this.fieldWidth + this.right;
    this.height = this.top + this.fieldHeight + this.bottom;
    this.barX = this.left + 6 * CELL + this.bar / 2;
    this.middleY = this.top + this.fieldHeight / 2;
  }

  isTop(place) {
    return place >= 13 && place <= 24;
  }

  /** The middle of a point's column. */
  x(place) {
    if (place === BAR) return this.barX;
    const column = this.isTop(place) ? place - 13 : 12 - place;
    return this.left + (column + 0.5) * CELL + (column > 5 ? this.bar : 0);
  }

  /** The rectangle of a place as { x, y, width, height }; of the bar and the tray the part of one side. */
  area(place, side = 0) {
    if (place === OFF) return this.tray(side);
    if (place === BAR) {
      const height = this.fieldHeight / 2 - 46;
      return { x: this.barX - this.bar / 2, y: side === 0 ? this.middleY + 46 : this.top, width: this.bar, height };
    }
    const y = this.isTop(place) ? this.top : this.top + this.fieldHeight - this.point;
    return { x: this.x(place) - CELL / 2, y, width: CELL, height: this.point };
  }

  tray(side) {
    if (this.trays === "right") {
      const height = this.point;
      return { x: this.left + this.fieldWidth + 26, y: side === 0 ? this.top + this.fieldHeight - height : this.top, width: 60, height };
    }
    const y = side === 0 ? this.height - 54 : 10;
    return { x: this.left + 6 * CELL + this.bar, y, width: 6 * CELL, height: 44 };
  }

  /** The middle of checker number `index` (0 lies nearest to the edge) of `count` on a place. */
  checker(place, index, count, side = 0) {
    const radius = this.radius;
    if (place === BAR) {
      const area = this.area(BAR, side);
      const step = Math.min(2 * radius + 1, (area.height - 2 * radius) / Math.max(1, count - 1));
      return { x: this.barX, y: side === 0 ? area.y + radius + index * step : area.y + area.height - radius - index * step };
    }
    if (place === OFF) return this.borneOff(index, side);
    const step = Math.min(2 * radius + 0.5, (this.point - 2 * radius) / Math.max(1, count - 1));
    const edge = 3 + radius + index * step;
    return { x: this.x(place), y: this.isTop(place) ? this.top + edge : this.top + this.fieldHeight - edge };
  }

  /** The middle of a checker in the tray, where it stands on its edge: { x, y, width, height }. */
  borneOff(index, side) {
    const tray = this.tray(side);
    if (this.trays === "right") {
      const step = (tray.height - 12) / 15;
      const y = side === 0 ? tray.y + tray.height - 6 - (index + 0.5) * step : tray.y + 6 + (index + 0.5) * step;
      return { x: tray.x + tray.width / 2, y, width: tray.width - 10, height: step - 2 };
    }
    const step = (tray.width - 12) / 15;
    return { x: tray.x + tray.width - 6 - (index + 0.5) * step, y: tray.y + tray.height / 2, width: step - 3, height: tray.height - 10 };
  }

  /** Middles of dice: those of the player in the right half, of the other in the left one. */
  dice(count, side) {
    const half = 6 * CELL;
    const middle = side === 0 ? this.left + half + this.bar + half / 2 : this.left + half / 2;
    const step = Math.min(this.die + 14, half / count);
    return Array.from({ length: count }, (_, i) => ({ x: middle + (i - (count - 1) / 2) * step, y: this.middleY }));
  }
}

/** The player's number of a place that the other counts as `point`. */
export function seenBy(family, point) {
  return point === BAR || point === OFF ? point : facing(family, point);
}
