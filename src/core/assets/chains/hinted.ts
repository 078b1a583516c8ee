import { base64UrlAlphabet, fromBits } from '../codecs/bases.js';
import type { Reader } from './family.js';

/** Accounts that look like any word, so they are read only with a hint. None has a checksum. */

/**
 * EOS, Telos and WAX: names of up to twelve letters, read only as the last word. The canonical form includes the chain, because the same
 * name is a different account on each of them and on NEAR.
 */
export const readAntelope: Reader = (word, { chain, rest }) =>
  (chain === 'eos' || chain === 'telos' || chain === 'wax') && rest === word && antelopeName.test(word)
    ? `${chain}:${word}`
    : null;

const antelopeName = /^[a-z1-5](?:[a-z1-5.]{0,10}[a-z1-5])?$/;

/** Arweave: 32 bytes in base64url, a form that secrets share. */
export const readArweave: Reader = (word, { chain }) =>
  chain === 'arweave' && word.length === 43 && fromBits(word, base64UrlAlphabet, 6) !== null ? word : null;

/** Flow: eight bytes in hex. */
export const readFlow: Reader = (word, { chain }) =>
  chain === 'flow' && flowAccount.test(word) ? `0x${word.slice(-16).toLowerCase()}` : null;

const flowAccount = /^(?:0x)?[\da-f]{16}$/i;
