import type { Reader } from './family.js';

/**
 * Kadena: principals, which are accounts named after what guards them. `k:` is a public key, `w:` a hash of several keys and a rule, `u:`
 * a function and a hash of its arguments, `p:` and `c:` the hash of a process or a capability. `r:` and `m:` are only names, which look
 * like other texts and need a hint, as do accounts with a name of their own.
 */
export const readKadena: Reader = (word, { chain, rest }) => {
  if (word.length !== 1) return null;
  if (key.test(rest)) return rest.toLowerCase();
  return hashed.test(rest) || (chain === 'kadena' && named.test(rest)) ? word.toLowerCase() + rest.slice(1) : null;
};

const key = /^k:[\da-f]{64}$/i;

/** A hash is 32 bytes in base64url; a name has up to three parts: namespace, module and function. */
const hashed =
  /^(?:[wp]:[\w-]{43}:[a-z][\w-]{0,99}(?:\.[a-z][\w-]{0,99}){0,2}|u:[a-z][\w-]{0,99}(?:\.[a-z][\w-]{0,99}){0,2}:[\w-]{43}|c:[\w-]{43})$/i;

const named =
  /^(?:r:[a-z][\w-]{0,99}(?:\.[a-z][\w-]{0,99}){0,2}|m:[a-z][\w-]{0,99}(?:\.[a-z][\w-]{0,99}){0,2}:[a-z][\w-]{0,99})$/i;
