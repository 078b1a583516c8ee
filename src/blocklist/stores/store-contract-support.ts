import { equalBytes } from '../../core/bytes.js';
import { isPortcullisError } from '../../core/errors.js';
import type { Store } from '../store.js';

/**
 * The reach of `lock` and `watch`: `none` if the store has none, `object` for users of the same object, `everybody` for all users
 * of the same data.
 */
export type Reach = 'none' | 'object' | 'everybody';

/** The store that the suite tests, and its properties. */
export interface StoreContract {
  /** Registers a test: `test` of Vitest, Jest or Node, `it` of Mocha. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  /** Makes a new, empty store that is not open. */
  readonly make: () => Store | Promise<Store>;
  /**
   * Makes another store over the same data, not open, as another process or a restart would. A store that lives in memory returns
   * itself.
   */
  readonly again: (store: Store) => Store | Promise<Store>;
  /**
   * The store's own `isAtomic`. With `true`, exactly one of two concurrent commits wins; with `false`, a commit may be lost, but none
   * is torn.
   */
  readonly isAtomic: boolean;
  readonly lock: Reach;
  readonly watch: Reach;
  /** Seed of the random calls; their failure messages name it. @default 1 */
  readonly seed?: number;
}

/** The helpers for each group of tests. */
export interface ContractTools extends Required<StoreContract> {
  /** A test with an open store. */
  readonly withStore: (name: string, run: (store: Store) => Promise<void>) => unknown;
  /** A test with two open stores over the same data. */
  readonly withTwo: (name: string, run: (one: Store, other: Store) => Promise<void>) => unknown;
}

/** Longer than any store takes to notify a watcher. */
const watchTimeoutMs = 10_000;

/** Pseudorandom bytes, determined by the arguments. */
export function bytesOf(length: number, salt: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0, state = salt * 2_654_435_761 + length; at < length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

/** Mulberry32. */
export function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function all<T>(count: number, run: (at: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, at) => run(at)));
}

export function wait(delayMs: number): Promise<void> {
  const { setTimeout } = globalThis as unknown as { setTimeout(run: () => void, delayMs: number): unknown };
  return new Promise((resolve) => void setTimeout(resolve, delayMs));
}

export async function until(holds: () => boolean, what: string): Promise<void> {
  for (let waitedMs = 0; !holds(); waitedMs += 5) {
    check(waitedMs < watchTimeoutMs, `${what} within ${watchTimeoutMs} ms`);
    await wait(5);
  }
}

/** Opens the store for `run`. */
export async function opened(store: Store, run: (store: Store) => Promise<void>): Promise<void> {
  await store.open();
  try {
    await run(store);
  } finally {
    await store.close();
  }
}

export function check(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`the store breaks its contract: ${what}`);
}

export function same(actual: unknown, expected: unknown, what: string): void {
  const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
  check(
    actual === expected || (typeof expected === 'object' && is === should),
    `${what}: ${is ?? String(actual)} instead of ${should}`,
  );
}

export function sameBytes(actual: Uint8Array | null, expected: Uint8Array | null, what: string): void {
  same(Object.prototype.toString.call(actual), Object.prototype.toString.call(expected), `the type of ${what}`);
  if (actual === null || expected === null) return;
  same(actual.length, expected.length, `the length of ${what}`);
  check(equalBytes(actual, expected), `${what}: other bytes`);
}

/** Expects a rejection with this code, or with a plain `TypeError`. */
export async function fails(call: () => Promise<unknown>, code: string, what: string): Promise<void> {
  const calling = call();
  const failure: unknown = await calling.then(
    () => undefined,
    (error: unknown) => error,
  );
  check(failure !== undefined, `${what} fails`);
  const is = isPortcullisError(failure) ? failure.code : failure instanceof TypeError ? 'TypeError' : String(failure);
  same(is, code, what);
}
