import type { SignalLike } from '../core/errors.js';

/** A head and its place in the line of heads of one name; the first has 1. */
export interface StoreHead {
  readonly sequence: number;
  readonly bytes: Uint8Array;
}

/**
 * Where lists outlive the process: named binary values, and heads, which are compared when they are replaced. Every value is framed and
 * checked by its reader (`formats/record.ts`); a store only keeps bytes. Names are 1 to 160 of a-z, 0-9, `.`, `-`, `_` and `/`, no part
 * of which is empty or begins with a dot. Calls may overlap. `portcullis/stores/contract` is the suite that every store passes.
 */
export interface Store {
  /**
   * Whether `commit` compares against every writer there is, in other tabs and processes too. Where it is false two writers can
   * overwrite each other: the later list wins, and none is torn.
   */
  readonly atomic: boolean;
  /** Rejects where the store cannot be used; called once, before everything else. */
  open(): Promise<void>;
  /** The value, or `null` where there is none. The bytes are the caller's. */
  read(name: string): Promise<Uint8Array | null>;
  /** Replaces the value. When it resolves, the value outlives a crash: it was whole before, or is whole now. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** Nothing happens where there is none. */
  remove(name: string): Promise<void>;
  /** Names of values that begin so, heads not among them. */
  list(prefix: string): Promise<readonly string[]>;
  /** The newest heads of a name, the newest first: the last two at least, where there were two. */
  heads(name: string): Promise<readonly StoreHead[]>;
  /**
   * Adds a head with the sequence after the expected one (0 before the first), if that is still the newest.
   *
   * @returns whether it is; `false` where somebody else was first
   */
  commit(name: string, bytes: Uint8Array, expectedSequence: number): Promise<boolean>;
  /**
   * Runs while nobody else does who uses the same store, in this process or another. It only saves work: the sequence of `commit`
   * decides. Rejects with ABORTED where the signal ends the wait.
   */
  lock?<T>(run: () => Promise<T>, signal?: SignalLike): Promise<T>;
  /** Calls when another writer has committed; returns what ends it. It may call without a reason, and may miss one. */
  watch?(listener: (name: string) => void): () => void;
  /** Ends it; every later call rejects with CLOSED. */
  close(): Promise<void>;
}
