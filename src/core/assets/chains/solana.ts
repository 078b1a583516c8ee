import { base58Alphabet, fromBase } from '../codecs/bases.js';
import type { Reader } from './family.js';

/**
 * Solana: 32 bytes in base58, where letter case matters and there is no checksum. One in twelve XDC addresses contains no `0`, so it
 * would be read here too if it were not excluded.
 */
export const readSolana: Reader = (word) => {
  if (word.length < 32 || word.length > 44 || xdc.test(word)) return null;
  return fromBase(word, base58Alphabet)?.length === 32 ? word : null;
};

const xdc = /^xdc[\da-f]{40}$/i;
