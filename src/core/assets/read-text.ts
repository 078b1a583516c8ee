import { maxTargets, maxWrapperDepth } from '../limits.js';
import type { Asset, AssetHint, Candidate, Family, Refusal, RefusalReason } from './asset.js';
import { cleanText } from './clean.js';
import { isNumberedPhrase, isPhrase } from './phrase.js';
import { isKey } from './secrets.js';
import { decoded } from './web/escapes.js';
import { withoutWww } from './web/host.js';
import { intentTargets, type Link, linksOf } from './web/link.js';

/** Every reading of one candidate string: the source of its expressions and its assets. */
export interface Reading {
  /** Assets from the given families, most specific first. */
  readonly typed: readonly Asset[];
  readonly links: readonly Link[];
  /** The readings of the other targets that the text names, such as the link inside the link of a redirector. */
  readonly within: readonly Reading[];
  /** The reason if there is no link; after `secret` nothing else was read. */
  readonly refused?: RefusalReason;
}

export function readText(text: string, hint: AssetHint, families: readonly Family[]): Reading {
  return readWithin(text, hint, families, { left: maxTargets }, 0);
}

/** `budget` is shared by all targets of a text, because one text can name many, each of which names many. */
function readWithin(
  text: string,
  hint: AssetHint,
  families: readonly Family[],
  budget: { left: number },
  depth: number,
): Reading {
  // The caller expects 64 hex digits: an account on some chains, or a Nostr key, which Primal shows.
  const isHexRead = hint.chain !== undefined || hint.type === 'PRIMAL';
  if (!beyondWord.test(text) && !isKey(text, isHexRead)) {
    const typed = readTyped({ text, hint }, families);
    // Only with a type from the caller can a word of any form be read, so only then can it be a secret too.
    if (typed.length > 0 && !(hint.type && isSecret(text, families))) {
      return refusedAs('unknown', typed);
    }
  }
  const clean = cleanText(text);
  const candidate = { text: clean.bare, hint };
  const links = linksOf(clean.link);
  const isLink = typeof links !== 'string';
  // A link is not a secret, because no key contains a dot as a host does. This check precedes every family.
  if (isLink ? isNumberedPhrase(text) : isKey(candidate.text, isHexRead) || isSecret(text, families)) return refusedAs('secret');
  const all = readTyped(candidate, families);
  const isMail = all[0]?.type === 'EMAIL';
  // A local part may be a private key.
  if (isMail && localPartsOf(decoded(candidate.text)).some((part) => isKey(part, false))) return refusedAs('secret');
  // A mailbox is not also read as a link with userinfo. In angle brackets it is only a part of the text, so the link stays.
  const isOnlyMail = isMail && !inBrackets.test(candidate.text);
  const typed = isOnlyMail ? all.slice(0, 1) : all;
  const within: Reading[] = [];
  // A mailbox without its scheme names nobody else.
  const isMailbox = isOnlyMail && candidate.text.indexOf(':') < 0;
  for (const target of isMailbox ? nowhere : new Set(targetsIn(clean.link, candidate, families))) {
    const isTooDeep = depth === maxWrapperDepth || budget.left-- <= 0;
    within.push(isTooDeep ? refusedAs('too-deep') : readWithin(target, noHint, families, budget, depth + 1));
    if (isTooDeep) break;
  }
  if (!isLink) return refusedAs(within[0]?.refused ?? links, typed, within);
  return { typed, links: isOnlyMail ? [] : links, within };
}

const noHint: AssetHint = {};

/** The texts of other targets: those of an `intent:`, and what families find in a link. */
function targetsIn(link: string, candidate: Candidate, families: readonly Family[]): readonly string[] {
  let targets = intentTargets(link);
  for (const family of families) {
    const found = family.targetsIn === undefined ? nowhere : family.targetsIn(candidate);
    if (found.length > 0) targets = [...targets, ...found];
  }
  return targets;
}

const nowhere: readonly string[] = [];

/** Asks the first family that recognizes secrets; without one, the form of a phrase decides. */
export function isSecret(text: string, families: readonly Family[]): boolean {
  return (families.find((family) => family.isSecret)?.isSecret ?? isPhrase)(text);
}

/** The words before each `@`. */
function localPartsOf(text: string): readonly string[] {
  return text.split('@').map((part) => part.trim().split(beyondLocalPart).pop()!);
}

const inBrackets = /<[^<>]*>$/;

const beyondLocalPart = /[\s<>:,;?&#=]/;

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

function refusedAs(refused: RefusalReason, typed = nothing, within: readonly Reading[] = []): Reading {
  return { typed, links: [], within, refused };
}

/**
 * Every reading of one candidate string, most specific first, those of the targets inside it before its own; empty if it was refused.
 */
export function assetsOf({ typed, links, within }: Reading): readonly Asset[] {
  // A fast path for nearly every text: a third of the time.
  if (links.length < 2 && within.length === 0) return links.length === 0 ? typed : [...typed, ...webAssets(links[0]!)];
  const assets = [...within.flatMap(assetsOf), ...typed, ...links.flatMap(webAssets)];
  const seen = new Set<string>();
  return assets.filter(({ type, canonical }) => seen.size < seen.add(`${type} ${canonical}`).size);
}

/** A link is a page, if it has a path, and its host. The query is part of neither (docs/algorithm.md §2). */
export function webAssets(link: Link): Asset[] {
  const host = withoutWww(link.host);
  const site: Asset = { type: 'URL', canonical: host };
  return link.path === '' || link.isWider ? [site] : [{ type: 'PAGE', canonical: host + link.path }, site];
}

/** The first reading that matches the hint, or the reason there is none. */
export function normalize(text: string, hint: AssetHint, families: readonly Family[]): Asset | Refusal {
  const reading = readText(text, hint, families);
  const type = hint.type ?? (hint.chain === undefined ? undefined : 'ADDRESS');
  for (const asset of assetsOf(reading)) if (type === undefined || asset.type === type) return asset;
  const isWeb = type === undefined || type === 'URL' || type === 'PAGE';
  return { refused: reading.refused === 'secret' || isWeb ? (reading.refused ?? 'unknown') : 'unknown' };
}
