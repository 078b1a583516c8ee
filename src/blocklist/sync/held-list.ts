import { PortcullisError, wrapError } from '../../core/errors.js';
import { bounded } from '../../core/http/bounded.js';
import { inTurn } from '../../core/in-turn.js';
import { AscendingSet } from '../../core/prefixes/ascending-set.js';
import { coversAmong, type EntrySet, type Generation } from '../model/generation.js';
import { laterOf } from '../rules/version-order.js';
import { combine, hasSameSets, isSameSnapshot } from './combine.js';
import { maxCommits } from './open-store.js';
import { addRecents } from './recents.js';
import type { SavedList } from './saved.js';

/** The events of a held list. */
export type HeldEvent =
  /** Another generation answers from now on, of another version or with other sets; `before` answered until now. */
  | { readonly type: 'changed'; readonly generation: Generation; readonly before: Generation | null }
  | { readonly type: 'error'; readonly where: 'store'; readonly error: PortcullisError };

/** Longest time for storing one list. */
const storeTimeoutMs = 60_000;

/** The generation that answers, kept in step with the store and its other writers. */
export interface HeldList {
  /** Assign only to replace what is known about the same sets. It is stored with the next list. */
  generation: Generation | null;
  /** Whether the store has the newest generation, or there is none. */
  isKept(): boolean;
  /** Takes over what other writers have stored. Rejects if the store cannot be read. */
  read(): Promise<void>;
  /** Replaces the generation by a newer one, which `store` then stores. */
  put(generation: Generation): void;
  /** Switches to a generation that also has these recents. A running round began without them, and adds them at its end. */
  push(entries: EntrySet, generation: Generation): void;
  beginRound(): void;
  /** Adds entries from webhooks and other writers that arrived during a round that began with `before`. */
  withNews(result: Generation, before: Generation | null): Promise<Generation>;
  /** Stores the generation. If that fails the list still answers from memory, and the failure is an event. */
  store(): Promise<void>;
  /** @param isList Whether the list itself could not be stored or read. */
  fail(cause: unknown, isList?: boolean): void;
  /** Resolves when no read or write is running. */
  settled(): Promise<void>;
}

/** @param judge Called with each generation before it answers. Returns it with what this device knows about it. */
export function createHeldList(
  saved: SavedList,
  now: () => number,
  judge: (generation: Generation) => Generation,
  emit: (event: HeldEvent) => void,
): HeldList {
  /** The newest head whose list is in the generation. The next head follows it. */
  let seen = 0;
  /** Whether the generation has changes that are in no head yet. */
  let isAhead = false;
  let hasFailed = false;
  /** Recents from webhooks since the running round began. */
  let pushed: EntrySet[] = [];
  /** Reads and writes heads, one after the other. */
  const queue = inTurn();

  function swap(next: Generation): void {
    const before = list.generation;
    const generation = judge(next);
    list.generation = generation;
    if (before === null || before.order.sequence !== generation.order.sequence || !hasSameSets(before, generation))
      emit({ type: 'changed', generation, before });
  }

  function put(generation: Generation): void {
    isAhead = true;
    swap({ ...generation, sequence: seen + 1 });
  }

  async function takeIn(): Promise<void> {
    const stored = await saved.load(seen);
    // The store was emptied, or fell back to an older copy of itself. The next round fills it again.
    if (saved.sequence() < seen) hasFailed = true;
    // Also follows heads that cannot be read, and a store that was emptied.
    seen = stored?.sequence ?? saved.sequence();
    if (stored === null) return;
    for (;;) {
      const held = list.generation;
      // Another writer that lost the newest list may have stored an older one, which must not outlive this one.
      const isReplaced = !isAhead && held !== null && laterOf(stored, held, false, now()) === held;
      const next = held !== null && (isAhead || isReplaced) ? await combine(stored, held, now()) : stored;
      // A webhook event may have changed it meanwhile.
      if (list.generation !== held) continue;
      if (next !== stored) put(next);
      if (isReplaced) {
        // The other writer could not read it.
        saved.forget();
        await save();
      }
      if (next !== stored) return;
      isAhead = false;
      hasFailed = false;
      return swap(stored);
    }
  }

  async function save(): Promise<void> {
    for (let attempt = 0; attempt < maxCommits && isAhead; attempt++) {
      const next: Generation = { ...list.generation!, sequence: seen + 1 };
      list.generation = next;
      if (await saved.save(next)) {
        seen = Math.max(seen, next.sequence);
        // If the generation changed during the write, its own turn stores it.
        if (list.generation === next) isAhead = false;
        return;
      }
      await takeIn();
    }
    if (isAhead) {
      throw new PortcullisError('CONFLICT', `lost the write race ${maxCommits} times; the new list is kept in memory only`);
    }
  }

  function fail(cause: unknown, isList = true): void {
    if (isList) hasFailed = true;
    const error = wrapError(cause, 'STORE_UNAVAILABLE', 'the store failed; the list is kept in memory only');
    emit({ type: 'error', where: 'store', error });
  }

  const list: HeldList = {
    generation: null,
    isKept: () => !hasFailed,
    read: () => queue(takeIn),
    put,
    push(entries, generation) {
      pushed.push(entries);
      put(generation);
    },
    beginRound() {
      pushed = [];
    },
    async withNews(result, before) {
      let generation = result;
      let known = before;
      for (;;) {
        const entries = pushed.shift();
        if (entries !== undefined) {
          const isAlike = entries instanceof AscendingSet === generation.base instanceof AscendingSet;
          if (!isAlike) continue;
          const covers = before === null ? undefined : coversAmong(generation.covers, before);
          generation = { ...generation, covers, ...(await addRecents(generation, { entries, isProven: false }, {})) };
        } else if (list.generation !== known) {
          known = list.generation;
          // Another writer's list, unless it is another snapshot and as old or older.
          if (known === null) continue;
          if (isSameSnapshot(known, generation)) generation = await combine(known, generation, now());
          else generation = laterOf(known, generation, true, now());
        } else return generation;
      }
    },
    store: () =>
      queue(async () => {
        try {
          await bounded(storeTimeoutMs, undefined, save);
          hasFailed = false;
          await saved.clean();
        } catch (error) {
          fail(error);
        }
      }),
    fail,
    settled: () => queue(async () => {}),
  };
  return list;
}
