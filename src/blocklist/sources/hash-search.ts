import type { SignalLike } from '../../core/errors.js';
import type { Confirmation, ConfirmCall } from '../model/source.js';
import { endOfTurn, type SharedWork, shareWork } from './shared-work.js';

/** The answer about prefixes, with all of them. */
export interface FoundHashes extends Confirmation {
  readonly kinds: ReadonlyMap<Uint8Array, number>;
  readonly positiveMs: number;
  readonly negativeMs: number;
}

/** Counts no longer than any of the answers. */
export function joined(answers: readonly FoundHashes[]): FoundHashes {
  return {
    hashes: new Map(answers.flatMap(({ hashes }) => [...hashes])),
    kinds: new Map(answers.flatMap(({ kinds }) => [...kinds])),
    positiveMs: Math.min(...answers.map(({ positiveMs }) => positiveMs)),
    negativeMs: Math.min(...answers.map(({ negativeMs }) => negativeMs)),
  };
}

interface Batch extends SharedWork<FoundHashes> {
  readonly prefixes: number[];
}

/**
 * Asks once for a prefix that is in several lists: prefixes that come at the same time share requests, and nothing is asked again while
 * an answer is on its way.
 *
 * @param maxPrefixes Prefixes per call of `search`.
 */
export function createHashSearch(
  maxPrefixes: number,
  search: (prefixes: readonly number[], signal: SignalLike) => Promise<FoundHashes>,
): (prefixes: readonly number[], call: Pick<ConfirmCall, 'signal'>) => Promise<FoundHashes> {
  const running = new Map<number, Batch>();
  let open: Batch | null = null;

  async function searchAll(prefixes: readonly number[], signal: SignalLike): Promise<FoundHashes> {
    // Every list asks within the same turn.
    await endOfTurn(signal);
    if (open?.prefixes === prefixes) open = null;
    return search(prefixes, signal).finally(() => {
      for (const prefix of prefixes) if (running.get(prefix)?.prefixes === prefixes) running.delete(prefix);
    });
  }

  function newBatch(): Batch {
    const prefixes: number[] = [];
    return { ...shareWork((signal) => searchAll(prefixes, signal)), prefixes };
  }

  function batchFor(prefix: number): Batch {
    const known = running.get(prefix);
    if (known !== undefined && !known.isEnded()) return known;
    if (open === null || open.isEnded() || open.prefixes.length === maxPrefixes) open = newBatch();
    open.prefixes.push(prefix);
    running.set(prefix, open);
    return open;
  }

  return async (prefixes, { signal }) => {
    const batches = new Set(prefixes.map(batchFor));
    const found = joined(await Promise.all([...batches].map((batch) => batch.join(signal))));
    return { ...found, hashes: new Map(prefixes.map((prefix) => [prefix, found.hashes.get(prefix)!])) };
  };
}
