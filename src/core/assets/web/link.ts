import { maxWrapperDepth } from '../../limits.js';
import type { RefusalReason } from '../asset.js';
import { cleanText } from '../clean.js';
import { canonicalHost } from './host.js';
import { canonicalPath, canonicalQuery } from './path.js';
import { isRawLink, type OtherScheme, type RawLink, splitLink } from './split.js';

/** A link in canonical parts; all ASCII. */
export interface Link {
  readonly host: string;
  /** `''` for the root, else `/a/b`, never with a slash at the end; `''` too when it is past its limit. */
  readonly path: string;
  /** Without the `?`; `''` when there is none or it is past its limit. */
  readonly query: string;
}

/**
 * The links of a cleaned text: one, or two for an `intent:` that names a page and a fallback; or why there is none.
 * The browser's own wrappers are taken off: the page a `blob:` belongs to is what a list can know.
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
  // A path that is left out takes its query with it: no expression holds one without the other.
  if (path === null) return { host, path: '', query: '' };
  const query = raw.query === null ? '' : canonicalQuery(raw.query);
  return { host, path, query: query ?? '' };
}

/** Without a scheme only what looks like a host can have failed to be one; the rest is a word, or prose. */
function refusalOf(words: string): RefusalReason {
  const isMeantAsHost = words.indexOf(' ') < 0 && (words.indexOf('.') >= 0 || localhost.test(words));
  return isMeantAsHost ? 'not-a-host' : 'unknown';
}

const localhost = /^localhost$/i;

function unwrap({ scheme, rest }: OtherScheme, depth: number): readonly Link[] | RefusalReason {
  if (scheme === 'blob' || scheme === 'filesystem') return depth === maxWrapperDepth ? 'too-deep' : originOf(rest, depth + 1);
  if (scheme === 'intent') return linksOfIntent(rest);
  // A word, a colon and a space begin a sentence.
  return typedSchemes.has(scheme) || rest.startsWith(' ') ? 'unknown' : 'internal-scheme';
}

/** Schemes that name an asset of another type; its family reads them, and without that family nothing does. */
const typedSchemes: ReadonlySet<string> = new Set(
  'bitcoin ens eth ethereum facetime ipfs ipns mailto market nostr pkg sip sips sms smsto solana tel tg ton web3 whatsapp'.split(
    ' ',
  ),
);

/** `blob:https://host/id`: the page that made it. What follows the host is an id of this moment, so only the host counts. */
function originOf(inner: string, depth: number): readonly Link[] | RefusalReason {
  const links = linksWithin(inner, depth);
  return typeof links === 'string' ? links : links.map(({ host }) => ({ host, path: '', query: '' }));
}

/**
 * `intent://host/path#Intent;scheme=https;S.browser_fallback_url=…;end`: the page Android opens where no app takes it, and the
 * fallback, read as Android's `Intent.parseUri` reads them: behind the last `#`, up to a field `end` or `SEL` (what follows that
 * chooses an app), the last field of a name, values and the names of extras decoded once.
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

/** Escapes of ASCII decoded once; the others mean the same to a link before and after. */
function decodeAscii(text: string): string {
  return text.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function plainLink(text: string): Link | null {
  const split = splitLink(cleanText(text).link);
  return split !== null && isRawLink(split) && split.scheme !== '' ? canonicalLink(split) : null;
}
