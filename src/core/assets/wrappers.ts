import { textFromBase64 } from '../base64.js';
import { maxTargets } from '../limits.js';
import type { Candidate, Family } from './asset.js';
import { carriedLinks } from './carried.js';
import { isPlainAddress, plainLinkEnd } from './plain.js';
import { decoded } from './web/escapes.js';
import { canonicalHost } from './web/host.js';
import { linksOf } from './web/link.js';
import { pathsOf } from './web/path.js';
import { isRawLink, splitLink } from './web/split.js';
import { wrapperTable } from './wrapper-table.js';

/**
 * Links that carry a link: redirectors, mail protection, translators, AMP caches, archives, and the browsers inside wallets. The link
 * inside is the one that opens, so it is a target of its own. Other hosts may open a link that theirs carries, or not.
 */
export const wrappers: Family = {
  claims: { hosts: sites, rest: { marks: ':%=\\H' } },
  read: () => [],
  carriedIn: carriedLinks,
  targetsIn(candidate: Candidate): readonly string[] {
    const { text } = candidate;
    if (isPlainAddress(candidate) || candidate.hint.type !== undefined) return none;
    // Most links are plain, and their site is not a wrapper.
    const end = plainLinkEnd(candidate);
    if (end > 0 && (!mayBeKey(text, end) || !byKey().has(keyOf(text, end)))) return none;
    const parts = partsOf(text);
    if (parts === null) return none;
    for (const row of byKey().get(keyOf(parts.site, parts.site.length)) ?? []) {
      const found = isSite(parts.site, row.site) ? targetsOf(row, parts) : none;
      if (found.length > 0) return found;
    }
    return none;
  },
  /** A site under many top-level domains is named by the platforms that have it. */
  sharedHosts: () => sites().filter((site) => !site.endsWith('*')),
};

/** The hosts, without the schemes of apps. */
function sites(): readonly string[] {
  return [...byKey().values()].flatMap((some) => some.map(({ site }) => site).filter((site) => !site.endsWith(':')));
}

interface Parts {
  /** A host, or the scheme of an app and its colon. */
  readonly site: string;
  readonly path: string;
  readonly query: string;
}

function partsOf(text: string): Parts | null {
  const split = splitLink(text);
  if (split === null) return null;
  if (isRawLink(split)) {
    const site = canonicalHost(split.host, split.isMarked);
    return site === null ? null : { site, path: pathsOf(split.path)[0]!, query: split.query ?? '' };
  }
  const mark = split.rest.indexOf('?');
  const end = mark < 0 ? split.rest.length : mark;
  return { site: `${split.scheme}:`, path: split.rest.slice(0, end).replace(/^\/*/, '/'), query: split.rest.slice(end + 1) };
}

const none: readonly string[] = [];

interface Wrapper {
  readonly site: string;
  /** The segments that the path begins with; `*` is any. */
  readonly path: readonly string[];
  /** Names of parameters, or how to read the rest of the path or the host. */
  readonly take: string;
}

let rows: ReadonlyMap<string, readonly Wrapper[]> | undefined;

function byKey(): ReadonlyMap<string, readonly Wrapper[]> {
  if (rows !== undefined) return rows;
  const all = new Map<string, Wrapper[]>();
  for (const line of wrapperTable.trim().split('\n')) {
    const [site, path, take] = line.split(/ +/) as [string, string, string];
    const key = keyOf(site, site.length);
    all.set(key, [...(all.get(key) ?? []), { site, path: path.split('/').filter(Boolean), take }]);
  }
  rows = all;
  return rows;
}

/**
 * The name before the top-level domain of the host that ends at `end`. The top-level domain may have two labels, such as `co.uk`.
 */
function keyOf(text: string, end: number): string {
  let last = text.lastIndexOf('.', end - 1);
  let name = labelBefore(text, last);
  if (end - last === 3 && secondLevel.has(name)) {
    last -= name.length + 1;
    name = labelBefore(text, last);
  }
  return name;
}

/**
 * Whether the host that ends at `end` may have a key; always true if it has one. Rejects nearly every link by comparing a number: 20 ns,
 * where a map of strings, which copies and hashes the name first, takes 100.
 */
function mayBeKey(text: string, end: number): boolean {
  names ??= new Set([...byKey().keys()].map((key) => nameIn(key, key.length)));
  let last = end - 1;
  while (last > 0 && text.charCodeAt(last) !== 0x2e) last--;
  // Before a two-letter label there may be one of `secondLevel`, which are all this short.
  if (end - last === 3 && (text.charCodeAt(last - 3) === 0x2e || text.charCodeAt(last - 4) === 0x2e)) return true;
  return names.has(nameIn(text, last));
}

let names: ReadonlySet<number> | undefined;

function nameIn(text: string, end: number): number {
  let name = 0;
  for (let at = end - 1; at >= 0; at--) {
    const code = text.charCodeAt(at);
    if (code === 0x2e || code === 0x2f) break;
    name = (Math.imul(name, 31) + code) | 0;
  }
  return name;
}

/** The label that ends at `end`, after the previous dot or slash. */
function labelBefore(text: string, end: number): string {
  const stop = end < 0 ? text.length : end;
  return text.slice(Math.max(text.lastIndexOf('.', stop - 1), text.lastIndexOf('/', stop - 1)) + 1, stop);
}

const secondLevel: ReadonlySet<string> = new Set(['ac', 'co', 'com', 'ne', 'net', 'or', 'org']);

function isSite(host: string, site: string): boolean {
  if (!site.endsWith('*')) return host === site || host.endsWith(`.${site}`);
  const name = site.slice(0, -1);
  const at = host.startsWith(name) ? 0 : host.indexOf(`.${name}`) + 1;
  return (at > 0 || host.startsWith(name)) && /^[a-z]{2,5}(?:\.[a-z]{2})?$/.test(host.slice(at + name.length));
}

function targetsOf({ path: wanted, take }: Wrapper, parts: Parts): readonly string[] {
  const { path, query } = parts;
  const segments = path.split('/').slice(1);
  if (!wanted.every((segment, at) => segment === segments[at] || (segment === '*' && segments[at] !== undefined))) return none;
  const rest = decoded(segments.slice(wanted.length).join('/'));
  const read = take.startsWith('?') ? parameters : (readers[take] ?? whole);
  const found = read(query === '' ? rest : `${rest}?${query}`, parts, take.slice(1)).map((text) => asLink(text));
  // A text without a scheme may be the search that led to the link, so it comes last. One target too many makes the text unreadable.
  const links = [...found.filter((link) => link?.isSchemed), ...found.filter((link) => link?.isSchemed === false)];
  return [...new Set(links.map((link) => link!.text))].slice(0, maxTargets + 1);
}

/** Reads the texts that may be links, from the path after the row's path, with the query, or from the parts of the link. */
type Reader = (rest: string, parts: Parts, names: string) => readonly string[];

const whole: Reader = (rest) => [rest];
const parameters: Reader = (_, { query }, names) =>
  names.split(',').flatMap((name) => (name === '' ? [decoded(query)] : valuesOf(query, name)));

const readers: Readonly<Record<string, Reader>> = {
  base64: (_, { query }) =>
    rawValuesOf(query, 'u').map((value) => textFromBase64(/^(?:a1)?([\w+/-]+)/.exec(decoded(value))?.[1] ?? '') ?? ''),
  cache: (_, { query }) => valuesOf(query, 'q').map((value) => /^cache:(?:[\w-]{12}:)?(\S+)/i.exec(value)?.[1] ?? ''),
  deeplink: (_, { query }) =>
    valuesOf(query, 'deeplink').flatMap((inner) => valuesOf(inner.slice(inner.indexOf('?') + 1), 'dappUrl')),
  // The label encodes dots of the host as one hyphen, and hyphens as two.
  goog(_, { site, path, query }) {
    const host = site.slice(0, site.indexOf('.')).replace(/--|-/g, (mark) => (mark === '-' ? '.' : '-'));
    const own = query.split('&').filter((part) => part !== '' && !part.startsWith('_x_tr_'));
    return [host + path + (own.length === 0 ? '' : `?${own.join('&')}`)];
  },
  http: (rest) => (webScheme.test(rest) ? [rest] : none),
  // Pages and wallets that show who a name of ENS is, or send to it.
  names: (_, { path }) =>
    decoded(path.slice(0, maxNamePath))
      .split('/')
      .flatMap((segment) => /^(?:pay-)?([^@]+\.eth)(?:@\w+)?$/i.exec(segment)?.[1] ?? none),
  params: (_, { query }) =>
    valuesOf(query, 'params').flatMap((value) => Array.from(value.matchAll(/"url" ?: ?"([^"]*)"/g), (match) => match[1]!)),
  proof2: (_, { query }) => rawValuesOf(query, 'u').map((value) => decoded(value.replace(/-/g, '%').replace(/_/g, '/'))),
  proof3: (rest) => [/^_{2,3}(.*?)(?:__;|___|$)/.exec(rest)?.[1] ?? ''],
  yahoo: (_, { path }) => [decoded(/\/RU=([^/]*)/.exec(path)?.[1] ?? '')],
};

/** Longer than any name (255 octets) with what is before it. */
const maxNamePath = 1_024;

const webScheme = /^(?:https?|wss?|ftp):/i;

function valuesOf(query: string, name: string): readonly string[] {
  return rawValuesOf(query, name).map((value) => decoded(value.replace(/\+/g, ' ')).trim());
}

/**
 * The value of every parameter of this name. Between two `&`, the first name after a `;` counts too, as in `&amp;u=`; more would take
 * quadratic time.
 */
function rawValuesOf(query: string, name: string): readonly string[] {
  const values: string[] = [];
  for (const part of query.replace(/#.*/s, '').split('&')) {
    for (const found of part.matchAll(/(?:^|;)([^;=]*)=/g)) {
      if (decoded(found[1]!).toLowerCase() !== name.toLowerCase()) continue;
      values.push(part.slice(found.index + found[0].length));
      break;
    }
  }
  return values;
}

/** `null` for a text that is not meant as a link, such as a search or a path on the same site. */
function asLink(given: string): { readonly text: string; readonly isSchemed: boolean } | null {
  // What a wallet runs from behind this scheme is at that link.
  const text = given.replace(/^solana-action:/i, '');
  if (webScheme.test(text) || /^[/\\]{2}/.test(text)) return { text, isSchemed: true };
  const link = `https://${text}`;
  return /^[^\s/?#:@]+\.[^\s/?#]+/.test(text) && typeof linksOf(link) !== 'string' ? { text: link, isSchemed: false } : null;
}
