import { readU32 } from '../../bytes.js';
import { base16Alphabet, base32Alphabet, fromBits } from '../codecs/bases.js';
import { crc32 } from './chain-bytes.js';
import type { Reader } from './family.js';

/**
 * The Internet Computer: principals, which are groups of five base32 letters joined by hyphens, and, with a hint, account identifiers,
 * which are 64 hex digits like a private key. Both begin with a CRC-32 of the rest.
 */
export const readInternetComputer: Reader = (word, { chain }) => {
  const isAccount = chain === 'icp' && word.length === 64;
  if (!isAccount && !principal.test(word)) return null;
  const digits = word.replace(/-/g, '').toUpperCase();
  const bytes = isAccount ? fromBits(digits, base16Alphabet, 4) : fromBits(digits, base32Alphabet, 5);
  return bytes !== null && readU32(bytes, 0) === crc32(bytes.subarray(4)) ? word.toLowerCase() : null;
};

/** From the ten bytes of a canister to the 29 of a user's key, after the checksum. */
const principal = /^(?:[a-z2-7]{5}-){4,10}[a-z2-7]{1,5}$/;
