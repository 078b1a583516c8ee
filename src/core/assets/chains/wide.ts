import { hexValue } from '../../bytes.js';
import { firstPrimes } from '../../hashing/primes.js';

/**
 * Three hashes over 64-bit words, reduced to their use as checksums: one block, and only the bytes that are compared. Decision 0019 says
 * why they do not come from a library. A word is a pair in an array, high half first.
 */

/** The first `count` bytes of the `hashLength`-byte BLAKE2b (RFC 7693) of a message of at most 128 bytes. */
export function blake2bHead(message: Uint8Array, hashLength: number, count: number): Uint8Array {
  const block = new Uint8Array(128);
  block.set(message);
  const v = new Uint32Array(32);
  v.set(blake2bStart);
  v.set(blake2bStart, 16);
  // The parameters (bytes of output, no key), the length, and the flag of the last block.
  v[1]! ^= 0x01010000 ^ hashLength;
  v[25]! ^= message.length;
  v[28] = ~v[28]!;
  v[29] = ~v[29]!;
  const first = v[1]!;

  const addMessage = (to: number, digit: number): void => {
    const at = 8 * hexValue(digit);
    add(v, to, littleU32(block, at + 4), littleU32(block, at));
  };
  const mix = (to: number, from: number, other: number, by: number): void => {
    add(v, to, v[from]!, v[from + 1]!);
    const high = v[other]! ^ v[to]!;
    const low = v[other + 1]! ^ v[to + 1]!;
    v[other] = rotated(high, low, by);
    v[other + 1] = rotated(low, high, by);
  };
  for (let round = 0; round < 12; round++) {
    const order = orders[round % 10]!;
    for (let at = 0; at < 8; at++) {
      // The four columns of a square of words, then its four diagonals.
      const slant = at >> 2;
      const a = 2 * (at & 3);
      const b = 8 + 2 * ((at + slant) & 3);
      const c = 16 + 2 * ((at + 2 * slant) & 3);
      const d = 24 + 2 * ((at + 3 * slant) & 3);
      addMessage(a, order.charCodeAt(2 * at));
      mix(a, b, d, 32);
      mix(c, d, b, 24);
      addMessage(a, order.charCodeAt(2 * at + 1));
      mix(a, b, d, 16);
      mix(c, d, b, 63);
    }
  }
  const bytes = new Uint8Array(64);
  for (let at = 0; at < 16; at += 2) {
    const low = (at === 0 ? first : blake2bStart[at + 1]!) ^ v[at + 1]! ^ v[at + 17]!;
    bytes.set(littleBytes(low, blake2bStart[at]! ^ v[at]! ^ v[at + 16]!), 4 * at);
  }
  return bytes.subarray(0, count);
}

/** RFC 7693 §2.6. */
const blake2bStart: readonly number[] = [
  0x6a09e667, 0xf3bcc908, 0xbb67ae85, 0x84caa73b, 0x3c6ef372, 0xfe94f82b, 0xa54ff53a, 0x5f1d36f1, 0x510e527f, 0xade682d1,
  0x9b05688c, 0x2b3e6c1f, 0x1f83d9ab, 0xfb41bd6b, 0x5be0cd19, 0x137e2179,
];

/** RFC 7693 §2.7: the order of the message words, one row per round. */
const orders: readonly string[] = [
  '0123456789abcdef',
  'ea489fd61c02b753',
  'b8c052fdae367194',
  '7931dcbe265a40f8',
  '905724afe1bc683d',
  '2c6a0b834d75fe19',
  'c51fed4a0763928b',
  'db7ec13950f4862a',
  '6fe9b308c2d714a5',
  'a2847615fb9e3cd0',
];

/** The last four bytes of the SHA-512/256 (FIPS 180-4 §6.7) of 32 bytes. */
export function sha512Tail(message: Uint8Array): Uint8Array {
  rounds ??= cubeRoots(80);
  const w = new Uint32Array(160);
  for (let at = 0; at < 32; at++) w[at >> 2] = (w[at >> 2]! << 8) | message[at]!;
  // Padding, and the length of the message in bits.
  w[8] = 0x80000000;
  w[31] = 256;
  for (let at = 32; at < 160; at += 2) {
    addWord(w, at, w, at - 14);
    addWord(w, at, w, at - 32);
    addRotated(w, at, w, at - 30, 1, 8, 7, true);
    addRotated(w, at, w, at - 4, 19, 61, 6, true);
  }
  const state = Uint32Array.from(sha512Start);
  for (let round = 0; round < 80; round++) {
    // Instead of moving the words, each round renames them: `h` of one round is `a` of the next.
    const place = (letter: number): number => (2 * (letter - round + 80)) & 15;
    const a = place(0);
    const b = place(1);
    const c = place(2);
    const d = place(3);
    const e = place(4);
    const f = place(5);
    const g = place(6);
    const h = place(7);
    const choice = (half: 0 | 1): number => (state[e + half]! & state[f + half]!) ^ (~state[e + half]! & state[g + half]!);
    const majority = (half: 0 | 1): number =>
      (state[a + half]! & (state[b + half]! ^ state[c + half]!)) ^ (state[b + half]! & state[c + half]!);
    addRotated(state, h, state, e, 14, 18, 41, false);
    add(state, h, choice(0), choice(1));
    addWord(state, h, rounds, 2 * round);
    addWord(state, h, w, 2 * round);
    addWord(state, d, state, h);
    addRotated(state, h, state, a, 28, 34, 39, false);
    add(state, h, majority(0), majority(1));
  }
  const tail = state[7]! + sha512Start[7]!;
  return Uint8Array.of(tail >>> 24, tail >>> 16, tail >>> 8, tail);
}

/** FIPS 180-4 §5.3.6.2. */
const sha512Start: readonly number[] = [
  0x22312194, 0xfc2bf72c, 0x9f555fa3, 0xc84c64c2, 0x2393b86b, 0x6f53b151, 0x96387719, 0x5940eabd, 0x96283ee2, 0xa88effe3,
  0xbe5e1e25, 0x53863992, 0x2b0199fc, 0x2c85b8aa, 0x0eb72ddc, 0x81c52ca2,
];

let rounds: Uint32Array | undefined;

/** FIPS 180-4 §4.2.3: the first 64 fractional bits of the cube roots of the first primes. Written out they would take 0.7 kB. */
function cubeRoots(count: number): Uint32Array {
  const roots = new Uint32Array(2 * count);
  const three = BigInt(3);
  const half = BigInt(32);
  let at = 0;
  for (const prime of firstPrimes(count)) {
    const scaled = BigInt(prime) << BigInt(3 * 64);
    // Newton's method from above, until the value stops falling. Every root here is below 8.
    let root = BigInt(8) << BigInt(64);
    for (let next = root - BigInt(1); next < root; ) {
      root = next;
      next = (root + root + scaled / (root * root)) / three;
    }
    roots[at++] = Number(BigInt.asUintN(32, root >> half));
    roots[at++] = Number(BigInt.asUintN(32, root));
  }
  return roots;
}

function add(words: Uint32Array, at: number, high: number, low: number): void {
  const sum = words[at + 1]! + (low >>> 0);
  words[at] = words[at]! + high + (sum >= 2 ** 32 ? 1 : 0);
  words[at + 1] = sum;
}

function addWord(words: Uint32Array, at: number, from: Uint32Array, word: number): void {
  add(words, at, from[word]!, from[word + 1]!);
}

/** Adds the XOR of three rotations of a word; the third is a shift if `isShifted`. */
function addRotated(
  words: Uint32Array,
  at: number,
  from: Uint32Array,
  word: number,
  x: number,
  y: number,
  z: number,
  isShifted: boolean,
): void {
  const high = from[word]!;
  const low = from[word + 1]!;
  const last = isShifted ? high >>> z : rotated(high, low, z);
  add(
    words,
    at,
    rotated(high, low, x) ^ rotated(high, low, y) ^ last,
    rotated(low, high, x) ^ rotated(low, high, y) ^ rotated(low, high, z),
  );
}

/** The high half of a pair rotated right. Swapping the arguments gives the low half. */
function rotated(high: number, low: number, by: number): number {
  if (by >= 32) return by === 32 ? low : rotated(low, high, by - 32);
  return (high >>> by) | (low << (32 - by));
}

/** The first four bytes of the Keccak-256 of fewer than 136 bytes, with the padding from before FIPS 202. */
export function keccakHead(message: Uint8Array): Uint8Array {
  const block = new Uint8Array(200);
  block.set(message);
  block[message.length]! ^= 0x01;
  block[135]! ^= 0x80;
  // Five rows of five words, here with the low half first.
  const state = Uint32Array.from({ length: 50 }, (_, at) => littleU32(block, 4 * at));
  for (let round = 0, constants = 1; round < 24; round++) {
    const sums = state.slice(0, 10);
    for (let at = 10; at < 50; at++) sums[at % 10]! ^= state[at]!;
    for (let at = 0; at < 50; at++) {
      const next = (at + 2) % 10;
      state[at]! ^= sums[(at + 8) % 10]! ^ (sums[next]! << 1) ^ (sums[next ^ 1]! >>> 31);
    }
    // Each word moves to the place of the next one on a path through all but the first, rotated by triangular numbers.
    let low = state[2]!;
    let high = state[3]!;
    for (let step = 1, at = 1; step < 25; step++) {
      at = ((at / 5) | 0) + 5 * ((2 * (at % 5) + 3 * ((at / 5) | 0)) % 5);
      const by = 64 - (((step * (step + 1)) / 2) % 64);
      const movedLow = rotated(low, high, by);
      const movedHigh = rotated(high, low, by);
      low = state[2 * at]!;
      high = state[2 * at + 1]!;
      state[2 * at] = movedLow;
      state[2 * at + 1] = movedHigh;
    }
    for (let row = 0; row < 50; row += 10) {
      const words = state.slice(row, row + 10);
      for (let x = 0; x < 10; x++) state[row + x]! ^= ~words[(x + 2) % 10]! & words[(x + 4) % 10]!;
    }
    // The round constants come from a shift register over x^8 + x^6 + x^5 + x^4 + 1.
    for (let bit = 0; bit < 7; bit++) {
      if (constants & 1) state[bit < 6 ? 0 : 1]! ^= 1 << (2 ** bit - 1);
      constants = (constants << 1) ^ (constants & 0x80 ? 0x171 : 0);
    }
  }
  return littleBytes(state[0]!, 0).subarray(0, 4);
}

function littleBytes(low: number, high: number): Uint8Array {
  return Uint8Array.from({ length: 8 }, (_, at) => (at < 4 ? low : high) >>> (8 * (at & 3)));
}

function littleU32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
}
