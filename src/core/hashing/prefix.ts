import { writeUtf8 } from '../bytes.js';
import { requireString } from '../errors.js';
import { initialState, roundConstants } from './constants.js';

/** SHA-256 of bytes that arrive in parts. */
export interface Digest {
  update(bytes: Uint8Array): void;
  digest(): Uint8Array<ArrayBuffer>;
}

interface Kernel {
  prefixOf(expression: string): number;
  hashOf(expression: string): Uint8Array<ArrayBuffer>;
  createDigest(): Digest;
}

/** SHA-256 (FIPS 180-4) for everything but signatures (decision 0032). Its state is shared by all calls, which never interleave. */
export const kernel: Kernel = /* @__PURE__ */ createKernel();

/**
 * The hot path: the first 32 bits of SHA-256 of an expression's UTF-8, as a number.
 *
 * A check hashes five short strings and discards 28 of 32 bytes each time, so this creates no object and no byte array: characters go
 * straight into the message words. `npm run bench -- --only kernel` compares it with @noble/hashes and node:crypto.
 *
 * @example prefixOf('evil.example') // 0x9c180de0
 */
export const prefixOf: (expression: string) => number = /* @__PURE__ */ prefixIn(kernel);

function prefixIn({ prefixOf }: Kernel): (expression: string) => number {
  return prefixOf;
}

/**
 * One function wraps it all because bundlers turn a module's `const` into `var`, after which the engine cannot tell that the tables
 * never change: 270 ns instead of 235.
 */
function createKernel(): Kernel {
  function prefixOf(expression: string): number {
    requireString(expression, 'expression');
    const length = expression.length;
    const whole = length & ~3;
    let seen = 0;
    reset();
    for (let at = 0; at < whole; at += 4) {
      const c0 = expression.charCodeAt(at);
      const c1 = expression.charCodeAt(at + 1);
      const c2 = expression.charCodeAt(at + 2);
      const c3 = expression.charCodeAt(at + 3);
      seen |= c0 | c1 | c2 | c3;
      words[(at >> 2) & 15] = (c0 << 24) | (c1 << 16) | (c2 << 8) | c3;
      if ((at & 63) === 60) compress();
    }
    let word = 0;
    for (let at = whole; at < length; at++) {
      const code = expression.charCodeAt(at);
      seen |= code;
      word = (word << 8) | code;
    }
    return seen > 0x7f ? prefixOfWide(expression) : finish(word, length);
  }

  const k: Int32Array = roundConstants;
  const initial: Int32Array = initialState;
  // Reused between calls, which never interleave: nothing here awaits or calls back.
  const state: Int32Array = new Int32Array(8);
  const words: Int32Array = new Int32Array(64);

  function reset(): void {
    for (let i = 0; i < 8; i++) state[i] = initial[i]!;
  }

  /** Pads the last block (§5.1.1) and returns the first word of the digest. `word` holds the last `length % 4` bytes. */
  function finish(word: number, length: number): number {
    let used = (length >> 2) & 15;
    words[used++] = ((word << 8) | 0x80) << (24 - ((length & 3) << 3));
    if (used > 14) {
      while (used < 16) words[used++] = 0;
      compress();
      used = 0;
    }
    while (used < 14) words[used++] = 0;
    words[14] = (length / 0x20000000) | 0;
    words[15] = length << 3;
    compress();
    return state[0]! >>> 0;
  }

  /**
   * One block of §6.2.2, `words[0..15]` into `state`. Eight rounds are written out so that the eight variables change roles
   * instead of moving: 235 ns a short expression against 340 ns for the plain loop; sixteen rounds give 215 ns for twice the code.
   */
  function compress(): void {
    for (let i = 16; i < 64; i++) {
      const x = words[i - 15]!;
      const y = words[i - 2]!;
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      words[i] = (words[i - 16]! + s0 + words[i - 7]! + s1) | 0;
    }
    let a = state[0]!;
    let b = state[1]!;
    let c = state[2]!;
    let d = state[3]!;
    let e = state[4]!;
    let f = state[5]!;
    let g = state[6]!;
    let h = state[7]!;
    for (let i = 0; i < 64; i += 8) {
      h =
        (h +
          (((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))) +
          (g ^ (e & (f ^ g))) +
          k[i + 0]! +
          words[i + 0]!) |
        0;
      d = (d + h) | 0;
      h = (h + (((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))) + ((a & b) | (c & (a | b)))) | 0;
      g =
        (g +
          (((d >>> 6) | (d << 26)) ^ ((d >>> 11) | (d << 21)) ^ ((d >>> 25) | (d << 7))) +
          (f ^ (d & (e ^ f))) +
          k[i + 1]! +
          words[i + 1]!) |
        0;
      c = (c + g) | 0;
      g = (g + (((h >>> 2) | (h << 30)) ^ ((h >>> 13) | (h << 19)) ^ ((h >>> 22) | (h << 10))) + ((h & a) | (b & (h | a)))) | 0;
      f =
        (f +
          (((c >>> 6) | (c << 26)) ^ ((c >>> 11) | (c << 21)) ^ ((c >>> 25) | (c << 7))) +
          (e ^ (c & (d ^ e))) +
          k[i + 2]! +
          words[i + 2]!) |
        0;
      b = (b + f) | 0;
      f = (f + (((g >>> 2) | (g << 30)) ^ ((g >>> 13) | (g << 19)) ^ ((g >>> 22) | (g << 10))) + ((g & h) | (a & (g | h)))) | 0;
      e =
        (e +
          (((b >>> 6) | (b << 26)) ^ ((b >>> 11) | (b << 21)) ^ ((b >>> 25) | (b << 7))) +
          (d ^ (b & (c ^ d))) +
          k[i + 3]! +
          words[i + 3]!) |
        0;
      a = (a + e) | 0;
      e = (e + (((f >>> 2) | (f << 30)) ^ ((f >>> 13) | (f << 19)) ^ ((f >>> 22) | (f << 10))) + ((f & g) | (h & (f | g)))) | 0;
      d =
        (d +
          (((a >>> 6) | (a << 26)) ^ ((a >>> 11) | (a << 21)) ^ ((a >>> 25) | (a << 7))) +
          (c ^ (a & (b ^ c))) +
          k[i + 4]! +
          words[i + 4]!) |
        0;
      h = (h + d) | 0;
      d = (d + (((e >>> 2) | (e << 30)) ^ ((e >>> 13) | (e << 19)) ^ ((e >>> 22) | (e << 10))) + ((e & f) | (g & (e | f)))) | 0;
      c =
        (c +
          (((h >>> 6) | (h << 26)) ^ ((h >>> 11) | (h << 21)) ^ ((h >>> 25) | (h << 7))) +
          (b ^ (h & (a ^ b))) +
          k[i + 5]! +
          words[i + 5]!) |
        0;
      g = (g + c) | 0;
      c = (c + (((d >>> 2) | (d << 30)) ^ ((d >>> 13) | (d << 19)) ^ ((d >>> 22) | (d << 10))) + ((d & e) | (f & (d | e)))) | 0;
      b =
        (b +
          (((g >>> 6) | (g << 26)) ^ ((g >>> 11) | (g << 21)) ^ ((g >>> 25) | (g << 7))) +
          (a ^ (g & (h ^ a))) +
          k[i + 6]! +
          words[i + 6]!) |
        0;
      f = (f + b) | 0;
      b = (b + (((c >>> 2) | (c << 30)) ^ ((c >>> 13) | (c << 19)) ^ ((c >>> 22) | (c << 10))) + ((c & d) | (e & (c | d)))) | 0;
      a =
        (a +
          (((f >>> 6) | (f << 26)) ^ ((f >>> 11) | (f << 21)) ^ ((f >>> 25) | (f << 7))) +
          (h ^ (f & (g ^ h))) +
          k[i + 7]! +
          words[i + 7]!) |
        0;
      e = (e + a) | 0;
      a = (a + (((b >>> 2) | (b << 30)) ^ ((b >>> 13) | (b << 19)) ^ ((b >>> 22) | (b << 10))) + ((b & c) | (d & (b | c)))) | 0;
    }
    state[0] = (state[0]! + a) | 0;
    state[1] = (state[1]! + b) | 0;
    state[2] = (state[2]! + c) | 0;
    state[3] = (state[3]! + d) | 0;
    state[4] = (state[4]! + e) | 0;
    state[5] = (state[5]! + f) | 0;
    state[6] = (state[6]! + g) | 0;
    state[7] = (state[7]! + h) | 0;
  }

  /** Encodes text outside ASCII first. Only names of typed assets need it: links are ASCII by then. */
  function prefixOfWide(expression: string): number {
    const bytes = new Uint8Array(expression.length * 3);
    const length = writeUtf8(expression, bytes);
    reset();
    return finish(feed(bytes.subarray(0, length), 0, 0), length);
  }

  /** Hashes bytes that follow `done` others, of which `last` holds the last four. Returns the last four of all. */
  function feed(bytes: Uint8Array, done: number, last: number): number {
    let word = last;
    let end = done;
    for (let at = 0; at < bytes.length; at++) {
      word = (word << 8) | bytes[at]!;
      if ((++end & 3) !== 0) continue;
      words[((end >> 2) - 1) & 15] = word;
      if ((end & 63) === 0) compress();
    }
    return word;
  }

  /** The whole digest, after `finish`. */
  function result(): Uint8Array<ArrayBuffer> {
    const hash = new Uint8Array(32);
    for (let at = 0; at < 32; at++) hash[at] = state[at >> 2]! >> (24 - 8 * (at & 3));
    return hash;
  }

  function hashOf(expression: string): Uint8Array<ArrayBuffer> {
    prefixOf(expression);
    return result();
  }

  /** Keeps a copy of the shared state, and of the words of the last block, between two calls. */
  function createDigest(): Digest {
    const kept = new Int32Array(24);
    let length = 0;
    let word = 0;
    const restore = (): void => {
      state.set(kept.subarray(0, 8));
      words.set(kept.subarray(8));
    };
    reset();
    kept.set(state);
    return {
      update(bytes) {
        restore();
        word = feed(bytes, length, word);
        length += bytes.length;
        kept.set(state);
        kept.set(words.subarray(0, 16), 8);
      },
      digest() {
        restore();
        finish(word, length);
        return result();
      },
    };
  }

  return { prefixOf, hashOf, createDigest };
}
