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
  /** The initial one, except between two blocks of a message. */
  const state = Int32Array.from(initialState);
  const addBlock = roundsOf(words, state, roundConstants);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

  function prefixOf(start: number, end: number): number {
    const length = end - start;
    let next = start;
    for (; end - next >= 64; next += 64) {
      for (let word = 0; word < 16; word++) words[word] = view.getInt32(next + 4 * word);
      addBlock(false);
    }
    // The rest, a bit, zeros, and the length in bits (§5.1.1).
    let word = 0;
    for (; end - next >= 4; next += 4) words[word++] = view.getInt32(next);
    let last = 0x80;
    if (next < end) {
      last = bytes[next]! << 8;
      if (++next < end) last = (last | bytes[next]!) << 8;
      if (++next < end) last = (last | bytes[next]!) << 8;
      last |= 0x80;
    }
    words[word++] = last << (24 - 8 * (length & 3));
    if (word > 14) {
      if (word < 16) words[15] = 0;
      addBlock(false);
      word = 0;
    }
    while (word < 15) words[word++] = 0;
    words[15] = length << 3;
    const first = addBlock(true);
    // The last block changes no state.
    if (length > maxOneBlock) state.set(initialState);
    return first;
  }

  return { words, prefixOf, firstWord: () => addBlock(true) };
}

/** Bytes of a message whose end and length fit its first block. */
const maxOneBlock = 55;
