import type { Asset, AssetHint, Candidate, Family } from '../assets/asset.js';
import { cleanText } from '../assets/clean.js';
import { mayBePhrase } from '../assets/phrase.js';
import { plainLinkEnd, plainLinkStart } from '../assets/plain.js';
import { isSecret, type Reading, readText, readTyped } from '../assets/read-text.js';
import { isKey } from '../assets/secrets.js';
import { isIpHost, withoutWww } from '../assets/web/host.js';
import { type Link, linksOf } from '../assets/web/link.js';
import { plainPathEnd, plainQueryEnd } from '../assets/web/path.js';
import { maxPathLength, maxQueryLength, maxTypedReadings } from '../limits.js';
import type { Algorithm, Subject } from './algorithm.js';
import { linkExpressions } from './link-expressions.js';

/** The default algorithm, specified in docs/algorithm.md and pinned by docs/vectors/portcullis-1.json. */
export function portcullis1(families: readonly Family[]): Algorithm {
  const wrappers = families.filter((family) => family.targetsIn !== undefined);
  return {
    name: 'portcullis-1',
    carriedIn: families.find((family) => family.carriedIn)?.carriedIn,
    canonicalizeUrl(text: string): string | null {
      const link = firstLink(readText(text, {}, []));
      return link === undefined ? null : wholeLink(link.isWider ? { ...link, path: '' } : link);
    },
    subjectsOf(input: string | Asset): readonly Subject[] {
      if (typeof input !== 'string') {
        const expressions = expressionsOfAsset(input, families);
        return expressions.length === 0 ? [] : [expressions];
      }
      const read: Candidate = { text: input, hint: noHint, plainEnd: undefined };
      const plain = expressionsOfPlainLink(read);
      if (plain === null) return subjectsOfReading(readText(input, noHint, families));
      // Only the fragment, which link expressions ignore, can still contain characters that cleaning removes.
      const candidate = input.indexOf('#') < 0 ? read : { text: cleanText(input).bare, hint: noHint, plainEnd: read.plainEnd };
      for (let at = 0; at < wrappers.length; at++) {
        if (wrappers[at]!.targetsIn!(candidate).length > 0) return subjectsOfReading(readText(input, noHint, families));
      }
      const typed = readTyped(candidate, families);
      return typed.length === 0 ? [plain] : withTyped(typed, [plain]);
    },
  };
}

const noHint: AssetHint = {};

function firstLink({ links, within }: Reading): Link | undefined {
  return links[0] ?? within.map(firstLink).find((link) => link !== undefined);
}

/** Subjects of the targets inside the text come first: a report never means the redirector itself. */
function subjectsOfReading(reading: Reading): readonly Subject[] {
  const inner = reading.within.flatMap((target) => {
    const subjects = subjectsOfReading(target);
    const isUnread = subjects.length === 0 && (target.refused === 'unknown' || target.refused === 'too-deep');
    return isUnread ? unread : subjects;
  });
  const own = withTyped(reading.typed, reading.links.map(expressionsOfLink));
  return inner.length === 0 ? own : [...inner, ...own];
}

const unread: readonly Subject[] = [[]];

/**
 * An account is the same target as the link that names it. An address or an email address in a link is a separate target. In a text that
 * is not a link, they are alternative meanings of the same text.
 */
function withTyped(typed: readonly Asset[], links: readonly Subject[]): readonly Subject[] {
  if (typed.length === 0) return links;
  if (links.length === 0) return [typedExpressions(typed)];
  const apart = typed.filter(isApart);
  const facets = apart.length === 0 ? typed : typed.filter((asset) => !isApart(asset));
  return [
    ...apart.map((asset) => typedExpressions([asset])),
    facets.length === 0 ? links[0]! : [...new Set([...typedExpressions(facets), ...links[0]!])],
    ...links.slice(1),
  ];
}

function isApart({ type }: Asset): boolean {
  return type === 'ADDRESS' || type === 'EMAIL';
}

/**
 * For a link inside another link, hosts come before the pages above its page. A loop, because `flatMap` would take a sixth of the time of
 * a check.
 */
function typedExpressions(assets: readonly Asset[]): string[] {
  const expressions: string[] = [];
  let count = 0;
  for (const asset of assets) {
    const found = asset.type === 'URL' ? expressionsOfAsset(asset, []) : [typedExpression(asset)];
    // A reading that comes again must not take the place of another one.
    if (expressions.includes(found[0]!)) continue;
    expressions.push(...found);
    if (++count === maxTypedReadings) break;
  }
  return expressions.length === 1 ? expressions : [...new Set(expressions)];
}

function typedExpression({ type, canonical }: Asset): string {
  return type === 'PAGE' ? canonical : `${type.toLowerCase()}:${canonical}`;
}

/** The first expression is the one that lists hold for the asset; the others are listings that cover it. */
function expressionsOfAsset(asset: Asset, families: readonly Family[]): string[] {
  if (asset.type !== 'URL' && asset.type !== 'PAGE') return expressionsOfTyped(asset, families);
  const links = linksOf(asset.canonical);
  const link = typeof links === 'string' ? undefined : links[0];
  if (link === undefined) return [];
  const host = withoutWww(link.host);
  return expressionsOfLink(asset.type === 'URL' ? { host, path: '', query: '' } : { ...link, host });
}

/**
 * Uses the spelling of the family that reads the type, so that a canonical string from elsewhere is found too; unchanged if no family
 * reads it. An asset can be a secret like any text, except that 64 hex digits are an address on some chains and a key that Primal shows.
 */
function expressionsOfTyped(asset: Asset, families: readonly Family[]): string[] {
  const { type, canonical } = asset;
  if (
    isKey(cleanText(canonical).bare, type === 'ADDRESS' || type === 'PRIMAL') ||
    mayBePhrase(canonical) ||
    isSecret(canonical, families)
  )
    return [];
  const read = readTyped({ text: canonical, hint: { type } }, families).find((reading) => reading.type === type);
  return [typedExpression(read ?? asset)];
}

function expressionsOfLink(link: Link): string[] {
  const text = wholeLink(link);
  const hostEnd = link.host.length;
  const pathEnd = hostEnd + link.path.length;
  return linkExpressions(text, 0, hostEnd, pathEnd, link.query === '' ? pathEnd : text.length, isIpHost(link.host));
}

/** `host/a?q`, and `host/?q` where the path is empty. */
function wholeLink({ host, path, query }: Link): string {
  if (query === '') return host + path;
  return path === '' ? `${host}/?${query}` : `${host}${path}?${query}`;
}

/**
 * The expressions of a link that is already canonical, as most links are: `http`, `https` or no scheme, a host in lower-case ASCII, no
 * port, no escapes, no dot segments. `null` for any other text. One pass over the characters takes a third of the time of the full
 * reading (decision 0007); a property test checks that both agree.
 */
function expressionsOfPlainLink(candidate: Candidate): string[] | null {
  const { text } = candidate;
  // A fast path: an address is the most frequent input that is not a link.
  if (text.startsWith('0x')) return null;
  const hostEnd = plainLinkEnd(candidate);
  if (hostEnd === 0) return null;
  const start = plainLinkStart(text);
  const rawPathEnd = plainPathEnd(text, hostEnd);
  if (rawPathEnd < 0 || rawPathEnd - hostEnd > maxPathLength) return null;
  const queryEnd = plainQueryEnd(text, rawPathEnd);
  if (queryEnd - rawPathEnd > maxQueryLength || (queryEnd < text.length && text.charCodeAt(queryEnd) !== fragmentMark))
    return null;
  if (queryEnd > rawPathEnd && text.charCodeAt(rawPathEnd) !== questionMark) return null;
  const pathEnd = rawPathEnd > hostEnd && text.charCodeAt(rawPathEnd - 1) === slash ? rawPathEnd - 1 : rawPathEnd;
  // A lone question mark is not a query.
  if (queryEnd <= rawPathEnd + 1) return linkExpressions(text, start, hostEnd, pathEnd, pathEnd, false);
  const slashes = rawPathEnd - pathEnd;
  const wanted = pathEnd === hostEnd ? 1 : 0;
  if (slashes === wanted) return linkExpressions(text, start, hostEnd, pathEnd, queryEnd, false);
  const joined = text.slice(0, pathEnd) + (wanted === 1 ? '/' : '') + text.slice(rawPathEnd, queryEnd);
  return linkExpressions(joined, start, hostEnd, pathEnd, joined.length, false);
}

const slash = 0x2f;
const questionMark = 0x3f;
const fragmentMark = 0x23;
