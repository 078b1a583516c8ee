import { hexValue, readU32, toHex } from '../bytes.js';
import { PortcullisError } from '../errors.js';
import { firstOf, objectOf } from './spelling.js';

/** Full hashes by the prefix they begin with. */
export type Confirmed = ReadonlyMap<number, readonly Uint8Array[]>;

/** Nobody has published them: the first is what we write, the others what a service is likely to say. */
const containers = ['hashes', 'matches', 'results', 'prefixes', 'data', 'fullHashes'] as const;
const groupKeys = { prefix: ['prefix', 'hashPrefix'], hashes: ['hashes', 'fullHashes', 'matches'] } as const;

/** Hashes of one prefix that are read: a list of 2^25 has less than one a prefix, and four bytes are equal by chance for a few. */
const hashesPerPrefixMax = 1_000;

/**
 * Reads the answer of the confirm operation. A prefix that was asked for and is not in it has no hash behind it, but only inside a
 * container that is recognised: an answer of any other kind says nothing. What is no whole hash, does not begin with its prefix or
 * was not asked for is left out.
 *
 * @throws PortcullisError `INVALID_RESPONSE`
 */
export function readConfirm(answer: unknown, asked: Iterable<number>): Confirmed {
  const confirmed = new Map<number, Uint8Array[]>([...asked].map((prefix) => [prefix, []]));
  for (const [name, hashes] of groupsOf(answer)) {
    const prefix = /^[0-9a-f]{8}$/i.test(name) ? Number.parseInt(name, 16) : -1;
    const found = confirmed.get(prefix);
    if (found === undefined || !Array.isArray(hashes)) continue;
    for (const text of hashes.slice(0, hashesPerPrefixMax)) {
      const hash = hashOfHex(text);
      if (hash !== null && readU32(hash, 0) === prefix) found.push(hash);
    }
  }
  return confirmed;
}

/** The groups of prefix and hashes, whichever way they are written. */
function groupsOf(answer: unknown, isInner = false): Iterable<readonly [string, unknown]> {
  const outer = objectOf(answer);
  let container: unknown = Array.isArray(answer) ? answer : firstOf(outer, containers);
  if (container === undefined && isGroupMap(outer)) container = outer;
  if (Array.isArray(container)) {
    return container.map((group) => {
      const name = firstOf(objectOf(group), groupKeys.prefix);
      return [typeof name === 'string' ? name : '', firstOf(objectOf(group), groupKeys.hashes)];
    });
  }
  if (typeof container !== 'object' || container === null) {
    throw new PortcullisError('INVALID_RESPONSE', 'the answer to a confirmation is not recognised');
  }
  // `{ data: { hashes: … } }`
  const inner = isInner ? undefined : firstOf(objectOf(container), containers);
  return inner === undefined ? Object.entries(container) : groupsOf(container, true);
}

/** A map at the top is told by its keys, so an empty one is no answer. */
function isGroupMap(object: Readonly<Record<string, unknown>>): boolean {
  const keys = Object.keys(object);
  return keys.length > 0 && keys.every((key) => /^[0-9a-f]{8}$/i.test(key));
}

function hashOfHex(text: unknown): Uint8Array | null {
  if (typeof text !== 'string' || text.length !== 64) return null;
  const hash = new Uint8Array(32);
  for (let at = 0; at < 32; at++) {
    const high = hexValue(text.charCodeAt(2 * at));
    const low = hexValue(text.charCodeAt(2 * at + 1));
    if (high < 0 || low < 0) return null;
    hash[at] = (high << 4) | low;
  }
  return hash;
}

/** The answer to a confirmation, as the embedded service and the relay write it: every prefix asked for, also without a hash. */
export function writeConfirm(confirmed: Confirmed): { hashes: Record<string, string[]> } {
  const groups = [...confirmed].map(([prefix, hashes]) => [prefix.toString(16).padStart(8, '0'), hashes.map(toHex)] as const);
  return { hashes: Object.fromEntries(groups) };
}
