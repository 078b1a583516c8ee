import type { Algorithm } from '../../core/algorithms/algorithm.js';
import { families } from '../../core/assets/all-families.js';
import type { Asset, RefusalReason } from '../../core/assets/asset.js';
import { ASSET_TYPES, type AssetType } from '../../core/assets/asset-types.js';
import { cleanText } from '../../core/assets/clean.js';
import { type Reading, readText } from '../../core/assets/read-text.js';
import { isIpHost, siteStart, withoutWww } from '../../core/assets/web/host.js';
import { type Link, linksOf } from '../../core/assets/web/link.js';
import { canonicalPath, canonicalQuery } from '../../core/assets/web/path.js';
import { isPrivateHost } from '../../core/assets/web/private.js';
import { isRawLink, splitLink } from '../../core/assets/web/split.js';
import { refuse, requireString } from '../../core/errors.js';
import { maxHostSuffixes, maxPathLength, maxPathPrefixes } from '../../core/limits.js';
import type { EntryProblem, ListEntry } from './list-entry.js';
import { holdsSecret } from './list-secrets.js';
import { isSeveral } from './several.js';

/**
 * Why something is not listed, beside what its format and its text say: `not-a-page` it is meant as a PAGE and has neither path nor
 * query; `not-text` bytes that are no UTF-8, or a tab or a line end inside; `private-address` it is another machine on every network;
 * `public-suffix` and `shared-host` listing it would block what belongs to others; `several` more than one thing stands in its line;
 * `too-wide` only its whole host could be listed, and more was written; `type-unknown` no asset type has that name; `type-without-rule`
 * the algorithm has none for it; `wildcard` it has a `*` that no list can mean.
 */
export type ListRefusal =
  | RefusalReason
  | EntryProblem
  | ('not-a-page' | 'not-text' | 'private-address' | 'public-suffix' | 'several' | 'shared-host')
  | ('too-wide' | 'type-unknown' | 'type-without-rule' | 'wildcard');

/** What a list holds for an entry. */
export interface Listing {
  readonly type: AssetType;
  readonly expression: string;
  /** It covers nothing below it: a host of too many labels, a page of too many segments. */
  readonly isExactOnly: boolean;
  /** It is not what was written, but for a scheme in front and a slash at the end. */
  readonly isChanged: boolean;
}

export interface NotListed {
  readonly refused: ListRefusal;
  /** The host that was refused; only where it names no secret, which no other reason can promise. */
  readonly host?: string | undefined;
}

export interface ListRules {
  readonly algorithm: Algorithm;
  /** Of `sharedHostSet`: what covers a shared host or folder. */
  readonly sharedHosts: ReadonlySet<string>;
  readonly isPublicSuffix?: ((host: string) => boolean) | undefined;
}

/** What a list holds for what it names (docs/publishing.md, "What becomes of a line"). */
export function listingOf({ text, type: written, problem }: ListEntry, rules: ListRules): Listing | NotListed {
  if (problem !== undefined) return refusals[problem] ?? { refused: problem };
  const type = written?.toUpperCase() as AssetType | undefined;
  // Even before its type: nothing may be said about a secret but that it is one.
  const reading = readText(text, { type }, families);
  if (reading.refused === 'secret' || holdsSecret(text, reading.links)) return { refused: 'secret' };
  if (notText.test(text)) return { refused: 'not-text' };
  if (type === undefined || type === 'URL' || type === 'PAGE') return linkOrTyped(text, type, reading, rules);
  if (!typeNames.has(type)) return { refused: 'type-unknown' };
  return typedListing(
    text,
    reading.typed.find((asset) => asset.type === type),
    rules,
  );
}

/** Shared, because a list can have a million of them. */
const refusals: Partial<Record<EntryProblem, NotListed>> = {
  'allow-entry': { refused: 'allow-entry' },
  'not-blocked': { refused: 'not-blocked' },
};

/** A lone surrogate, which is what a byte becomes that is no UTF-8, and what would join two lines or columns to one host. */
const notText = /[\ud800-\udfff]|\S[\t\n\r]+\S/u;

const typeNames: ReadonlySet<string> = new Set(ASSET_TYPES);

function linkOrTyped(text: string, type: 'URL' | 'PAGE' | undefined, reading: Reading, rules: ListRules): Listing | NotListed {
  const link = reading.links[0];
  // A link is listed as it stands, so that everybody finds it who reads links; an account on a platform by its type.
  if (type === undefined && (link === undefined || isName(link))) {
    const typed = reading.typed.find((asset) => link === undefined || asset.type === 'URL');
    if (typed !== undefined) return typedListing(text, typed, rules);
  }
  if (isSeveral(text, link)) return { refused: 'several' };
  if (link === undefined) return { refused: reading.refused ?? 'unknown' };
  const isBare = link.path === '' && link.query === '';
  if (isPrivateHost(link.host)) return { refused: 'private-address' };
  const listing =
    type === 'URL' || (type === undefined && isBare) ? hostListing(text, link, rules) : pageListing(text, link, rules);
  if ('refused' in listing || type === 'URL' || !listing.isChanged || !isWider(text)) return listing;
  return { refused: 'too-wide' };
}

/** A name of ENS, or a gateway to it, which is listed as the name for every gateway there is. */
function isName({ host, path, query }: Link): boolean {
  return path === '' && query === '' && /.\.eth\.(?:limo|link)$/.test(host);
}

function typedListing(text: string, asset: Asset | undefined, { algorithm }: ListRules): Listing | NotListed {
  if (asset === undefined) return { refused: 'unknown' };
  const expression = algorithm.expressionsOf(asset)[0];
  if (expression === undefined) return { refused: 'type-without-rule' };
  const isChanged = text.trim().toLowerCase() !== asset.canonical.toLowerCase();
  return { type: asset.type, expression, isExactOnly: false, isChanged };
}

function hostListing(text: string, { host }: Link, rules: ListRules): Listing | NotListed {
  const site = withoutWww(withoutWildcard(host));
  if (site.indexOf('*') >= 0) return { refused: 'wildcard' };
  if (rules.sharedHosts.has(site)) return { refused: 'shared-host', host: site };
  if (isSuffix(site, rules)) return { refused: 'public-suffix', host: site };
  const isOurs = rules.algorithm.name === 'portcullis-1';
  const expression = isOurs ? site : rules.algorithm.expressionsOf(site)[0];
  if (expression === undefined) return { refused: 'unknown' };
  const labelsMax = isOurs ? maxHostSuffixes + 1 : 5;
  const isExactOnly = !isIpHost(site) && countOf('.', site) >= labelsMax;
  return { type: 'URL', expression, isExactOnly, isChanged: isChanged(text, expression) };
}

/** `*.evil.example` means what a listed host covers anyway. A `*` in front of a single label means a suffix. */
function withoutWildcard(host: string): string {
  return host.startsWith('*.') && host.indexOf('.', 2) > 0 ? host.slice(2) : host;
}

/** @throws TypeError for an answer that is none: a promise would pass for "yes" whatever it brings. */
function isSuffix(site: string, { isPublicSuffix }: ListRules): boolean {
  if (isPublicSuffix === undefined || isIpHost(site) || ensGateway.test(site)) return false;
  const answer: unknown = isPublicSuffix(site);
  if (typeof answer !== 'boolean') throw new TypeError('isPublicSuffix must answer true or false, at once');
  return answer;
}

/** Names of a gateway are no suffixes, though public suffix lists have a wildcard for them (`*.eth.limo`). */
const ensGateway = /^[^.]+\.eth\.(?:limo|link)$/;

function pageListing(text: string, link: Link, rules: ListRules): Listing | NotListed {
  if (link.path === '' && link.query === '') return { refused: 'not-a-page' };
  // A page is on one host, never on all below it; and it covers what is below itself without a `*`, which browsers take literally.
  if (link.host.indexOf('*') >= 0 || link.path.endsWith('/*')) return { refused: 'wildcard' };
  const site = withoutWww(link.host);
  if (link.query === '' && rules.sharedHosts.has(site + link.path)) return { refused: 'shared-host', host: site };
  const isOurs = rules.algorithm.name === 'portcullis-1';
  const expression = isOurs ? linkOnSite(link) : onSite(rules.algorithm.expressionsOf(text)[0]);
  if (expression === undefined) return { refused: 'unknown' };
  // A listed link with its query is exact by itself. Safe Browsing's pages are too, but for folders, which end in a slash.
  const isFolder = isOurs || link.path === '' || expression.endsWith('/');
  const slashes = isOurs ? countOf('/', link.path) : countOf('/', expression) - 1;
  const isExactOnly = link.query === '' && isFolder && slashes > (isOurs ? maxPathPrefixes : 3);
  return { type: 'PAGE', expression, isExactOnly, isChanged: isChanged(text, expression) };
}

/** The canonical link without leading `www.`: what is looked up first for it. */
function linkOnSite({ host, path, query }: Link): string {
  const site = withoutWww(host);
  if (query === '') return site + path;
  return path === '' ? `${site}/?${query}` : `${site}${path}?${query}`;
}

function onSite(expression: string | undefined): string | undefined {
  return expression?.slice(siteStart(expression, 0, expression.indexOf('/')));
}

function countOf(mark: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) count++;
  return count;
}

function isChanged(text: string, expression: string): boolean {
  if (text === expression) return false;
  return withoutSlash(text.replace(webScheme, '')) !== withoutSlash(expression);
}

const webScheme = /^https?:\/\//;

function withoutSlash(text: string): string {
  return text.charCodeAt(text.length - 1) === 0x2f ? text.slice(0, -1) : text;
}

/** Whether the link lost a part on its way: what a `blob:` names, or a path or query past its limit (docs/algorithm.md §4.4). */
function isWider(text: string): boolean {
  const split = splitLink(cleanText(text).link);
  if (split === null) return false;
  // An escape of three characters for each of at most three bytes of a UTF-16 unit.
  const mayBeCut = text.length > maxPathLength / 9;
  if (!isRawLink(split)) return split.scheme !== 'intent' || mayBeCut;
  return mayBeCut && (canonicalPath(split.path) === null || canonicalQuery(split.query ?? '') === null);
}

/**
 * Everything that must not be listed for the sake of shared hosts and folders: each of them, the folders above it, its host and the
 * hosts above that, down to two labels.
 *
 * @throws PortcullisError `INVALID_INPUT` for one that is neither a host nor a link without a query
 */
export function sharedHostSet(entries: Iterable<string>): ReadonlySet<string> {
  const set = new Set<string>();
  for (const entry of entries) {
    requireString(entry, 'a shared host');
    const links = linksOf(cleanText(entry).link);
    const link = typeof links === 'string' ? undefined : links[0];
    if (link === undefined || link.query !== '') {
      refuse('sharedHosts holds something that is neither a host nor a folder of one');
    }
    const site = withoutWww(link.host);
    for (let end = link.path.length; end > 0; end = link.path.lastIndexOf('/', end - 1)) set.add(site + link.path.slice(0, end));
    set.add(site);
    for (let dot = site.indexOf('.'); dot >= 0; dot = site.indexOf('.', dot + 1)) {
      if (site.indexOf('.', dot + 1) >= 0) set.add(site.slice(dot + 1));
    }
  }
  return set;
}
