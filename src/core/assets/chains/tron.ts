import { hexValue } from '../../bytes.js';
import { fromBase58Check, toBase58Check } from './chain-bytes.js';
import type { Reader } from './family.js';

/** Tron: the byte 0x41 and 20 bytes, in base58check or in hex. */
export const readTron: Reader = (word) => {
  if (word[0] === 'T') {
    const payload = word.length === 34 ? fromBase58Check(word) : null;
    return payload !== null && payload.length === 21 && payload[0] === 0x41 ? word : null;
  }
  return hexForm.test(word) ? toBase58Check(fromHex(word.slice(-42))) : null;
};

const hexForm = /^(?:0[xX])?41[0-9a-fA-F]{40}$/;

function fromHex(digits: string): Uint8Array {
  const valueAt = (at: number): number => hexValue(digits.charCodeAt(at));
  return Uint8Array.from({ length: digits.length / 2 }, (_, at) => (valueAt(2 * at) << 4) | valueAt(2 * at + 1));
}
