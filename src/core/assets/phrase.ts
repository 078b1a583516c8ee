/**
 * Recognizes recovery phrases by their form alone; the family `secrets` also knows words (docs/decisions/0028-phrases.md).
 * docs/algorithm.md §7 has the rules.
 */

/** Fits 33 words, numbered and generously spaced; a longer text is prose and is not split into words. */
const maxPhraseLength = 1024;

/** Whitespace between words, or a comma of any script. */
const separator = /\S\s+\S|[,\u3001\uff0c]/;

/**
 * ASCII letters, and everything from U+00C0 on except punctuation: a table of the letters of every script is not worth its size.
 */
const word = /[A-Za-z\u00c0-\u1fff\u3040-\ufefe]+/;

/**
 * Whether a text that is not a link has the form of a recovery phrase: twelve words or more, the same separators between them, and no
 * word of one or two letters, which is on no list. Takes the text before cleaning, because line ends separate words.
 */
export function isPhrase(text: string): boolean {
  const phrase = text.replace(label, '');
  const marks = marksBetween(phrase);
  return marks.length > 10 && marks.every((mark) => mark === marks[0]) && !shortWord.test(phrase);
}

/** A word of one or two letters in a European script. */
const shortWord = /(?:^|[^A-Za-z\u00c0-\u04ff])[A-Za-z\u00c0-\u04ff]{1,2}(?![A-Za-z\u00c0-\u04ff])/;

/**
 * Whether hashing a text could reveal a phrase: it has at least twelve words of any kind. Used where refusing a sentence costs nothing,
 * because no list can hold one.
 */
export function mayBePhrase(text: string): boolean {
  return marksBetween(text).length > 10;
}

/**
 * Whether a text is a phrase written one word per line after `1.` to `12.`, which reads as a host with dots once line ends are
 * removed. It may contain no character that only links have, so that no link can be disguised as a phrase.
 */
export function isNumberedPhrase(text: string): boolean {
  return !linkAlone.test(text) && mayBePhrase(text);
}

/** A backslash counts unless JSON has it: `\n`. */
const linkAlone = /[/?#@:]|\\(?![nrt\\]|u[\da-f]{4})/i;

const numbersAndSpaces = /[\d\s]+/g;

/** The separators between the words of a text, with digits and spaces as one space; nothing if the text cannot be a phrase. */
export function marksBetween(text: string): string[] {
  if (text.length > maxPhraseLength || !separator.test(text)) return [];
  return text.replace(numbersAndSpaces, ' ').split(word).slice(1, -1);
}

/** A label in front of a phrase: `my seed:`, or the name of a field. */
export const label: RegExp = /^[^\d\n:]{1,40}:/;
