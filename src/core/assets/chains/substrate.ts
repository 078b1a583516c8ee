import { base58Alphabet, fromBase, toBase } from '../codecs/bases.js';
import { endsWith, joined } from './chain-bytes.js';
import type { Reader } from './family.js';
import { blake2bHead } from './wide.js';

/**
 * SS58 of Polkadot and every other Substrate chain: one or two bytes for the network, 32 for the account, two for the checksum. One key
 * is the same account on every network, and wallets let users switch the network, so the canonical form uses 42, the generic network.
 */
export const readSubstrate: Reader = (word) => {
  if (word.length < 35 || word.length > 50) return null;
  const bytes = fromBase(word, base58Alphabet);
  if (bytes === null) return null;
  const network = bytes[0]!;
  // Bit 6 marks a two-byte network id; 46 and 47 are reserved.
  const size = network < 64 ? 1 : 2;
  if (bytes.length !== size + 34 || network > 127 || network === 46 || network === 47) return null;
  const body = bytes.subarray(0, -2);
  if (!endsWith(bytes, checksum(body))) return null;
  return network === general ? word : encode(body.subarray(size));
};

const general = 42;

function encode(account: Uint8Array): string {
  const body = joined([general], account);
  return toBase(joined(body, checksum(body)), base58Alphabet);
}

function checksum(body: Uint8Array): Uint8Array {
  return blake2bHead(joined(seed, body), 64, 2);
}

/** `SS58PRE` */
const seed: readonly number[] = [0x53, 0x53, 0x35, 0x38, 0x50, 0x52, 0x45];
