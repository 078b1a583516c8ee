/**
 * Shapes of private keys and recovery phrases. What matches is refused before anything is hashed: not even four bytes of its
 * hash may leave the device. Shapes only, no checksum: a mistyped key is nearly a key. Listed in docs/algorithm.md §7.
 */

/**
 * Whether a cleaned text is a private key. `hinted`: the caller named a chain, and 64 hex digits are an account on some of them.
 * The shortest key is 51 characters: the first line spares most texts the expressions below.
 */
export function isKey(text: string, hinted: boolean): boolean {
  if (text.length < 51 || text.length > maxKeyLength) return false;
  const key = text.replace(uriScheme, '').replace(marksBefore, '').replace(marksBehind, '');
  if (key.indexOf('.') >= 0) return false;
  return keyInOneCase.test(key) || keyInBase58.test(key) || (!hinted && hexKey.test(key));
}

/** Quotes, brackets and what ends a sentence or a link, which come along when a key is copied. */
const marksBefore = /^["'`<([{/]+/;
const marksBehind = /["'`>)\]}.,;:!?/#]{1,8}$/;

/** An extended key of 112 characters with a scheme before it; no shape is longer, and nothing longer is tried. */
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
    // BIP-38 encrypted key.
    // A small letter: without one it may be an account of Algorand.
    `6P(?=[^a-z]*[a-z])${digit}{56}`,
    // Solana key pair, 64 bytes. A transaction signature looks the same and is no asset either.
    `${digit}{86,88}`,
    // Tezos.
    `edsk(?:${digit}{50}|${digit}{94})`,
    // Stellar seed, in base32.
    'S[A-Z2-7]{55}',
  ].join('|')})$`,
);

/** Twelve words of one character, as in the Chinese list, and the spaces between them. */
const minPhraseLength = 23;

/** 24 words of nine letters, numbered and generously spaced; more is prose, and need not be cut into words. */
const maxPhraseLength = 1024;

const phraseWordCounts: ReadonlySet<number> = new Set([12, 15, 18, 21, 24]);

/**
 * Whether a text as the caller gave it (line ends separate words) is a recovery phrase: so many words of letters, in any script,
 * however they are spaced, numbered, quoted or separated by commas. Only for what is no link: a host can have twelve labels.
 */
export function isPhrase(text: string): boolean {
  if (text.length < minPhraseLength || text.length > maxPhraseLength || !separator.test(text)) return false;
  const phrase = text.trim().replace(uriScheme, '');
  if (!separator.test(phrase)) return false;
  const words = phrase.split(separators).filter((word) => word !== '' && !/^\d{1,2}$/.test(word));
  return phraseWordCounts.has(words.length) && words.every((word) => isWord.test(word));
}

/**
 * A phrase whose words, written one a line behind `1.` to `12.`, become a host with dots when the line ends are taken away. Nothing in
 * it may belong to a link alone, so that no link can be written to pass for a phrase.
 */
export function isNumberedPhrase(text: string): boolean {
  return !linkAlone.test(text) && isPhrase(text);
}

const linkAlone = /[/?#@:]/;

/** White space, and the commas of any script. */
const separator = /[\s,\u3001\uff0c]/;

/** All of ASCII but letters and digits, Latin-1's signs, and the punctuation of other scripts. */
const separators = /[\0-/:-@[-`{-\u00bf\u1680\u2000-\u206f\u3000-\u3003\ufeff\uff0c\uff61\uff64]+/;

/** ASCII letters and whatever lies above them: a table of the scripts' letters would weigh more than it refuses. */
const isWord = /^[A-Za-z\u00c0-\uffff]{1,20}$/;
