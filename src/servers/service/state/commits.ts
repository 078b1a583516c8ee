import type { State, Transaction } from './state.js';
import type { Edit } from './state-tables.js';

/** Persistent storage for the whole state. */
export interface Storage {
  /** Reads the kept state into `state`; resolves to false if there is none yet. */
  read(state: State): Promise<boolean>;
  /** Resolves once the state at the time of the call is durable. */
  write(state: State): Promise<void>;
  close(): Promise<void>;
}

interface Job {
  readonly apply: () => Transaction<unknown>;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs changes of the state in the order they arrive, and settles each once it is stored. Changes that arrive during a write are stored
 * together by the next one, because a write costs the same for one change as for many.
 */
export class Commits {
  private waiting: Job[] = [];
  private running: Promise<void> | null = null;
  private readonly state: State;
  private readonly storage: Storage | undefined;
  private readonly onStored: (edits: readonly Edit[]) => void;

  constructor(state: State, storage: Storage | undefined, onStored: (edits: readonly Edit[]) => void) {
    this.state = state;
    this.storage = storage;
    this.onStored = onStored;
  }

  /** `apply` may run again: changes that could not be stored together are undone and tried one by one. */
  run<T>(apply: () => Transaction<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.waiting.push({ apply, resolve, reject });
      this.running ??= this.drain();
    });
  }

  /** Resolves when no change is waiting or being stored. */
  async settled(): Promise<void> {
    while (this.running !== null) await this.running;
  }

  private async drain(): Promise<void> {
    // A change that arrives in this turn of the event loop joins the first write.
    await Promise.resolve();
    while (this.waiting.length > 0) {
      const jobs = this.waiting.splice(0);
      if (await this.store(jobs)) continue;
      // One of them caused the failure, for example by its size; the others must not fail with it.
      for (const job of jobs) await this.store([job]);
    }
    this.running = null;
  }

  /**
   * Applies and stores the changes, and settles their callers. Several changes that cannot be stored are undone without settling their
   * callers.
   *
   * @returns whether the callers are settled
   */
  private async store(jobs: readonly Job[]): Promise<boolean> {
    const settle: (() => void)[] = [];
    const undo: (() => void)[] = [];
    const edits: Edit[] = [];
    let isChange = false;
    for (const job of jobs) {
      try {
        const transaction = job.apply();
        undo.push(transaction.undo);
        for (const edit of transaction.edits) edits.push(edit);
        isChange ||= transaction.isChange;
        settle.push(() => job.resolve(transaction.result as never));
      } catch (error) {
        settle.push(() => job.reject(error));
      }
    }
    try {
      if (isChange) await this.storage?.write(this.state);
    } catch (error) {
      for (const back of undo.reverse()) back();
      if (jobs.length > 1) return false;
      jobs[0]?.reject(error);
      return true;
    }
    this.onStored(edits);
    for (const run of settle) run();
    return true;
  }
}
