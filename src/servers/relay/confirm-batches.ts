import type { Confirmed } from '../../blocklist/formats/confirm-answer.js';
import { globals } from '../../core/http/fetch.js';
import { defaultRetryMs, unavailable } from './relay-answers.js';
import type { Settings } from './relay-options.js';
import { graceMs } from './relay-versions.js';

/** Prefixes with a common `algoVersion` and list state. */
export interface Batched {
  readonly algoVersion: string | number;
  /** Of `Versions.state`. */
  readonly state: string;
  readonly prefixes: readonly number[];
}

interface Batch {
  readonly prefixes: number[];
  readonly work: Promise<Confirmed>;
  readonly startedMs: number;
}

/** The maximum number of pending batches, so that a slow service cannot pile up work here. */
const maxBatches = 32;

/** Longest time a batch accepts prefixes, in milliseconds. It is sent much sooner, unless a worker has cancelled its work. */
const openMs = 1_000;

/**
 * Collects prefixes that different clients ask for at the same time, and passes them to `load` together.
 *
 * @returns Adds prefixes to an open batch or opens one, and resolves with the hashes of the whole batch.
 */
export function createBatches(
  { timeoutMs, now }: Settings,
  batchSize: () => number,
  load: (batched: Batched) => Promise<Confirmed>,
): (added: Batched) => Promise<Confirmed> {
  const pending = new Set<Batch>();
  /** Batches that still accept prefixes, by the properties that their prefixes share. */
  const open = new Map<string, Batch>();

  const isYounger = ({ startedMs }: Batch, maxMs: number): boolean => Math.abs(now() - startedMs) < maxMs;

  return (added) => {
    const key = `${added.state} ${added.algoVersion}`;
    const found = open.get(key);
    if (found !== undefined && isYounger(found, openMs) && found.prefixes.length + added.prefixes.length <= batchSize()) {
      found.prefixes.push(...added.prefixes);
      return found.work;
    }
    for (const other of pending) if (!isYounger(other, timeoutMs + graceMs)) pending.delete(other);
    if (pending.size >= maxBatches) throw unavailable(defaultRetryMs);
    // The more batches are pending, the longer this one waits, so that a burst of clients needs few requests.
    const delayMs = pending.size;
    const prefixes = [...added.prefixes];
    const run = async (): Promise<Confirmed> => {
      await new Promise<void>((resolve) => globals.setTimeout(resolve, delayMs));
      if (open.get(key) === batch) open.delete(key);
      try {
        return await load({ ...added, prefixes });
      } finally {
        pending.delete(batch);
      }
    };
    const batch: Batch = { prefixes, work: run(), startedMs: now() };
    pending.add(batch);
    open.set(key, batch);
    return batch.work;
  };
}
