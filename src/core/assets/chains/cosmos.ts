import { regroup } from '../codecs/bases.js';
import { fromBech32 } from '../codecs/bech32.js';
import type { Reader } from './family.js';

/**
 * Cosmos SDK chains, and others with the same form: 20 or 32 bytes in bech32 after the chain's prefix. The prefix is part of the
 * asset, because one key has a different address on each chain.
 */
export const readCosmos: Reader = (word) => {
  if (word.length < 40 || word.length > 90 || !form.test(word)) return null;
  const read = fromBech32(word);
  if (read === null || read.isModified || otherUse.test(read.prefix)) return null;
  const size = regroup(read.digits, 5, 8)?.length;
  return size === 20 || size === 32 ? word.toLowerCase() : null;
};

/** A prefix and at least the 38 letters of 20 bytes. */
const form = /^[a-z][a-z0-9]*1[02-9ac-hj-np-z]{38,}$/i;

/** Other uses of bech32: segregated witness, Cardano, keys of Nostr and age, invoices, tokens, public keys. */
const otherUse = /^(?:bc|tb|bcrt|t?ltc|rltc|addr|stake|asset|script|pool|n(?:pub|sec|profile|event|addr)|note|ln.*|age.*|.*pub)$/;
