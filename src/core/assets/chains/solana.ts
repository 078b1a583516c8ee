import { base58Alphabet, fromBase } from '../codecs/bases.js';
import type { Reader } from './family.js';

/**
 * Solana: 32 bytes in base58. There is no checksum, and another case is another account. One in twelve of XDC's addresses has no zero
 * and would be one too.
 */
export const readSolana: Reader = (word) => {
  if (word.length < 32 || word.length > 44 || xdc.test(word)) return null;
  return fromBase(word, base58Alphabet)?.length === 32 ? word : null;
};

const xdc = /^xdc[\da-f]{40}$/i;
