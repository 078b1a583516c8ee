import type { Claims } from '../assets/asset.js';

/** Whether a family may read the link in `text`, by its host from `start` to `end` and its first folder. */
export type MayClaim = (text: string, start: number, end: number) => boolean;

/** `null` if no family names a host, a label or a folder. */
export function claimedPlaces(claims: readonly Claims[]): MayClaim | null {
  const hosts = tableOf(claims.flatMap((claim) => claim.hosts?.() ?? []).map(tellingLabel));
  const words = tableOf(claims.flatMap((claim) => claim.words ?? []));
  if (hosts === null && words === null) return null;

  /** From the right. Of a host in `hosts`, the label that tells it from others is one of the first two, or the second is short. */
  return (text, start, end) => {
    let number = 0;
    let last = end;
    for (let at = end - 1, count = 0, isTold = false; at >= start - 1; at--) {
      const code = at < start ? fullStop : text.charCodeAt(at);
      if (code !== fullStop) {
        number = next(number, code);
        continue;
      }
      if ((!isTold && holds(hosts, number)) || holds(words, number)) return true;
      isTold ||= ++count === 2 && last - at - 1 > maxSecondLevel;
      number = 0;
      last = at;
    }
    return words !== null && text.charCodeAt(end) === slash && holds(words, folderAt(text, end + 1));
  };
}

const fullStop = 0x2e;
const slash = 0x2f;

/** The label in front of the top-level domain, or the longest if that one is as short as a second level: `google` of `docs.google.com`. */
function tellingLabel(host: string): string {
  const labels = host.split('.');
  const last = labels[labels.length - 2] ?? host;
  if (last.length > maxSecondLevel) return last;
  return labels.slice(0, -1).reduce((longest, label) => (label.length > longest.length ? label : longest), last);
}

/** As in `info.pl`, behind a host that is claimed under any top-level domain. */
const maxSecondLevel = 5;

/** The number of the folder that begins here. */
function folderAt(text: string, start: number): number {
  let end = text.indexOf('/', start);
  if (end < 0 || end - start > maxFolder) end = Math.min(text.length, start + maxFolder);
  let number = 0;
  for (let at = end - 1; at >= start; at--) number = next(number, text.charCodeAt(at));
  return number;
}

/** No word is longer. */
const maxFolder = 16;

/**
 * Words are compared by a number of 16 bits: a string would be copied first, and then hashed by a set. With a thousand words, one other word in
 * 65 has the number of one of them.
 */
function tableOf(words: readonly string[]): Uint8Array | null {
  if (words.length === 0) return null;
  const table = new Uint8Array(2 ** 16);
  for (const word of words) {
    let number = 0;
    for (let at = word.length - 1; at >= 0; at--) number = next(number, word.charCodeAt(at));
    table[placeOf(number)] = 1;
  }
  return table;
}

function holds(table: Uint8Array | null, number: number): boolean {
  return table !== null && table[placeOf(number)] === 1;
}

/** In any case. */
function next(number: number, code: number): number {
  return (Math.imul(number, 31) + (code | 0x20)) | 0;
}

function placeOf(number: number): number {
  return (number ^ (number >>> 16)) & 0xffff;
}
