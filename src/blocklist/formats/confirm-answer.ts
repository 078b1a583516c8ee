import { hexValue, readU32, toHex, u32ToHex } from '../../core/bytes.js';
import { PortcullisError } from '../../core/errors.js';
import { firstOf, isFailure, objectOf } from './spelling.js';

/**
 * Full hashes, grouped by their prefix. A group without hashes says that nothing listed begins with its prefix. A missing group says
 * nothing, because an answer may be cut short; except in an answer about a single prefix, which cannot be half of one.
 */
export type Confirmed = ReadonlyMap<number, readonly Uint8Array[]>;

/** Undocumented: the first name is the one we write, the others are plausible alternatives. */
const containers = ['hashes', 'matches', 'results', 'prefixes', 'fullHashes'] as const;
const groupKeys = { prefix: ['prefix', 'hashPrefix'], hashes: ['hashes', 'fullHashes', 'matches'] } as const;

/** Most hashes behind one prefix: a list of 2^25 entries has less than one on average, and few prefixes collide. */
const maxHashesPerPrefix = 1_000;

/** Maximum size of an answer: fits 2,000 prefixes with fifteen hashes each; one hash per prefix is typical. */
export const maxConfirmBytes: number = 2 * 1024 * 1024;

const prefixName = /^[0-9a-f]{8}$/i;

/**
 * Parses the answer of the confirm operation. A malformed group makes the whole answer unusable, because the hash that matters may be the
 * one that cannot be read. Groups may be missing: see `Confirmed`.
 *
 * @throws PortcullisError `INVALID_RESPONSE`
 */
export function readConfirm(answer: unknown, asked: Iterable<number>): Confirmed {
  const groups = new Map<number, Uint8Array[]>();
  const named = [...groupsOf(answer)];
  const isDenial = named.every(([, hashes]) => Array.isArray(hashes) && hashes.length === 0);
  if (isDenial && saysWhy(answer)) throw unrecognized();
  for (const [name, hashes] of named) {
    if (typeof name !== 'string' || !prefixName.test(name) || !Array.isArray(hashes)) throw unrecognized();
    const prefix = Number.parseInt(name, 16);
    const group = groups.get(prefix) ?? [];
    if (group.length + hashes.length > maxHashesPerPrefix) throw unrecognized();
    groups.set(prefix, [...group, ...hashes.map((text) => hashOfHex(text) ?? new Uint8Array())]);
  }
  return checkedConfirmation(groups, [...asked]);
}

/**
 * Checks that each group was asked for and has whole hashes that begin with its prefix.
 *
 * @throws PortcullisError `INVALID_RESPONSE`
 */
export function checkedConfirmation(groups: unknown, asked: readonly number[]): Confirmed {
  const { size, get, forEach } = Object(groups) as Partial<Confirmed>;
  if (typeof get !== 'function' || typeof forEach !== 'function') throw unrecognized();
  const wanted = new Set(asked);
  if (!(size! <= wanted.size)) throw unrecognized();
  (groups as ReadonlyMap<unknown, unknown>).forEach((hashes, prefix) => {
    const isGroup = wanted.has(prefix as number) && Array.isArray(hashes) && hashes.length <= maxHashesPerPrefix;
    if (!isGroup || !hashes.every((hash) => isHashOf(prefix as number, hash))) throw unrecognized();
  });
  return groups as Confirmed;
}

function isHashOf(prefix: number, hash: unknown): boolean {
  return hash instanceof Uint8Array && hash.length === 32 && readU32(hash, 0) === prefix;
}

/** The groups of prefix and hashes in any known notation, not validated yet. */
function groupsOf(answer: unknown, isInner = false): Iterable<readonly [name: unknown, hashes: unknown]> {
  // Without a name around it, an empty list is not an answer; neither is an empty map.
  if (Array.isArray(answer) && (answer.length > 0 || isInner)) return groupsIn(answer);
  const outer = objectOf(answer);
  if (isFailure(outer)) throw unrecognized();
  const container = firstOf(outer, containers);
  if (container !== undefined) return groupsIn(container);
  const data = isInner ? undefined : firstOf(outer, ['data']);
  if (data !== undefined) return groupsOf(data, true);
  if (Object.keys(outer).length === 0) throw unrecognized();
  return groupsIn(outer);
}

/**
 * Provisional: words anywhere in an answer without hashes say why it has none, unless they say that all is well. A text of one word is an id,
 * unless its name is one of words.
 */
function saysWhy(value: unknown, isNamed = false, depth = 0): boolean {
  if (typeof value === 'string') return !isWell.test(value.trim()) && (isNamed || /[a-z]\s+[a-z]/i.test(value));
  if (typeof value !== 'object' || value === null) return false;
  // No words are that deep.
  if (depth === maxWordsDepth) return false;
  return Object.entries(value).some(([name, inner]) => saysWhy(inner, isNamed || wordsName.test(name), depth + 1));
}

const isWell = /^(?:ok|okay|success|successful|done)?[.!]?$/i;
const wordsName =
  /^(?:status(?:_?(?:message|text))?|messages?|msg|details?|reason|title|(?:error_?)?description|warnings?|errors?|info|notes?|notice|fault|text)$/i;
const maxWordsDepth = 8;

function groupsIn(container: unknown): Iterable<readonly [name: unknown, hashes: unknown]> {
  if (typeof container !== 'object' || container === null) throw unrecognized();
  if (!Array.isArray(container)) return Object.entries(container);
  return container.map((group) => [firstOf(objectOf(group), groupKeys.prefix), firstOf(objectOf(group), groupKeys.hashes)]);
}

function unrecognized(): PortcullisError {
  return new PortcullisError('INVALID_RESPONSE', 'the confirmation response has an unknown format');
}

/** 32 bytes from 64 hex digits, otherwise `null`. */
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

/** The answer to a confirmation as the embedded service and the relay write it: every requested prefix, even without hashes. */
export function writeConfirm(confirmed: Confirmed): { hashes: Record<string, string[]> } {
  const groups = [...confirmed].map(([prefix, hashes]) => [u32ToHex(prefix), hashes.map(toHex)] as const);
  return { hashes: Object.fromEntries(groups) };
}
