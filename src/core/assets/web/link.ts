import { maxWrapperDepth } from '../../limits.js';
import type { RefusalReason } from '../asset.js';
import { cleanText } from '../clean.js';
import { canonicalHost } from './host.js';
import { canonicalPath, canonicalQuery } from './path.js';
import { isRawLink, type OtherScheme, type RawLink, splitLink } from './split.js';

/** The canonical parts of a link, all ASCII. */
export interface Link {
  readonly host: string;
  /** `''` for the root, else `/a/b` without a final slash; `''` too when it exceeds its limit. */
  readonly path: string;
  /** Without the `?`; `''` when there is none or it exceeds its limit. */
  readonly query: string;
}

/**
 * The links of a cleaned text: one, or two for an `intent:` that names a page and a fallback; or the reason there is none.
 * The browser's own wrappers are removed: of a `blob:`, a list can know the site that made it.
 */
export function linksOf(text: string): readonly Link[] | RefusalReason {
  return linksWithin(text, 0);
}

function linksWithin(text: string, depth: number): readonly Link[] | RefusalReason {
  const split = splitLink(text);
  if (split === null) return 'unknown';
  if (isRawLink(split)) {
    const link = canonicalLink(split);
    if (link !== null) return [link];
    return split.scheme === '' ? refusalOf(split.host) : 'not-a-host';
  }
  return unwrap(split, depth);
}

function canonicalLink(raw: RawLink): Link | null {
  const host = canonicalHost(raw.host, raw.scheme !== '');
  if (host === null) return null;
  const path = raw.path === '' ? '' : canonicalPath(raw.path);
  // No expression holds a query without its path.
  if (path === null) return { host, path: '', query: '' };
  const query = raw.query === null ? '' : canonicalQuery(raw.query);
  return { host, path, query: query ?? '' };
}

/** Without a scheme, only words that look like a host are a malformed host; the rest is a word, or prose. */
function refusalOf(words: string): RefusalReason {
  const isMeantAsHost = words.indexOf(' ') < 0 && (words.indexOf('.') >= 0 || localhost.test(words));
  return isMeantAsHost ? 'not-a-host' : 'unknown';
}

const localhost = /^localhost$/i;

function unwrap({ scheme, rest }: OtherScheme, depth: number): readonly Link[] | RefusalReason {
  if (scheme === 'blob' || scheme === 'filesystem') return depth === maxWrapperDepth ? 'too-deep' : originOf(rest, depth + 1);
  if (scheme === 'intent') return linksOfIntent(rest);
  // A word, a colon and a space are the start of a sentence.
  return typedSchemes.has(scheme) || rest.startsWith(' ') ? 'unknown' : 'internal-scheme';
}

/** Schemes of other asset types, which only the family of the type reads. */
const typedSchemes: ReadonlySet<string> = new Set(
  'bitcoin ens eth ethereum facetime ipfs ipns mailto market nostr pkg sip sips sms smsto solana tel tg ton web3 whatsapp'.split(
    ' ',
  ),
);

/** The host of `blob:https://host/id`. The id after it is new each time. */
function originOf(inner: string, depth: number): readonly Link[] | RefusalReason {
  const links = linksWithin(inner, depth);
  return typeof links === 'string' ? links : links.map(({ host }) => ({ host, path: '', query: '' }));
}

/**
 * `intent://host/path#Intent;scheme=https;S.browser_fallback_url=…;end`: the page that Android opens if no app handles it, and the
 * fallback, as `Intent.parseUri` of Android reads them: fields follow the last `#` up to a field `end` or `SEL` (which selects an app),
 * the last field of a name counts, and values and the names of extras are decoded once.
 */
function linksOfIntent(rest: string): readonly Link[] | RefusalReason {
  const marker = rest.lastIndexOf('#');
  if (!rest.startsWith('#Intent;', marker)) return 'internal-scheme';
  const data = rest.slice(0, marker);
  let page = data;
  let fallback = '';
  for (const field of rest.slice(marker + '#Intent;'.length).split(';')) {
    if (field.startsWith('end') || field === 'SEL') break;
    const equals = field.indexOf('=');
    const name = field.slice(0, Math.max(0, equals));
    const value = decodeAscii(field.slice(equals + 1));
    if (name === 'scheme') page = `${value}:${data}`;
    if (name.startsWith('S.') && decodeAscii(name) === 'S.browser_fallback_url') fallback = value;
  }
  const found = [page, fallback].flatMap((text) => plainLink(text) ?? []);
  return found.length > 0 ? found : 'internal-scheme';
}

/** Decodes escapes of ASCII once; decoding the others would not change the link. */
function decodeAscii(text: string): string {
  return text.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function plainLink(text: string): Link | null {
  const split = splitLink(cleanText(text).link);
  return split !== null && isRawLink(split) && split.scheme !== '' ? canonicalLink(split) : null;
}
