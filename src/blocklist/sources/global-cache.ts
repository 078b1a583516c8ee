import { digestOf } from '../../core/hashing/sha256.js';
import { invalidArtifact } from '../../core/prefixes/invalid.js';
import { PrefixSet } from '../../core/prefixes/prefix-set.js';
import type { Sliced } from '../../core/slices.js';
import { compareBytes, encodeShard, hashBytes, shardHeaderBytes } from '../formats/shards.js';
import { WholeHashes } from '../formats/whole-hashes.js';
import { decodeRiceEntries } from './rice-numbers.js';
import { type ListUpdate, removalsOf } from './sorted-list.js';
import type { ListForm } from './threat-list.js';

/** 32 MB of memory. The number that the service has is not known. */
const maxHashes = 1_048_576;

/** Hashes copied between two pauses: a few milliseconds of work. */
const hashesPerSlice = 4_096;

/** The hashes of a global cache, sorted, one after the other. */
type Hashes = Uint8Array;

/** A global cache: whole hashes, and no entry that a check could hit. */
export function globalCacheForm(): ListForm<Hashes> {
  // The same for all versions, so that a new one puts no answer in doubt.
  const entries = PrefixSet.from([]);
  return {
    empty: new Uint8Array(0),
    held: ({ common }) => (common === undefined ? null : listing(common.memoryBytes.subarray(shardHeaderBytes))),
    updated,
    sum: digestOf,
    rest: () => '',
    *part(hashes) {
      const bytes = encodeShard(0, 1, hashes.length / hashBytes, (place) => place.set(hashes));
      return { entries, common: yield* WholeHashes.opening(bytes) };
    },
  };
}

function listing(hashes: Hashes): () => Sliced<Hashes> {
  // biome-ignore lint/correctness/useYield: the same bytes
  return function* () {
    return hashes;
  };
}

/** @throws PortcullisError `INVALID_ARTIFACT` */
function* updated(list: Hashes, update: ListUpdate): Sliced<Hashes> {
  const before = update.isPartial ? list : list.subarray(0, 0);
  const removals = yield* removalsOf(update);
  const count = before.length / hashBytes;
  if (removals.length > 0 && removals[removals.length - 1]! >= count) {
    throw invalidArtifact('an update removes an entry that the list does not have');
  }
  const added = yield* addedBy(update);
  const left = count - removals.length + added.length / hashBytes;
  if (left > maxHashes) throw invalidArtifact('the global cache has too many entries');
  const after = new Uint8Array(left * hashBytes);
  let [end, removed, next] = [0, 0, 0];
  const put = (from: Hashes, at: number): void => {
    const hash = from.subarray(at, at + hashBytes);
    if (end > 0 && compareBytes(after.subarray(end - hashBytes, end), hash) >= 0)
      throw invalidArtifact('an update adds an entry that the list has');
    after.set(hash, end);
    end += hashBytes;
  };
  for (let place = 0; place < count; place++) {
    if (place % hashesPerSlice === 0) yield;
    if (removals[removed] === place) {
      removed++;
      continue;
    }
    const at = place * hashBytes;
    const hash = before.subarray(at, at + hashBytes);
    for (; next < added.length && compareBytes(added.subarray(next, next + hashBytes), hash) < 0; next += hashBytes)
      put(added, next);
    put(before, at);
  }
  for (; next < added.length; next += hashBytes) put(added, next);
  return after;
}

function* addedBy({ additions, raw }: ListUpdate): Sliced<Hashes> {
  const [group, ...more] = raw;
  if (additions !== null || more.length > 0) throw invalidArtifact('the global cache has entries that are not whole hashes');
  if (group === undefined) return new Uint8Array(0);
  if ('size' in group || group.first.length !== hashBytes)
    throw invalidArtifact('the global cache has entries that are not whole hashes');
  // Before they are decoded.
  if (group.count >= maxHashes) throw invalidArtifact('the global cache has too many entries');
  return yield* decodeRiceEntries(group);
}
