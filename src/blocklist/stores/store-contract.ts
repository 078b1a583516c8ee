import { having } from '../../core/options/read-options.js';
import type { Store } from '../model/store.js';
import { maxNameLength } from './store-arguments.js';
import {
  all,
  type ContractTools,
  check,
  fails,
  opened,
  type StoreContract,
  same,
  sameBytes,
  sampleBytes,
  testLocks,
  testRandomCalls,
  testWatches,
  testWriters,
} from './store-contract-sharing.js';

export type { Reach, StoreContract } from './store-contract-sharing.js';

/**
 * Registers a test for every promise of `Store`. Every store must pass it.
 *
 * @example
 * storeContract({ test, make: () => myStore(newFolder()), again: (store) => store, isAtomic: true, lock: 'none', watch: 'none' });
 */
export function storeContract(contract: StoreContract): void {
  having<StoreContract>('an object with test, make and again', 'test', 'make', 'again')(contract, 'storeContract: contract');
  const { test, make, again, seed = 1 } = contract;
  const withStore = (name: string, run: (store: Store) => Promise<void>): unknown =>
    test(name, async () => opened(await make(), run));
  const withTwo = (name: string, run: (one: Store, other: Store) => Promise<void>): unknown =>
    withStore(name, async (one) => opened(await again(one), (other) => run(one, other)));
  const tools = { ...contract, seed, withStore, withTwo };
  for (const testSome of [testValues, testHeads, testWriters, testRandomCalls, testClosing, testLocks, testWatches])
    testSome(tools);
}

/** Values: reading, writing, removing, listing, names, copies. */
function testValues({ again, isAtomic, lock, watch, withStore }: ContractTools): void {
  withStore('declares what it supports', async (store) => {
    same(store.isAtomic, isAtomic, 'isAtomic');
    same(store.lock !== undefined, lock !== 'none', 'has a lock');
    same(store.watch !== undefined, watch !== 'none', 'has a watch');
  });

  for (const length of [0, 1, 2, 3, 1000, 65_536, 1_048_577, 3_000_000]) {
    withStore(`returns ${length} bytes, even after a restart`, async (store) => {
      const bytes = sampleBytes(length, length);
      await store.write('some/value', bytes);
      sameBytes(await store.read('some/value'), bytes, 'the written value');
      await opened(await again(store), async (next) =>
        sameBytes(await next.read('some/value'), bytes, 'the value after a restart'),
      );
    });
  }

  withStore('is empty at first', async (store) => {
    same(await store.read('nothing'), null, 'a missing value');
    same(await store.list(''), [], 'the names that list returns');
    same(await store.heads('nothing'), [], 'the heads');
    await store.remove('nothing');
  });

  withStore('replaces a value with a longer and a shorter one', async (store) => {
    for (const length of [10, 2_000_000, 3, 700_000, 0, 5]) {
      await store.write('value', sampleBytes(length, length + 1));
      sameBytes(await store.read('value'), sampleBytes(length, length + 1), `${length} bytes`);
    }
    same(await store.list(''), ['value'], 'the names that list returns');
  });

  withStore('removes one value and leaves the others', async (store) => {
    for (const name of ['a', 'a/b', 'a/b/c', 'ab']) await store.write(name, sampleBytes(600_000, name.length));
    await store.remove('a/b');
    await store.remove('a/b');
    same(await store.read('a/b'), null, 'the removed value');
    sameBytes(await store.read('a/b/c'), sampleBytes(600_000, 5), 'its neighbor');
    same([...(await store.list(''))].sort(), ['a', 'a/b/c', 'ab'], 'the names that list returns');
    await store.write('a/b', sampleBytes(3, 9));
    sameBytes(await store.read('a/b'), sampleBytes(3, 9), 'the value written again');
  });

  withStore('lists the names with a prefix, without heads', async (store) => {
    const names = ['one/base/1', 'one/base/2', 'one/recent/1', 'one-more/base/1', 'two/base/1'];
    for (const name of names) await store.write(name, sampleBytes(1, 1));
    await store.commit('one/head', sampleBytes(1, 1), 0);
    same([...(await store.list(''))].sort(), [...names].sort(), 'all names');
    same([...(await store.list('one/'))].sort(), names.slice(0, 3), 'the names under one/');
    same([...(await store.list('one/base/'))].sort(), names.slice(0, 2), 'the names under one/base/');
    same([...(await store.list('one'))].sort(), ['one-more/base/1', ...names.slice(0, 3)], 'the names that begin with one');
    same(await store.list('three'), [], 'a prefix without names');
    same(await store.list('ONE'), [], 'an upper-case prefix');
  });

  withStore('accepts every valid name and keeps them apart', async (store) => {
    for (const [at, name] of goodNames.entries()) {
      await store.write(name, sampleBytes(at + 1, at));
      same(await store.commit(name, sampleBytes(at + 2, at), 0), true, `the first head of ${name}`);
    }
    for (const [at, name] of goodNames.entries()) {
      sameBytes(await store.read(name), sampleBytes(at + 1, at), name);
      const heads = await store.heads(name);
      same(heads.length, 1, `the heads of ${name}`);
      sameBytes(heads[0]?.bytes ?? null, sampleBytes(at + 2, at), `the head of ${name}`);
    }
    same([...(await store.list(''))].sort(), [...goodNames].sort(), 'the names that list returns');
  });

  withStore('rejects invalid names and arguments of the wrong type', async (store) => {
    const one = sampleBytes(1, 1);
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
    same(await store.list(''), [], 'the names that list returns');
    same(await store.heads('head'), [], 'the heads');
  });

  withStore('copies bytes on the way in and out', async (store) => {
    const wide = sampleBytes(3000, 1);
    const view = wide.subarray(1000, 2000);
    const expected = sampleBytes(3000, 1).slice(1000, 2000);
    const writing = store.write('value', view);
    view.fill(0);
    await writing;
    const read = await store.read('value');
    sameBytes(read, expected, 'a value whose argument changed after the call');
    read!.fill(1);
    sameBytes(await store.read('value'), expected, 'a value whose result changed after reading');
    const head = sampleBytes(100, 2);
    const committing = store.commit('head', head, 0);
    head.fill(0);
    await committing;
    const [newest] = await store.heads('head');
    sameBytes(newest!.bytes, sampleBytes(100, 2), 'a head whose argument changed after the call');
    newest!.bytes.fill(1);
    sameBytes((await store.heads('head'))[0]!.bytes, sampleBytes(100, 2), 'a head whose result changed after reading');
  });
}

const goodNames: readonly string[] = [
  ...'a 0 - _ a/b a-b a_b a.b ab a. a/b. a/b/c con con.txt nul/aux/com1 lpt9.'.split(' '),
  ...'head-a.1 lock-1 value-a.bin temporary-a __proto__ constructor'.split(' '),
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

/** Tests of the heads of one store, including after a restart. */
function testHeads({ again, withStore }: ContractTools): void {
  withStore('commits in sequence and rejects an outdated expected sequence', async (store) => {
    same(await store.commit('head', sampleBytes(1, 9), 1), false, 'a first commit that expects a head');
    for (let sequence = 0; sequence < 12; sequence++) {
      same(await store.commit('head', sampleBytes(sequence, sequence), sequence), true, `a head after ${sequence}`);
      for (const wrong of [sequence, sequence + 2, 0]) {
        same(
          await store.commit('head', sampleBytes(1, 9), wrong),
          false,
          `a head after ${wrong} when ${sequence + 1} is the newest`,
        );
      }
    }
    const heads = await store.heads('head');
    check(heads.length >= 2, 'the last two heads are kept');
    for (const [at, { sequence, bytes }] of heads.entries()) {
      same(sequence, 12 - at, 'the newest comes first');
      sameBytes(bytes, sampleBytes(sequence - 1, sequence - 1), `head ${sequence}`);
    }
    same(await store.read('head'), null, 'the value with the name of a head');
    same(await store.commit('other', sampleBytes(1, 1), 0), true, 'the first commit of another name');
  });

  withStore('keeps heads larger than a row', async (store) => {
    for (let sequence = 0; sequence < 4; sequence++) await store.commit('head', sampleBytes(700_000, sequence), sequence);
    const heads = await store.heads('head');
    same([heads[0]?.sequence, heads[1]?.sequence], [4, 3], 'the sequences');
    for (const { sequence, bytes } of heads) sameBytes(bytes, sampleBytes(700_000, sequence - 1), `head ${sequence}`);
  });

  withStore('lets one of many concurrent commits win', async (store) => {
    for (let sequence = 0; sequence < 5; sequence++) {
      const results = await all(10, (at) => store.commit('head', sampleBytes(20, at), sequence));
      same(results.filter(Boolean).length, 1, `winners after ${sequence}`);
      sameBytes((await store.heads('head'))[0]!.bytes, sampleBytes(20, results.indexOf(true)), 'the head of the winner');
    }
  });

  withStore('keeps values and heads after a close', async (store) => {
    await store.write('value', sampleBytes(1000, 1));
    for (let sequence = 0; sequence < 3; sequence++) await store.commit('head', sampleBytes(100, sequence), sequence);
    await store.close();
    await opened(await again(store), async (next) => {
      sameBytes(await next.read('value'), sampleBytes(1000, 1), 'the value');
      same(await next.list(''), ['value'], 'the names that list returns');
      const heads = await next.heads('head');
      same([heads[0]?.sequence, heads[1]?.sequence], [3, 2], 'the sequences');
      same(await next.commit('head', sampleBytes(1, 1), 3), true, 'the head after them');
    });
  });
}

/** Calls after and during a close. */
function testClosing({ test, make, again }: ContractTools): void {
  test('rejects every call after its close', async () => {
    const store = await make();
    await store.open();
    await store.write('value', sampleBytes(1, 1));
    await store.close();
    const calls: Record<string, () => Promise<unknown>> = {
      read: () => store.read('value'),
      write: () => store.write('value', sampleBytes(1, 1)),
      remove: () => store.remove('value'),
      list: () => store.list(''),
      heads: () => store.heads('head'),
      commit: () => store.commit('head', sampleBytes(1, 1), 0),
      ...(store.lock === undefined ? {} : { lock: () => store.lock!(async () => {}) }),
    };
    for (const [name, call] of Object.entries(calls)) await fails(call, 'CLOSED', name);
    await store.close();
  });

  test('finishes running calls when it is closed', async () => {
    const store = await make();
    await store.open();
    const writes = all(5, (at) => store.write(`value/${at}`, sampleBytes(300_000, at)));
    const closing = store.close();
    await writes;
    await closing;
    await opened(await again(store), async (next) => {
      for (let at = 0; at < 5; at++) sameBytes(await next.read(`value/${at}`), sampleBytes(300_000, at), `value ${at}`);
    });
  });
}
