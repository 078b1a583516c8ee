import type { Asset, Family } from '../assets/asset.js';
import { cleanText } from '../assets/clean.js';
import { mayBePhrase } from '../assets/phrase.js';
import { isSecret, readText, readTyped } from '../assets/read-text.js';
import { isKey } from '../assets/secrets.js';
import { isIpHost, withoutWww } from '../assets/web/host.js';
import { type Link, linksOf } from '../assets/web/link.js';
import { maxTypedExpressions } from '../limits.js';
import type { Algorithm } from './algorithm.js';
import { linkExpressions } from './link-expressions.js';
import { expressionsOfPlainLink } from './plain-link.js';

/** The default algorithm, specified in docs/algorithm.md and pinned by docs/vectors/portcullis-1.json. */
export function portcullis1(families: readonly Family[]): Algorithm {
  return {
    name: 'portcullis-1',
    canonicalizeUrl(text: string): string | null {
      const link = readText(text, {}, []).links[0];
      return link === undefined ? null : wholeLink(link);
    },
    expressionsOf(input: string | Asset): string[] {
      if (typeof input !== 'string') return expressionsOfAsset(input, families);
      const plain = expressionsOfPlainLink(input);
      if (plain === null) return expressionsOfText(input, families);
      // Only the fragment, which link expressions ignore, can still contain characters that cleaning removes.
      const text = input.indexOf('#') < 0 ? input : cleanText(input).bare;
      const typed = readTyped({ text, hint: {} }, families);
      return typed.length === 0 ? plain : [...typedExpressions(typed), ...plain];
    },
  };
}

/** For every text that is not a plain link. */
function expressionsOfText(text: string, families: readonly Family[]): string[] {
  const reading = readText(text, {}, families);
  const expressions = [...typedExpressions(reading.typed), ...reading.links.flatMap(expressionsOfLink)];
  return reading.links.length > 1 ? [...new Set(expressions)] : expressions;
}

function typedExpressions(assets: readonly Asset[]): string[] {
  return assets.flatMap(expressionsWithin).slice(0, maxTypedExpressions);
}

/** Of a link inside another, hosts come before the pages above its page. */
function expressionsWithin(asset: Asset): string[] {
  return asset.type === 'URL' ? expressionsOfAsset(asset, []) : [typedExpression(asset)];
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
 * The spelling of the family that reads the type, so that a canonical string from elsewhere is found too; unchanged if no family reads
 * it. An asset can be a secret like any text, except that 64 hex digits are an address on some chains, and a key that Primal shows.
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
