import { regroup } from '../codecs/bases.js';
import { fromBech32, fromBech32Bytes, toBech32m } from '../codecs/bech32.js';
import { fromBase58Check } from './chain-bytes.js';
import type { Reader } from './family.js';

/**
 * Silent payments of Bitcoin (BIP-352): a version and two public keys, from which a sender derives a new output for each payment. Later
 * versions may carry more after the keys, and a sender of version 0 ignores it, so every version becomes version 0: otherwise anyone
 * could write the same keys in another way. Version 31 is reserved for a break.
 */
export const readSilentPayment: Reader = (word) => {
  if (word.length < minLength || word.length > maxLength || !form.test(word)) return null;
  const read = fromBech32(word);
  const version = read?.digits[0];
  const bytes = read === null ? null : regroup(read.digits.subarray(1), 5, 8);
  if (!read?.isModified || bytes === null || version === 31 || bytes.length < size || (version === 0 && bytes.length > size))
    return null;
  const keys = bytes.subarray(0, size);
  // An older address of Spark has the same prefix but no key here.
  return isKey(keys[0]) && isKey(keys[33]) ? toBech32m(read.prefix, keys, 0) : null;
};

const form = /^t?sp1[^1]*$/i;

/** Two compressed public keys. */
const size = 66;

function isKey(first: number | undefined): boolean {
  return first === 2 || first === 3;
}

/** The prefix `sp`, `1`, a version, 66 bytes in 106 letters, and the checksum. */
const minLength = 116;

/** The limit that BIP-352 recommends for later versions; an invoice of Spark is shorter. */
const maxLength = 1023;

/**
 * Spark, a layer of Bitcoin: a public key as the first field of a Protocol Buffers message. The fields after it make it an invoice, and are
 * dropped like the payment's number of Monero. The prefixes of 2025, `sp` and so on, became `spark`.
 */
export const readSpark: Reader = (word) => {
  const parts = word.length > maxLength ? null : sparkForm.exec(word);
  const read = parts === null ? null : fromBech32Bytes(word);
  if (parts === null || !read?.isModified || read.bytes.length < sparkSize || !startsWithKey(read.bytes)) return null;
  return toBech32m(`spark${parts[1] ?? ''}`.toLowerCase(), read.bytes.subarray(0, sparkSize));
};

const sparkForm = /^sp(?:ark)?([lst]|rt)?1p[^1]{60,}$/i;

/** Field 1, its length, and a compressed public key. */
const sparkSize = 35;

function startsWithKey(bytes: Uint8Array): boolean {
  return bytes[0] === 0x0a && bytes[1] === 33 && isKey(bytes[2]);
}

/** A reusable payment code of Bitcoin (BIP-47): base58check of `G`, as 0x47, and 80 bytes. */
export const readPaymentCode: Reader = (word) => (paymentCode.test(word) && fromBase58Check(word)?.length === 81 ? word : null);

const paymentCode = /^PM8T.{112}$/;
