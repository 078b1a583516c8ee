import { readU32 } from '../../bytes.js';
import { base58Alphabet, fromBase, regroup } from '../codecs/bases.js';
import { fromBech32 } from '../codecs/bech32.js';
import { crc32, endsWith } from './chain-bytes.js';
import type { Reader } from './family.js';

/**
 * Cardano since Shelley: bech32 without the 90-character limit. An attacker can combine someone else's payment part with another stake
 * key, but the whole address is the asset, because the payment part may be a script that many people share.
 */
export const readCardano: Reader = (word) => {
  if (word.length < 53 || word.length > 140) return null;
  const parts = shelleyPrefix.exec(word);
  const read = parts === null ? null : fromBech32(word);
  if (parts === null || read === null || read.isModified) return null;
  const bytes = regroup(read.digits, 5, 8);
  const isStake = parts[1]!.toLowerCase() === 'stake';
  return bytes !== null && isShelley(bytes, isStake, parts[2] === undefined) ? word.toLowerCase() : null;
};

const shelleyPrefix = /^(addr|stake)(_test)?1[^1]*$/i;

/** CIP-19: a header of type and network, then a payment part, a stake part or both, 28 bytes each. */
function isShelley(bytes: Uint8Array, isStake: boolean, isMain: boolean): boolean {
  const type = bytes[0]! >> 4;
  if ((bytes[0]! & 15) !== (isMain ? 1 : 0) || isStake !== type >= 14) return false;
  if (type < 4) return bytes.length === 57;
  if (type < 6) return isPointer(bytes.subarray(29));
  return bytes.length === 29 && (type < 8 || isStake);
}

/** Three variable-length numbers: every byte except the last has its high bit set. */
function isPointer(bytes: Uint8Array): boolean {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) if (bytes[at]! < 0x80) count++;
  return count === 3 && bytes.length <= 30 && bytes[bytes.length - 1]! < 0x80;
}

/** Byron, Cardano before Shelley: CBOR in base58, an array of a payload in a byte string tagged 24 and its CRC-32. */
export const readByron: Reader = (word) => {
  if (word.length < 51 || word.length > 150) return null;
  const bytes = fromBase(word, base58Alphabet);
  if (bytes === null || readU32(bytes, 0) !== 0x82d81858) return null;
  const end = 5 + bytes[4]!;
  const sum = crc32(bytes.subarray(5, end));
  // CBOR encodes a checksum below 65,536 in fewer bytes; about one address in 65,536 has one.
  const tail = sum > 0xffff ? [0x1a, sum >>> 24, (sum >> 16) & 255] : [0x19];
  tail.push((sum >> 8) & 255, sum & 255);
  return bytes.length === end + tail.length && endsWith(bytes, tail) ? word : null;
};
