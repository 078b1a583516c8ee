import { regroup } from '../codecs/bases.js';
import { fromBech32 } from '../codecs/bech32.js';
import { toCashAddress } from './bitcoin-cash.js';
import { fromBase58Check, joined, toBase58Check } from './chain-bytes.js';
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

/** Bitcoin and Litecoin, their test networks and their regtest networks. */
const segwitForm = /^(?:bc|tb|bcrt|t?ltc|rltc)1[^1]*$/i;
