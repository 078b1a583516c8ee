import type { Asset } from 'portcullis';
import { unicodeLabel } from './punycode-label.js';

/** What is odd about a text. It is a notice for people and never part of a verdict. */
export interface Oddities {
  /** Names with a label that mixes scripts, each once. */
  readonly mixed: readonly MixedLabel[];
  /** Characters that show nothing or change the direction of what follows, each once, as `U+202E`. */
  readonly hidden: readonly string[];
}

export interface MixedLabel {
  /** The label in Unicode. */
  readonly label: string;
  /** The same in Punycode, in which letters that look the same differ. */
  readonly encoded: string;
  /** `Latin`, `Cyrillic`. */
  readonly scripts: readonly string[];
}

export function odditiesOf(text: string, assets: Iterable<Asset>): Oddities {
  const labels = new Map<string, string>();
  for (const asset of assets) for (const [label, encoded] of labelsOf(asset)) labels.set(label, encoded);
  const mixed: MixedLabel[] = [];
  // A label with hidden characters may have been typed in Punycode, so that the text shows none.
  const hidden = new Set(hiddenIn(text));
  for (const [label, encoded] of labels) {
    for (const point of hiddenIn(label)) hidden.add(point);
    const scripts = mixedScriptsOf(label);
    if (scripts.length > 0) mixed.push({ label, encoded, scripts });
  }
  return { mixed, hidden: [...hidden] };
}

/** The labels outside ASCII of the host of a link or a mailbox, in Unicode. A path or a sentence may mix scripts for good reasons. */
function labelsOf({ type, canonical }: Asset): readonly (readonly [label: string, encoded: string])[] {
  if (type !== 'URL' && type !== 'PAGE' && type !== 'EMAIL') return [];
  const [host = ''] = canonical.slice(type === 'EMAIL' ? canonical.lastIndexOf('@') + 1 : 0).split(/[/?:]/, 1);
  if (!host.includes('xn--')) return [];
  const labels = host.split('.').map((encoded) => [unicodeLabel(encoded), encoded] as const);
  return labels.filter(([label, encoded]) => label !== encoded);
}

/** Recommended scripts (UAX #31, table 5), and others whose letters resemble Latin ones. Every other script counts as one more. */
const scripts: readonly string[] = [
  ...['Latin', 'Greek', 'Cyrillic', 'Armenian', 'Georgian', 'Hebrew', 'Arabic', 'Thaana', 'Devanagari', 'Bengali', 'Gurmukhi'],
  ...['Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Thai', 'Lao', 'Tibetan', 'Myanmar', 'Khmer'],
  ...['Ethiopic', 'Han', 'Hiragana', 'Katakana', 'Bopomofo', 'Hangul', 'Cherokee', 'Coptic', 'Lisu', 'Canadian_Aboriginal'],
];

/**
 * The sets of scripts that one label may have at Unicode's level "highly restrictive" (UTS #39 §5.2): one script, or Latin with the scripts
 * of Japanese, of Chinese with Bopomofo, or of Korean.
 */
const together: readonly (readonly string[])[] = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
];

/** A character of several scripts, such as a mark, belongs to each of them; digits and hyphens belong to all. */
const ofScripts = (names: readonly string[]): string => names.map((name) => `\\p{Script_Extensions=${name}}`).join('');
const allOf = (names: readonly string[]): RegExp => new RegExp(`^[${ofScripts([...names, 'Common', 'Inherited'])}]*$`, 'u');

const allowed: readonly RegExp[] = [
  ...together.map(allOf),
  ...scripts.map((name) => allOf([name])),
  // One of the scripts that are not named here.
  new RegExp(`^[^${ofScripts(scripts)}]*$`, 'u'),
];

const letters: readonly (readonly [name: string, letter: RegExp])[] = [
  ...scripts.map((name) => [name.replace('_', ' '), new RegExp(`\\p{Script=${name}}`, 'u')] as const),
  ['another script', new RegExp(`[^${[...scripts, 'Common', 'Inherited'].map((name) => `\\p{Script=${name}}`).join('')}]`, 'u')],
];

/** The scripts of a label that mixes them; none for a label that may have them together. */
export function mixedScriptsOf(label: string): readonly string[] {
  if (allowed.some((pattern) => pattern.test(label))) return [];
  return letters.filter(([, letter]) => letter.test(label)).map(([name]) => name);
}

/**
 * Zero-width characters, direction marks, soft hyphens, variation selectors, tags and fillers: Unicode gives all of them the property
 * Default_Ignorable_Code_Point.
 */
const ignorable = /\p{Default_Ignorable_Code_Point}/u;

/** Scripts that write words with joiners. */
const joining = [
  ...['Arabic', 'Syriac', 'Mongolian', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada'],
  ...['Malayalam', 'Sinhala', 'Tibetan', 'Myanmar', 'Khmer'],
];

/**
 * What writing needs comes first, so that it is passed over: the flags of regions, emoji with selectors and joiners, keycaps, one joiner
 * after a letter of a script that has them, and variants of Mongolian and Han characters. No alternative repeats without a bound.
 */
const hiddenOrNeeded: RegExp = new RegExp(
  [
    '\\u{1f3f4}[\\u{e0020}-\\u{e007e}]{1,8}\\u{e007f}',
    '\\p{Extended_Pictographic}\\p{Emoji_Modifier}?[\\ufe0e\\ufe0f]?(?:\\u200d(?=\\p{Extended_Pictographic}))?',
    '[0-9#*]\\ufe0f\\u20e3',
    `[${ofScripts(joining)}][\\u200c\\u200d]`,
    '\\p{Script=Mongolian}[\\u180b-\\u180f]',
    '\\p{Script=Han}[\\ufe00-\\ufe02\\u{e0100}-\\u{e01ef}]',
    '(?<hidden>\\p{Default_Ignorable_Code_Point})',
  ].join('|'),
  'gu',
);

/** The characters of a text that cannot be seen, each once, as `U+202E`. */
export function hiddenIn(text: string): readonly string[] {
  // Nearly every text has none, and this is the faster question.
  if (!ignorable.test(text)) return [];
  const points = new Set<string>();
  for (const { groups } of text.matchAll(hiddenOrNeeded)) {
    const character = groups?.['hidden'];
    if (character !== undefined) points.add(`U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`);
  }
  return [...points];
}
