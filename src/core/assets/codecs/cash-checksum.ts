import { type Generators, polymod } from './polymod.js';

/**
 * The checksum of the CashAddr specification over a prefix and digits of five bits: zero if it is valid. Bitcoin Cash, eCash, Kaspa and
 * Conflux share it.
 */
export function cashChecksum(prefix: string, digits: Uint8Array): readonly [high: number, low: number] {
  const all = new Uint8Array(prefix.length + 1 + digits.length);
  for (let at = 0; at < prefix.length; at++) all[at] = prefix.charCodeAt(at) & 31;
  all.set(digits, prefix.length + 1);
  const [high, low] = polymod(all, generators);
  return [high, low ^ 1];
}

export function isCashAddress(prefix: string, digits: Uint8Array): boolean {
  const [high, low] = cashChecksum(prefix, digits);
  return high === 0 && low === 0;
}

const generators: Generators = {
  bits: 20,
  high: [0x98f2b, 0x79b76, 0xf33e5, 0xae2ea, 0x1e4f4],
  low: [0xc8e61, 0xd99e2, 0xfb3c4, 0xbe2a8, 0x3e470],
};
