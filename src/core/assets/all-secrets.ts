import type { Asset, Family } from './asset.js';
import { isOtherKey } from './other-keys.js';
import { isPhrase, label, marksBetween } from './phrase.js';
import { isPhraseWord } from './phrase-words.js';

/**
 * Reads no assets. It knows word lists, so that a sentence is not mistaken for a recovery phrase, and the key formats that `/core` leaves
 * out.
 */
export const secrets: Family = {
  claims: {},
  read: (): readonly Asset[] => [],
  isSecret: (text: string): boolean => isOtherKey(text) || (isPhrase(text) && !isSentence(text)) || holdsPhrase(text),
};

/** Whether a text shaped like a phrase cannot be one: its word count is wrong, or a word is on no list. */
function isSentence(text: string): boolean {
  const phrase = text.replace(label, '').toLowerCase();
  return phraseGapCounts.indexOf(marksBetween(phrase).length) < 0 || phrase.split(beyondLetters).some(isUnlisted);
}

/**
 * Gaps between the words of a phrase, one less than its words: 12, 15, 18, 21 or 24 in BIP-39, 13, 16 or 25 in Monero, 20 or 33 in
 * SLIP-39.
 */
const phraseGapCounts: readonly number[] = [11, 12, 14, 15, 17, 19, 20, 23, 24, 32];

const beyondLetters = /[^a-z\u00c0-\u1fff\u3040-\ufefe]+/;

function isUnlisted(word: string): boolean {
  return word !== '' && (unlistedWords.indexOf(` ${word} `) >= 0 || (eastAsian.test(word) && !listedEastAsian.test(word)));
}

/** The most frequent words of prose that have at least three letters and are on no list. */
export const unlistedWords: string =
  ' and are for from has its not the was with your das den der die ein für ist mit nicht und des est les par une los por que ' +
  'che della non não een het niet voor att för och dla jest nie bir için veya dan untuk yang jako для или как что это або що ';

const eastAsian = /[\u3040-\ud7a3]/;

/** Words in hiragana, Chinese characters on their own, and Korean words of two to four syllables. */
const listedEastAsian = /^(?:[\u3040-\u309f]{3,}|[\u3400-\u9fff]|[\uac00-\ud7a3]{2,4})$/;

/** Whether twelve consecutive words are on the English lists: a phrase with other words around it, or with uneven separators. */
function holdsPhrase(text: string): boolean {
  if (text.length > maxMessageLength) return false;
  let count = 0;
  for (const word of text.toLowerCase().split(beyondWords)) {
    count = isPhraseWord(word) ? count + 1 : 0;
    if (count === minPhraseWords) return true;
  }
  return false;
}

/** Keeps `_` and `=` as parts of words: such words are identifiers in code. */
const beyondWords = /[^a-z_=]+/;

/** Long enough for a phrase with a page of prose around it. */
const maxMessageLength = 4096;

const minPhraseWords = 12;
