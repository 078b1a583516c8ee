import { hexValue, readU32, toHex, u32ToHex } from '../../core/bytes.js';
import { PortcullisError } from '../../core/errors.js';
import { firstOf, objectOf } from './spelling.js';

/** Full hashes by the prefix they begin with. */
export type Confirmed = ReadonlyMap<number, readonly Uint8Array[]>;

/** Nobody has published them: the first is what we write, the others what a service is likely to say. */
const containers = ['hashes', 'matches', 'results', 'prefixes', 'fullHashes'] as const;
const groupKeys = { prefix: ['prefix', 'hashPrefix'], hashes: ['hashes', 'fullHashes', 'matches'] } as const;

/** Hashes of one prefix that are read: a list of 2^25 has less than one a prefix, and four bytes are equal by chance for a few. */
const hashesPerPrefixMax = 1_000;

const prefixName = /^[0-9a-f]{8}$/i;

/**
 * Reads the answer of the confirm operation. A prefix that was asked for and is not in it has no hash behind it, but only inside a
 * container that is recognised to its last group: in an answer of any other kind a hash may stand where nobody looks for it. Left out
 * are groups that were not asked for, and of a group what is no whole hash or does not begin with its prefix.
 *
 * @throws PortcullisError `INVALID_RESPONSE`
 */
export function readConfirm(answer: unknown, asked: Iterable<number>): Confirmed {
  const confirmed = new Map<number, Uint8Array[]>([...asked].map((prefix) => [prefix, []]));
  for (const [name, hashes] of groupsOf(answer)) {
    if (typeof name !== 'string' || !prefixName.test(name) || !Array.isArray(hashes)) throw unrecognised();
    const prefix = Number.parseInt(name, 16);
    confirmed.get(prefix)?.push(...hashesOf(hashes, prefix));
  }
  return confirmed;
}

/** The groups of prefix and hashes, whichever way they are written; nobody has looked yet whether they are such. */
function groupsOf(answer: unknown, isInner = false): Iterable<readonly [name: unknown, hashes: unknown]> {
  if (Array.isArray(answer)) return groupsIn(answer);
  const outer = objectOf(answer);
  const container = firstOf(outer, containers);
  if (container !== undefined) return groupsIn(container);
  const data = isInner ? undefined : firstOf(outer, ['data']);
  if (data !== undefined) return groupsOf(data, true);
  // A map at the top is told by its keys, so an empty one is no answer.
  if (Object.keys(outer).length === 0) throw unrecognised();
  return groupsIn(outer);
}

function groupsIn(container: unknown): Iterable<readonly [name: unknown, hashes: unknown]> {
  if (typeof container !== 'object' || container === null) throw unrecognised();
  if (!Array.isArray(container)) return Object.entries(container);
  return container.map((group) => [firstOf(objectOf(group), groupKeys.prefix), firstOf(objectOf(group), groupKeys.hashes)]);
}

function hashesOf(texts: readonly unknown[], prefix: number): Uint8Array[] {
  const hashes = texts
    .slice(0, hashesPerPrefixMax)
    .map(hashOfHex)
    .filter((hash) => hash !== null);
  // One that is damaged is one less; where none is a hash, they are written in a way that is not known here.
  if (texts.length > 0 && hashes.length === 0) throw unrecognised();
  return hashes.filter((hash) => readU32(hash, 0) === prefix);
}

function unrecognised(): PortcullisError {
  return new PortcullisError('INVALID_RESPONSE', 'the answer to a confirmation is not recognised');
}

/** 32 bytes from 64 hex digits; `null` for anything else. */
export function hashOfHex(text: unknown): Uint8Array | null {
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
  const groups = [...confirmed].map(([prefix, hashes]) => [u32ToHex(prefix), hashes.map(toHex)] as const);
  return { hashes: Object.fromEntries(groups) };
}
