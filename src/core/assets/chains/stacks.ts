import { fromBase } from '../codecs/bases.js';
import { doubleSha256, endsWith, joined } from './chain-bytes.js';
import type { Reader } from './family.js';

/**
 * Stacks: `S`, a letter for network and kind, then 20 bytes and a checksum in Crockford's base32. A name after a dot is a contract, a
 * different account from its deployer.
 */
export const readStacks: Reader = (word) => {
  const parts = form.exec(word);
  if (parts === null) return null;
  const digits = parts[1]!.toUpperCase();
  const bytes = fromBase(digits.slice(2), alphabet);
  if (bytes === null || bytes.length !== 24) return null;
  const sum = doubleSha256(joined([alphabet.indexOf(digits[1]!)], bytes.subarray(0, 20)));
  return endsWith(bytes, sum.subarray(0, 4)) ? digits + (parts[2] ?? '') : null;
};

const form = /^(S[MNPT][0-9A-HJKMNP-TV-Z]{26,39})(\.[a-zA-Z][\w-]{0,127})?$/i;

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
