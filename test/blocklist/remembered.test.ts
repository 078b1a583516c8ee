import { createBlocklist } from 'portcullis';
import { type Source, uniqueTokens } from 'portcullis/sources';
import { memoryStore } from 'portcullis/stores';
import { describe, expect, test } from 'vitest';
import { credible } from '../../src/blocklist/rules/version-order.js';
import { dayMs, minuteMs } from './engine/harness.js';
import { ownSource } from './engine/own-source.js';
import { hosts, worldsOf } from './engines-world.js';
import { engines } from './light/engines.js';

/** What a device remembers beside its list, when another tab, a clock or a damaged store has changed it. */

test('a stored newest version is believed by who signed it and how far ahead it is', () => {
  const nowMs = Date.UTC(2026, 0, 1);
  const order = (sequence: number, signedBy: string | null, seenAtMs = nowMs) =>
    ({ sequence, signedBy, seenAtMs, origin: '', listName: null, expiresAtMs: null }) as const;
  const near = nowMs + dayMs;
  const far = nowMs + 3 * dayMs;
  const believed = (...call: Parameters<typeof credible>) => credible(...call)?.sequence ?? null;
  expect(believed(order(near, 'k'), ['k'], null, nowMs)).toBe(near);
  expect(believed(order(near, 'thief'), ['k'], null, nowMs)).toBe(null);
  expect(believed(order(near, null), ['k'], null, nowMs)).toBe(null);
  expect(believed(order(near, null), undefined, null, nowMs)).toBe(near);
  expect(believed(order(near, 'k'), undefined, null, nowMs)).toBe(null);
  expect(believed(order(far, 'k'), ['k'], null, nowMs)).toBe(null);
  expect(believed(order(far, 'k'), ['k'], order(near + dayMs, 'k'), nowMs)).toBe(far);
  expect(believed(order(far, null), undefined, order(near + dayMs, null), nowMs)).toBe(null);
  expect(credible(order(near, 'k', far), ['k'], null, nowMs)?.seenAtMs).toBe(nowMs);
});

const hot = { recentToken: 'r1', recent: ['new.example'], hot: ['new.example'] } as const;

describe.each(engines)('the %s engine', (engine) => {
  const { listing, opened } = worldsOf(engine);

  test('a list of a source that cannot confirm blocks by whole hashes', async () => {
    const source = ownSource({ snapshot: ['old.example'], ...hot });
    delete (source as { confirm?: unknown }).confirm;
    const { blocklist } = await listing(source);
    expect(blocklist.test('new.example')).toMatchObject({ status: 'blocked', reason: 'listed' });
    expect(blocklist.test('old.example')).toMatchObject({ status: 'unconfirmed', reason: 'not-asked' });
  });

  test('refuses whole hashes of another kind', async () => {
    const source = ownSource({ snapshot: ['old.example'], ...hot });
    const { artifact } = source;
    source.artifact = async (...call) => ({ ...(await artifact(...call)), hot: new Set() as never });
    const { blocklist } = opened(source);
    expect(await blocklist.sync()).toMatchObject({ outcome: 'failed', error: { code: 'INVALID_ARTIFACT' } });
  });

  test('a clock that was a year ahead once does not keep the list from later versions', async () => {
    const store = memoryStore();
    const list = { sequence: Date.UTC(2026, 0, 1), snapshotToken: 's1' };
    let world = await listing({ snapshot: ['evil.example'], ...list }, { store });
    world.clock.nowMs += 365 * dayMs;
    await world.offer({ sequence: world.clock.nowMs, snapshotToken: 's2' });
    expect(world.blocklist.status().list).toMatchObject({ sequence: world.clock.nowMs });
    world.clock.nowMs -= 365 * dayMs;
    const outcomes: string[] = [];
    for (let day = 1; day <= 3; day++) {
      world = await world.restart();
      const { outcome } = await world.offer({ sequence: world.clock.nowMs + dayMs, snapshotToken: `t${day}` }, dayMs);
      outcomes.push(outcome);
    }
    expect(outcomes.at(-1)).toBe('updated');
  });

  test('a new snapshot without the recent entries must come twice', async () => {
    const world = await listing({ snapshot: ['evil.example'], recentToken: 'r1', recent: hosts(30) });
    const lost = { snapshotToken: 's2', recentToken: 'r2', recent: [] };
    expect(await world.offer(lost)).toMatchObject({ outcome: 'failed', error: { code: 'SUSPICIOUS_LIST' } });
    expect(world.blocklist.test('host7.example').status).toBe('unconfirmed');
    expect(await world.offer({}, 5 * minuteMs)).toMatchObject({ outcome: 'updated' });
  });

  test('an app that names its list keeps the one from before it had a name', async () => {
    const store = memoryStore();
    const world = await listing({ snapshot: ['evil.example'] }, { store });
    const named = ownSource({ snapshot: ['evil.example'], wantedName: 'mine' });
    named.before = () => {
      throw new TypeError('fetch failed');
    };
    const { blocklist } = await world.restart({ source: named });
    expect(blocklist.test('evil.example')).toMatchObject({ status: 'unconfirmed' });
  });
});

test('light lists of one store share it too', async () => {
  const store = memoryStore();
  const { opened } = worldsOf('light');
  const old = { snapshotToken: 'a', snapshot: ['old.example', 'one.example'] };
  const now = { snapshotToken: 'b', snapshot: ['old.example', 'one.example', 'new.example'] };
  const tab = () => opened({ ...old, tokenHistory: uniqueTokens }, { store: { ...store, close: async () => {} } as never });
  const [one, other] = [tab(), tab()];
  for (const world of [one, other]) {
    await world.blocklist.ready();
    await world.offer(now, 5 * minuteMs);
  }
  expect(await one.offer(old, 5 * minuteMs)).toMatchObject({ error: { code: 'OLDER_LIST' } });
  other.source.list.confirmed = old.snapshot;
  await other.offer({}, 6 * minuteMs);
  expect(await other.blocklist.check('new.example')).toMatchObject({ status: 'unconfirmed', reason: 'older-answer' });
});

describe.each(engines)('the %s engine, after its newest list could not be stored', (engine) => {
  const { listing } = worldsOf(engine);

  test.each([0, -10 * minuteMs, 10 * minuteMs])(
    'asks about what only the older one was sure of, with the clock %i ms off',
    async (offMs) => {
      const stored = memoryStore();
      let isFull = false;
      const store = {
        ...stored,
        write: async (...call: Parameters<typeof stored.write>) => {
          if (isFull && !/retry|light-state/.test(call[0])) throw new Error('quota');
          return stored.write(...call);
        },
        commit: async (...call: Parameters<typeof stored.commit>) => {
          if (isFull) throw new Error('quota');
          return stored.commit(...call);
        },
      };
      const world = await listing(
        { snapshot: ['old.example'], ...hot, sequence: Date.UTC(2026, 0, 1) },
        { store: store as never },
      );
      expect(world.blocklist.test('new.example').reason).toBe('listed');
      isFull = true;
      world.clock.nowMs += offMs;
      await world.offer({ recentToken: 'r2', recent: [], hot: undefined, sequence: Date.UTC(2026, 0, 1) + 1 });
      isFull = false;
      world.source.before = () => {
        throw new TypeError('fetch failed');
      };
      const again = await world.restart();
      expect(again.blocklist.test('new.example')).toMatchObject({ status: 'unconfirmed' });
      expect(again.blocklist.test('good.example')).toMatchObject({ status: 'unknown', reason: 'list-stale' });
    },
  );
});

test('tabs of one store share what a source was offered as, and a good round of one does not erase it', async () => {
  const store = memoryStore();
  const clock = { nowMs: Date.UTC(2026, 0, 1) };
  const edges = [
    { snapshotToken: 'a', snapshot: ['old.example', 'one.example'] },
    { snapshotToken: 'b', snapshot: ['old.example', 'one.example', 'new.example'] },
  ] as const;
  const source = (): ReturnType<typeof ownSource> => ownSource({ ...edges[0], tokenHistory: uniqueTokens });
  const tab = (own: Source) =>
    createBlocklist({ sources: [own], store: { ...store, close: async () => {} }, pollMs: 0, now: () => clock.nowMs });
  const [first, second] = [source(), source()];
  const [one, other] = [tab(first), tab(second)];
  await one.ready();
  await other.ready();
  Object.assign(first.list, edges[1]);
  Object.assign(second.list, edges[1]);
  clock.nowMs += 5 * minuteMs;
  await one.sync();
  await other.sync();
  Object.assign(first.list, edges[0]);
  clock.nowMs += 5 * minuteMs;
  expect((await one.sync()).sources[0]).toMatchObject({ outcome: 'failed', error: { code: 'OLDER_LIST' } });
  clock.nowMs += minuteMs;
  await other.sync();
  second.list.confirmed = ['old.example', 'one.example'];
  expect(await other.check('new.example')).toMatchObject({ status: 'unconfirmed', reason: 'older-answer' });
  await other.close();
  await one.close();
  const again = tab(second);
  await again.ready();
  expect(await again.check('new.example')).toMatchObject({ status: 'unconfirmed', reason: 'older-answer' });
  await again.close();
});
