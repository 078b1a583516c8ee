import { readU32 } from '../../bytes.js';
import { base58Alphabet, fromBase, regroup } from '../codecs/bases.js';
import { fromBech32, fromBech32Bytes } from '../codecs/bech32.js';
import { toCashAddress } from './bitcoin-cash.js';
import { crc32, endsWith, fromBase58Check, joined, toBase58Check } from './chain-bytes.js';
import type { Reader } from './family.js';

/**
 * Bitcoin and the many chains that use its base58check: one version byte (two for Zcash) for the chain and for key or script, then 20
 * bytes. Addresses of every such chain are read, because no other text has this length and this checksum. Litecoin's first script
 * addresses share Bitcoin's version byte, and Bitcoin Cash and eCash share all of them, so for these a hint decides.
 */
export const readBase58Account: Reader = (word, { chain }) => {
  if (word.length < 26 || word.length > 35) return null;
  const payload = fromBase58Check(word);
  if (payload?.length === 22) return word;
  if (payload?.length !== 21) return null;
  const version = payload[0]!;
  if (chain === 'bitcoin-cash' || chain === 'ecash') return toCashAddress(version, payload.subarray(1), chain) ?? word;
  return chain === 'litecoin' && version === bitcoinScript ? toBase58Check(joined([litecoinScript], payload.subarray(1))) : word;
};

const bitcoinScript = 0x05;
const litecoinScript = 0x32;

/**
 * Segregated witness (BIP-173, BIP-350): a version and a program of 2 to 40 bytes. Version 0 uses bech32 and 20 or 32 bytes; later
 * versions use bech32m, because bech32 does not detect some inserted letters.
 */
export const readSegwit: Reader = (word) => {
  if (word.length < 14 || word.length > 90 || !segwitForm.test(word)) return null;
  const read = fromBech32(word);
  if (read === null || read.digits.length === 0) return null;
  const version = read.digits[0]!;
  const size = regroup(read.digits.subarray(1), 5, 8)?.length ?? 0;
  if (read.isModified !== version > 0 || version > 16) return null;
  return (version === 0 ? size === 20 || size === 32 : size >= 2 && size <= 40) ? word.toLowerCase() : null;
};

/** Bitcoin and Litecoin with their test and regtest networks, and the relatives that SLIP-173 or their own parameters register. */
const segwitForm =
  /^(?:bc|tb|bcrt|t?ltc|rltc|dgbt?|t?(?:grs|vtc|btg|mona|sys|via)|[tx]pc|nc|tn|hs|ts|bcd|lcc|ccx|bm|pkt|qc)1[^1]*$/i;

/**
 * Bech32 after the chain's prefix: the Cosmos SDK and others with 20 or 32 bytes, and a few chains with other sizes. The prefix is part
 * of the asset, because one key has a different address on each chain.
 */
export const readCosmos: Reader = (text) => {
  const word = text.replace(avalanche, '');
  if (word.length < 40 || word.length > maxLength || !form.test(word)) return null;
  const read = fromBech32Bytes(word);
  if (read === null || otherUse.test(read.prefix)) return null;
  const { bytes } = read;
  const shape = `${read.prefix}${read.isModified ? '~' : '-'}${bytes.length}`;
  if (!shapes.test(shape)) return null;
  // Zcash's `tex` address, which accepts only transparent senders, is another spelling of the transparent address.
  const version = /^tex(test)?~/.exec(shape);
  if (version === null) return word.toLowerCase();
  return toBase58Check(joined(version[1] === undefined ? [0x1c, 0xb8] : [0x1d, 0x25], bytes));
};

/** Avalanche's platform and exchange chains, before an account that all of its chains share. */
const avalanche = /^[CPX]-/;

/** A unified address of Zcash has up to 213 characters; future receiver types can make it longer. */
const maxLength = 512;

/** A prefix and at least 38 letters, which encode 20 bytes and the checksum. */
const form = /^[a-z][a-z0-9_]*1[02-9ac-hj-np-z]{38,}$/i;

/**
 * Accepted combinations of prefix, checksum (`-` is bech32, `~` bech32m) and number of bytes. Bech32: the Cosmos SDK, IOTA and Shimmer,
 * Oasis, Zcash's Sapling, and Penumbra's form for other chains. Bech32m: Chia, Zcash's unified addresses, which have any size, Aleo, Namada,
 * Penumbra, Radix with the kind of the account and the network in its prefix, and payment codes of Bitcoin (BIP-351).
 */
const shapes =
  /^(?:[^_]*-(?:20|32)|(?:iota|atoi|smr|rms)-33|oasis-21|z(?:s|testsapling)-43|penumbracompat1-80|t?xch~32|tex(?:test)?~20|[tz]?u(?:test)?~.*|aleo~32|tnam~21|znam~43|penumbra~80|[a-z_]+_(?:rdx|sim|tdx_[a-z\d]+_)~30|payt?~35)$/;

/** Other uses of bech32: segregated witness, Cardano, keys of Nostr and age, invoices, tokens, public keys. */
const otherUse = /^(?:bc|tb|bcrt|t?ltc|rltc|addr|stake|asset|script|pool|n(?:pub|sec|profile|event|addr)|note|ln.*|age.*|.*pub)$/;

/**
 * Cardano since Shelley: bech32 without the 90-character limit. An attacker can combine someone else's payment part with another stake
 * key, but the whole address is the asset, because the payment part may be a script that many people share.
 */
export const readCardano: Reader = (word) => {
  if (word.length < 53 || word.length > 140) return null;
  const parts = shelleyPrefix.exec(word);
  const read = parts === null ? null : fromBech32Bytes(word);
  if (parts === null || read === null || read.isModified) return null;
  const isStake = parts[1]!.toLowerCase() === 'stake';
  return isShelley(read.bytes, isStake, parts[2] === undefined) ? word.toLowerCase() : null;
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
