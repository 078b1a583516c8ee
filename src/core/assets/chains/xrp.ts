import { fromBase58Check, joined, toBase58Check } from './chain-bytes.js';
import type { Reader } from './family.js';

/**
 * The XRP Ledger: base58check in its own alphabet. An X-address is an account and a tag; the tag, with which exchanges assign deposits,
 * is dropped.
 */
export const readXrp: Reader = (word) => {
  if (word[0] === 'r' ? word.length < 25 || word.length > 35 : word.length !== 47 || (word[0] !== 'X' && word[0] !== 'T'))
    return null;
  const payload = fromBase58Check(word, alphabet);
  if (payload === null) return null;
  if (payload.length === 21) return payload[0] === 0 ? word : null;
  return isTagged(payload) ? toBase58Check(joined([0], payload.subarray(2, 22)), alphabet) : null;
};

/** Two bytes for the main or the test network, the account, a flag, and a 32-bit tag in a field of 64 bits. */
function isTagged(payload: Uint8Array): boolean {
  const network = (payload[0]! << 8) | payload[1]!;
  const flag = payload[22]!;
  const unused = payload.subarray(flag === 0 ? 23 : 27);
  return payload.length === 31 && (network === 0x0544 || network === 0x0493) && flag <= 1 && unused.every((byte) => byte === 0);
}

const alphabet = 'rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz';
