import { type Algorithm, listedExpression } from '../../core/algorithms/algorithm.js';
import { algorithmIn } from '../../core/algorithms/registry.js';
import type { Asset, Candidate, Family, RefusalReason } from '../../core/assets/asset.js';
import { ASSET_TYPES, type AssetType } from '../../core/assets/asset-types.js';
import { cleanText } from '../../core/assets/clean.js';
import { pastedText } from '../../core/assets/pasted.js';
import { isNumberedPhrase } from '../../core/assets/phrase.js';
import { type Reading, readText, readTyped } from '../../core/assets/read-text.js';
import { hasOddHost, isIpHost, siteStart, withoutWww } from '../../core/assets/web/host.js';
import { type Link, linksOf } from '../../core/assets/web/link.js';
import { isPrivateHost } from '../../core/assets/web/private.js';
import { wrappers } from '../../core/assets/wrappers.js';
import { refuse } from '../../core/errors.js';
import { maxHostSuffixes, maxPathPrefixes } from '../../core/limits.js';
import { type Filled, func, type Kind, type KindsOf, optional } from '../../core/options/read-options.js';
import { builtInHostSet, type SharedHosts, sharedHostSet } from './covering-set.js';
import type { EntryProblem, ListEntry } from './list-entry.js';
import { holdsSecret } from './list-secrets.js';
import { isIn, namedBy } from './named-account.js';

/**
 * Why an entry is not listed, in addition to the reasons of its format and its content: `allowlisted` it covers something that must not
 * be listed; `not-a-page` its type is PAGE, but it has neither path nor query; `not-text` it contains invalid UTF-8, a tab or a line
 * break; `number` it is a version, a date or a count that browsers would open as an IPv4 address; `odd-host` its host has a character that no host name has, as in a row of a CSV; `private-address` it names a different machine on
 * every network; `public-suffix` and `shared-host` listing it would block other people's sites; `several` its line has more than one
 * asset; `several-targets` it names several targets, such as a redirector and the link inside; `too-wide` only its whole host or page could
 * be listed; `two-readings` a browser and a server can take it for pages in different
 * folders, or two browsers for different hosts; `type-unknown` no asset type has that name; `type-without-rule` the algorithm
 * has no rule for its type; `wildcard` it has an unsupported `*`.
 */
export type ListRefusal =
  | RefusalReason
  | EntryProblem
  | ('allowlisted' | 'not-a-page' | 'not-text' | 'number' | 'odd-host' | 'private-address' | 'public-suffix' | 'several')
  | ('several-targets' | 'shared-host')
  | ('too-wide' | 'two-readings' | 'type-unknown' | 'type-without-rule' | 'wildcard');

/** The expression that is listed for an entry. */
export interface Listing {
  readonly type: AssetType;
  readonly expression: string;
  /** It does not cover subdomains or subpages, because it has too many labels or path segments. */
  readonly isExactOnly: boolean;
  /** It differs from the entry's text in more than a scheme and a trailing slash. */
  readonly isChanged: boolean;
  /** It covers a host of `popular`. */
  readonly isPopular?: boolean | undefined;
  /** The account, post or work that the link names: it is listed with the link, so that every other link to it is found. */
  readonly named?: { readonly type: AssetType; readonly expression: string } | undefined;
}

export interface NotListed {
  readonly refused: ListRefusal;
  /** The rejected host, for the reasons that imply that it contains no secret. */
  readonly host?: string | undefined;
}

/** What reads the texts of a list: everything (`all-readers.ts`), or what an app has handed in. */
export interface ListReaders {
  readonly families: readonly Family[];
  readonly algorithms: ReadonlyMap<string, Algorithm>;
}

export interface ListRules extends Pick<ListReaders, 'families'> {
  readonly algorithm: Algorithm;
  /** From `sharedHostSet` or `builtInHostSet`. */
  readonly sharedHosts: SharedHosts;
  readonly isPublicSuffix?: ((host: string) => boolean) | undefined;
  /** From `coveringSet`: what must not be listed, and what is worth a warning. */
  readonly allow?: ReadonlySet<string> | undefined;
  readonly popular?: ReadonlySet<string> | undefined;
}

/** Options of everything that turns text into entries. */
export interface RuleOptions extends Pick<ListRules, 'isPublicSuffix'> {
  /** Without it, those of `sharedHostsOf`. */
  readonly sharedHosts?: ReadonlySet<string> | undefined;
}

export const ruleKinds = (): KindsOf<Filled<RuleOptions, 'sharedHosts' | 'isPublicSuffix'>> => ({
  sharedHosts: (value, path) => (value === undefined ? undefined : sharedHostSet(names(value, path), path)),
  isPublicSuffix: optional(func),
});

/** Names of any number. A text is iterable too, but would be read as letters. */
export const names: Kind<Iterable<string>> = (value, path) => {
  const isList = typeof value === 'object' && value !== null && Symbol.iterator in value;
  return isList ? (value as Iterable<string>) : refuse(`${path} must be an array or another iterable of strings`);
};

/** @throws PortcullisError `ALGORITHM_UNKNOWN` */
export function listRulesOf(
  { algorithm, sharedHosts, isPublicSuffix }: RuleOptions & { readonly algorithm?: string | undefined },
  { families, algorithms }: ListReaders,
): ListRules {
  const hosts = sharedHosts ?? builtInHostSet(families);
  return { algorithm: algorithmIn(algorithms, algorithm), families, sharedHosts: hosts, isPublicSuffix };
}

/** What an entry takes out of its own list: an exception, or a rule that takes back another one. */
export function isExcepting({ problem }: ListEntry): boolean {
  return problem === 'allow-entry' || problem === 'withdrawn';
}

/** Rules for entries that are allowed or removed, which may be shared hosts and public suffixes. */
export function openRulesOf({ algorithm, families }: ListRules): ListRules {
  return { algorithm, families, sharedHosts: new Set() };
}

/** The expression for an entry, or why it is not listed (docs/publishing.md, "How a line is listed"). */
export function listingOf(entry: ListEntry, rules: ListRules, isTrimmed = false): Listing | NotListed {
  const { text, type: written, problem } = entry;
  if (problem !== undefined) return refusals[problem] ?? { refused: problem };
  const type = written?.toUpperCase() as AssetType | undefined;
  // Checked first, because a report must say nothing else about a secret.
  const reading = plainReading(text, type, rules.families) ?? readText(text, { type }, rules.families);
  if (reading.refused === 'secret' || holdsSecret(text, reading.links, rules.families)) return { refused: 'secret' };
  if (notText.test(text)) return { refused: 'not-text' };
  const pasted = !isTrimmed && isMarked(reading) ? pastedText(text) : null;
  if (pasted !== null) {
    const listing = listingOf({ ...entry, text: pasted }, rules, true);
    if (!('refused' in listing)) return { ...listing, isChanged: true };
    if (listing.refused !== 'unknown') return listing;
  }
  if (type === undefined || type === 'URL' || type === 'PAGE') return linkOrTyped(text, type, reading, rules);
  if (!typeNames.has(type)) return { refused: 'type-unknown' };
  return typedListing(
    text,
    reading.typed.find((asset) => asset.type === type),
    rules,
  );
}

/**
 * The reading of a plain link: `linkOrTyped` looks only at the link and, if it has a path, at what it names. Most lines are plain links, and
 * are read in half the time.
 */
function plainReading(text: string, type: AssetType | undefined, families: readonly Family[]): Reading | null {
  if ((type !== undefined && type !== 'URL' && type !== 'PAGE') || !plainLink.test(text) || isNumberedPhrase(text)) return null;
  const candidate: Candidate = { text, hint: {} };
  if (wrappers.targetsIn!(candidate).length > 0) return null;
  const links = linksOf(text);
  if (typeof links === 'string' || links.some(isName)) return null;
  return { typed: type !== undefined || links[0]!.path === '' ? [] : readTyped(candidate, families), links, within: [] };
}

/** A host in lower case with a path of words, and nothing that could be userinfo, a mailbox, an escape, a query or several assets. */
const plainLink = /^(?:https?:\/\/)?[a-z\d-]+(?:\.[a-z\d-]+)+(?:\/[\w~/.-]*)?$/;

/** Whether nothing is read, or a host with punctuation, as when a link was pasted with brackets or a comma around it. */
function isMarked({ typed, links, within }: Reading): boolean {
  const host = links[0]?.host ?? typed[0]?.canonical;
  return host === undefined ? within.length === 0 : (links.length > 0 ? unusualHost : marksAtEnd).test(host);
}

/** No host that exists has such a character; `*` is read as a wildcard. */
const unusualHost = /[^\w.*:[\]-]|_$/;
const marksAtEnd = /[,;:!?)}\]>"'`]$/;

/** Shared objects, because a list can have a million such entries. */
const refusals: Partial<Record<EntryProblem, NotListed>> = {
  'allow-entry': { refused: 'allow-entry' },
  'not-blocked': { refused: 'not-blocked' },
};

/** A lone surrogate, which `PartDecoder` makes of invalid UTF-8, or a separator that the link parser would drop, joining two fields. */
const notText = /[\ud800-\udfff]|\S[\t\n\r]+\S/u;

const typeNames: ReadonlySet<string> = new Set(ASSET_TYPES);

function linkOrTyped(text: string, type: 'URL' | 'PAGE' | undefined, reading: Reading, rules: ListRules): Listing | NotListed {
  // A row for the link inside `metamask:` lists it. A page of a redirector, or the first link of an `intent:`, could be a decoy.
  const target = soleTarget(reading);
  // With a type, reading does not look inside redirectors.
  const isRedirector = type !== undefined && wrappers.targetsIn!({ text: cleanText(text).bare, hint: {} }).length > 0;
  if (target === undefined || isRedirector) return { refused: 'several-targets' };
  // A list holds the canonical reading.
  const [link, ...others] = target.links;
  // Without a type a link is listed as a link, so that every reader of links finds it; a link of an app by its own type.
  if (type === undefined && (link === undefined || isName(link))) {
    const typed = reading.typed.find((asset) => link === undefined || asset.type === 'URL');
    if (typed !== undefined) return typedListing(text, typed, rules);
  }
  if (isSeveral(text, link, rules.families)) return { refused: 'several' };
  if (link === undefined) return { refused: reading.refused ?? 'unknown' };
  const isBare = link.path === '' && link.query === '';
  if (!others.every((other) => isInSameFolder(link, other))) return { refused: 'two-readings', host: link.host };
  if (isNumber(text, link.host)) return { refused: 'number' };
  if (isPrivateHost(link.host)) return { refused: 'private-address' };
  if (hasOddHost([link.host.replace(/\*/g, '')])) return { refused: 'odd-host' };
  const account = type === 'URL' ? undefined : namedBy(link, target.typed, rules.families);
  const named = account && type === undefined ? typedListing(text, account, rules) : undefined;
  if (named !== undefined && 'refused' in named && named.refused === 'allowlisted')
    return { ...named, host: withoutWww(link.host) };
  // The rest of the link is a page of everyone: `https://web.telegram.org/k/#@name`. Only a fragment or a port can be missing from a link.
  if (account !== undefined && (reading.within.length > 0 || beyondLink.test(text))) {
    const isOnPage = isIn(readTyped({ text: linkOnSite(link), hint: {} }, rules.families), account);
    if (!isOnPage) return named ?? { refused: 'too-wide' };
  }
  const listing =
    type === 'URL' || (type === undefined && isBare) ? hostListing(text, link, rules) : pageListing(text, link, rules);
  if ('refused' in listing) return listing;
  const isWider = link.isWider || route.test(cleanText(text).link);
  if (type !== 'URL' && listing.isChanged && isWider) return { refused: 'too-wide' };
  return named === undefined || 'refused' in named ? listing : { ...listing, named };
}

const beyondLink = /#|:\d/;

/**
 * Whether a host that nothing marks as one is an IPv4 address in a spelling other than four decimal numbers. Browsers open `8.8` as `8.0.0.8`,
 * but a list that has it means a version, a date or a range.
 */
function isNumber(text: string, host: string): boolean {
  if (!isIpHost(host) || host.startsWith('[')) return false;
  const written = cleanText(text).link.replace(userInfo, '');
  return !markedHost.test(written) && !written.startsWith(host);
}

const userInfo = /^[^/?#\\@]*@/;

/** A host after a scheme or slashes, or an IPv6 address, which may carry an IPv4 address. */
const markedHost = /^(?:[a-z][a-z\d+.-]*:|[/\\[]|[\da-f]*:[^/]*:)/i;

/** The reading of the only target that a text names. */
function soleTarget({ typed, links, within }: Reading): Reading | undefined {
  if (within.length === 0) return { typed, links, within };
  const [first, ...others] = within.map(soleTarget);
  if (first === undefined || links.length > 0 || !others.every((other) => isSame(first, other))) return undefined;
  return typed.length === 0 || isSame(typed, first.typed) ? first : undefined;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** An ENS name at a gateway, which is listed as the name and so covers every gateway. */
function isName({ host, path, query }: Link): boolean {
  return path === '' && query === '' && /.\.eth\.(?:limo|link)$/.test(host);
}

function typedListing(text: string, asset: Asset | undefined, { algorithm, allow }: ListRules): Listing | NotListed {
  if (asset === undefined) return { refused: 'unknown' };
  const expression = listedExpression(algorithm, asset);
  if (expression === undefined) return { refused: 'type-without-rule' };
  if (allow?.has(asset.canonical)) return { refused: 'allowlisted' };
  const isChanged = text.trim().toLowerCase() !== asset.canonical.toLowerCase();
  return { type: asset.type, expression, isExactOnly: false, isChanged };
}

function hostListing(text: string, { host }: Link, rules: ListRules): Listing | NotListed {
  const site = withoutWww(withoutWildcard(host));
  if (site.indexOf('*') >= 0) return { refused: 'wildcard' };
  if (rules.allow?.has(site)) return { refused: 'allowlisted', host: site };
  if (rules.sharedHosts.has(site)) return { refused: 'shared-host', host: site };
  if (isSuffix(site, rules)) return { refused: 'public-suffix', host: site };
  const isOurs = rules.algorithm.name === 'portcullis-1';
  const expression = isOurs ? site : listedExpression(rules.algorithm, site);
  if (expression === undefined) return { refused: 'unknown' };
  const maxLabels = isOurs ? maxHostSuffixes + 1 : 5;
  const isExactOnly = !isIpHost(site) && countOf('.', site) >= maxLabels;
  const isPopular = rules.popular?.has(site);
  return { type: 'URL', expression, isExactOnly, isChanged: isChanged(text, expression), ...(isPopular && { isPopular }) };
}

/** `*.evil.example` means what the listed host covers anyway. `*` before a single label would mean a suffix. */
function withoutWildcard(host: string): string {
  return host.startsWith('*.') && host.indexOf('.', 2) > 0 ? host.slice(2) : host;
}

/** @throws TypeError for an answer that is not a boolean: a promise would always count as `true`. */
function isSuffix(site: string, { isPublicSuffix }: ListRules): boolean {
  if (isPublicSuffix === undefined || isIpHost(site) || ensGateway.test(site)) return false;
  const isOne = (host: string): boolean => {
    const answer: unknown = isPublicSuffix(host);
    if (typeof answer !== 'boolean') throw new TypeError('isPublicSuffix must return a boolean synchronously');
    return answer;
  };
  if (!isOne(site)) return false;
  // Suffix lists have wildcards for hosts of which each has one owner, and for regions and domains of a country, which have many.
  const dot = site.indexOf('.');
  const parent = site.slice(dot + 1);
  const isOneOwner = parent.indexOf('.') > 0 && isOwnerLabel(site.slice(0, dot)) && isOne(`no-such-owner-of-a-host.${parent}`);
  return !isOneOwner;
}

/** A first label that no region has: it is longer than any, such as the name of a canister or a CID, or contains an IPv4 address. */
function isOwnerLabel(label: string): boolean {
  return label.length >= 20 || /\d-\d{1,3}-\d{1,3}-\d/.test(label);
}

/** Names at a gateway are not suffixes, although public suffix lists have a wildcard for them (`*.eth.limo`). */
const ensGateway = /^[^.]+\.eth\.(?:limo|link)$/;

function pageListing(text: string, link: Link, rules: ListRules): Listing | NotListed {
  if (link.path === '' && link.query === '') return { refused: 'not-a-page' };
  // A page is on one host, and covers its subpages without a `*`, which browsers treat as a plain character.
  if (link.host.indexOf('*') >= 0 || link.path.endsWith('/*')) return { refused: 'wildcard' };
  const site = withoutWww(link.host);
  if (link.query === '' && rules.allow?.has(site + link.path)) return { refused: 'allowlisted', host: site };
  if (link.query === '' && rules.sharedHosts.has(site + link.path)) return { refused: 'shared-host', host: site };
  const isOurs = rules.algorithm.name === 'portcullis-1';
  const expression = isOurs ? linkOnSite(link) : onSite(listedExpression(rules.algorithm, text));
  if (expression === undefined) return { refused: 'unknown' };
  // A listed link with a query is always exact. So are Safe Browsing's pages, except folders, which end in a slash.
  const isFolder = isOurs || link.path === '' || expression.endsWith('/');
  const slashes = isOurs ? countOf('/', link.path) : countOf('/', expression) - 1;
  const isExactOnly = link.query === '' && isFolder && slashes > (isOurs ? maxPathPrefixes : 3);
  return { type: 'PAGE', expression, isExactOnly, isChanged: isChanged(text, expression) };
}

/** The canonical link without a leading `www.`, which is the first expression of a lookup. */
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

/**
 * Whether a lenient server looks below the folder that a browser requests, or a second browser below the same host. If not, the row
 * could mean either page, and the two can have different owners.
 */
function isInSameFolder(link: Link, other: Link): boolean {
  const folder = link.path.slice(0, link.path.lastIndexOf('/') + 1);
  return link.host === other.host && `${other.path}/`.startsWith(folder);
}

/** `#/scam`, `#!/scam` or `#!scam`, but not `#/` or `#/?…`, which is the app's first page. */
const route = /^[^#]*#[/!][/!]*[^/!?]/;

/**
 * Whether a line contains several assets: `a.example, b.example`. The link parser alone does not notice: without spaces this is a single
 * host, which browsers open but which cannot exist, and two links separated by a space are one link with an odd path.
 */
function isSeveral(text: string, link: Link | undefined, families: readonly Family[]): boolean {
  if (link !== undefined && !/[,;]/.test(link.host) && !/\s[a-z]+:\/\//i.test(text)) return false;
  const parts = text.split(/[\s,;]+/).filter((part) => part !== '');
  const isReadable = (part: string): boolean => {
    const { links, typed } = readText(part, {}, families);
    return links.length > 0 || typed.length > 0;
  };
  return parts.length > 1 && parts.every(isReadable);
}
