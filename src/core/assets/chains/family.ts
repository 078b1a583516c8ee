import type { Asset, Candidate, Family } from '../asset.js';
import { type Chain, chainOf, isOtherChain } from './chain.js';

/** Where a word stands, for the few chains it matters to. */
export interface Place {
  /** What the text's own prefix, else the caller, says it is for; only where that decides something. */
  readonly chain: Chain | undefined;
  /** The name in front of the first colon, in lower case; empty where there is none. */
  readonly scheme: string;
  /** The word and what follows it up to a query or a fragment: some of TON's addresses hold a colon or a slash. */
  readonly rest: string;
}

/** The canonical form of a word that is an address of this kind, else `null`. It looks at length and first letters before it decodes. */
export type Reader = (word: string, place: Place) => string | null;

/** A family of the kinds of addresses handed in; the first that reads a text has it. */
export function familyOf(...readers: readonly Reader[]): Family {
  return {
    read({ text, hint }: Candidate): readonly Asset[] {
      if (hint.type !== undefined && hint.type !== 'ADDRESS') return none;
      const canonical = readText(text, hint.chain === undefined ? undefined : chainOf(hint.chain), readers);
      return canonical === null ? none : [{ type: 'ADDRESS', canonical }];
    },
  };
}

const none: readonly Asset[] = [];

/**
 * An address alone, or with a URI's query behind it, or behind names: `bitcoin:`, `ton://transfer/`, CAIP-10's `cosmos:cosmoshub-4:`,
 * CAIP-19's. The words are tried from the left. A dot ends the search, except where an address may have one: what has a host is a
 * link, and of links nearly every one ends at its first dot or at its scheme.
 */
function readText(text: string, hinted: Chain | undefined, readers: readonly Reader[]): string | null {
  // EVM's, the most frequent there is: no other chain has 40 digits without a hint, and every reader would say so for itself.
  if (hinted === undefined && text.length === 42 && text.startsWith('0x')) return null;
  let chain = hinted;
  let scheme = '';
  let start = 0;
  for (let count = 0; count < maxWords; count++) {
    let end = endOf(name, text, start);
    const hasDot = text.charCodeAt(end) === 0x2e;
    if (hasDot) {
      if (chain !== 'near' && chain !== 'hedera' && !text.startsWith('0.0.', start)) return null;
      end = endOf(dotted, text, start);
    }
    const stop = end === text.length ? closing : classAt(text, end);
    if (stop < dividing) return null;
    if (count < 2 && text.charCodeAt(end) === 0x3a) {
      const names = text.slice(0, end).toLowerCase();
      if (count === 0) scheme = names;
      if (webScheme.test(names)) return null;
      chain = isOtherChain(names) ? undefined : (chainOf(names) ?? chain);
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

const webScheme = /^(?:https?|wss?|ftp)$/;

/** `a:b/c:d:address/e/f/g`, and no more. */
const maxWords = 8;

/** Hedera's `0.0.1234`. Without a hint nothing shorter is an address. */
const minLength = 8;

/** Cardano's and the largest of Bitcoin Cash take up to 124. */
const maxWordLength = 150;

const name = 1;
const dotted = 2;
const dividing = 3;
const closing = 4;

const classes: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  const letter = String.fromCharCode(code);
  if (/[A-Za-z0-9_+-]/.test(letter)) return name;
  if (letter === '.') return dotted;
  if (letter === ':' || letter === '/') return dividing;
  // The last one begins an entrypoint of Tezos.
  return letter === '?' || letter === '#' || letter === '%' ? closing : 0;
});

function classAt(text: string, at: number): number {
  return classes[text.charCodeAt(at)] ?? 0;
}

/** Where a run of characters of this class or those before it ends; within a word too long for an address. */
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
