import type { Asset, AssetHint, Candidate, Family } from '../asset.js';
import { isPlainAddress, plainLinkEnd } from '../plain.js';
import { decoded } from '../web/escapes.js';
import { withoutWww } from '../web/host.js';
import { intentOf, type Link, linksOf } from '../web/link.js';
import { createPlatform, mobile, type Place, type Platform } from './platform.js';
import { parseHosts } from './platform-rules.js';
import type { PlatformTable } from './platform-table.js';

/**
 * The family of the platforms in the given tables. Most links go to none of their hosts and cost one map lookup, however many tables
 * there are. A row is compiled on first use.
 */
export function platforms(...tables: readonly PlatformTable[]): Family {
  let index: Index | undefined;
  const hosts = (): readonly string[] =>
    tables.flat().flatMap(([, list]) => parseHosts(list).map((host) => host.replace(/^[*~]\./, '')));
  return {
    claims: { hosts },
    read(candidate: Candidate): readonly Asset[] {
      const { text, hint } = candidate;
      if (hint.type === 'URL' || hint.type === 'PAGE') return none;
      index ??= indexOf(tables.flat());
      if ((hint.type === undefined || hint.type === 'ADDRESS') && isElsewhere(candidate, index)) return none;
      const found = readText(text, hint, index);
      return found.length === 0 ? found : found.filter((asset) => isCanonical(asset, index!));
    },
    sharedHosts: hosts,
  };
}

/** Whether a text is a plain link to another host, or an address. Most texts are one of the two. */
function isElsewhere(candidate: Candidate, { sites }: Index): boolean {
  const end = plainLinkEnd(candidate);
  return end > 0 ? !sites.has(siteOf(candidate.text, end)) : isPlainAddress(candidate);
}

/**
 * Whether a canonical string is read back unchanged; otherwise it identifies nothing. Types of other families are not checked here.
 */
function isCanonical({ type, canonical }: Asset, index: Index): boolean {
  if (type === 'ADDRESS' || !index.all.some((platform) => platform.type === type)) return true;
  return readText(canonical, { type }, index).find((asset) => asset.type === type)?.canonical === canonical;
}

/** Nothing that identifies an account is longer, so the rest of a longer path or text is ignored. */
const maxLength = 2048;

interface Index {
  readonly all: readonly Platform[];
  /** By exact host, and by the part after the `*` of a wildcard. */
  readonly byHost: ReadonlyMap<string, readonly Platform[]>;
  readonly uris: readonly Platform[];
  readonly marks: readonly Platform[];
  /** The last two labels of every host, as numbers. */
  readonly sites: ReadonlySet<number>;
}

function indexOf(table: PlatformTable): Index {
  const all = table.map(createPlatform);
  const byHost = new Map<string, Platform[]>();
  const sites = new Set<number>();
  for (const platform of all) {
    for (const host of platform.hosts) {
      const key = host.replace(/^[*~]/, '');
      byHost.set(key, [...(byHost.get(key) ?? []), platform]);
      sites.add(siteOf(key, key.length));
    }
  }
  return { all, byHost, sites, uris: all.filter(({ hasUris }) => hasUris), marks: all.filter(({ hasMarks }) => hasMarks) };
}

function readText(text: string, hint: AssetHint, index: Index): readonly Asset[] {
  const named = index.all.find(({ type }) => type === hint.type && type !== 'ADDRESS');
  const links = linksOf(text);
  const isLink = typeof links !== 'string';
  const found = isLink ? links.flatMap((link) => readLink(link, text, named, index)) : [];
  if (found.length > 0 || text.length > maxLength) return found;
  const appLink = appLinkOf(text);
  if (appLink !== null) return readText(appLink, hint, index);
  const uri = cut(text);
  const hasScheme = scheme.test(text);
  const place = { ...uri, host: '', path: hasScheme ? decoded(uri.path) : '' };
  if (named !== undefined) return named.readText(text, place, true);
  // Only a text that is not a link is read by its form alone, because a file name or a host can look like many things.
  if (isLink || (text.indexOf(' ') >= 0 && text.indexOf('#') < 0)) return none;
  return (hasScheme ? index.uris : index.marks).flatMap((platform) => platform.readText(text, place, false));
}

/**
 * The link that an `intent:` opens in an app: `tg://resolve?domain=…` of `intent://resolve?domain=…#Intent;scheme=tg;end`, and of
 * `intent:tg://resolve?domain=…#Intent;end`. Links that it opens in a browser are separate targets.
 */
function appLinkOf(text: string): string | null {
  const intent = intentOf(text);
  if (intent === null) return null;
  const found = /^(?!intent:)([a-z][a-z\d.+-]*):/i.exec(intent.link);
  return found === null ? null : found[1]!.toLowerCase() + intent.link.slice(found[1]!.length);
}

function readLink(link: Link, text: string, named: Platform | undefined, index: Index): readonly Asset[] {
  const host = withoutWww(link.host);
  if (!index.sites.has(siteOf(host, host.length))) return none;
  const place = placeOf(link, host, text);
  const meant = platformsAt(host, index).filter((platform) => named === undefined || named === platform);
  return meant.flatMap((platform) => platform.readLink(place));
}

function platformsAt(host: string, { byHost }: Index): Platform[] {
  const found = [...(byHost.get(host) ?? byHost.get(host.replace(mobile, '')) ?? [])];
  for (let dot = host.indexOf('.'); dot > 0; dot = host.indexOf('.', dot + 1)) found.push(...(byHost.get(host.slice(dot)) ?? []));
  return [...new Set(found)];
}

const none: readonly Asset[] = [];

/** A scheme, or `git@`. */
const scheme = /^[a-z][a-z\d.+-]*[:@]/i;

/**
 * A hash of the last two labels of the host that ends at `end`, or of three below `co.uk` and `com.au`. Cheaper than a string, which
 * would be copied first and then hashed by the map.
 */
function siteOf(text: string, end: number): number {
  let site = 0;
  let dot = end;
  for (let at = end - 1; at >= 0; at--) {
    const code = text.charCodeAt(at);
    if (code === slash) break;
    if (code === fullStop) {
      const isShort = dot - at < 5 && text.startsWith('co', at + 1);
      if (dot < end && !isShort) break;
      dot = at;
    }
    site = (Math.imul(site, 31) + code) | 0;
  }
  return site;
}

const slash = 0x2f;
const fullStop = 0x2e;

/** The link as platforms write it: decoded, and with the fragment, in which some keep the identity. */
function placeOf(link: Link, host: string, text: string): Place {
  const path = decoded(link.path).slice(0, maxLength).normalize('NFC') || '/';
  // The link inside an `intent:` or a `blob:` differs from the text around it.
  if (/^(?:intent|blob|filesystem):/i.test(text)) return { host, path, query: link.query, fragment: '', port: undefined };
  const { path: front, query, fragment } = cut(text);
  return { host, path, query, fragment, port: portOf(front) };
}

/** The port without leading zeros. */
function portOf(front: string): string | undefined {
  return /^(?:[a-z]+:)?[/\\]*[^/\\]*:(\d+)(?:[/\\]|$)/i.exec(front)?.[1]?.replace(/^0+(?=\d)/, '');
}

/** The text before the query, the query and the fragment, each cut to the longest length that matters. */
function cut(text: string): Omit<Place, 'host'> {
  const [front = '', fragment = ''] = divide(text, '#');
  const [path = '', query = ''] = divide(front, '?');
  return {
    path: path.slice(0, maxLength),
    query: query.slice(0, maxLength),
    fragment: decoded(fragment.slice(0, maxLength)),
    port: undefined,
  };
}

function divide(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
