import { regroup } from '../codecs/bases.js';
import { fromBech32 } from '../codecs/bech32.js';
import { joined, toBase58Check } from './chain-bytes.js';
import type { Reader } from './family.js';

/**
 * Bech32 after the chain's prefix: the Cosmos SDK and others with 20 or 32 bytes, and a few chains with other sizes. The prefix is part
 * of the asset, because one key has a different address on each chain.
 */
export const readCosmos: Reader = (word) => {
  if (word.length < 40 || word.length > maxLength || !form.test(word)) return null;
  const read = fromBech32(word);
  const bytes = read === null ? null : regroup(read.digits, 5, 8);
  if (read === null || bytes === null || otherUse.test(read.prefix)) return null;
  const shape = `${read.prefix}${read.isModified ? '~' : '-'}${bytes.length}`;
  if (!shapes.test(shape)) return null;
  // Zcash's `tex` address, which accepts only transparent senders, is another spelling of the transparent address.
  const version = /^tex(test)?~/.exec(shape);
  if (version === null) return word.toLowerCase();
  return toBase58Check(joined(version[1] === undefined ? [0x1c, 0xb8] : [0x1d, 0x25], bytes));
};

/** A unified address of Zcash has up to 213 characters; future receiver types can make it longer. */
const maxLength = 512;

/** A prefix and at least 38 letters, which encode 20 bytes and the checksum. */
const form = /^[a-z][a-z0-9]*1[02-9ac-hj-np-z]{38,}$/i;

/**
 * Accepted combinations of prefix, checksum (`-` is bech32, `~` bech32m) and number of bytes. Bech32: the Cosmos SDK, IOTA and Shimmer,
 * Zcash's Sapling. Bech32m: Chia, and Zcash's unified addresses, which have any size.
 */
const shapes = /^(?:.*-(?:20|32)|(?:iota|atoi|smr|rms)-33|z(?:s|testsapling)-43|t?xch~32|tex(?:test)?~20|[tz]?u(?:test)?~.*)$/;

/** Other uses of bech32: segregated witness, Cardano, keys of Nostr and age, invoices, tokens, public keys. */
const otherUse = /^(?:bc|tb|bcrt|t?ltc|rltc|addr|stake|asset|script|pool|n(?:pub|sec|profile|event|addr)|note|ln.*|age.*|.*pub)$/;
