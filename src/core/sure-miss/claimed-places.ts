import type { Claims } from '../assets/asset.js';
import { decodeToEnd } from '../assets/web/escapes.js';
import { escaped, type LinkReader, lettersOf } from './link-reader.js';

/** Which links a family may read. */
export interface ClaimedPlaces {
  /** By the host that was read. */
  mayClaimHost(text: string, reader: LinkReader): boolean;
  /**
   * By a folder, however it is escaped: by any, because what is before it may be dot segments.
   *
   * @param start Where what follows the host begins
   * @param look What `lookAtRest` saw there
   */
  mayClaimFolder(text: string, start: number, look: number): boolean;
}

/** `null` if no family names a host or a word. Both are compared by numbers, because strings would be copied first, and then hashed by a set. */
export function claimedPlaces(claims: readonly Claims[]): ClaimedPlaces | null {
  const hosts = claims.flatMap((claim) => claim.hosts?.() ?? []);
  const folders = claims.flatMap((claim) => claim.words ?? []);
  const names = hosts.filter((host) => host.endsWith('.*')).map((host) => host.split('.').slice(-2)[0]!);
  if (hosts.length + folders.length === 0) return null;
  /** Of the last two labels of a host; other hosts may have the same place. */
  const sites = new Uint8Array(2 ** 16);
  for (const host of hosts) sites[siteOf(host, host.lastIndexOf('.', host.lastIndexOf('.') - 1) + 1, host.length)] = 1;
  /** How long the words are that begin with a letter, as bits, so that most labels need no closer look. */
  const lengths = new Int32Array(128);
  const words = new Set<number>();
  for (const word of [...names, ...folders]) {
    lengths[word.charCodeAt(0) & 127]! |= lengthBit(word.length);
    words.add(numberOf(word, 0, word.length));
  }

  const letters = folders.map(lettersOf);

  /** In any case. */
  function isWord(text: string, start: number, end: number): boolean {
    const mayBe = (lengths[(text.charCodeAt(start) | 0x20) & 127]! & lengthBit(end - start)) !== 0;
    return mayBe && words.has(numberOf(text, start, end));
  }

  return {
    mayClaimHost(text, { dots, dotCount, hostStart, hostStop, lastTwo }) {
      const start = hostStart();
      if (sites[siteOf(text, start + lastTwo(), hostStop())] === 1) return true;
      const count = dotCount();
      let label = start;
      for (let dot = 0; dot < count; dot++) {
        const end = start + dots[dot]!;
        if (isWord(text, label, end)) return true;
        label = end + 1;
      }
      return isWord(text, label, hostStop());
    },
    mayClaimFolder(text, start, look) {
      // Nearly every link lacks a letter of each word.
      if ((look & escaped) === 0 && !letters.some((some) => (look & some) === some)) return false;
      let folder = start + 1;
      let at = folder;
      for (; at < text.length; at++) {
        const code = text.charCodeAt(at);
        if (code > questionMark) continue;
        if (code === slash) {
          if (isWord(text, folder, at)) return true;
          folder = at + 1;
        } else if (code === percent)
          // An escaped mark is a part of its folder.
          return decodeToEnd(text.slice(start).split(/[?#]/, 1)[0]!)
            .split(/[/\\]/)
            .some((part) => isWord(part, 0, part.length));
        else if (code === questionMark || code === numberSign) break;
      }
      return isWord(text, folder, at);
    },
  };
}

const numberSign = 0x23;
const percent = 0x25;
const slash = 0x2f;
const questionMark = 0x3f;

/** A hash, because making the table by SHA-256 would take most of the time of a first check. */
function siteOf(text: string, start: number, end: number): number {
  return Math.imul(numberOf(text, start, end), 0x9e3779b1) >>> 16;
}

function lengthBit(length: number): number {
  return 1 << Math.min(length, 31);
}

function numberOf(text: string, start: number, end: number): number {
  let number = 0;
  for (let at = start; at < end; at++) number = (Math.imul(number, 31) + (text.charCodeAt(at) | 0x20)) | 0;
  return number;
}
