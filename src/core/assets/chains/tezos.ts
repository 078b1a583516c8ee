import { fromBase58Check } from './chain-bytes.js';
import type { Reader } from './family.js';

/** Tezos: three bytes that make base58check begin with `tz1` to `tz4`, `KT1` or `sr1`, then 20 bytes. */
export const readTezos: Reader = (word) => {
  if (word.length !== 36 || !firstLetters.test(word)) return null;
  const payload = fromBase58Check(word);
  if (payload === null || payload.length !== 23) return null;
  return prefixes.includes((payload[0]! << 16) | (payload[1]! << 8) | payload[2]!) ? word : null;
};

const firstLetters = /^(?:tz[1-4]|KT1|sr1)/;

const prefixes: readonly number[] = [0x06a19f, 0x06a1a1, 0x06a1a4, 0x06a1a6, 0x025a79, 0x067c75];
