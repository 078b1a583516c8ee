import { type PortcullisError, wrapError } from '../../core/errors.js';
import { inTurn } from '../../core/in-turn.js';
import { runInSlices, type Sliced } from '../../core/slices.js';
import type { ConfirmCache, StoredAnswer } from '../ask/answers.js';
import { decodeAnswers, encodeAnswers, mergedAnswers } from '../ask/stored-answers.js';
import type { SavedList } from '../sync/saved.js';

/** The confirmed hits of one source, stored beside its list. */
export interface KeptConfirmations {
  /** Restores what is stored. */
  load(): Promise<void>;
  /** Stores an answer. Answers that come while a write runs are stored together by the next. */
  add(answer: StoredAnswer): void;
  /** Resolves when no read or write is running. */
  settled(): Promise<void>;
}

/**
 * Prefixes in the value that each hit rewrites, 6 kB. When it has more, they are moved to the value with all older ones. So a hit costs
 * the same however many are remembered.
 */
const maxNewest = 128;

/** Answers restored between two pauses: less than 5 ms of work, although it runs only once, at startup. */
const restoredPerSlice = 2_500;

export function createKeptConfirmations(
  saved: SavedList,
  cache: ConfirmCache,
  now: () => number,
  onError: (error: PortcullisError) => void,
): KeptConfirmations {
  /** What this process has learned since it last moved answers to the older ones. Another writer may overwrite a stored value. */
  let mine = new Map<number, StoredAnswer>();
  let willStore = false;
  const queue = inTurn();

  async function unlessFailed(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      onError(wrapError(cause, 'STORE_UNAVAILABLE', 'confirmed blocks could not be read or stored'));
    }
  }

  async function store(): Promise<void> {
    willStore = false;
    const nowMs = now();
    const newest = new Map<number, StoredAnswer>();
    for (const stored of decodeAnswers(await saved.readConfirmed())) {
      // Another writer has learned it.
      cache.restore(stored, nowMs);
      // Written with the present time, one of unknown age would count again.
      if (stored.hashes.length > 0 && cache.isOver(stored.atMs, nowMs)) continue;
      newest.set(stored.prefix, { ...stored, atMs: Math.min(stored.atMs, nowMs) });
      const known = mine.get(stored.prefix);
      // A time in the future comes from a wrong clock.
      if (known !== undefined && stored.atMs > known.atMs && stored.atMs <= nowMs) mine.delete(stored.prefix);
    }
    const learned = mine;
    for (const [prefix, answer] of learned) newest.set(prefix, answer);
    const { earlierMs, maxCount } = cache.times;
    const endedMs = nowMs - earlierMs;
    const payload = encodeAnswers(newest.values(), endedMs);
    if (newest.size <= maxNewest) return saved.writeConfirmed(payload);
    const merging = mergedAnswers(await saved.readConfirmed('older'), payload, endedMs, maxCount);
    await saved.writeConfirmed(await runInSlices(merging), 'older');
    await saved.writeConfirmed(encodeAnswers([]));
    // What came meanwhile is not stored yet.
    mine = new Map([...mine].filter(([prefix, answer]) => newest.get(prefix) !== answer));
  }

  function* restoring(newest: Uint8Array | null, older: Uint8Array | null): Sliced<void> {
    const nowMs = now();
    const replaced = new Set<number>();
    for (const stored of decodeAnswers(newest)) {
      cache.restore(stored, nowMs);
      replaced.add(stored.prefix);
    }
    let count = 0;
    for (const stored of decodeAnswers(older)) {
      if (!replaced.has(stored.prefix)) cache.restore(stored, nowMs);
      if (++count % restoredPerSlice === 0) yield;
    }
  }

  return {
    load: () =>
      unlessFailed(async () => {
        const [newest, older] = await Promise.all([saved.readConfirmed(), saved.readConfirmed('older')]);
        await runInSlices(restoring(newest, older));
      }),
    add(answer) {
      mine.set(answer.prefix, answer);
      // The next write has all that are added until then.
      if (!willStore) void queue(() => unlessFailed(store));
      willStore = true;
    },
    settled: () => queue(async () => {}),
  };
}
