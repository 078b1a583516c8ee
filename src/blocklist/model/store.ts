import type { SignalLike } from '../../core/errors.js';

/** A head, and its sequence among the heads of one name, from 1. */
export interface StoreHead {
  readonly sequence: number;
  readonly bytes: Uint8Array;
}

/**
 * Keeps lists across restarts: named binary values, and heads, which are compared before they are replaced. A store only keeps bytes;
 * their reader verifies a checksum (`formats/record.ts`). Names are 1 to 160 of a-z, 0-9, `.`, `-`, `_` and `/`; no part is empty or
 * begins with a dot. Calls may overlap. Every store must pass `storeContract` of `portcullis/testing`.
 */
export interface Store {
  /**
   * Whether `commit` compares with every writer, in other tabs and processes too. If not, two writers can overwrite each other: the later
   * list wins, and none is torn.
   */
  readonly isAtomic: boolean;
  /** Called once, before everything else. Rejects if the store cannot be used. */
  open(): Promise<void>;
  /** Resolves to a copy of the value, or to `null` if there is none. */
  read(name: string): Promise<Uint8Array | null>;
  /** Replaces the value. Once it resolves, the value survives a crash; until then, the store has the old or the new value as a whole. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** Removes the value, if there is one. */
  remove(name: string): Promise<void>;
  /** The names of the values, not of heads, that begin with the prefix. */
  list(prefix: string): Promise<readonly string[]>;
  /**
   * The newest heads of a name, newest first: at least the last two, if there were two. One that cannot be read has no bytes, so that
   * the one before it still counts.
   */
  heads(name: string): Promise<readonly StoreHead[]>;
  /**
   * Adds a head after the expected sequence (0 before the first), if that is still the newest.
   *
   * @returns `false` if another writer was first
   */
  commit(name: string, bytes: Uint8Array, expectedSequence: number): Promise<boolean>;
  /**
   * Runs while no other user of the same store runs, in any process. It only saves work, because `commit` compares sequences. Rejects
   * with `ABORTED` if the signal ends the wait.
   */
  lock?<T>(run: () => Promise<T>, signal?: SignalLike): Promise<T>;
  /** Calls the listener when another writer has committed. It may call without a commit, and may miss one. Returns a function that removes it. */
  watch?(listener: (name: string) => void): () => void;
  /**
   * Epoch time of the store, if several machines share it: values without a head are removed by their age, and a machine's own clock may be
   * hours off.
   */
  now?(): Promise<number>;
  /** Closes the store. Every later call rejects with `CLOSED`. */
  close(): Promise<void>;
}

/** Keeps a light list: `lightStore`. Every `Store` fits too, but does not compare before it replaces. */
export interface LightStore extends Pick<Store, 'open' | 'read' | 'close'> {
  /**
   * Replaces the value, in one step.
   *
   * @param keeps Whether the stored value is to stay. Called between reading and writing, in one transaction.
   */
  write(name: string, bytes: Uint8Array, keeps?: (stored: Uint8Array) => boolean): Promise<void>;
}
