import { prefixOf } from 'portcullis';
import { uniqueTokens } from 'portcullis/sources';
import { memoryStore } from 'portcullis/stores';
import { describe, expect, test, vi } from 'vitest';
import type { Store } from '../../../src/blocklist/model/store.js';
import { dayMs, heard, held, hourMs, listing, minuteMs, opened, synced } from './harness.js';
import { type OwnSource, ownSource } from './own-source.js';

const clear = { status: 'clear' } as const;
const blocked = { status: 'blocked' } as const;

const confirmed = ['one.example', 'two.example', 'three.example'];

/** A list that was published three times: each version lists one host more. Its confirmations are not those of an older copy. */
const versions = [
  { sequence: 1, snapshotToken: 's1', snapshot: confirmed.slice(0, 1), confirmed },
  { sequence: 2, snapshotToken: 's2', snapshot: confirmed.slice(0, 2), confirmed },
  { sequence: 3, snapshotToken: 's3', snapshot: confirmed, confirmed },
] as const;

function serve(source: OwnSource, version: 1 | 2 | 3): void {
  Object.assign(source.list, versions[version - 1]);
}

describe('a source with a sequence', () => {
  test('offers last week’s version: the list stays, ages, and the older version is reported', async () => {
    const { source, blocklist, clock } = await listing(versions[1]);
    const events = heard(blocklist, 'rollback', 'changed');
    clock.nowMs += hourMs;
    serve(source, 1);
    expect(await blocklist.sync()).toMatchObject({ outcome: 'failed', sources: [{ error: { code: 'OLDER_LIST' } }] });
    expect(await blocklist.check('two.example')).toMatchObject(blocked);
    expect(events).toEqual([{ type: 'rollback', source: 'own' }]);
    expect(blocklist.status().sources[0]).toMatchObject({
      list: { sequence: 2, ageMs: hourMs },
      lastError: { code: 'OLDER_LIST' },
      olderAtMs: clock.nowMs,
    });
    clock.nowMs += 23 * hourMs + 1;
    await blocklist.sync();
    expect(blocklist.test('fine.example')).toMatchObject({ status: 'unknown', reason: 'list-stale' });
    expect(await blocklist.check('two.example')).toMatchObject(blocked);
    serve(source, 3);
    expect(await blocklist.sync()).toMatchObject({ outcome: 'updated' });
    expect(blocklist.test('fine.example')).toMatchObject(clear);
    expect(blocklist.status().sources[0]).toMatchObject({ list: { sequence: 3, ageMs: 0 }, lastError: null });
  });

  test('polls again with the next poll after an older version, not after a back-off', async () => {
    const { source, blocklist, clock } = await listing(versions[1], { random: () => 0.5 });
    serve(source, 1);
    for (let failures = 1; failures < 5; failures++) {
      await blocklist.sync();
      expect(blocklist.nextSyncAtMs - clock.nowMs).toBe(5 * minuteMs);
    }
  });

  test('answers from an older copy in the middle of a round: the newer version is taken over', async () => {
    const source = ownSource(versions[1]);
    source.before = (call) => {
      if (call === 'snapshot') source.before = () => serve(source, 1);
    };
    const { blocklist } = await synced(source);
    expect(blocklist.status().sources[0]?.list).toMatchObject({ sequence: 2, count: 2 });
  });

  test('drops its sequence: a version without one is older than any with one', async () => {
    const { source, blocklist } = await listing(versions[1]);
    Object.assign(source.list, versions[0], { sequence: undefined });
    expect(await blocklist.sync()).toMatchObject({ outcome: 'failed' });
    expect(await blocklist.check('two.example')).toMatchObject(blocked);
  });

  test('moves to another place: its sequence starts anew', async () => {
    const store = memoryStore();
    const { source, blocklist } = await listing({ ...versions[1], origin: 'a' }, { store });
    await blocklist.close();
    const moved = ownSource({ ...source.list, ...versions[0], origin: 'b' });
    const { blocklist: again } = await synced(moved, { store });
    expect(again.status().sources[0]?.list).toMatchObject({ sequence: 1 });
  });

  test('forges a sequence of next year: versions of a day later are accepted', async () => {
    const { source, blocklist, clock } = await listing();
    serve(source, 2);
    source.list.sequence = clock.nowMs + 365 * dayMs;
    await blocklist.sync();
    clock.nowMs += dayMs + 1;
    serve(source, 3);
    source.list.sequence = clock.nowMs;
    expect(await blocklist.sync()).toMatchObject({ outcome: 'updated' });
  });

  test.each([
    ['its clock is 40 days behind', 40 * dayMs],
    ['the publisher counts from next year', 400 * dayMs],
  ])('offers an older version although %s: it is refused', async (_, aheadMs) => {
    const { source, blocklist, clock } = await listing();
    const at = (version: 1 | 2, sequence: number): void => {
      serve(source, version);
      source.list.sequence = sequence;
    };
    const startMs = clock.nowMs + aheadMs;
    at(2, startMs);
    await blocklist.sync();
    for (let hours = 0; hours < 3 * 24; hours += 20) {
      clock.nowMs += 20 * hourMs;
      at(1, startMs - 7 * dayMs);
      expect(await blocklist.sync()).toMatchObject({ outcome: 'failed', sources: [{ error: { code: 'OLDER_LIST' } }] });
      expect(await blocklist.check('two.example')).toMatchObject(blocked);
      at(2, startMs);
      expect(await blocklist.sync()).toMatchObject({ outcome: 'unchanged' });
    }
  });

  test.each([['1'], [-1.5], [Number.NaN]])('has the sequence %s: the version is malformed', async (sequence) => {
    const { source, blocklist } = await listing(versions[1]);
    serve(source, 3);
    source.list.sequence = sequence as number;
    expect(await blocklist.sync()).toMatchObject({ sources: [{ error: { code: 'INVALID_RESPONSE' } }] });
  });
});

describe('the newest version is known', () => {
  /** Two tabs of one store. The second one loses the newest list, gets an older version and stores it. */
  async function afterLoss(of: 1 | 2) {
    const store = memoryStore();
    const source = ownSource(versions[of - 1]);
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
    return { source, first, again };
  }

  test('when another tab loses the newest list and stores an older one: this one keeps its own, and the other gets it back', async () => {
    const { first, again } = await afterLoss(1);
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

describe('an entry that was removed is listed again, with the same snapshot', () => {
  test('the denial of the version before is forgotten', async () => {
    const { source, blocklist } = await listing({ sequence: 1, confirmed: [] });
    expect(await blocklist.check('evil.example')).toMatchObject(clear);
    const events = heard(blocklist, 'changed');
    Object.assign(source.list, { sequence: 2, confirmed: ['evil.example'] });
    await blocklist.sync();
    expect(await blocklist.check('evil.example')).toMatchObject(blocked);
    expect(events).toEqual([]);
  });

  test('a check does not wait for an answer about the version before', async () => {
    const { wait, release } = held();
    const own = ownSource({ sequence: 1, snapshot: ['evil.example'] });
    const prefix = prefixOf('evil.example');
    const answers = [
      wait().then(() => ({ hashes: new Map([[prefix, []]]) })),
      own.confirm!([prefix], { algoVersion: 'portcullis-1' }),
    ];
    let asked = 0;
    const source: OwnSource = { ...own, confirm: () => answers[Math.min(asked++, 1)]! };
    const { blocklist } = await synced(source);
    const before = blocklist.check('evil.example');
    await vi.waitFor(() => expect(asked).toBe(1));
    source.list.sequence = 2;
    await blocklist.sync();
    expect(await blocklist.check('evil.example')).toMatchObject(blocked);
    release();
    expect(await before).toMatchObject(clear);
    expect(await blocklist.check('evil.example')).toMatchObject(blocked);
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

describe('a source whose tokens are opaque and never used twice', () => {
  const opaque = { ...versions[0], sequence: undefined, tokenHistory: uniqueTokens } as const;

  test('comes back to a version it had replaced: it is reported, and the list stays for an hour', async () => {
    const { source, blocklist, clock } = await listing(opaque);
    const events = heard(blocklist, 'rollback');
    Object.assign(source.list, versions[1], { sequence: undefined });
    await blocklist.sync();
    Object.assign(source.list, versions[0], { sequence: undefined });
    for (let poll = 0; poll < 12; poll++) {
      expect(await blocklist.sync()).toMatchObject({ sources: [{ error: { code: 'OLDER_LIST' } }] });
      expect(await blocklist.check('two.example')).toMatchObject(blocked);
      clock.nowMs += 5 * minuteMs;
    }
    expect(events).toHaveLength(12);
    // The publisher may have withdrawn the newer list.
    expect(await blocklist.sync()).toMatchObject({ outcome: 'updated' });
    // And then the newer one is not the older.
    Object.assign(source.list, versions[1], { sequence: undefined });
    expect(await blocklist.sync()).toMatchObject({ outcome: 'updated' });
    expect(await blocklist.check('two.example')).toMatchObject(blocked);
  });

  test('answers from an older copy every other time: the list never goes back', async () => {
    const store = memoryStore();
    const { source, blocklist, clock } = await listing(opaque, { store });
    Object.assign(source.list, versions[1], { sequence: undefined });
    await blocklist.sync();
    await blocklist.close();
    const { blocklist: again, clock: later } = await synced(source, { store });
    later.nowMs = clock.nowMs;
    for (let poll = 0; poll < 60; poll++) {
      later.nowMs += 5 * minuteMs;
      Object.assign(source.list, versions[poll % 2], { sequence: undefined });
      await again.sync();
      expect(await again.check('two.example')).toMatchObject(blocked);
    }
  });

  test('comes back to earlier recents: nothing is lost', async () => {
    const { source, blocklist } = await listing({ ...opaque, recentToken: 'r1' });
    Object.assign(source.list, { recentToken: 'r2', recent: ['new.example'] });
    await blocklist.sync();
    Object.assign(source.list, { recentToken: 'r1', recent: [] });
    expect(await blocklist.sync()).toMatchObject({ outcome: 'failed' });
    expect(blocklist.test('new.example')).not.toMatchObject(clear);
  });

  test('has had many versions: a bounded number is remembered', async () => {
    const store = memoryStore();
    const { source, blocklist } = await listing(opaque, { store });
    for (let at = 0; at < 200; at++) {
      source.list.snapshotToken = `t${at}`;
      await blocklist.sync();
    }
    await store.open();
    expect((await store.read('own/retry'))!.length).toBeLessThan(1_500);
  });
});

test('a source that may use tokens twice goes back as it likes', async () => {
  const { source, blocklist } = await listing({ ...versions[0], sequence: undefined });
  for (const version of [1, 0, 1, 0]) {
    Object.assign(source.list, versions[version], { sequence: undefined });
    expect(await blocklist.sync()).toMatchObject({ outcome: 'updated' });
  }
});

test('an expired version blocks, and what it lacks is not clear, however often it is offered', async () => {
  const { source, blocklist, clock } = await listing(versions[0]);
  serve(source, 2);
  source.list.expiresAtMs = clock.nowMs + 6 * hourMs;
  await blocklist.sync();
  const events = heard(blocklist, 'stale');
  clock.nowMs += 6 * hourMs;
  await blocklist.sync();
  expect(blocklist.test('fine.example')).toMatchObject(clear);
  clock.nowMs += 1;
  expect(blocklist.test('fine.example')).toMatchObject({ status: 'unknown', reason: 'list-stale' });
  expect(await blocklist.sync()).toMatchObject({ sources: [{ error: { code: 'LIST_EXPIRED' } }] });
  expect(blocklist.test('fine.example')).toMatchObject({ status: 'unknown', reason: 'list-stale' });
  expect(await blocklist.check('two.example')).toMatchObject(blocked);
  expect(events).toMatchObject([{ ageMs: 1 }]);
  serve(source, 3);
  source.list.expiresAtMs = clock.nowMs + hourMs;
  expect(await blocklist.sync()).toMatchObject({ outcome: 'updated' });
  expect(blocklist.test('fine.example')).toMatchObject(clear);
});
