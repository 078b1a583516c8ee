import { type Abortable, PortcullisError, requireIterable } from '../errors.js';
import { entriesPerSlice } from '../limits.js';
import { abortable, type KindsOf, optional, readOptions } from '../options/read-options.js';
import { runInSlices, runNow, type Sliced } from '../slices.js';
import { AscendingSet } from './ascending-set.js';
import { EntryCollector } from './entries.js';
import { open } from './set-memory.js';

/** Options of long-running work. */
export interface WorkOptions {
  readonly signal?: Abortable | undefined;
}

export const workKinds = (): KindsOf<WorkOptions> => ({ signal: optional(abortable) });

/**
 * An immutable set of 4-byte hash prefixes. A lookup takes one step into an index and a short search.
 *
 * @example PrefixSet.from([prefixOf('evil.example')]).has(prefixOf('evil.example')) // true
 */
export class PrefixSet extends AscendingSet {
  /** Builds the set synchronously from entries in any order. A million take about 50 ms; `build` does not block for that long. */
  static from(entries: Iterable<number>): PrefixSet {
    return runNow(PrefixSet.collect(entries));
  }

  /** Builds the set in slices of a few milliseconds, so that a page or a server stays responsive. */
  static build(entries: Iterable<number>, options?: WorkOptions): Promise<PrefixSet> {
    return runInSlices(PrefixSet.collect(entries), readOptions('build', workKinds(), options).signal);
  }

  /**
   * Opens bytes that `toBytes` returned on this device, without a copy: they must not change afterwards.
   * Throws `INVALID_ARTIFACT` for any other bytes.
   */
  static fromBytes(bytes: Uint8Array): PrefixSet {
    return runNow(PrefixSet.opening(bytes));
  }

  /** @internal The same in slices. */
  static *opening(bytes: Uint8Array): Sliced<PrefixSet> {
    return new PrefixSet(yield* open(bytes, 4));
  }

  private static *collect(entries: Iterable<number>): Sliced<PrefixSet> {
    requireIterable(entries, 'entries');
    const collector = new EntryCollector(false);
    for (const entry of entries) {
      requirePrefix(entry);
      collector.add(entry, 0);
      if (collector.count % entriesPerSlice === 0) yield;
    }
    return yield* PrefixSet.ofAscending((yield* collector.finish()).high);
  }
}

function requirePrefix(entry: unknown): asserts entry is number {
  if (typeof entry !== 'number') throw new TypeError(`a prefix must be a number, not ${typeof entry}`);
  if (entry >>> 0 !== entry) {
    throw new PortcullisError('INVALID_INPUT', 'a prefix must be a whole number from 0 to 2^32 - 1');
  }
}
