import type { Family } from '../assets/asset.js';
import { prefixOf } from '../hashing/prefix.js';
import { writeAddress } from './address-reader.js';
import { claimedPlaces } from './claimed-places.js';
import { coverOfPrefix } from './covers.js';
import { createLinkReader, type LinkReader, marked, odd } from './link-reader.js';
import { createRangeHash, type RangeHash } from './range-hash.js';

/**
 * Whether it is sure that a text is a link, or an address, of which no list holds an expression. `false` says nothing: then the text is read
 * in full, and that is the only way to another answer than a miss.
 *
 * @param mayHold Whether a list or an override may have an expression with this prefix
 * @param hasCovers Whether they also hold the cover of each host of two labels below which they hold something
 */
export type SureMiss = (text: string, mayHold: (prefix: number) => boolean, hasCovers: boolean) => boolean;

/**
 * The fast path of a check by `portcullis-1`, for the texts that are checked most. It reads less than the full path, and never something
 * else: a test compares the two (docs/decisions/0081-sure-misses.md).
 */
export function createSureMiss(families: readonly Family[]): SureMiss {
  let own: SureMiss | undefined;
  return (text, mayHold, hasCovers) => {
    // Families read their tables for it.
    own ??= sureMissOf(families);
    return own(text, mayHold, hasCovers);
  };
}

function sureMissOf(families: readonly Family[]): SureMiss {
  const claims = families.map((family) => family.claims);
  if (!claims.every((claim) => claim !== undefined)) return never;
  const claimed = claimedPlaces(claims);
  const meanings = claims.flatMap(({ rest }) => rest?.mayMean ?? []);
  const carriedIn = families.find((family) => family.carriedIn)?.carriedIn;
  const readsRest = claimed !== null || carriedIn !== undefined || meanings.length > 0;
  const reader = createLinkReader(claims.map(({ rest }) => rest?.marks ?? '').join(''));
  const { bytes, from, to, readHost, readRest, lookAtRest, hostStop, hostEnd, lastTwo } = reader;
  const hash = createRangeHash(bytes);
  const readsAddresses = claims.some((claim) => claim.readsAddresses === true);
  /** How many links until one is read in full. */
  let untilCheck = 0;

  function isSureMiss(text: string, mayHold: (prefix: number) => boolean, hasCovers: boolean): boolean {
    if (readsAddresses && writeAddress(text, hash.words)) return !mayHold(hash.firstWord());
    const found = judge(text, mayHold, hasCovers);
    if (found !== missButMayCarry || carriedIn === undefined) return found !== unsure;
    // Each is judged alone, and what it carries itself does not count.
    for (const link of carriedIn(text)) if (judge(link, mayHold, hasCovers) === unsure) return false;
    return true;
  }

  /** Whether the link itself is a miss, and whether it may carry others. */
  function judge(text: string, mayHold: (prefix: number) => boolean, hasCovers: boolean): number {
    if (!readHost(text)) return unsure;
    const site = hash.prefixOf(lastTwo(), hostEnd());
    if (mayHold(site) || claimed?.mayClaimHost(text, reader)) return unsure;
    const look = hasCovers || readsRest ? lookAtRest(text) : 0;
    const miss = (look & (marked | odd)) === 0 ? missAlone : missButMayCarry;
    if (miss === missButMayCarry) for (let at = 0; at < meanings.length; at++) if (meanings[at]!(text)) return unsure;
    if (claimed?.mayClaimFolder(text, hostStop(), look)) return unsure;
    if (hasCovers) {
      if (--untilCheck <= 0) {
        untilCheck = Math.random() * 2 * linksPerCheck;
        return unsure;
      }
      if ((look & odd) === 0 && !mayHold(coverOfPrefix(site))) return miss;
    }
    const count = readRest(text);
    if (count === 0) return unsure;
    // The last expression is the one that was looked up first.
    for (let at = 0; at < count - 1; at++) if (mayHold(hash.prefixOf(from[at]!, to[at]!))) return unsure;
    return miss;
  }

  return isRight(reader, hash) ? isSureMiss : never;
}

/** Of `judge`. */
const unsure = 0;
const missAlone = 1;
const missButMayCarry = 2;

/** One link in so many is read in full, so that a list whose covers are wrong is found out. */
const linksPerCheck = 256;

function never(): boolean {
  return false;
}

/**
 * Whether this engine computes what the full path does, for one block, two, and a length that the first has no room for. A wrong hash would let
 * everything through.
 */
function isRight({ readHost, readRest, from, to }: LinkReader, hash: RangeHash): boolean {
  const folder = 'a'.repeat(46);
  const link = `http://Evil.example/${folder}/bcdefghijklmno/`;
  const expressions = [`evil.example/${folder}/bcdefghijklmno`, `evil.example/${folder}`, 'evil.example'];
  const address = `0x${'0123456789ABCDEFabcd'.repeat(2)}`;
  return (
    readHost(link) &&
    readRest(link) === expressions.length &&
    expressions.every((expression, at) => hash.prefixOf(from[at]!, to[at]!) === prefixOf(expression)) &&
    writeAddress(address, hash.words) &&
    hash.firstWord() === prefixOf(`address:${address.toLowerCase()}`)
  );
}
