import { base32Alphabet, fromBits } from '../codecs/bases.js';
import { endsWith } from './chain-bytes.js';
import type { Reader } from './family.js';
import { sha512Tail } from './wide.js';

/** Algorand: 32 bytes and the last four of their SHA-512/256, in base32. */
export const readAlgorand: Reader = (word) => {
  if (word.length !== 58) return null;
  const bytes = fromBits(word, base32Alphabet, 5);
  return bytes !== null && endsWith(bytes, sha512Tail(bytes)) ? word : null;
};
