// The player's half of the seed from what he does: where and when he moves the mouse, touches, and types.
import { sha256Hex } from "./sha256.js";

let gathered = "";
let events = 0;

function gather(event) {
  gathered = sha256Hex(`${gathered}\n${event.type} ${event.clientX ?? ""} ${event.clientY ?? ""} ${event.key ?? ""} ${event.timeStamp} ${performance.now()}`);
  events++;
}

/** Begins to gather; call it once. `seen` is told after each movement. */
export function gatherMovements(seen) {
  for (const type of ["pointermove", "pointerdown", "keydown"])
    addEventListener(
      type,
      (event) => {
        gather(event);
        seen();
      },
      { passive: true, capture: true },
    );
}

/** A half of 32 hexadecimal digits; "" while nothing has been done. */
export function movedHalf() {
  return events ? gathered.slice(0, 32) : "";
}
