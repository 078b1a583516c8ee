/**
 * Shapes of private keys and recovery phrases, listed in docs/algorithm.md §7. A match is refused before anything is hashed: not even
 * four bytes of its hash may leave the device. Checksums are ignored, because a mistyped key reveals nearly as much as the key.
 */

/**
 * Whether a cleaned text is a private key. `hinted`: the caller named a chain, and 64 hex digits are an account on some of them.
 * The shortest key has 51 characters, so the first line rejects most texts without a regular expression.
 */
export function isKey(text: string, hinted: boolean): boolean {
  if (text.length < 51 || text.length > maxKeyLength) return false;
  const key = text.replace(uriScheme, '').replace(marksBefore, '').replace(marksBehind, '');
  if (key.indexOf('.') >= 0) return false;
  return keyInOneCase.test(key) || keyInBase58.test(key) || (!hinted && hexKey.test(key));
}

/** Quotes, brackets and punctuation that is copied along with a key. */
const marksBefore = /^["'`<([{/]+/;
const marksBehind = /["'`>)\]}.,;:!?/#]{1,8}$/;

/** The longest shape is an extended key of 112 characters after a scheme. */
const maxKeyLength = 160;

const uriScheme = /^[a-z][a-z0-9+-]{1,20}:(?:\/\/)?/i;

const hexKey = /^[0-9a-f]{64}$/i;

/** Bech32 keys, written in either case: Nostr, Sui, age. */
const keyInOneCase = /^(?:nsec1|suiprivkey1|age-secret-key-1)[02-9ac-hj-np-z]{50,80}$/i;

const digit = '[1-9A-HJ-NP-Za-km-z]';

const keyInBase58: RegExp = new RegExp(
  `^(?:${[
    // WIF of Bitcoin and its relatives: 51 characters for an uncompressed key, 52 for a compressed one. No address is as long.
    `[5679]${digit}{50}`,
    `[KLTQXc]${digit}{51}`,
    // BIP-32 and SLIP-132 extended private keys.
    `[tuvxyzUVYZ]prv${digit}{107,108}`,
    // BIP-38 encrypted key. It has a lower-case letter; without one it may be an Algorand account.
    `6P(?=[^a-z]*[a-z])${digit}{56}`,
    // Solana key pair, 64 bytes. A transaction signature has the same form and is not an asset either.
    `${digit}{86,88}`,
    // Tezos.
    `edsk(?:${digit}{50}|${digit}{94})`,
    // Stellar seed, in base32.
    'S[A-Z2-7]{55}',
  ].join('|')})$`,
);

/** Twelve words of one character, as in the Chinese word list, with spaces between them. */
const minPhraseLength = 23;

/** 24 words of nine letters, numbered and generously spaced; a longer text is prose and is not split into words. */
const maxPhraseLength = 1024;

const phraseWordCounts: ReadonlySet<number> = new Set([12, 15, 18, 21, 24]);

/**
 * Whether a text is a recovery phrase: one of five counts of words of letters, in any script, whether they are spaced, numbered, quoted
 * or separated by commas. Takes the text before cleaning, because line ends separate words, and only if it is not a link: a host can
 * have twelve labels.
 */
export function isPhrase(text: string): boolean {
  if (text.length < minPhraseLength || text.length > maxPhraseLength || !separator.test(text)) return false;
  const phrase = text.trim().replace(uriScheme, '');
  if (!separator.test(phrase)) return false;
  const words = phrase.split(separators).filter((word) => word !== '' && !/^\d{1,2}$/.test(word));
  return phraseWordCounts.has(words.length) && words.every((word) => isWord.test(word));
}

/**
 * Whether a text is a phrase written one word per line after `1.` to `12.`, which reads as a host with dots once line ends are removed.
 * It may contain no character that only links have, so that no link can be disguised as a phrase.
 */
export function isNumberedPhrase(text: string): boolean {
  return !linkAlone.test(text) && isPhrase(text);
}

const linkAlone = /[/?#@:]/;

/** Whitespace, and the commas of any script. */
const separator = /[\s,\u3001\uff0c]/;

/** ASCII except letters and digits, the signs of Latin-1, and the punctuation of other scripts. */
const separators = /[\0-/:-@[-`{-\u00bf\u1680\u2000-\u206f\u3000-\u3003\ufeff\uff0c\uff61\uff64]+/;

/** ASCII letters and anything from U+00C0 on: a table of the letters of every script is not worth its size. */
const isWord = /^[A-Za-z\u00c0-\uffff]{1,20}$/;
