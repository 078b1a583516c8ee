import { equalBytes } from '../../core/bytes.js';
import { isPortcullisError, type SignalLike } from '../../core/errors.js';
import { createEnd } from '../../core/http/end-signal.js';
import { pause } from '../../core/slices.js';
import type { Store } from '../model/store.js';

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
export function sampleBytes(length: number, salt: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0, state = salt * 2_654_435_761 + length; at < length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

/** Mulberry32. */
function randomFrom(seed: number): () => number {
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

function wait(delayMs: number): Promise<void> {
  const { setTimeout } = globalThis as unknown as { setTimeout(run: () => void, delayMs: number): unknown };
  return new Promise((resolve) => void setTimeout(resolve, delayMs));
}

async function until(holds: () => boolean, what: string): Promise<void> {
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

export function testLocks({ test, make, lock, withStore, withTwo }: ContractTools): void {
  if (lock !== 'none') {
    withStore('lock: runs one at a time, in order, and returns the results', async (store) => {
      const order: number[] = [];
      let inside = 0;
      const results = await all(6, (at) =>
        store.lock!(async () => {
          same(++inside, 1, 'holders of the lock');
          order.push(at);
          await wait(5);
          inside--;
          return at * 2;
        }),
      );
      same(order, [0, 1, 2, 3, 4, 5], 'the order');
      same(results, [0, 2, 4, 6, 8, 10], 'the results');
    });

    withStore('lock: is released after a failure, which it passes on', async (store) => {
      const failure = new Error('mine');
      const failing = store.lock!(async () => {
        await wait(5);
        throw failure;
      });
      const after = store.lock!(async () => 'after');
      same(await failing.catch((error: unknown) => error), failure, 'the failure');
      same(await after, 'after', 'the next');
    });

    withStore('lock: a signal aborts the wait, and nothing else', async (store) => {
      const held = createEnd();
      const { holding, release } = await hold(store, held.signal);
      const waiting = createEnd();
      let ran = false;
      const aborted = store.lock!(async () => {
        ran = true;
      }, waiting.signal);
      const patient = store.lock!(async () => 'patient', createEnd().signal);
      await wait(5);
      waiting.abort();
      await fails(() => aborted, 'ABORTED', 'the aborted wait');
      held.abort();
      await fails(() => store.lock!(async () => (ran = true), waiting.signal), 'ABORTED', 'a wait aborted before the call');
      release();
      same(await holding, 'held', 'the holder whose signal aborted');
      same(await patient, 'patient', 'the other waiter');
      same(ran, false, 'the aborted waiter ran');
    });

    test('lock: a close ends the wait', async () => {
      const store = await make();
      await store.open();
      const { holding, release } = await hold(store);
      const waiting = store.lock!(async () => 'ran');
      const refused = fails(() => waiting, 'CLOSED', 'the wait');
      await wait(5);
      await store.close();
      await refused;
      release();
      await holding;
    });
  }

  if (lock === 'everybody') {
    withTwo('lock: excludes other stores too', async (one, other) => {
      let inside = 0;
      let runs = 0;
      await all(8, (at) =>
        (at % 2 === 0 ? one : other).lock!(async () => {
          same(++inside, 1, 'holders of the lock');
          await wait(10);
          inside--;
          runs++;
        }),
      );
      same(runs, 8, 'the runs');
    });
  }
}

/** Takes the lock until `release` is called. */
async function hold(store: Store, signal?: SignalLike): Promise<{ readonly holding: Promise<string>; release(): void }> {
  let release: (() => void) | undefined;
  const taken = (): Promise<string> => new Promise((resolve) => (release = () => resolve('held')));
  const holding = store.lock!(taken, signal);
  await until(() => release !== undefined, 'the lock is taken');
  return { holding, release: release! };
}

export function testWatches({ watch, withStore, withTwo }: ContractTools): void {
  if (watch !== 'none') {
    withStore('watch: calls every listener until it is removed, and no listener fails a commit', async (store) => {
      const notified: string[] = [];
      const ended: string[] = [];
      const endThrowing = store.watch!(() => {
        throw new Error('a listener that throws');
      });
      const end = store.watch!((name) => notified.push(name));
      const endOther = store.watch!((name) => ended.push(name));
      same(await store.commit('one', sampleBytes(1, 1), 0), true, 'the commit');
      await until(() => notified.includes('one') && ended.includes('one'), 'both listeners are called');
      endOther();
      endOther();
      const before = ended.length;
      await store.commit('two', sampleBytes(1, 1), 0);
      await until(() => notified.includes('two'), 'the remaining listener is called');
      same(ended.length, before, 'calls of the removed listener');
      end();
      endThrowing();
    });
  }

  if (watch === 'everybody') {
    withTwo('watch: reports the commits of other stores', async (one, other) => {
      const notified: string[] = [];
      const end = other.watch!((name) => notified.push(name));
      await one.commit('some/head', sampleBytes(1, 1), 0);
      await until(() => notified.includes('some/head'), 'the other store is notified');
      notified.length = 0;
      await wait(10);
      await one.commit('some/head', sampleBytes(1, 2), 1);
      await until(() => notified.includes('some/head'), 'the other store is notified again');
      end();
    });
  }
}

/** Random calls: enough for every pair of calls in every order. */
const randomCalls = 400;

/** Two stores over the same data, and many calls at once. */
export function testWriters({ isAtomic, withStore, withTwo }: ContractTools): void {
  withTwo('shows another store what was written and committed', async (one, other) => {
    await one.write('value', sampleBytes(2_000_000, 1));
    sameBytes(await other.read('value'), sampleBytes(2_000_000, 1), 'the value');
    await other.write('value', sampleBytes(10, 2));
    sameBytes(await one.read('value'), sampleBytes(10, 2), 'the new value');
    same(await one.commit('head', sampleBytes(10, 3), 0), true, 'the first head');
    same(await other.commit('head', sampleBytes(10, 4), 0), false, 'another first head');
    same(await other.commit('head', sampleBytes(10, 5), 1), true, 'the second head');
    sameBytes((await one.heads('head'))[0]!.bytes, sampleBytes(10, 5), 'the newest head');
    await other.remove('value');
    same(await one.read('value'), null, 'the value the other store removed');
  });

  withTwo('returns a whole value while another store replaces it', async (one, other) => {
    const lengths = [1_200_000, 900_000, 10, 1_500_000];
    await one.write('value', sampleBytes(lengths[0]!, 0));
    let writing = true;
    const writes = (async () => {
      for (let round = 1; round < 12; round++) await one.write('value', sampleBytes(lengths[round % 4]!, round % 4));
    })().finally(() => {
      writing = false;
    });
    try {
      while (writing) {
        const read = await other.read('value');
        const at = lengths.indexOf(read?.length ?? 0);
        check(at !== -1, 'the length of the value read meanwhile');
        sameBytes(read, sampleBytes(lengths[at]!, at), 'the value read meanwhile');
        // A store that answers at once would otherwise never let the writer continue after a pause.
        await pause();
      }
    } finally {
      await writes;
    }
  });

  if (isAtomic) {
    withTwo('lets one of two writers win', async (one, other) => {
      for (let sequence = 0; sequence < 25; sequence++) {
        const results = await all(6, (at) => (at % 2 === 0 ? one : other).commit('head', sampleBytes(20, at), sequence));
        same(results.filter(Boolean).length, 1, `winners after ${sequence}`);
        sameBytes((await one.heads('head'))[0]!.bytes, sampleBytes(20, results.indexOf(true)), 'the head of the winner');
      }
    });
  } else {
    withTwo('keeps heads whole when two writers cannot compare', async (one, other) => {
      for (let round = 0; round < 5; round++) {
        const newest = async (): Promise<number> => (await one.heads('head'))[0]?.sequence ?? 0;
        const before = await newest();
        const results = await all(2, (at) => (at === 0 ? one : other).commit('head', sampleBytes(400_000, at), before));
        check(results.includes(true), 'one writer wins');
        const [head] = await other.heads('head');
        same(head?.sequence, before + 1, 'the sequence');
        check(
          [0, 1].some((at) => equalBytes(head!.bytes, sampleBytes(400_000, at))),
          'the head was written by one of the writers',
        );
      }
    });
  }

  withStore('handles many concurrent calls', async (store) => {
    await all(240, async (at) => {
      const name = `value/${at % 24}`;
      if (at % 3 === 0) await store.write(name, sampleBytes(2000, at % 24));
      else if (at % 3 === 1) await store.list('value/');
      else {
        const read = await store.read(name);
        if (read !== null) sameBytes(read, sampleBytes(2000, at % 24), name);
      }
    });
    for (const name of await store.list('value/'))
      sameBytes(await store.read(name), sampleBytes(2000, Number(name.slice(6))), name);
    same((await store.list('value/')).length, 8, 'the names that list returns');
    await all(20, (at) => store.write('same', sampleBytes(300_000, at)));
    const last = await store.read('same');
    check(
      Array.from({ length: 20 }, (_, at) => at).some((at) => equalBytes(last!, sampleBytes(300_000, at))),
      'one of the concurrently written values is stored',
    );
  });
}

/** Random calls, compared with a map. */
export function testRandomCalls({ seed, withStore }: ContractTools): void {
  withStore('behaves like a map', async (store) => {
    const random = randomFrom(seed);
    const below = (count: number): number => Math.floor(random() * count);
    const names = ['a', 'a/b', 'b', 'b/c.d', 'con'];
    const values = new Map<string, Uint8Array>();
    const heads = new Map<string, { sequence: number; bytes: Uint8Array }[]>();
    for (let call = 0; call < randomCalls; call++) {
      const name = names[below(names.length)]!;
      const bytes = sampleBytes(below(10) === 0 ? below(400_000) : below(2000), below(256));
      const where = `call ${call} of seed ${seed}`;
      const line = heads.get(name) ?? [];
      const newest = line[0]?.sequence ?? 0;
      const kind = below(6);
      if (kind === 0) {
        await store.write(name, bytes);
        values.set(name, bytes);
      } else if (kind === 1) {
        await store.remove(name);
        values.delete(name);
      } else if (kind === 2) sameBytes(await store.read(name), values.get(name) ?? null, where);
      else if (kind === 3) {
        const expected = Math.max(0, newest + below(3) - 1);
        same(await store.commit(name, bytes, expected), expected === newest, where);
        if (expected === newest) heads.set(name, [{ sequence: newest + 1, bytes }, ...line]);
      } else if (kind === 4) {
        const found = await store.heads(name);
        check(found.length >= Math.min(2, line.length), `${where}: two heads`);
        for (const [at, head] of found.entries()) {
          same(head.sequence, line[at]?.sequence, where);
          sameBytes(head.bytes, line[at]!.bytes, where);
        }
      } else {
        const expected = [...values.keys()].filter((key) => key.startsWith(name));
        same([...(await store.list(name))].sort(), expected.sort(), where);
      }
    }
  });
}
