import { maxPathLength, maxWrapperDepth } from '../../limits.js';
import type { RefusalReason } from '../asset.js';
import { cleanText, trimEnd } from '../clean.js';
import { canonicalHost, isSingleLabel } from './host.js';
import { canonicalQuery, firstFolders, pathsOf } from './path.js';
import { isRawLink, type OtherScheme, otherSplits, type RawLink, splitLink } from './split.js';

/** The canonical parts of a link, all ASCII. */
export interface Link {
  readonly host: string;
  /** `''` for the root, else `/a/b` without a final slash. */
  readonly path: string;
  /** Without the `?`; `''` when there is none. */
  readonly query: string;
  /** The link covers more than the text names: the path or the query exceeds its limit, or it is the site behind a `blob:`. */
  readonly isWider?: boolean;
}

/**
 * Every reading of a cleaned text as a link, or the reason there is none. The first is canonical. Others follow where servers or browsers
 * disagree: escaped slashes and dots in the path, and the few texts for which browsers open different hosts. The browser's own wrappers
 * are removed: a list can only hold the site that created a `blob:`.
 */
export function linksOf(text: string): readonly Link[] | RefusalReason {
  return linksWithin(text, 0);
}

function linksWithin(text: string, depth: number): readonly Link[] | RefusalReason {
  const trimmed = trimEnd(text);
  const split = splitLink(trimmed);
  const others = otherSplits(trimmed);
  if (split !== null && !isRawLink(split)) {
    // `evil.example:80` followed by a NUL looks like a scheme until the text is cut at the NUL.
    const links = distinct(others.flatMap(canonicalLinks));
    return links.length > 0 ? links : unwrap(split, text.slice(split.scheme.length + 1), depth);
  }
  const splits: RawLink[] = split === null ? [] : [split];
  if (trimmed !== text) splits.push(...rawLinkOf(text));
  splits.push(...others);
  if (trimmed !== text) splits.push(...otherSplits(text));
  const links = splits.length === 1 ? canonicalLinks(splits[0]!) : distinct(splits.flatMap(canonicalLinks));
  return links.length > 0 ? links : split === null ? 'unknown' : refusalOf(split);
}

function rawLinkOf(text: string): RawLink[] {
  const split = splitLink(text);
  return split !== null && isRawLink(split) ? [split] : [];
}

function distinct(links: readonly Link[]): readonly Link[] {
  return links.filter(({ host, path, query }, at) => {
    const same = links.findIndex((other) => other.host === host && other.path === path && other.query === query);
    return same === at;
  });
}

function canonicalLinks(raw: RawLink): readonly Link[] {
  const host = canonicalHost(raw.host, raw.isMarked);
  if (host === null) return [];
  const query = raw.query === null ? '' : canonicalQuery(raw.query);
  return pathsOf(raw.path).map((path) => {
    // No expression holds a query without its path.
    if (path.length > maxPathLength) return { host, path: firstFolders(path), query: '', isWider: true };
    return query === null ? { host, path, query: '', isWider: true } : { host, path, query };
  });
}

/** Without a scheme, only words that look like a host are a malformed host; the rest is a word, or prose. */
function refusalOf({ scheme, host }: RawLink): RefusalReason {
  if (scheme !== '') return isSingleLabel(host) ? 'not-a-host' : 'unknown';
  const isMeantAsHost = host.indexOf(' ') < 0 && (host.indexOf('.') >= 0 || localhost.test(host));
  return isMeantAsHost ? 'not-a-host' : 'unknown';
}

const localhost = /^localhost$/i;

/** @param inner What follows the scheme, with the edge characters at its end */
function unwrap(split: OtherScheme, inner: string, depth: number): readonly Link[] | RefusalReason {
  const { scheme, rest } = split;
  if (isWrapper(split)) return depth === maxWrapperDepth ? 'too-deep' : originOf(inner, depth + 1);
  // A word, a colon and a space are the start of a sentence.
  return typedSchemes.has(scheme) || rest.startsWith(' ') ? 'unknown' : 'internal-scheme';
}

/** Whether it is the link of an object that a site created, and contains the link of that site. */
export function isWrapper({ scheme }: OtherScheme): boolean {
  return scheme === 'blob' || scheme === 'filesystem';
}

/** Schemes of other asset types, which only the family of the type reads. */
const typedSchemes: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ 'bitcoin ens eth ethereum facetime ipfs ipns keyauth lightning lnurlp mailto market monero nostr pkg ronin sip sips sms smsto solana solana-action tel tg ton viber web+stellar web3 whatsapp zcash'.split(
    ' ',
  ),
);

/** The host of `blob:https://host/id`. The id after it is new each time. */
function originOf(inner: string, depth: number): readonly Link[] | RefusalReason {
  const links = linksWithin(inner, depth);
  return typeof links === 'string' ? links : distinct(links.map(({ host }) => ({ host, path: '', query: '', isWider: true })));
}

/** What an `intent:` opens: a link in an app or a browser, and a fallback, which can be empty. */
export interface Intent {
  readonly link: string;
  readonly fallback: string;
}

/**
 * `intent://host/path#Intent;scheme=https;S.browser_fallback_url=…;end`: the link that Android opens and the fallback if no app handles
 * it, as `Intent.parseUri` of Android reads them: fields follow the last `#` up to a field `end` or `SEL` (which selects an app), the
 * last field of a name counts, and values and the names of extras are decoded once. `null` for any other text.
 */
export function intentOf(text: string): Intent | null {
  if (!intentScheme.test(text)) return null;
  const marker = text.lastIndexOf('#');
  if (!text.startsWith('#Intent;', marker)) return null;
  const data = text.slice('intent:'.length, marker);
  let scheme: string | undefined;
  let fallback = '';
  for (const field of text.slice(marker + '#Intent;'.length).split(';')) {
    if (field.startsWith('end') || field === 'SEL') break;
    const equals = field.indexOf('=');
    const name = field.slice(0, Math.max(0, equals));
    const value = decodeAscii(field.slice(equals + 1));
    if (name === 'scheme') scheme = value;
    if (name.startsWith('S.') && decodeAscii(name) === 'S.browser_fallback_url') fallback = value;
  }
  return { link: scheme === undefined ? data : `${scheme}:${data}`, fallback };
}

/** The web links among the link and the fallback of an `intent:`. */
export function intentTargets(text: string): readonly string[] {
  const intent = intentOf(text);
  if (intent === null) return [];
  return [intent.link, intent.fallback].filter((target) => rawLinkOf(cleanText(target).link).some(({ scheme }) => scheme !== ''));
}

const intentScheme = /^intent:/i;

/** Decodes escapes of ASCII once; decoding the others would not change the link. */
function decodeAscii(text: string): string {
  return text.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
