// SHA-256 of bytes, at once and everywhere: browsers give crypto.subtle to https and localhost alone.
const ROOTS = [];
const START = [];

// The constants are the fractional parts of roots of the first primes.
for (let number = 2; ROOTS.length < 64; number++) {
  let prime = true;
  for (let factor = 2; factor * factor <= number; factor++) if (number % factor === 0) prime = false;
  if (!prime) continue;
  if (START.length < 8) START.push(fraction(number ** (1 / 2)));
  ROOTS.push(fraction(number ** (1 / 3)));
}

function fraction(root) {
  return ((root - Math.floor(root)) * 2 ** 32) | 0;
}

const turn = (word, by) => (word >>> by) | (word << (32 - by));

/** The digest of bytes: 32 bytes. */
export function sha256(bytes) {
  const padded = new Uint8Array((Math.floor((bytes.length + 8) / 64) + 1) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, (bytes.length * 8) >>> 0);
  const state = Int32Array.from(START);
  const words = new Int32Array(64);
  for (let at = 0; at < padded.length; at += 64) mix(state, words, view, at);
  const digest = new Uint8Array(32);
  state.forEach((word, i) => new DataView(digest.buffer).setInt32(4 * i, word));
  return digest;
}

function mix(state, words, view, at) {
  for (let i = 0; i < 16; i++) words[i] = view.getInt32(at + 4 * i);
  for (let i = 16; i < 64; i++) {
    const [early, late] = [words[i - 15], words[i - 2]];
    const first = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
    const second = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
    words[i] = words[i - 16] + first + words[i - 7] + second;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i++) {
    const chosen = (e & f) ^ (~e & g);
    const most = (a & b) ^ (a & c) ^ (b & c);
    const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + chosen + ROOTS[i] + words[i]) | 0;
    const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + most) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] += word));
}

const utf8 = new TextEncoder();

/** The digest of a text in UTF-8, as 64 small hexadecimal digits. */
export function sha256Hex(text) {
  return hex(sha256(utf8.encode(text)));
}

/** Bytes as small hexadecimal digits. */
export function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
