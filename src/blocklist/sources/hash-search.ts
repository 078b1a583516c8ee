import { readU32 } from '../../core/bytes.js';
import type { SignalLike } from '../../core/errors.js';
import { unusable } from '../../core/http/http-api.js';
import type { Confirmation, ConfirmCall } from '../model/source.js';
import { endOfTurn, type SharedWork, shareWork } from './shared-work.js';

/** The answer about prefixes, with all of them. */
export interface FoundHashes extends Confirmation {
  readonly kinds: ReadonlyMap<Uint8Array, number>;
  readonly positiveMs: number;
  readonly negativeMs: number;
}

/** A hash of an answer. */
interface SaidHash {
  readonly hash: Uint8Array;
  /** What it is listed for; 0 if it is not enforced. */
  readonly kind: number;
  /** How long that counts, in milliseconds. */
  readonly countsMs: number | undefined;
}

/** How long an answer counts at most, whatever the clocks of the service and the device are. */
const maxCountsMs = 86_400_000;

/**
 * The one reading of answers about prefixes. What an answer says must come with the time for which it counts, which is what tells an answer
 * without hashes from the empty object or message of a faulty proxy.
 *
 * @param deniedMs How long it counts that nothing else with these prefixes is listed.
 * @throws PortcullisError `INVALID_RESPONSE`
 */
export function foundHashes(prefixes: readonly number[], said: readonly SaidHash[], deniedMs: number | undefined): FoundHashes {
  const hashes = new Map(prefixes.map((prefix): [number, Uint8Array[]] => [prefix, []]));
  const kinds = new Map<Uint8Array, number>();
  let positiveMs = maxCountsMs;
  for (const { hash, kind, countsMs } of said) {
    const group = hash.length === 32 ? hashes.get(readU32(hash, 0)) : undefined;
    if (group === undefined) throw unusable('has a hash that was not asked for');
    if (kind === 0) continue;
    positiveMs = Math.min(positiveMs, timed(countsMs));
    group.push(hash);
    kinds.set(hash, kind);
  }
  const isDenial = [...hashes.values()].some((group) => group.length === 0);
  return { hashes, kinds, positiveMs, negativeMs: Math.min(maxCountsMs, isDenial ? timed(deniedMs) : (deniedMs ?? 0)) };
}

function timed(countsMs: number | undefined): number {
  if (countsMs === undefined) throw unusable('does not say how long it counts');
  return countsMs;
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
