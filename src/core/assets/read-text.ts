import type { Asset, AssetHint, Candidate, Family, Refusal, RefusalReason } from './asset.js';
import { cleanText } from './clean.js';
import { isNumberedPhrase, isPhrase } from './phrase.js';
import { isKey } from './secrets.js';
import { withoutWww } from './web/host.js';
import { type Link, linksOf } from './web/link.js';

/** Every reading of one candidate string: the source of its expressions and its assets. */
export interface Reading {
  /** Assets from the given families, most specific first. */
  readonly typed: readonly Asset[];
  readonly links: readonly Link[];
  /** The reason if there is no link; after `secret` nothing else was read. */
  readonly refused?: RefusalReason;
}

export function readText(text: string, hint: AssetHint, families: readonly Family[]): Reading {
  // 64 hex digits are what the caller asked for: an account of some chains, or a key of Nostr, which Primal shows.
  const isHexRead = hint.chain !== undefined || hint.type === 'PRIMAL';
  if (!beyondWord.test(text) && !isKey(text, isHexRead)) {
    const typed = readTyped({ text, hint }, families);
    // Only a named type reads words of any form.
    if (typed.length > 0 && !(hint.type && isSecret(text, families))) return { typed, links: [], refused: 'unknown' };
  }
  const clean = cleanText(text);
  const candidate = { text: clean.bare, hint };
  const links = linksOf(clean.link);
  const isLink = typeof links !== 'string';
  // A link is not a secret, because no key contains a dot as a host does. This check precedes every family.
  if (isLink ? isNumberedPhrase(text) : isKey(candidate.text, isHexRead) || isSecret(text, families)) return secret;
  const typed = readTyped(candidate, families);
  const isMail = typed[0]?.type === 'EMAIL';
  // A key written before an `@`.
  if (isMail && isKey(localPart.exec(candidate.text)?.[1] ?? '', false)) return secret;
  if (!isLink) return { typed, links: [], refused: links };
  // The local part of a mailbox is not userinfo.
  return { typed, links: isMail ? [] : links };
}

/** Asks the first family that knows secrets, or judges by the form of a phrase. */
export function isSecret(text: string, families: readonly Family[]): boolean {
  return (families.find((family) => family.isSecret)?.isSecret ?? isPhrase)(text);
}

const localPart = /([^\s<>:]*)@[^@]*$/;

/**
 * Characters that no single word has: whitespace and controls, a comma between words, a scheme's colon, a dot in any spelling,
 * brackets. A text without them, such as an address, needs no cleaning and is neither a link nor a phrase.
 */
const beyondWord = /[\0- ,.:%[\x7f-\uffff]/;

/** The readings of all families, in their order. */
export function readTyped(candidate: Candidate, families: readonly Family[]): readonly Asset[] {
  let typed = nothing;
  for (const family of families) {
    const found = family.read(candidate);
    if (found.length > 0) typed = typed.length === 0 ? found : [...typed, ...found];
  }
  return typed;
}

const nothing: readonly Asset[] = [];

const secret: Reading = { typed: [], links: [], refused: 'secret' };

/** Every reading of one candidate string, most specific first; none if it is refused. */
export function assetsOf(reading: Reading): readonly Asset[] {
  return reading.links.length === 0 ? reading.typed : [...reading.typed, ...reading.links.flatMap(webAssets)];
}

/** A link is a page, if it has a path, and its host. The query is part of neither (docs/algorithm.md §2). */
export function webAssets(link: Link): Asset[] {
  const host = withoutWww(link.host);
  const site: Asset = { type: 'URL', canonical: host };
  return link.path === '' ? [site] : [{ type: 'PAGE', canonical: host + link.path }, site];
}

/** The first reading that matches the hint, or the reason there is none. */
export function normalize(text: string, hint: AssetHint, families: readonly Family[]): Asset | Refusal {
  const reading = readText(text, hint, families);
  const type = hint.type ?? (hint.chain === undefined ? undefined : 'ADDRESS');
  for (const asset of assetsOf(reading)) if (type === undefined || asset.type === type) return asset;
  const isWeb = type === undefined || type === 'URL' || type === 'PAGE';
  return { refused: reading.refused === 'secret' || isWeb ? (reading.refused ?? 'unknown') : 'unknown' };
}
