import { memoryStore } from 'portcullis/stores';
import { describe, expect, test, vi } from 'vitest';
import type { Store } from '../../../src/blocklist/model/store.js';
import { versions } from '../engines-world.js';
import { held, minuteMs, opened, synced } from './harness.js';
import { type OwnSource, ownSource } from './own-source.js';

const clear = { status: 'clear' } as const;

function serve(source: OwnSource, version: 1 | 2 | 3): void {
  Object.assign(source.list, versions[version - 1]);
}

describe('the newest version is known', () => {
  test('when another tab loses the newest list and stores an older one: this one keeps its own, and the other gets it back', async () => {
    const store = memoryStore();
    const source = ownSource(versions[0]);
    const first = await synced(source, { store });
    const second = await synced(source, { store });
    serve(source, 2);
    await second.blocklist.sync();
    await second.blocklist.close();
    await store.open();
    for (const name of await store.list('own/base/')) await store.write(name, new Uint8Array(40));
    serve(source, 1);
    const again = await synced(source, { store });
    expect(again.blocklist.status().sources[0]?.list).toMatchObject({ sequence: 1, isStale: true });
    await first.blocklist.sync();
    for (const { blocklist } of [first, again]) {
      expect(blocklist.test('two.example')).not.toMatchObject(clear);
      await vi.waitFor(() => expect(blocklist.status().sources[0]?.list?.sequence).toBe(2));
    }
  });

  test('when another tab that never had the newest list stores an older one as new: its misses do not count here', async () => {
    const store = memoryStore();
    const source = ownSource(versions[1]);
    const { blocklist } = await synced(source, { store });
    const { watch: _, ...alone } = store;
    const empty = {
      ...alone,
      heads: async () => [],
      commit: async (...args: Parameters<typeof store.commit>) => store.commit(args[0], args[1], 1),
    };
    serve(source, 1);
    await synced(source, { store: empty });
    await blocklist.sync();
    expect(blocklist.test('two.example')).not.toMatchObject(clear);
    await blocklist.close();
    const { blocklist: again } = await synced(source, { store });
    expect(again.test('two.example')).not.toMatchObject(clear);
  });

  test('to two tabs of one store: the one that got an older version adopts the newer one', async () => {
    const store = memoryStore();
    const newer = ownSource(versions[2]);
    const older = ownSource(versions[1]);
    const { blocklist: first } = await synced(newer, { store });
    const { blocklist: second } = await synced(older, { store });
    await second.sync();
    for (const blocklist of [first, second]) expect(await blocklist.check('three.example')).not.toMatchObject(clear);
    expect(second.status().sources[0]?.list?.sequence).toBe(3);
  });
});

describe('a writer of the same store that has lost its memory stores an older version', () => {
  /** The newest version that is stored cannot be read any more, and its sequence is unknown. */
  async function forget(store: Store, ...values: readonly ('base' | 'retry')[]): Promise<void> {
    await store.open();
    for (const value of values) for (const name of await store.list(`own/${value}`)) await store.write(name, new Uint8Array(40));
    await store.close();
  }

  test('a client that has lost the newer one, but knows of it, does not take the older one for current', async () => {
    const store = memoryStore();
    const { blocklist } = await synced(ownSource(versions[1]), { store });
    await blocklist.close();
    await forget(store, 'base');
    const { blocklist: again } = await synced(ownSource(versions[0]), { store });
    await forget(store, 'retry');
    const { blocklist: other } = await synced(ownSource(versions[0]), { store });
    expect(await other.sync()).toMatchObject({ outcome: 'unchanged' });
    expect(again.test('two.example')).toMatchObject({ status: 'unknown', reason: 'list-stale' });
  });

  test('a client that cannot read the newer one does not make the store forget it', async () => {
    const store = memoryStore();
    const { watch: _, ...unwatched } = store;
    const older = ownSource(versions[0]);
    const { blocklist: other } = await synced(older, { store: unwatched });
    const { blocklist } = await synced(ownSource(versions[1]), { store });
    await blocklist.sync();
    await forget(store, 'base');
    expect(await other.sync()).toMatchObject({ sources: [{ error: { code: 'OLDER_LIST' } }] });
    for (const each of [blocklist, other]) await each.close();
    const { blocklist: again } = await synced(older, { store });
    expect(again.test('two.example')).toMatchObject({ status: 'unknown', reason: 'list-stale' });
  });

  test('a client that is offered an older version does not make the store forget the newer one', async () => {
    const store = memoryStore();
    const older = ownSource(versions[0]);
    const { blocklist: other } = await synced(older, { store });
    const { blocklist } = await synced(ownSource(versions[1]), { store });
    await blocklist.sync();
    expect(await other.sync()).toMatchObject({ sources: [{ error: { code: 'OLDER_LIST' } }] });
    for (const each of [blocklist, other]) await each.close();
    await forget(store, 'base');
    const { blocklist: again } = await synced(older, { store });
    expect(again.test('two.example')).toMatchObject({ status: 'unknown', reason: 'list-stale' });
  });
});

test.each([
  ['older', 'is told of it', true, 1, 2],
  ['older', 'finds it when it stores its own', false, 1, 2],
  ['newer', 'is told of it', true, 2, 1],
  ['newer', 'finds it when it stores its own', false, 2, 1],
] as const)('a round that ends with an %s version than another tab has stored leaves the newer one: it %s', async (...row) => {
  const [, , isTold, own, other] = row;
  const { lock: _, watch, ...rest } = memoryStore();
  const store = isTold ? { ...rest, watch: watch! } : rest;
  const { wait, release } = held();
  const slow = ownSource(versions[own]);
  slow.before = (call) => (call === 'snapshot' ? wait() : undefined);
  const { blocklist: second, clock } = opened({ sources: [slow], store });
  // The later fetch is that of the older version.
  clock.nowMs += own === 1 ? minuteMs : -minuteMs;
  const starting = second.ready();
  await vi.waitFor(() => expect(slow.calls).toContain('snapshot'));
  await synced(ownSource(versions[other]), { store });
  release();
  await starting;
  expect(second.status().sources[0]?.list).toMatchObject({ sequence: 3, count: 3 });
  const { blocklist: third } = opened({ sources: [slow], store });
  await third.ready();
  expect(third.status().sources[0]?.list).toMatchObject({ sequence: 3, count: 3 });
});
