import { isPortcullisError, type SignalLike } from '../../core/errors.js';
import type { Store } from '../store.js';
import { maxNameLength } from './store-arguments.js';

/** How far `lock` and `watch` of a store reach: nowhere, for it has none; those who share the object; everybody who uses the same store. */
export type Reach = 'none' | 'object' | 'everybody';

/** What the suite has to know of a store. */
export interface StoreContract {
  /** The runner's: `test` of Vitest, Jest or Node, `it` of Mocha. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  /** A new store with nothing in it, not opened. */
  readonly make: () => Store | Promise<Store>;
  /** Another store over what that one keeps, as another process or the next start has it, not opened. What lives in its object alone gives that one. */
  readonly again: (store: Store) => Store | Promise<Store>;
  /** What the store says of itself. With `true` one of two writers at once must win; with `false` neither may tear what is there. */
  readonly atomic: boolean;
  readonly lock: Reach;
  readonly watch: Reach;
  /** Of the random calls; it is in the message of what they find. @default 1 */
  readonly seed?: number;
}

/** Longer than any watch takes to tell, in milliseconds. */
const toldWithinMs = 10_000;

/** Random calls: enough that every pair of calls comes in every order. */
const randomCalls = 400;

/**
 * Registers a test for every promise of `Store`. A store of your own passes it, or is none.
 *
 * @example
 * storeContract({ test, make: () => myStore(newFolder()), again: (store) => store, atomic: true, lock: 'none', watch: 'none' });
 */
export function storeContract({ test, make, again, atomic, lock, watch, seed = 1 }: StoreContract): void {
  const withStore = (name: string, run: (store: Store) => Promise<void>): unknown =>
    test(name, async () => {
      const store = await make();
      await store.open();
      try {
        await run(store);
      } finally {
        await store.close();
      }
    });
  const withTwo = (name: string, run: (one: Store, other: Store) => Promise<void>): unknown =>
    withStore(name, async (one) => {
      const other = await again(one);
      await other.open();
      try {
        await run(one, other);
      } finally {
        await other.close();
      }
    });

  withStore('says what it can', async (store) => {
    same(store.atomic, atomic, 'atomic');
    same(store.lock !== undefined, lock !== 'none', 'whether there is a lock');
    same(store.watch !== undefined, watch !== 'none', 'whether there is a watch');
  });

  for (const length of [0, 1, 2, 3, 1000, 65_536, 1_048_577, 3_000_000]) {
    withStore(`gives back ${length} bytes, also to the next start`, async (store) => {
      const bytes = bytesOf(length, length);
      await store.write('some/value', bytes);
      sameBytes(await store.read('some/value'), bytes, 'what was written');
      const next = await again(store);
      await next.open();
      try {
        sameBytes(await next.read('some/value'), bytes, 'what the next start reads');
      } finally {
        await next.close();
      }
    });
  }

  withStore('has nothing where nothing was written', async (store) => {
    same(await store.read('nothing'), null, 'a value');
    same(await store.list(''), [], 'the names');
    same(await store.heads('nothing'), [], 'the heads');
    await store.remove('nothing');
  });

  withStore('replaces a value by a longer and by a shorter one', async (store) => {
    for (const length of [10, 2_000_000, 3, 700_000, 0, 5]) {
      await store.write('value', bytesOf(length, length + 1));
      sameBytes(await store.read('value'), bytesOf(length, length + 1), `${length} bytes`);
    }
    same(await store.list(''), ['value'], 'the names');
  });

  withStore('removes a value and no other', async (store) => {
    for (const name of ['a', 'a/b', 'a/b/c', 'ab']) await store.write(name, bytesOf(600_000, name.length));
    await store.remove('a/b');
    await store.remove('a/b');
    same(await store.read('a/b'), null, 'what was removed');
    sameBytes(await store.read('a/b/c'), bytesOf(600_000, 5), 'its neighbour');
    same([...(await store.list(''))].sort(), ['a', 'a/b/c', 'ab'], 'the names');
    await store.write('a/b', bytesOf(3, 9));
    sameBytes(await store.read('a/b'), bytesOf(3, 9), 'what was written again');
  });

  withStore('lists names by how they begin, without heads', async (store) => {
    const names = ['one/base/1', 'one/base/2', 'one/recent/1', 'one-more/base/1', 'two/base/1'];
    for (const name of names) await store.write(name, bytesOf(1, 1));
    await store.commit('one/head', bytesOf(1, 1), 0);
    same([...(await store.list(''))].sort(), [...names].sort(), 'all');
    same([...(await store.list('one/'))].sort(), names.slice(0, 3), 'a folder');
    same([...(await store.list('one/base/'))].sort(), names.slice(0, 2), 'a folder in it');
    same([...(await store.list('one'))].sort(), ['one-more/base/1', ...names.slice(0, 3)], 'the beginning of a part');
    same(await store.list('three'), [], 'what nothing begins with');
    same(await store.list('ONE'), [], 'what no name begins with');
  });

  withStore('takes every name that is one, and mixes none up', async (store) => {
    for (const [at, name] of goodNames.entries()) {
      await store.write(name, bytesOf(at + 1, at));
      same(await store.commit(name, bytesOf(at + 2, at), 0), true, `the first head of ${name}`);
    }
    for (const [at, name] of goodNames.entries()) {
      sameBytes(await store.read(name), bytesOf(at + 1, at), name);
      const heads = await store.heads(name);
      same(heads.length, 1, `the heads of ${name}`);
      sameBytes(heads[0]?.bytes ?? null, bytesOf(at + 2, at), `the head of ${name}`);
    }
    same([...(await store.list(''))].sort(), [...goodNames].sort(), 'the names');
  });

  withStore('refuses every other name, and arguments of another type', async (store) => {
    const one = bytesOf(1, 1);
    for (const name of badNames) {
      const what = JSON.stringify(name);
      await fails(() => store.read(name), 'INVALID_INPUT', `read ${what}`);
      await fails(() => store.write(name, one), 'INVALID_INPUT', `write ${what}`);
      await fails(() => store.remove(name), 'INVALID_INPUT', `remove ${what}`);
      await fails(() => store.heads(name), 'INVALID_INPUT', `heads ${what}`);
      await fails(() => store.commit(name, one, 0), 'INVALID_INPUT', `commit ${what}`);
    }
    for (const sequence of [-1, 0.5, Number.NaN, 2 ** 60]) {
      await fails(() => store.commit('head', one, sequence), 'INVALID_INPUT', `commit after ${sequence}`);
    }
    await fails(() => store.read(1 as unknown as string), 'TypeError', 'read 1');
    await fails(() => store.list(null as unknown as string), 'TypeError', 'list null');
    await fails(() => store.write('value', 'text' as unknown as Uint8Array), 'TypeError', 'write a text');
    await fails(() => store.commit('head', [1] as unknown as Uint8Array, 0), 'TypeError', 'commit an array');
    await fails(() => store.commit('head', one, '0' as unknown as number), 'TypeError', 'commit after a text');
    same(await store.list(''), [], 'the names');
    same(await store.heads('head'), [], 'the heads');
  });

  withStore('copies bytes on their way in and out', async (store) => {
    const wide = bytesOf(3000, 1);
    const view = wide.subarray(1000, 2000);
    const expected = bytesOf(3000, 1).slice(1000, 2000);
    const writing = store.write('value', view);
    view.fill(0);
    await writing;
    const read = await store.read('value');
    sameBytes(read, expected, 'what was changed after the call');
    read!.fill(1);
    sameBytes(await store.read('value'), expected, 'what was changed after reading');
    const head = bytesOf(100, 2);
    const committing = store.commit('head', head, 0);
    head.fill(0);
    await committing;
    const [newest] = await store.heads('head');
    sameBytes(newest!.bytes, bytesOf(100, 2), 'a head that was changed after the call');
    newest!.bytes.fill(1);
    sameBytes((await store.heads('head'))[0]!.bytes, bytesOf(100, 2), 'a head that was changed after reading');
  });

  withStore('commits one after the other, and refuses what expects another head', async (store) => {
    same(await store.commit('head', bytesOf(1, 9), 1), false, 'a first head that expects one');
    for (let sequence = 0; sequence < 12; sequence++) {
      same(await store.commit('head', bytesOf(sequence, sequence), sequence), true, `a head after ${sequence}`);
      for (const wrong of [sequence, sequence + 2, 0]) {
        same(await store.commit('head', bytesOf(1, 9), wrong), false, `a head after ${wrong} when ${sequence + 1} is the newest`);
      }
    }
    const heads = await store.heads('head');
    check(heads.length >= 2, 'the last two heads are kept');
    for (const [at, { sequence, bytes }] of heads.entries()) {
      same(sequence, 12 - at, 'the newest comes first');
      sameBytes(bytes, bytesOf(sequence - 1, sequence - 1), `head ${sequence}`);
    }
    same(await store.read('head'), null, 'a value of the name of heads');
    same(await store.commit('other', bytesOf(1, 1), 0), true, 'another name, which has a line of its own');
  });

  withStore('keeps heads past what one row holds', async (store) => {
    for (let sequence = 0; sequence < 4; sequence++) await store.commit('head', bytesOf(700_000, sequence), sequence);
    const heads = await store.heads('head');
    same(
      heads.slice(0, 2).map(({ sequence }) => sequence),
      [4, 3],
      'the sequences',
    );
    for (const { sequence, bytes } of heads) sameBytes(bytes, bytesOf(700_000, sequence - 1), `head ${sequence}`);
  });

  withStore('lets one of many commits win that are made at once', async (store) => {
    for (let sequence = 0; sequence < 5; sequence++) {
      const results = await all(10, (at) => store.commit('head', bytesOf(20, at), sequence));
      same(results.filter(Boolean).length, 1, `winners after ${sequence}`);
      sameBytes((await store.heads('head'))[0]!.bytes, bytesOf(20, results.indexOf(true)), 'the head of the winner');
    }
  });

  withStore('keeps values and heads over a close', async (store) => {
    await store.write('value', bytesOf(1000, 1));
    for (let sequence = 0; sequence < 3; sequence++) await store.commit('head', bytesOf(100, sequence), sequence);
    await store.close();
    const next = await again(store);
    await next.open();
    try {
      sameBytes(await next.read('value'), bytesOf(1000, 1), 'the value');
      same(await next.list(''), ['value'], 'the names');
      const heads = await next.heads('head');
      same(
        heads.slice(0, 2).map(({ sequence }) => sequence),
        [3, 2],
        'the sequences',
      );
      same(await next.commit('head', bytesOf(1, 1), 3), true, 'the head after them');
    } finally {
      await next.close();
    }
  });

  withTwo('shows another what was written and committed', async (one, other) => {
    await one.write('value', bytesOf(2_000_000, 1));
    sameBytes(await other.read('value'), bytesOf(2_000_000, 1), 'the value');
    await other.write('value', bytesOf(10, 2));
    sameBytes(await one.read('value'), bytesOf(10, 2), 'the new value');
    same(await one.commit('head', bytesOf(10, 3), 0), true, 'the first head');
    same(await other.commit('head', bytesOf(10, 4), 0), false, 'another first head');
    same(await other.commit('head', bytesOf(10, 5), 1), true, 'the second head');
    sameBytes((await one.heads('head'))[0]!.bytes, bytesOf(10, 5), 'the newest head');
    await other.remove('value');
    same(await one.read('value'), null, 'what the other removed');
  });

  withTwo('gives a whole value while another replaces it', async (one, other) => {
    const lengths = [1_200_000, 900_000, 10, 1_500_000];
    await one.write('value', bytesOf(lengths[0]!, 0));
    let writing = true;
    const writes = (async () => {
      for (let round = 1; round < 12; round++) await one.write('value', bytesOf(lengths[round % 4]!, round % 4));
    })().finally(() => {
      writing = false;
    });
    try {
      while (writing) {
        const read = await other.read('value');
        const at = lengths.indexOf(read?.length ?? 0);
        check(at !== -1, 'the length of what was read meanwhile');
        sameBytes(read, bytesOf(lengths[at]!, at), 'what was read meanwhile');
      }
    } finally {
      await writes;
    }
  });

  if (atomic) {
    withTwo('lets one of two writers win', async (one, other) => {
      for (let sequence = 0; sequence < 25; sequence++) {
        const results = await all(6, (at) => (at % 2 === 0 ? one : other).commit('head', bytesOf(20, at), sequence));
        same(results.filter(Boolean).length, 1, `winners after ${sequence}`);
        sameBytes((await one.heads('head'))[0]!.bytes, bytesOf(20, results.indexOf(true)), 'the head of the winner');
      }
    });
  } else {
    withTwo('tears nothing where two writers cannot compare', async (one, other) => {
      for (let round = 0; round < 5; round++) {
        const newest = async (): Promise<number> => (await one.heads('head'))[0]?.sequence ?? 0;
        const before = await newest();
        const results = await all(2, (at) => (at === 0 ? one : other).commit('head', bytesOf(400_000, at), before));
        check(results.includes(true), 'somebody wins');
        const [head] = await other.heads('head');
        same(head?.sequence, before + 1, 'the sequence');
        check(
          [0, 1].some((at) => equal(head!.bytes, bytesOf(400_000, at))),
          'the head is that of one of them',
        );
      }
    });
  }

  withStore('takes many calls at once', async (store) => {
    await all(240, async (at) => {
      const name = `value/${at % 24}`;
      if (at % 3 === 0) await store.write(name, bytesOf(2000, at % 24));
      else if (at % 3 === 1) await store.list('value/');
      else {
        const read = await store.read(name);
        if (read !== null) sameBytes(read, bytesOf(2000, at % 24), name);
      }
    });
    for (const name of await store.list('value/')) sameBytes(await store.read(name), bytesOf(2000, Number(name.slice(6))), name);
    same((await store.list('value/')).length, 8, 'the names');
    await all(20, (at) => store.write('same', bytesOf(300_000, at)));
    const last = await store.read('same');
    check(
      Array.from({ length: 20 }, (_, at) => at).some((at) => equal(last!, bytesOf(300_000, at))),
      'one of the values that were written at once is there',
    );
  });

  withStore('does what a map does', async (store) => {
    const random = randomFrom(seed);
    const below = (count: number): number => Math.floor(random() * count);
    const names = ['a', 'a/b', 'b', 'b/c.d', 'con'];
    const values = new Map<string, Uint8Array>();
    const heads = new Map<string, { sequence: number; bytes: Uint8Array }[]>();
    for (let call = 0; call < randomCalls; call++) {
      const name = names[below(names.length)]!;
      const bytes = bytesOf(below(10) === 0 ? below(400_000) : below(2000), below(256));
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

  test('refuses every call after its close', async () => {
    const store = await make();
    await store.open();
    await store.write('value', bytesOf(1, 1));
    await store.close();
    const calls: Record<string, () => Promise<unknown>> = {
      read: () => store.read('value'),
      write: () => store.write('value', bytesOf(1, 1)),
      remove: () => store.remove('value'),
      list: () => store.list(''),
      heads: () => store.heads('head'),
      commit: () => store.commit('head', bytesOf(1, 1), 0),
      ...(store.lock === undefined ? {} : { lock: () => store.lock!(async () => {}) }),
    };
    for (const [name, call] of Object.entries(calls)) await fails(call, 'CLOSED', name);
    await store.close();
  });

  test('finishes what is under way when it is closed', async () => {
    const store = await make();
    await store.open();
    const writes = all(5, (at) => store.write(`value/${at}`, bytesOf(300_000, at)));
    const closing = store.close();
    await writes;
    await closing;
    const next = await again(store);
    await next.open();
    try {
      for (let at = 0; at < 5; at++) sameBytes(await next.read(`value/${at}`), bytesOf(300_000, at), `value ${at}`);
    } finally {
      await next.close();
    }
  });

  if (lock !== 'none') {
    withStore('locks: one at a time, in the order they came, and gives their results', async (store) => {
      const order: number[] = [];
      let inside = 0;
      const results = await all(6, (at) =>
        store.lock!(async () => {
          same(++inside, 1, 'those inside');
          order.push(at);
          await wait(5);
          inside--;
          return at * 2;
        }),
      );
      same(order, [0, 1, 2, 3, 4, 5], 'the order');
      same(results, [0, 2, 4, 6, 8, 10], 'the results');
    });

    withStore('locks: gives way after a failure, which it hands on', async (store) => {
      const failure = new Error('mine');
      const failing = store.lock!(async () => {
        await wait(5);
        throw failure;
      });
      const after = store.lock!(async () => 'after');
      same(await failing.catch((error: unknown) => error), failure, 'the failure');
      same(await after, 'after', 'the next');
    });

    withStore('locks: a signal ends the wait, and nothing else', async (store) => {
      const held = signalOf();
      let release: () => void = () => {};
      const holding = store.lock!(
        () =>
          new Promise<string>((resolve) => {
            release = () => resolve('held');
          }),
        held.signal,
      );
      await wait(20);
      const waiting = signalOf();
      let ran = false;
      const aborted = store.lock!(async () => {
        ran = true;
      }, waiting.signal);
      const patient = store.lock!(async () => 'patient', signalOf().signal);
      await wait(5);
      waiting.abort();
      await fails(() => aborted, 'ABORTED', 'the wait that was ended');
      held.abort();
      await fails(() => store.lock!(async () => (ran = true), waiting.signal), 'ABORTED', 'a wait that was ended before');
      release();
      same(await holding, 'held', 'who was inside when his signal said so');
      same(await patient, 'patient', 'who waited on');
      same(ran, false, 'whether who was ended ran');
    });

    test('locks: a close ends the wait', async () => {
      const store = await make();
      await store.open();
      let release: () => void = () => {};
      const holding = store.lock!(
        () =>
          new Promise<void>((resolve) => {
            release = resolve;
          }),
      );
      await wait(20);
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
    withTwo('locks: keeps others out, too', async (one, other) => {
      let inside = 0;
      let runs = 0;
      await all(8, (at) =>
        (at % 2 === 0 ? one : other).lock!(async () => {
          same(++inside, 1, 'those inside');
          await wait(10);
          inside--;
          runs++;
        }),
      );
      same(runs, 8, 'the runs');
    });
  }

  if (watch !== 'none') {
    withStore('watches: tells every listener until it is ended, and no listener fails a commit', async (store) => {
      const told: string[] = [];
      const ended: string[] = [];
      const endThrowing = store.watch!(() => {
        throw new Error('a listener that throws');
      });
      const end = store.watch!((name) => told.push(name));
      const endOther = store.watch!((name) => ended.push(name));
      same(await store.commit('one', bytesOf(1, 1), 0), true, 'the commit');
      await until(() => told.includes('one') && ended.includes('one'), 'both are told');
      endOther();
      endOther();
      const before = ended.length;
      await store.commit('two', bytesOf(1, 1), 0);
      await until(() => told.includes('two'), 'the one that is left is told');
      same(ended.length, before, 'calls of the one that was ended');
      end();
      endThrowing();
    });
  }

  if (watch === 'everybody') {
    withTwo('watches: tells of the commits of others', async (one, other) => {
      const told: string[] = [];
      const end = other.watch!((name) => told.push(name));
      await one.commit('some/head', bytesOf(1, 1), 0);
      await until(() => told.includes('some/head'), 'the other is told');
      told.length = 0;
      await wait(10);
      await one.commit('some/head', bytesOf(1, 2), 1);
      await until(() => told.includes('some/head'), 'the other is told again');
      end();
    });
  }
}

const goodNames: readonly string[] = [
  'a',
  '0',
  '-',
  '_',
  'a/b',
  'a-b',
  'a_b',
  'a.b',
  'ab',
  'a.',
  'a/b.',
  'a/b/c',
  'con',
  'con.txt',
  'nul/aux/com1',
  'lpt9.',
  'head-a.1',
  'lock-1',
  'value-a.bin',
  'temporary-a',
  '__proto__',
  'constructor',
  'x'.repeat(maxNameLength),
  `${'x/'.repeat(maxNameLength / 2 - 1)}xx`,
];

const badNames: readonly string[] = [
  '',
  '.',
  '..',
  '.a',
  '/',
  '/a',
  'a/',
  'a//b',
  'a/.b',
  'a/../b',
  '../a',
  '..\\a',
  'A',
  'a b',
  'a+b',
  'a:b',
  'a\n',
  'a\0',
  'ä',
  'x'.repeat(maxNameLength + 1),
];

/** The same for the same arguments, and unlike for others. */
function bytesOf(length: number, salt: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0, state = salt * 2_654_435_761 + length; at < length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

/** Mulberry32: short, and the same everywhere. */
function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function all<T>(count: number, run: (at: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, at) => run(at)));
}

function wait(delayMs: number): Promise<void> {
  const { setTimeout } = globalThis as unknown as { setTimeout(run: () => void, delayMs: number): unknown };
  return new Promise((resolve) => void setTimeout(resolve, delayMs));
}

async function until(holds: () => boolean, what: string): Promise<void> {
  for (let waitedMs = 0; !holds(); waitedMs += 5) {
    check(waitedMs < toldWithinMs, `${what} within ${toldWithinMs} ms`);
    await wait(5);
  }
}

/** A signal without `AbortController`, which bare engines lack: a store may use no more of it than `SignalLike` has. */
function signalOf(): { readonly signal: SignalLike; abort(): void } {
  const listeners = new Set<() => void>();
  let aborted = false;
  const signal: SignalLike = {
    get aborted() {
      return aborted;
    },
    addEventListener: (_, listener) => void listeners.add(listener),
    removeEventListener: (_, listener) => void listeners.delete(listener),
  };
  return {
    signal,
    abort() {
      aborted = true;
      for (const listener of [...listeners]) listener();
    },
  };
}

function check(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`the store breaks its contract: ${what}`);
}

function same(actual: unknown, expected: unknown, what: string): void {
  const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
  check(
    actual === expected || (typeof expected === 'object' && is === should),
    `${what}: ${is ?? String(actual)} instead of ${should}`,
  );
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

function sameBytes(actual: Uint8Array | null, expected: Uint8Array | null, what: string): void {
  same(Object.prototype.toString.call(actual), Object.prototype.toString.call(expected), `the type of ${what}`);
  if (actual === null || expected === null) return;
  same(actual.length, expected.length, `the length of ${what}`);
  check(equal(actual, expected), `${what}: other bytes`);
}

/** With this code, or as a plain `TypeError`; as a rejection, not thrown at once. */
async function fails(call: () => Promise<unknown>, code: string, what: string): Promise<void> {
  const calling = call();
  const failure: unknown = await calling.then(
    () => undefined,
    (error: unknown) => error,
  );
  check(failure !== undefined, `${what} fails`);
  const is = isPortcullisError(failure) ? failure.code : failure instanceof TypeError ? 'TypeError' : String(failure);
  same(is, code, what);
}
