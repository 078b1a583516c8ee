import { base58Alphabet, fromBase, toBase } from '../codecs/bases.js';
import { endsWith, joined } from './chain-bytes.js';
import type { Reader } from './family.js';
import { keccakHead } from './wide.js';

/**
 * Monero: a byte for network and kind, two keys, a checksum. An integrated address is an account and a payment id; the id is dropped.
 */
export const readMonero: Reader = (word) => {
  if (word.length !== 95 && word.length !== 106) return null;
  const bytes = fromBlocks(word);
  if (bytes === null || !endsWith(bytes, keccakHead(bytes.subarray(0, -4)))) return null;
  const kind = bytes[0]!;
  if (word.length === 95) return accounts.includes(kind) ? word : null;
  return integrated.includes(kind) ? encode(joined([kind - 1], bytes.subarray(1, 65))) : null;
};

/**
 * Network bytes of accounts and subaddresses on mainnet, testnet and stagenet. An integrated address has the byte of the account plus
 * one.
 */
const accounts: readonly number[] = [18, 42, 53, 63, 24, 36];
const integrated: readonly number[] = [19, 54, 25];

/** Base58 in blocks of eight bytes and eleven letters; the last block here has five bytes and seven letters. */
function fromBlocks(word: string): Uint8Array | null {
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < word.length; at += 11) {
    const bytes = fromBase(word.slice(at, at + 11), base58Alphabet);
    if (bytes === null) return null;
    // Rejects a number that is too large for its block: the extra leading bytes must be zero.
    const extra = bytes.length - (at + 11 > word.length ? 5 : 8);
    if (bytes.subarray(0, extra).some((byte) => byte > 0)) return null;
    blocks.push(bytes.subarray(extra));
  }
  return joined(...blocks);
}

function encode(body: Uint8Array): string {
  const bytes = joined(body, keccakHead(body));
  let word = '';
  for (let at = 0; at < bytes.length; at += 8) {
    const block = bytes.subarray(at, at + 8);
    word += toBase(block, base58Alphabet).padStart(block.length < 8 ? 7 : 11, '1');
  }
  return word;
}
