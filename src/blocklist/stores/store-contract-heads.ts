import { all, bytesOf, type ContractTools, check, fails, opened, same, sameBytes } from './store-contract-support.js';

/** Tests of the heads of one store, including after a restart. */
export function testHeads({ again, withStore }: ContractTools): void {
  withStore('commits in sequence and rejects an outdated expected sequence', async (store) => {
    same(await store.commit('head', bytesOf(1, 9), 1), false, 'a first commit that expects a head');
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
    same(await store.read('head'), null, 'the value with the name of a head');
    same(await store.commit('other', bytesOf(1, 1), 0), true, 'the first commit of another name');
  });

  withStore('keeps heads larger than a row', async (store) => {
    for (let sequence = 0; sequence < 4; sequence++) await store.commit('head', bytesOf(700_000, sequence), sequence);
    const heads = await store.heads('head');
    same([heads[0]?.sequence, heads[1]?.sequence], [4, 3], 'the sequences');
    for (const { sequence, bytes } of heads) sameBytes(bytes, bytesOf(700_000, sequence - 1), `head ${sequence}`);
  });

  withStore('lets one of many concurrent commits win', async (store) => {
    for (let sequence = 0; sequence < 5; sequence++) {
      const results = await all(10, (at) => store.commit('head', bytesOf(20, at), sequence));
      same(results.filter(Boolean).length, 1, `winners after ${sequence}`);
      sameBytes((await store.heads('head'))[0]!.bytes, bytesOf(20, results.indexOf(true)), 'the head of the winner');
    }
  });

  withStore('keeps values and heads after a close', async (store) => {
    await store.write('value', bytesOf(1000, 1));
    for (let sequence = 0; sequence < 3; sequence++) await store.commit('head', bytesOf(100, sequence), sequence);
    await store.close();
    await opened(await again(store), async (next) => {
      sameBytes(await next.read('value'), bytesOf(1000, 1), 'the value');
      same(await next.list(''), ['value'], 'the names that list returns');
      const heads = await next.heads('head');
      same([heads[0]?.sequence, heads[1]?.sequence], [3, 2], 'the sequences');
      same(await next.commit('head', bytesOf(1, 1), 3), true, 'the head after them');
    });
  });
}

/** Calls after and during a close. */
export function testClosing({ test, make, again }: ContractTools): void {
  test('rejects every call after its close', async () => {
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

  test('finishes running calls when it is closed', async () => {
    const store = await make();
    await store.open();
    const writes = all(5, (at) => store.write(`value/${at}`, bytesOf(300_000, at)));
    const closing = store.close();
    await writes;
    await closing;
    await opened(await again(store), async (next) => {
      for (let at = 0; at < 5; at++) sameBytes(await next.read(`value/${at}`), bytesOf(300_000, at), `value ${at}`);
    });
  });
}
