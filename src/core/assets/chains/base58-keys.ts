import { base58Alphabet, fromBase } from '../codecs/bases.js';
import { endsWith, fromBase58Check } from './chain-bytes.js';
import type { Reader } from './family.js';
import { blake2bHead } from './wide.js';

/** Mina, and the original shielded addresses of Zcash: base58check of a fixed length and version, which fix the first letters. */
export const readLongBase58: Reader = (word) => {
  const size = mina.test(word) ? 36 : sprout.test(word) ? 66 : 0;
  return size > 0 && fromBase58Check(word)?.length === size ? word : null;
};

const mina = /^B62.{52}$/;
const sprout = /^z[ct].{93}$/;

/** Ergo: a byte for mainnet and a public key, the key, and four bytes of BLAKE2b. No private key starts with these letters. */
export const readErgo: Reader = (word) => {
  const bytes = ergo.test(word) ? fromBase(word, base58Alphabet) : null;
  return bytes?.length === 38 && endsWith(bytes, blake2bHead(bytes.subarray(0, -4), 32, 4)) ? word : null;
};

const ergo = /^9[e-i].{49}$/;
