import type { Asset, Candidate, Family } from '../asset.js';
import { isPlainAddress } from '../plain.js';
import { type Chain, chainOf } from './chain.js';

/** The context of a word, which matters for a few chains. */
export interface Place {
  /** The chain named by the text's own prefix, otherwise by the caller's hint; set only if it changes the reading. */
  readonly chain: Chain | undefined;
  /** The name before the first colon, in lower case; empty if there is none. */
  readonly scheme: string;
  /** The word and the text after it up to a query or a fragment: some TON addresses contain a colon or a slash. */
  readonly rest: string;
}

/** The canonical form of a word that is an address of this kind, else `null`. It checks length and first letters before decoding. */
export type Reader = (word: string, place: Place) => string | null;

/** A family made of these readers; the first one that accepts a word decides. */
export function familyOf(...readers: readonly Reader[]): Family {
  return {
    claims: {},
    read(candidate: Candidate): readonly Asset[] {
      const { text, hint } = candidate;
      if (hint.type !== undefined && hint.type !== 'ADDRESS') return none;
      const chain = hint.chain === undefined ? undefined : chainOf(hint.chain);
      // No other chain has 40 digits without a hint, so every reader would reject it.
      if ((chain === undefined || chain === 'evm') && isPlainAddress(candidate)) return none;
      const canonical = readText(text, chain, readers);
      return canonical === null ? none : [{ type: 'ADDRESS', canonical }];
    },
  };
}

const none: readonly Asset[] = [];

/**
 * Reads an address alone, with a URI query after it, or with names before it: `bitcoin:`, `ton://transfer/`, `cosmos:cosmoshub-4:`
 * (CAIP-10), CAIP-19. Words are tried from the left. A dot ends the search, except where an address may contain one: a text with a host
 * is a link, and most links end the search at their scheme or first dot.
 */
function readText(text: string, hinted: Chain | undefined, readers: readonly Reader[]): string | null {
  // A fast path: the code below would end at this scheme, the most frequent one, too.
  if (text.startsWith('https:')) return null;
  let chain = hinted;
  let scheme = '';
  let start = 0;
  for (let count = 0; count < maxWords; count++) {
    let end = endOf(name, text, start);
    const hasDot = text.charCodeAt(end) === 0x2e;
    if (hasDot) {
      if (!dottedChains.test(chain ?? '') && !mayHaveDot.test(text.slice(start, end + 3))) return null;
      end = endOf(dotted, text, start);
    }
    const stop = end === text.length ? closing : classAt(text, end);
    if (stop < dividing) return null;
    if (count < 2 && text.charCodeAt(end) === 0x3a) {
      const names = text.slice(0, end).toLowerCase();
      if (count === 0) scheme = names;
      if (webScheme.test(names)) return null;
      chain = chainOf(names) ?? chain;
    }
    const restEnd = stop === closing ? end : endOf(dividing, text, start);
    if (chain !== undefined || restEnd - start >= minLength) {
      const word = text.slice(start, end);
      const place: Place = { chain, scheme, rest: text.slice(start, restEnd) };
      for (const read of readers) {
        const canonical = read(word, place);
        if (canonical !== null) return canonical;
      }
    }
    if (stop === closing || hasDot) return null;
    start = end + 1;
    while (classAt(text, start) === dividing) start++;
  }
  return null;
}

/** Hedera accounts and Stacks contracts. */
const mayHaveDot = /^(?:0\.0\.|S[MNPT][\dA-Z]{26,39}\.)/i;
const dottedChains = /^(?:near|hedera|eos|telos|wax)$/;

const webScheme = /^(?:https?|wss?|ftp)$/;

/** As in `a:b/c:d:address/e/f/g`. */
const maxWords = 8;

/** Hedera's `0.0.1234`; shorter addresses need a hint. */
const minLength = 8;

/**
 * Fits a Lightning invoice with dozens of routing hints. An address has at most 512 characters, as a unified address of Zcash may.
 */
const maxWordLength = 4096;

const name = 1;
const dotted = 2;
const dividing = 3;
const closing = 4;

const classes: Uint8Array = /* @__PURE__ */ Uint8Array.from({ length: 128 }, (_, code) => {
  const letter = String.fromCharCode(code);
  if (/[A-Za-z0-9_+-]/.test(letter)) return name;
  if (letter === '.') return dotted;
  if (/[:/;]/.test(letter)) return dividing;
  // `%` starts a Tezos entrypoint.
  return letter === '?' || letter === '#' || letter === '%' ? closing : 0;
});

function classAt(text: string, at: number): number {
  return classes[text.charCodeAt(at)] ?? 0;
}

/** The end of a run of characters of this class or a lower one, at most one word long. */
function endOf(maxClass: number, text: string, start: number): number {
  const maxEnd = Math.min(text.length, start + maxWordLength);
  let end = start;
  while (end < maxEnd) {
    const found = classAt(text, end);
    if (found === 0 || found > maxClass) break;
    end++;
  }
  return end;
}
