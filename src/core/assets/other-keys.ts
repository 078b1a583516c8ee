import { cleanText } from './clean.js';
import { withoutMarks } from './secrets.js';

/** Whether a text is a private key of a kind that small bundles leave out; `isKey` recognizes the others. */
export function isOtherKey(text: string): boolean {
  if (text.length < minKeyLength || text.length > maxKeyLength) return false;
  const key = withoutMarks(cleanText(text).bare);
  return xrpSeed.test(key) || keyInOneCase.test(key) || keyInBase58.test(key) || cardanoKey.test(key) || numbers.test(key);
}

/** The shortest is an XRP seed. */
const minKeyLength = 28;

/** The longest is 64 numbers, one per line with up to eight spaces before each. */
const maxKeyLength = 1024;

/** Unlike nearly every name of 29 characters, a seed mixes cases, and has a digit or two capital letters in a row. */
const xrpSeed = /^(?:sEd[^\W_0OIl]{28}|s[ahnps](?=.{27}$)(?=.*[a-z])(?=.*[A-Z])(?=.*(?:\d|[A-Z]{2}))[^\W_0OIl]{27})$/;

/** Bech32 keys, written in either case: Cardano (CIP-5), Zcash, silent payments, Namada and Penumbra. */
const keyInOneCase =
  /^(?:xprv1|(?:[a-z\d]+_){1,3}x?sk1|secret-[a-z-]{1,30}1|t?sp(?:spend|scan)1|zsknam1|penumbraspendkey1)[02-9ac-hj-np-z]{50,990}$/i;

/** Aleo, Massa and aeternity. */
const keyInBase58 = /^(?:APrivateKey1[^\W_0OIl]{40,60}|S1[^\W_0OIl]{46,52}|sk_[^\W_0OIl]{44,56})$/;

/**
 * The CBOR in a key file of Cardano: 32, 64 or 128 bytes after their length. Its public keys have the same form and are not an
 * asset.
 */
const cardanoKey = /cborHex[" :]{1,6}58|^58(?:20[\da-f]{64}|40[\da-f]{128}|80[\da-f]{256})$/i;

/** Bytes as numbers, as Solana's tools write a key: 32 or more. */
const numbers = /^ *(?:\d{1,3}, *){31,63}\d{1,3} *$/;
