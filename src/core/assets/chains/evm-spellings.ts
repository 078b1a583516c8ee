import { toHex } from '../../bytes.js';
import { base36Alphabet, fromBase } from '../codecs/bases.js';
import type { Reader } from './family.js';

/**
 * Spellings of EVM accounts that the family `evm` does not read: bare digits without `0x`, as Ronin writes them, where the text or the
 * caller names such a chain, and ICAP, an IBAN of a country that does not exist. Without a chain name, 40 digits are taken for a commit
 * hash.
 */
export const readEvmSpelling: Reader = (word, { chain }) => {
  if (chain === 'evm' && bare.test(word)) return `0x${word.toLowerCase()}`;
  if (!icap.test(word)) return null;
  const upper = word.toUpperCase();
  const digits = toHex(fromBase(upper.slice(4).toLowerCase(), base36Alphabet)!).replace(/^0+/, '');
  return digits.length <= 40 && rest97(upper.slice(4) + upper.slice(0, 4)) === 1 ? `0x${digits.padStart(40, '0')}` : null;
};

const bare = /^[\da-f]{40}$/i;

/** 30 digits of base 36, or 31 for an account that does not begin with a zero. */
const icap = /^XE\d\d[\da-z]{30,31}$/i;

/** ISO 7064: the remainder of a division by 97, where A counts as 10 and Z as 35. */
function rest97(text: string): number {
  let rest = 0;
  for (const letter of text) {
    const value = Number.parseInt(letter, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}
