import type { Family } from '../assets/asset.js';
import { prefixOf } from '../hashing/prefix.js';
import { writeAddress } from './address-reader.js';
import { claimedPlaces } from './claimed-places.js';
import { coverOfPrefix } from './covers.js';
import { createLinkReader, marked, odd } from './link-reader.js';
import { createRangeHash } from './range-hash.js';

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
  const looks = claimed !== null || carriedIn !== undefined || meanings.length > 0;
  const reader = createLinkReader(claims.map(({ rest }) => rest?.marks ?? '').join(''));
  const { bytes, from, to, readHost, readRest, lookAtRest, hostStop, hostEnd, lastTwo } = reader;
  const hash = createRangeHash(bytes);
  const readsAddresses = claims.some((claim) => claim.readsAddresses === true);
  /** How many links until one is looked up in full. */
  let unchecked = 0;

  function isSureMiss(text: string, mayHold: (prefix: number) => boolean, hasCovers: boolean): boolean {
    if (readsAddresses && writeAddress(text, hash.words)) return !mayHold(hash.firstWord());
    const found = isMiss(text, mayHold, hasCovers);
    if (found !== marked || carriedIn === undefined) return found !== odd;
    // Each is judged alone, and what it carries itself does not count.
    for (const link of carriedIn(text)) if (isMiss(link, mayHold, hasCovers) === odd) return false;
    return true;
  }

  /** `odd` if it is not sure that the link itself is a miss; `marked` if it is, and may carry others; else 0. */
  function isMiss(text: string, mayHold: (prefix: number) => boolean, hasCovers: boolean): number {
    if (!readHost(text)) return odd;
    const site = hash.prefixOf(lastTwo(), hostEnd());
    if (mayHold(site) || claimed?.mayClaimHost(text, reader)) return odd;
    const look = hasCovers || looks ? lookAtRest(text) : 0;
    const mayCarry = (look & (marked | odd)) === 0 ? 0 : marked;
    if (mayCarry !== 0) for (let at = 0; at < meanings.length; at++) if (meanings[at]!(text)) return odd;
    if (claimed?.mayClaimFolder(text, hostStop(), look)) return odd;
    if (hasCovers && --unchecked > 0) {
      if ((look & odd) === 0 && !mayHold(coverOfPrefix(site))) return mayCarry;
    } else if (hasCovers) unchecked = Math.random() * 2 * linksPerCheck;
    const count = readRest(text);
    if (count === 0) return odd;
    // The last one is the site.
    for (let at = 0; at < count - 1; at++) if (mayHold(hash.prefixOf(from[at]!, to[at]!))) return odd;
    return mayCarry;
  }

  return isRight(isSureMiss) ? isSureMiss : never;
}

/** One link in so many is looked up in full although covers would decide, so that a list whose covers are wrong is found out. */
const linksPerCheck = 256;

function never(): boolean {
  return false;
}

/** Whether this engine computes what the full path does. A wrong hash would let everything through. */
function isRight(isSureMiss: SureMiss): boolean {
  const page = `evil.example/${'a'.repeat(60)}`;
  const asked = new Set<number>();
  const mayHold = (prefix: number): boolean => {
    asked.add(prefix);
    return false;
  };
  return (
    isSureMiss(`http://Evil.example/${'a'.repeat(60)}/`, mayHold, false) &&
    [page, 'evil.example'].every((expression) => asked.has(prefixOf(expression)))
  );
}
