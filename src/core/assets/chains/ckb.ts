import { base16Alphabet, fromBits } from '../codecs/bases.js';
import { fromBech32Bytes, toBech32m } from '../codecs/bech32.js';
import { joined } from './chain-bytes.js';
import type { Reader } from './family.js';

/**
 * CKB of Nervos (RFC 21): the script that locks a cell, which is the hash of its code, how that hash is meant, and arguments. Addresses
 * of the formats before 2021 are spellings of the same script and become the one in use.
 */
export const readCkb: Reader = (word) => {
  const read = word.length < minLength || word.length > maxLength || !form.test(word) ? null : fromBech32Bytes(word);
  if (read === null) return null;
  const { bytes, prefix } = read;
  const kind = bytes[0]!;
  if (read.isModified) return kind === full && bytes.length >= minFullSize ? word.toLowerCase() : null;
  if (kind === short) {
    const code = codeOf(bytes[1]!, prefix);
    return bytes.length === shortSize && code !== null ? toBech32m(prefix, joined([full], code, [1], bytes.subarray(2))) : null;
  }
  if ((kind !== dataHash && kind !== typeHash) || bytes.length < minFullSize - 1) return null;
  return toBech32m(prefix, joined([full], bytes.subarray(1, 33), [kind === typeHash ? 1 : 0], bytes.subarray(33)));
};

const form = /^ck[bt]1[^1]*$/i;

/** A short address: `ckb1`, 22 bytes in 36 letters, and the checksum. */
const minLength = 46;

/** What wallets of CKB accept; arguments may have any length. */
const maxLength = 1023;

/** The first byte. In the last two, which are deprecated like `short`, it says how the hash of the code is meant. */
const full = 0;
const short = 1;
const dataHash = 2;
const typeHash = 4;

/** The first byte, the hash of the code, and a byte that says how it is meant. */
const minFullSize = 34;

/** The first byte, the number of the code, 20 bytes of arguments. */
const shortSize = 22;

/** The hash of the code with this number, which is always that of a type. */
function codeOf(number: number, prefix: string): Uint8Array | null {
  const codes = sharedCodes + (prefix === 'ckb' ? mainCode : testCode);
  const code = codes.slice(64 * number, 64 * number + 64);
  return code === '' ? null : fromBits(code, base16Alphabet, 4);
}

/** RFC 21 with the hashes of RFC 24: a key, several keys, and a key that anyone can pay, which has another hash in the test network. */
const sharedCodes =
  '9BD7E06F3ECF4BE0F2FCD2188B23F1B9FCC88E5D4B65A8637B17723BBDA3CCE8' +
  '5C5069EB0857EFC65E1BCA0C07DF34C31663B3622FD3876C876320FC9634E2A8';
const mainCode = 'D369597FF47F29FBC0D47D2E3775370D1250B85140C670E4718AF712983A2354';
const testCode = '3419A1C09EB2567F6552EE7A8ECFFD64155CFFE0F1796E6E61EC088D740C1356';
