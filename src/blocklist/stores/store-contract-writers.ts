import { equalBytes } from '../../core/bytes.js';
import { pause } from '../../core/slices.js';
import { all, bytesOf, type ContractTools, check, randomFrom, same, sameBytes } from './store-contract-support.js';

/** Random calls: enough for every pair of calls in every order. */
const randomCalls = 400;

/** Two stores over the same data, and many calls at once. */
export function testWriters({ isAtomic, withStore, withTwo }: ContractTools): void {
  withTwo('shows another store what was written and committed', async (one, other) => {
    await one.write('value', bytesOf(2_000_000, 1));
    sameBytes(await other.read('value'), bytesOf(2_000_000, 1), 'the value');
    await other.write('value', bytesOf(10, 2));
    sameBytes(await one.read('value'), bytesOf(10, 2), 'the new value');
    same(await one.commit('head', bytesOf(10, 3), 0), true, 'the first head');
    same(await other.commit('head', bytesOf(10, 4), 0), false, 'another first head');
    same(await other.commit('head', bytesOf(10, 5), 1), true, 'the second head');
    sameBytes((await one.heads('head'))[0]!.bytes, bytesOf(10, 5), 'the newest head');
    await other.remove('value');
    same(await one.read('value'), null, 'the value the other store removed');
  });

  withTwo('returns a whole value while another store replaces it', async (one, other) => {
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
        check(at !== -1, 'the length of the value read meanwhile');
        sameBytes(read, bytesOf(lengths[at]!, at), 'the value read meanwhile');
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
        const results = await all(6, (at) => (at % 2 === 0 ? one : other).commit('head', bytesOf(20, at), sequence));
        same(results.filter(Boolean).length, 1, `winners after ${sequence}`);
        sameBytes((await one.heads('head'))[0]!.bytes, bytesOf(20, results.indexOf(true)), 'the head of the winner');
      }
    });
  } else {
    withTwo('keeps heads whole when two writers cannot compare', async (one, other) => {
      for (let round = 0; round < 5; round++) {
        const newest = async (): Promise<number> => (await one.heads('head'))[0]?.sequence ?? 0;
        const before = await newest();
        const results = await all(2, (at) => (at === 0 ? one : other).commit('head', bytesOf(400_000, at), before));
        check(results.includes(true), 'one writer wins');
        const [head] = await other.heads('head');
        same(head?.sequence, before + 1, 'the sequence');
        check(
          [0, 1].some((at) => equalBytes(head!.bytes, bytesOf(400_000, at))),
          'the head was written by one of the writers',
        );
      }
    });
  }

  withStore('handles many concurrent calls', async (store) => {
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
    same((await store.list('value/')).length, 8, 'the names that list returns');
    await all(20, (at) => store.write('same', bytesOf(300_000, at)));
    const last = await store.read('same');
    check(
      Array.from({ length: 20 }, (_, at) => at).some((at) => equalBytes(last!, bytesOf(300_000, at))),
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
}
