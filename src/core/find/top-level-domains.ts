import { fromBase64 } from '../base64.js';
import { requireString } from '../errors.js';
import { countryLetters, topLevelCount, topLevelHashes, topLevelSeed } from './top-level-hashes.js';

/**
 * Whether a label, lower-case and in Unicode, is a top-level domain. Country domains are known exactly, the others by their hashes
 * (decision 0030). The list contains every top-level domain that existed when it was made, and also accepts one in 256 other words, but
 * none of the frequent ones. Any Punycode counts.
 */
export function isTopLevelDomain(label: string): boolean {
  requireString(label, 'label');
  if (twoLetters.test(label)) return countryLetters.split(' ')[label.charCodeAt(0) - 0x61]!.includes(label[1]!);
  hashes ??= decodedHashes();
  if (withDigit.test(label)) return punycode.test(label);
  return hashes.has(hashOfLabel(label, topLevelSeed) % (topLevelCount << remainderBits));
}

let hashes: ReadonlySet<number> | undefined;

const twoLetters = /^[a-z]{2}$/;

/** Only Punycode has digits or hyphens. */
const withDigit = /[\d-]/;
const punycode = /^xn--[a-z\d-]{1,59}$/;

/** A word that is not a top-level domain is accepted with a chance of one in two to the power of this. */
export const remainderBits = 8;

/** FNV-1a over the UTF-16 units, mixed so that all bits depend on all units. */
export function hashOfLabel(label: string, seed: number): number {
  let hash = seed;
  for (let at = 0; at < label.length; at++) hash = Math.imul(hash ^ label.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/**
 * The hashes of the list, stored as the differences between sorted hashes in a Rice code: the quotient in ones and a zero, then
 * `remainderBits`, high bit first.
 */
function decodedHashes(): ReadonlySet<number> {
  const bytes = fromBase64(topLevelHashes)!;
  const all = new Set<number>();
  let at = 0;
  const next = (): number => (bytes[at >> 3]! >> (7 - (at++ & 7))) & 1;
  for (let hash = 0; all.size < topLevelCount; all.add(hash)) {
    while (next() === 1) hash += 1 << remainderBits;
    for (let bit = remainderBits - 1; bit >= 0; bit--) hash += next() << bit;
  }
  return all;
}
