import { digitsOf, regroup } from '../codecs/bases.js';
import { bech32Alphabet, fromBech32, toBech32 } from '../codecs/bech32.js';
import { type Generators, polymod } from '../codecs/polymod.js';
import { fromBase58Check, joined, toBase58Check } from './chain-bytes.js';
import type { Reader } from './family.js';

/**
 * Liquid and other chains of Elements. An address is a script like Bitcoin's. A confidential address adds a public key, which hides the
 * amount but does not change who receives it, so the key is dropped: its owner could add any key to the same script.
 */
export const readLiquid: Reader = (word) => {
  const parts = form.exec(word);
  if (parts === null) return fromBlindedBase58(word);
  const prefix = parts[1]!.toLowerCase();
  const plain = plainPrefixes[prefix];
  const read = plain === undefined ? fromBech32(word) : fromBlech32(word, prefix);
  const bytes = read === null ? null : regroup(read.digits.subarray(1), 5, 8);
  if (read === null || bytes === null || (plain !== undefined && !isPublicKey(bytes))) return null;
  const version = read.digits[0]!;
  const program = plain === undefined ? bytes : bytes.subarray(keySize);
  // Zcash's `tex` addresses would be programs of 19 bytes, so no size but these is read.
  const isProgram = program.length === 32 || (version === 0 && program.length === 20);
  if (!isProgram || version > 16 || read.isModified !== version > 0) return null;
  return toBech32(plain ?? prefix, joined([version], regroup(program, 8, 5)!), version > 0);
};

/** The main network, the test network and regtest: prefixes with a key, and without one. */
const form = /^(t?lq|el|t?ex|ert)1[^1]{38,120}$/i;

/** The prefix of the same script without a key. */
const plainPrefixes: Readonly<Record<string, string>> = { lq: 'ex', tlq: 'tex', el: 'ert' };

const keySize = 33;

function isPublicKey(bytes: Uint8Array): boolean {
  return bytes[0] === 2 || bytes[0] === 3;
}

/** Base58check of a byte for "confidential", the version of the address, a key, and the hash. */
function fromBlindedBase58(word: string): string | null {
  const payload = blinded.test(word) ? fromBase58Check(word) : null;
  if (payload?.length !== 55 || !isPublicKey(payload.subarray(2))) return null;
  const isKnown = versions.includes((payload[0]! << 8) | payload[1]!);
  return isKnown ? toBase58Check(joined([payload[1]!], payload.subarray(2 + keySize))) : null;
}

/** The first letters that the versions below lead to; 59 bytes in 80 letters. */
const blinded = /^(?:VTp|VTq|VJL|vtS|vj[TU]|CTE|Azp).{77}$/;

/** The two bytes of keys and of scripts in the parameters of each network. */
const versions: readonly number[] = [0x0c39, 0x0c27, 0x1724, 0x1713, 0x04eb, 0x044b];

/** Blech32: bech32 with a checksum of twelve digits, and blech32m with another constant, as Elements defines them. */
function fromBlech32(word: string, prefix: string): { readonly digits: Uint8Array; readonly isModified: boolean } | null {
  const lower = word.toLowerCase();
  if (word !== lower && word !== word.toUpperCase()) return null;
  const digits = digitsOf(lower.slice(prefix.length + 1), bech32Alphabet);
  if (digits === null) return null;
  const letters = Array.from(prefix, (letter) => letter.charCodeAt(0));
  const [high, low] = polymod(
    joined(
      letters.map((code) => code >> 5),
      [0],
      letters.map((code) => code & 31),
      digits,
    ),
    generators,
  );
  const isModified = high === modifiedHigh && low === modifiedLow;
  return isModified || (high === 0 && low === 1) ? { digits: digits.subarray(0, -checksumLength), isModified } : null;
}

const checksumLength = 12;

/** The two halves of 0x455972a3350f7a1. */
const modifiedHigh = 0x11565ca8;
const modifiedLow = 0x3350f7a1;

/** The halves of 0x7d52fba40bd886 and so on. */
const generators: Generators = {
  bits: 30,
  high: [0x1f54bee, 0x17a36fc, 0x70e8f1, 0xe175cb, 0x1c24f96],
  low: [0x240bd886, 0x1a03950c, 0x34072a18, 0x3a0e5139, 0x2608865b],
};
