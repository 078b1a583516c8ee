import { roundsOf } from '../../made/sha256-rounds.js';
import { initialState, roundConstants } from '../hashing/constants.js';

/** Hashes parts of a buffer. */
export interface RangeHash {
  /** One block of a message, for `firstWord`. */
  readonly words: Int32Array;
  /** The first 32 bits of SHA-256 of the only block of a message, which is in `words`. */
  firstWord(): number;
  /** The first 32 bits of SHA-256 of the bytes from `start` to `end`. */
  prefixOf(start: number, end: number): number;
}

export function createRangeHash(bytes: Uint8Array): RangeHash {
  const words = new Int32Array(16);
  const state = new Int32Array(8);
  const addBlock = roundsOf(words, state, roundConstants);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

  function prefixOf(start: number, end: number): number {
    for (let at = 0; at < 8; at++) state[at] = initialState[at]!;
    let next = start;
    for (; end - next >= 64; next += 64) {
      for (let word = 0; word < 16; word++) words[word] = view.getInt32(next + 4 * word);
      addBlock();
    }
    // The rest, a bit, zeros, and the length in bits (§5.1.1).
    let word = 0;
    for (; end - next >= 4; next += 4) words[word++] = view.getInt32(next);
    let last = 0;
    for (; next < end; next++) last = (last << 8) | bytes[next]!;
    const left = (end - start) & 3;
    words[word++] = ((last << 8) | 0x80) << (24 - 8 * left);
    if (word > 14) {
      if (word < 16) words[15] = 0;
      addBlock();
      word = 0;
    }
    while (word < 15) words[word++] = 0;
    words[15] = (end - start) << 3;
    addBlock();
    return state[0]! >>> 0;
  }

  function firstWord(): number {
    for (let at = 0; at < 8; at++) state[at] = initialState[at]!;
    addBlock();
    return state[0]! >>> 0;
  }

  return { words, prefixOf, firstWord };
}
