import type { Asset } from '../assets/asset.js';
import { cleanText } from '../assets/clean.js';
import { isOtherKey } from '../assets/other-keys.js';
import { isNumberedPhrase, mayBePhrase } from '../assets/phrase.js';
import { isKey } from '../assets/secrets.js';
import { decodeToEnd, escapeBytes, textToEnd } from '../assets/web/escapes.js';
import { isIpHost, withoutEmptyLabels } from '../assets/web/host.js';
import { mapHost, toAsciiHost } from '../assets/web/idna.js';
import { canonicalIpv4, canonicalIpv6, endsInNumber } from '../assets/web/ip.js';
import { intentTargets, isWrapper } from '../assets/web/link.js';
import { resolveDots, resolveRaw } from '../assets/web/path.js';
import { isRawLink, otherSplits, type RawLink, splitLink } from '../assets/web/split.js';
import { fromUnits, utf8 } from '../bytes.js';
import { maxWrapperDepth } from '../limits.js';
import type { Algorithm, Subject } from './algorithm.js';

/**
 * The public Safe Browsing v4 rules (developers.google.com/safe-browsing/v4/urls-hashing), for lists built with them. Google's published
 * examples also test the code that both algorithms share. The differences: a single label is a host, a path keeps its final slash, and up
 * to five hosts are combined with up to six paths.
 */
export const safeBrowsing4: Algorithm = /* @__PURE__ */ safeBrowsing('safe-browsing-4', 5);

/** @param maxLabels Labels of the longest host suffix besides the exact host. */
export function safeBrowsing(name: string, maxLabels: number): Algorithm {
  return {
    name,
    canonicalizeUrl(text: string): string | null {
      const url = parse(text)[0];
      return url === undefined ? null : `${url.scheme}://${url.host}${url.path}${url.query}`;
    },
    subjectsOf(input: string | Asset): readonly Subject[] {
      if (typeof input !== 'string' && input.type !== 'URL' && input.type !== 'PAGE') return [];
      return parse(typeof input === 'string' ? input : input.canonical).map((url) => {
        const paths = pathsOf(url);
        return hostsOf(url.host, maxLabels).flatMap((host) => paths.map((path) => host + path));
      });
    },
  };
}

interface Url {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  /** With the `?`, which stays even if nothing follows. */
  readonly query: string;
}

/**
 * The link, and the alternatives that other browsers make of the same text. None for a secret: here a single word is a host, even with
 * spaces, so a secret would be hashed like one. Both the whole text, where line ends still separate words, and the bare host are checked.
 */
function parse(text: string): readonly Url[] {
  const clean = cleanText(text);
  const targets = intentTargets(clean.link);
  if (targets.length > 0) return targets.flatMap(parse);
  // Words with spaces or on lines of their own are a phrase behind a scheme, too.
  const words = /\S\s/.test(text.trim()) ? text.replace(webScheme, '') : text;
  if (isKey(clean.bare, false) || isOtherKey(clean.bare) || isNumberedPhrase(words)) return [];
  const link = escapedScheme.test(clean.bare) ? (textToEnd(clean.bare) ?? clean.bare) : clean.bare;
  const urls = urlsOf(link);
  // A browser keeps the invisible characters at the end and requests them.
  return clean.link === clean.bare ? urls : [...urls, ...urlsOf(clean.link)];
}

/** For a `blob:` or a `filesystem:`, the site that created it without the id, which is new each time. */
function urlsOf(link: string, depth = 0): readonly Url[] {
  const split = splitLink(link);
  const splits = split !== null && isRawLink(split) ? [split] : [];
  const urls = [...splits, ...otherSplits(link)].flatMap((raw) => urlOf(raw) ?? []);
  if (split === null || isRawLink(split) || !isWrapper(split) || depth === maxWrapperDepth) return urls;
  return [...urls, ...urlsOf(split.rest, depth + 1).map((url) => ({ ...url, path: '/', query: '' }))];
}

const escapedScheme = /^[a-z]+%(?:25)*3a/i;

function urlOf(raw: RawLink): Url | null {
  const word = textToEnd(raw.host)?.replace(invisible, '') ?? '';
  if (isKey(word, false) || isOtherKey(word) || (mayBePhrase(word) && !isHostOfLink(raw, word))) return null;
  const host = finishHost(raw.host);
  if (host === '') return null;
  const path = resolveDots(decodeToEnd(resolveRaw(raw.path)));
  return {
    scheme: raw.scheme === '' ? 'http' : raw.scheme,
    host,
    path: escapeBytes(path) || '/',
    query: raw.query === null ? '' : `?${escapeBytes(decodeToEnd(raw.query))}`,
  };
}

/** A name with commas, which browsers open. In a link a phrase would have spaces, or no dot. */
function isHostOfLink({ isMarked, path, query }: RawLink, word: string): boolean {
  return (
    (isMarked || path !== '' || query !== null) && !/\s/.test(word) && /[.\u3002\uff0e\uff61][^.\u3002\uff0e\uff61]/.test(word)
  );
}

const webScheme = /^[a-z]+:[/\\]*/i;

/** Soft hyphens, zero-width characters and joiners, which are not part of a key. */
const invisible = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;

/** `''` when nothing is left. Bytes that are not text stay escaped; an invalid number stays unchanged. */
function finishHost(raw: string): string {
  const ascii = asciiHost(raw);
  if (ascii === null) return raw.startsWith('[') ? '' : escapeBytes(decodeToEnd(raw));
  if (ascii.startsWith('[') && ascii.endsWith(']')) return canonicalIpv6(ascii.slice(1, -1)) ?? '';
  const host = withoutEmptyLabels(ascii);
  return (endsInNumber(host) ? canonicalIpv4(host) : null) ?? escapeBytes(fromUnits(utf8(host)));
}

/** The mapping can create percent signs (from U+FF05), which begin escapes too, and which Chromium decodes after Punycode. */
function asciiHost(raw: string): string | null {
  const text = textToEnd(raw);
  if (text === null) return null;
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  const mapped = mapHost(text);
  const ascii = mapped === null ? null : toAsciiHost(mapped);
  if (ascii === null || ascii.indexOf('%') < 0) return ascii;
  return toAsciiHost(textToEnd(ascii)?.toLowerCase() ?? ascii);
}

/** The exact host, and every suffix of its last labels that has at least two. */
function hostsOf(host: string, maxLabels: number): string[] {
  if (isIpHost(host)) return [host];
  const labels = host.split('.');
  const hosts = [host];
  for (let count = Math.min(maxLabels, labels.length - 1); count >= 2; count--) hosts.push(labels.slice(-count).join('.'));
  return hosts;
}

/** The exact path with and without its query, the root, and the first three folders. */
function pathsOf({ path, query }: Url): string[] {
  const paths = query === '' ? [path] : [path + query, path];
  let end = 0;
  for (let count = 0; end >= 0 && count < 4; count++) {
    const folder = path.slice(0, end + 1);
    if (folder !== path) paths.push(folder);
    end = path.indexOf('/', end + 1);
  }
  return paths;
}
