import { writeUtf8 } from '../bytes.js';
import { requireString } from '../errors.js';
import { firstPrimes } from './primes.js';

/** SHA-256 of bytes that arrive in parts. */
export interface Digest {
  update(bytes: Uint8Array): void;
  digest(): Uint8Array<ArrayBuffer>;
}

interface Kernel {
  prefixOf(expression: string): number;
  sha256(bytes: Uint8Array): Uint8Array<ArrayBuffer>;
  createDigest(): Digest;
}

/** One instance, so that the tables exist once. */
const kernel: Kernel = /* @__PURE__ */ createKernel();

/**
 * The hot path: the first 32 bits of SHA-256 (FIPS 180-4) of an expression's UTF-8, as a number.
 *
 * Equal to `readU32(hashOf(expression), 0)` for every string, which a property test checks. A check hashes five short strings and
 * discards 28 of 32 bytes each time, so this creates no object and no byte array: characters go straight into the message words.
 * `npm run bench -- --only kernel` compares it with @noble/hashes and node:crypto.
 *
 * @example prefixOf('evil.example') // 0x9c180de0
 */
export const prefixOf: (expression: string) => number = /* @__PURE__ */ (() => kernel.prefixOf)();

export const sha256: (bytes: Uint8Array) => Uint8Array<ArrayBuffer> = /* @__PURE__ */ (() => kernel.sha256)();

export const createDigest: () => Digest = /* @__PURE__ */ (() => kernel.createDigest)();

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
    state.set(start);
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

  /** FIPS 180-4 §4.2.2 and §5.3.3: the first 32 bits of the fractional parts of the roots of the first primes. */
  const primes = firstPrimes(64);
  const k: Int32Array = Int32Array.from(primes, (prime) => (Math.cbrt(prime) % 1) * 2 ** 32);
  const start: Int32Array = Int32Array.from(primes.slice(0, 8), (prime) => (Math.sqrt(prime) % 1) * 2 ** 32);
  // Reused between calls, which never interleave: nothing here awaits or calls back.
  const state: Int32Array = new Int32Array(8);
  const words: Int32Array = new Int32Array(64);

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
    state.set(start);
    return finish(absorb(bytes.subarray(0, length), 0, 0), length);
  }

  /** Hashes every whole block. `seen` bytes came before, of which `before` holds the last; returns the last ones now. */
  function absorb(bytes: Uint8Array, before: number, seen: number): number {
    let word = before;
    for (let at = 0, to = seen & 63; at < bytes.length; at++, to = (to + 1) & 63) {
      word = (word << 8) | bytes[at]!;
      if ((to & 3) === 3) words[to >> 2] = word;
      if (to === 63) compress();
    }
    return word;
  }

  function output(): Uint8Array<ArrayBuffer> {
    return Uint8Array.from({ length: 32 }, (_, at) => state[at >> 2]! >>> (24 - 8 * (at & 3)));
  }

  function sha256(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    state.set(start);
    finish(absorb(bytes, 0, 0), bytes.length);
    return output();
  }

  /** Keeps its own state between calls, because the kernel's serves everyone. */
  function createDigest(): Digest {
    const ownState = start.slice();
    const ownWords = words.slice(0, 16);
    let word = 0;
    let length = 0;
    const restore = (): void => {
      state.set(ownState);
      words.set(ownWords);
    };
    return {
      update(bytes) {
        restore();
        word = absorb(bytes, word, length);
        length += bytes.length;
        ownState.set(state);
        ownWords.set(words.subarray(0, 16));
      },
      digest() {
        restore();
        finish(word, length);
        return output();
      },
    };
  }

  return { prefixOf, sha256, createDigest };
}
