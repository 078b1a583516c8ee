import { wordlist as czech } from '@scure/bip39/wordlists/czech.js';
import { wordlist as english } from '@scure/bip39/wordlists/english.js';
import { wordlist as french } from '@scure/bip39/wordlists/french.js';
import { wordlist as italian } from '@scure/bip39/wordlists/italian.js';
import { wordlist as japanese } from '@scure/bip39/wordlists/japanese.js';
import { wordlist as korean } from '@scure/bip39/wordlists/korean.js';
import { wordlist as portuguese } from '@scure/bip39/wordlists/portuguese.js';
import { wordlist as simplifiedChinese } from '@scure/bip39/wordlists/simplified-chinese.js';
import { wordlist as spanish } from '@scure/bip39/wordlists/spanish.js';
import { wordlist as traditionalChinese } from '@scure/bip39/wordlists/traditional-chinese.js';
import helper from 'slip39/src/slip39_helper.js';

/** The ten lists of BIP-39. */
export const bip39: Readonly<Record<string, readonly string[]>> = {
  english,
  czech,
  french,
  italian,
  japanese,
  korean,
  portuguese,
  simplifiedChinese,
  spanish,
  traditionalChinese,
};

/** The list of SLIP-39. */
export const slip39: readonly string[] = helper.WORD_LIST;

/** A published example of a Monero seed, of 25 words. */
export const moneroSeed: readonly string[] = (
  'lush bagpipe stacking mice imitate village gang efficient strained different together vain puck roped pancakes shocking liar ' +
  'moisture memoir sorry syndrome kettle swept dehydrate strained'
).split(' ');
