import { readU32 } from '../../core/bytes.js';
import { hashOf } from '../../core/hashing/sha256.js';
import { EntryCollector } from '../../core/prefixes/entries.js';
import { HashSet } from '../../core/prefixes/hash-set.js';
import type { Sliced } from '../../core/slices.js';

/** Collects the first 8 bytes of hashes, in any order and with duplicates. */
export class HashCollector {
  private readonly entries = new EntryCollector(true);

  add(expression: string): void {
    this.addHash(hashOf(expression));
  }

  addHash(hash: Uint8Array): void {
    this.entries.add(readU32(hash, 0), readU32(hash, 4));
  }

  *finish(): Sliced<HashSet> {
    return yield* HashSet.ofAscending(yield* this.entries.finish());
  }
}
