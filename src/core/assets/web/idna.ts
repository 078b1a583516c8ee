import { maxHostCodePoints, maxHostOctets, maxLabelOctets } from '../../limits.js';
import { toPunycode } from './punycode.js';

/**
 * A small, lenient UTS-46 mapping (non-transitional), as browsers apply it to hosts outside ASCII. It maps without validating, because
 * every host that some browser opens needs a canonical form. The full tables take 62 kB; this agrees with them on 172,331 of 172,419
 * code points (docs/algorithm.md §3.3, decision 0003). `null` for a host that is too long or not text.
 */
export function mapHost(host: string): string | null {
  let mapped = '';
  let count = 0;
  for (const character of host) {
    const point = character.codePointAt(0)!;
    if (isIgnored(point)) continue;
    // Lone surrogates and U+FFFD come from bytes that are not text.
    if (point === 0xfffd || (point >= 0xd800 && point <= 0xdfff)) return null;
    if (++count > maxHostCodePoints) return null;
    mapped += point < 0x80 ? character.toLowerCase() : mapPoint(character, point);
  }
  return mapped.normalize('NFC').replace(fullStops, '.');
}

/**
 * The UTS-46 mapping of one character. Characters are mapped one at a time, because normalizing the host first would move a mark
 * before the iota that U+1FB3 and similar characters end in.
 */
function mapPoint(character: string, point: number): string {
  if (finalSigmas.has(point)) return '\u03c3';
  let kept = '';
  for (const part of fold(character.normalize('NFKD')).normalize('NFKC')) if (!isIgnored(part.codePointAt(0)!)) kept += part;
  return fold(kept);
}

/** The other full stops that IDNA reads as a dot. */
const fullStops = /[\u3002\uff0e\uff61]/g;

/** The Punycode form of a mapped host; `null` if a label is too long. */
export function toAsciiHost(mapped: string): string | null {
  const labels: string[] = [];
  for (const label of mapped.split('.')) {
    const encoded = toAsciiLabel(label);
    if (encoded === null) return null;
    labels.push(encoded);
  }
  return labels.join('.');
}

/**
 * `null` for a label too long for DNS. A label that still has escapes may be as long as a host, because decoding shortens it. Each code
 * point takes at least an octet, so this also bounds the encoder.
 */
function toAsciiLabel(label: string): string | null {
  const maxOctets = label.indexOf('%') < 0 ? maxLabelOctets : maxHostOctets;
  const points: number[] = [];
  let ascii = true;
  for (const character of label) {
    const point = character.codePointAt(0)!;
    if (point > 0x7f) ascii = false;
    points.push(point);
    if (!ascii && points.length > maxOctets) return null;
  }
  if (ascii) return label;
  const encoded = `xn--${toPunycode(points)}`;
  return encoded.length > maxOctets ? null : encoded;
}

/**
 * The lunate and the mathematical final sigmas map to σ; normalization would turn them into ς, which is a different letter here.
 */
const finalSigmas: ReadonlySet<number> = new Set([0x3f2, 0x1d6d3, 0x1d70d, 0x1d747, 0x1d781, 0x1d7bb]);

/** UTS-46 status "ignored": soft hyphen, joiners of graphemes, fillers, variation selectors, invisible controls. Not ZWJ or ZWNJ. */
function isIgnored(point: number): boolean {
  if (point < 0xad) return false;
  return (
    point === 0xad ||
    point === 0x34f ||
    point === 0x115f ||
    point === 0x1160 ||
    point === 0x17b4 ||
    point === 0x17b5 ||
    (point >= 0x180b && point <= 0x180f) ||
    point === 0x200b ||
    (point >= 0x2060 && point <= 0x206f) ||
    point === 0x3164 ||
    (point >= 0xfe00 && point <= 0xfe0f) ||
    point === 0xfeff ||
    point === 0xffa0 ||
    (point >= 0x1bca0 && point <= 0x1bca3) ||
    (point >= 0x1d173 && point <= 0x1d17a) ||
    (point >= 0xe0100 && point <= 0xe01ef)
  );
}

/** Folds case one code point at a time: `toLowerCase` of a whole string turns a final Σ into ς, which is another host. */
function fold(text: string): string {
  let folded = '';
  for (const character of text) folded += foldPoint(character, character.codePointAt(0)!);
  return folded;
}

function foldPoint(character: string, point: number): string {
  if (point < 0x80) return character.toLowerCase();
  // Cherokee folds to capitals, because its small letters were added later.
  if (point >= 0xab70 && point <= 0xabbf) return String.fromCodePoint(point - 0xab70 + 0x13a0);
  if (point >= 0x13a0 && point <= 0x13f5) return character;
  if (point >= 0x13f8 && point <= 0x13fd) return String.fromCodePoint(point - 8);
  if (point >= 0x1c80 && point <= 0x1c88) return oldCyrillic[point - 0x1c80]!;
  return foldExceptions.get(point) ?? character.toLowerCase();
}

const foldExceptions: ReadonlyMap<number, string> = new Map([
  [0x130, 'i\u0307'],
  [0x345, '\u03b9'],
  [0x1e9e, '\u00df'],
]);

/** U+1C80 to U+1C88 are historic shapes of these letters. */
const oldCyrillic = '\u0432\u0434\u043e\u0441\u0442\u0442\u044a\u0463\ua64b';
