import { isPortcullisError, PortcullisError } from '../../core/errors.js';
import { bounded } from '../../core/http/bounded.js';
import { PrefixSet } from '../../core/prefixes/prefix-set.js';
import type { EntrySet, Generation } from '../generation.js';
import { combine, hasSameSets, isSameSnapshot } from './combine.js';
import { addRecents } from './recents.js';
import type { SavedList } from './saved.js';

/** What a held list reports. */
export type HeldEvent =
  /** Another generation answers from now on; `before` answered until now. */
  | { readonly type: 'changed'; readonly generation: Generation; readonly before: Generation | null }
  | { readonly type: 'error'; readonly where: 'store'; readonly error: PortcullisError };

/** Longest time for storing one list. */
const storeTimeoutMs = 60_000;

/** Attempts to commit while other writers commit. */
const maxAttempts = 8;

/** The generation that answers, kept in step with the store and its other writers. */
export class HeldList {
  private readonly saved: SavedList;
  private readonly emit: (event: HeldEvent) => void;
  private current: Generation | null = null;
  /** The newest head whose list is in the generation. The next head follows it. */
  private seen = 0;
  /** Whether the generation has something that no head has yet. */
  private isAhead = false;
  private hasFailed = false;
  /** Recents from webhooks since the running round began. */
  private pushed: EntrySet[] = [];
  /** Reads and writes of heads, one after the other. */
  private turn: Promise<void> = Promise.resolve();

  constructor(saved: SavedList, emit: (event: HeldEvent) => void) {
    this.saved = saved;
    this.emit = emit;
  }

  get generation(): Generation | null {
    return this.current;
  }

  /** Whether the store has the newest generation, or there is none. */
  get isKept(): boolean {
    return !this.hasFailed;
  }

  /** Takes over what other writers have stored. Rejects if the store cannot be read. */
  read(): Promise<void> {
    return this.inTurn(() => this.takeIn());
  }

  /** Replaces the generation by a newer one, which `store` then stores. */
  put(generation: Generation): void {
    this.isAhead = true;
    this.swap({ ...generation, sequence: this.seen + 1 });
  }

  /** Puts a generation that has these recents more. A running round began without them, and adds them at its end. */
  push(entries: EntrySet, generation: Generation): void {
    this.pushed.push(entries);
    this.put(generation);
  }

  beginRound(): void {
    this.pushed = [];
  }

  /** Adds what webhooks and other writers brought while a round ran, which began with `before`. */
  async withNews(result: Generation, before: Generation | null): Promise<Generation> {
    let generation = result;
    let seen = before;
    for (;;) {
      const entries = this.pushed.shift();
      if (entries !== undefined) {
        const isAlike = entries instanceof PrefixSet === generation.base instanceof PrefixSet;
        if (isAlike) generation = { ...generation, ...(await addRecents(generation, { entries, isProven: false }, {})) };
      } else if (this.current !== seen) {
        seen = this.current;
        if (seen !== null && isSameSnapshot(seen, generation)) generation = await combine(seen, generation);
      } else return generation;
    }
  }

  /** Replaces what is known about the same sets. It is stored with the next list. */
  amend(generation: Generation): void {
    this.current = generation;
  }

  /** Stores the generation. If that fails the list still answers from memory, and the failure is an event. */
  store(): Promise<void> {
    return this.inTurn(async () => {
      try {
        await bounded(storeTimeoutMs, undefined, () => this.save());
        this.hasFailed = false;
        await this.saved.clean();
      } catch (error) {
        this.fail(error);
      }
    });
  }

  /** @param isList Whether the list itself could not be stored or read. */
  fail(cause: unknown, isList = true): void {
    if (isList) this.hasFailed = true;
    const error = isPortcullisError(cause)
      ? cause
      : new PortcullisError('STORE_UNAVAILABLE', 'the store failed; the list is kept in memory only', { cause });
    this.emit({ type: 'error', where: 'store', error });
  }

  /** Resolves when no read or write is running. */
  settled(): Promise<void> {
    return this.turn;
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.turn.then(work);
    this.turn = turn.catch(() => {});
    return turn;
  }

  private async save(): Promise<void> {
    for (let attempt = 0; attempt < maxAttempts && this.isAhead; attempt++) {
      const next = { ...this.current!, sequence: this.seen + 1 };
      this.current = next;
      if (await this.saved.save(next)) {
        this.seen = Math.max(this.seen, next.sequence);
        // If the generation changed during the write, its own turn stores it.
        if (this.current === next) this.isAhead = false;
        return;
      }
      await this.takeIn();
    }
    if (this.isAhead) {
      throw new PortcullisError('CONFLICT', `lost the write race ${maxAttempts} times; the new list is kept in memory only`);
    }
  }

  private async takeIn(): Promise<void> {
    const stored = await this.saved.load(this.seen);
    // Also follows heads that cannot be read, and a store that was emptied.
    this.seen = stored?.sequence ?? this.saved.sequence;
    if (stored === null) return;
    for (;;) {
      const held = this.current;
      const next = this.isAhead && held !== null ? await combine(stored, held) : stored;
      // A webhook event may have changed it meanwhile.
      if (this.current !== held) continue;
      if (next !== stored) return this.put(next);
      this.isAhead = false;
      this.hasFailed = false;
      return this.swap(stored);
    }
  }

  private swap(generation: Generation): void {
    const before = this.current;
    this.current = generation;
    if (before === null || !hasSameSets(before, generation)) this.emit({ type: 'changed', generation, before });
  }
}
