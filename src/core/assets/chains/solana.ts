import { base58Alphabet, fromBase } from '../codecs/bases.js';
import type { Reader } from './family.js';

/** Solana: 32 bytes in base58. There is no checksum, and another case is another account. */
export const readSolana: Reader = (word) => {
  if (word.length < 32 || word.length > 44) return null;
  return fromBase(word, base58Alphabet)?.length === 32 ? word : null;
};
