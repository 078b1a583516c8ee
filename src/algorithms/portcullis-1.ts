import type { Asset, Family } from '../assets/asset.js';
import { cleanText } from '../assets/clean.js';
import { readText, readTyped } from '../assets/read.js';
import { isIpHost, withoutWww } from '../assets/web/host.js';
import { type Link, linksOf } from '../assets/web/link.js';
import { hostSuffixesMax, pathPrefixesMax, typedExpressionsMax } from '../limits.js';
import type { Algorithm } from './algorithm.js';
import { expressionsOfPlainLink, reverseFrom } from './plain-link.js';

/** The algorithm of our own lists, specified in docs/algorithm.md and pinned by docs/vectors/portcullis-1.json. */
export function portcullis1(families: readonly Family[]): Algorithm {
  return {
    name: 'portcullis-1',
    canonicalizeUrl(text: string): string | null {
      const link = readText(text, {}, []).links[0];
      return link === undefined ? null : wholeLink(link.host, link);
    },
    expressionsOf(input: string | Asset): string[] {
      if (typeof input !== 'string') return expressionsOfAsset(input);
      const plain = expressionsOfPlainLink(input);
      if (plain === null) return expressionsOfText(input, families);
      // Only a fragment, which no link expression looks at, can still hold what is to be cleaned away.
      const text = input.indexOf('#') < 0 ? input : cleanText(input).bare;
      const typed = typedExpressions(readTyped({ text, hint: {} }, families));
      return typed.length === 0 ? plain : [...typed, ...plain];
    },
  };
}

/** The long way, for whatever is no plain link. */
function expressionsOfText(text: string, families: readonly Family[]): string[] {
  const reading = readText(text, {}, families);
  const expressions = typedExpressions(reading.typed);
  for (const link of reading.links) addLinkExpressions(link, expressions);
  return reading.links.length > 1 ? [...new Set(expressions)] : expressions;
}

function typedExpressions(assets: readonly Asset[]): string[] {
  const expressions: string[] = [];
  for (let at = 0; at < assets.length && at < typedExpressionsMax; at++) expressions.push(typedExpression(assets[at]!));
  return expressions;
}

function typedExpression({ type, canonical }: Asset): string {
  return `${type.toLowerCase()}:${canonical}`;
}

/** The first is what a list holds for the asset; the others are listings that cover it. */
function expressionsOfAsset(asset: Asset): string[] {
  if (asset.type !== 'URL' && asset.type !== 'PAGE') return [typedExpression(asset)];
  const links = linksOf(asset.canonical);
  const link = typeof links === 'string' ? undefined : links[0];
  const expressions: string[] = [];
  if (link !== undefined) {
    const host = withoutWww(link.host);
    addLinkExpressions(asset.type === 'URL' ? { host, path: '', query: '' } : { ...link, host }, expressions);
  }
  return expressions;
}

/** docs/algorithm.md §5: the page and what lies above it on the exact host, then the host and what lies above it. */
function addLinkExpressions(link: Link, expressions: string[]): void {
  if (link.path !== '' || link.query !== '') {
    const host = withoutWww(link.host);
    if (link.query !== '') expressions.push(wholeLink(host, link));
    if (link.path !== '') addPages(host, host + link.path, expressions);
  }
  addHosts(link.host, expressions);
}

/** `host/a?q`, and `host/?q` where the path is empty. */
function wholeLink(host: string, { path, query }: Link): string {
  if (query === '') return host + path;
  return path === '' ? `${host}/?${query}` : `${host}${path}?${query}`;
}

/** The full path, then its first segments, longest first. */
function addPages(host: string, page: string, expressions: string[]): void {
  expressions.push(page);
  const first = expressions.length;
  let end = page.indexOf('/', host.length + 1);
  for (let count = 0; end >= 0 && count < pathPrefixesMax; count++) {
    expressions.push(page.slice(0, end));
    end = page.indexOf('/', end + 1);
  }
  reverseFrom(expressions, first);
}

/**
 * The exact host, then its suffixes of at most eleven and at least two labels, longest first. An IP address has none. Where the
 * host without `www.` has more labels than that, it stands for the exact one: it is what a list holds.
 */
function addHosts(host: string, expressions: string[]): void {
  const first = expressions.length;
  expressions.push(host);
  if (isIpHost(host)) return;
  let dot = host.lastIndexOf('.', host.lastIndexOf('.') - 1);
  for (let count = 0; dot >= 0 && count < hostSuffixesMax; count++) {
    expressions.push(host.slice(dot + 1));
    dot = host.lastIndexOf('.', dot - 1);
  }
  if (dot >= 0) expressions[first] = siteOf(host, dot);
  reverseFrom(expressions, first + 1);
}

/** `dot` stands in front of the suffix of twelve labels; where the site is no shorter than that, nothing else stands for it. */
function siteOf(host: string, dot: number): string {
  const site = withoutWww(host);
  return host.length - site.length <= dot + 1 ? site : host;
}
