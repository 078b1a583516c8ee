import { setTimeout as sleep } from 'node:timers/promises';
import { type Blocklist, PortcullisError } from 'portcullis';
import type { LightBlocklist } from 'portcullis/light';
import { memoryStore } from 'portcullis/stores';
import type { Store } from 'portcullis/testing';
import { describe, expect, test, vi } from 'vitest';
import { away, dayMs, fails, held, hourMs, minuteMs } from './engine/harness.js';
import { type OwnList, ownSource } from './engine/own-source.js';
import { fakeTimers, hosts, never, worldsOf } from './engines-world.js';
import { engines } from './light/engines.js';
import { replaceableStore, withRetry } from './stored-values.js';

/** Starts, rounds that fail, pauses, stores and restarts: the same on both engines. */

const blocked = { status: 'blocked' } as const;
const clear = { status: 'clear' } as const;
const loading = { status: 'unknown', reason: 'loading', action: 'warn' } as const;
const noList = { status: 'unknown', reason: 'no-list', action: 'allow' } as const;
const updated = { outcome: 'updated' } as const;
const unchanged = { outcome: 'unchanged' } as const;
const refused = (status: number, retryAfterMs?: number) =>
  fails(new PortcullisError('INTERNAL_SERVER_ERROR', 'busy', { status, ...(retryAfterMs !== undefined && { retryAfterMs }) }));

describe.each(engines)('the %s engine', (engine) => {
  const { listing, opened } = worldsOf(engine);

  describe('without `ready`', () => {
    test('the first check loads the list and waits for it', async () => {
      const { blocklist, calls } = opened();
      expect(await blocklist.check('evil.example')).toMatchObject({ status: 'blocked', reason: 'confirmed' });
      expect(await blocklist.check('good.example')).toMatchObject(clear);
      expect(calls()).toEqual(['version', 'snapshot', 'version', 'confirm']);
    });

    test('the first test says that it is loading, and loads', async () => {
      const { blocklist } = opened();
      expect(blocklist.test('evil.example')).toMatchObject(loading);
      await vi.waitFor(() => expect(blocklist.test('evil.example')).toMatchObject({ status: 'unconfirmed' }));
    });

    test('a list that cannot be fetched is no list, and one that hangs is loading', async () => {
      const { blocklist, source } = opened();
      source.before = away;
      expect(await blocklist.check('evil.example')).toMatchObject({ ...noList, source: 'own' });
      const other = opened();
      other.source.before = never;
      expect(await other.blocklist.check('evil.example', { deadlineMs: 20 })).toMatchObject(loading);
      const third = opened();
      third.source.before = never;
      void third.blocklist.sync().catch(() => {});
      expect(await third.blocklist.check('evil.example', { deadlineMs: 20 })).toMatchObject(loading);
    });

    test('a check never waits for a later round', async () => {
      const { blocklist, source } = await listing();
      source.before = (call) => (call === 'confirm' ? undefined : never());
      void blocklist.sync().catch(() => {});
      expect(await blocklist.check('evil.example')).toMatchObject(blocked);
    });

    test('a call of `ready` that was aborted has begun nothing', async () => {
      const { blocklist } = opened();
      await expect(blocklist.ready({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' });
      expect(await blocklist.check('evil.example')).toMatchObject(blocked);
    });

    test('what else has read the store does not keep the first check from waiting', async () => {
      const read: ((blocklist: LightBlocklist) => Promise<unknown>)[] = [
        async (blocklist) => {
          const ended = new AbortController();
          const ready = blocklist.ready({ signal: ended.signal });
          await Promise.resolve();
          ended.abort();
          await ready.catch(() => {});
          await sleep(5);
        },
        async (blocklist) => {
          void blocklist.sync({ signal: AbortSignal.timeout(1) }).catch(() => {});
          await sleep(5);
        },
        async (blocklist) => (engine === 'full' ? (blocklist as unknown as Blocklist).allow('good.example') : undefined),
      ];
      for (const first of read) {
        const { blocklist, source } = opened();
        source.before = (call) => (call === 'version' ? sleep(50) : undefined);
        await first(blocklist);
        expect(blocklist.test('evil.example')).toMatchObject(loading);
        expect(await blocklist.check('evil.example')).toMatchObject(blocked);
      }
    });

    test('what the app gives up while a check waits for it, the check begins itself', async () => {
      const { blocklist, source } = opened();
      source.before = (call) => (call === 'version' ? sleep(50) : undefined);
      const ended = new AbortController();
      const ready = blocklist.ready({ signal: ended.signal });
      const check = blocklist.check('evil.example');
      await sleep(5);
      ended.abort();
      await expect(ready).rejects.toMatchObject({ code: 'ABORTED' });
      expect(await check).toMatchObject(blocked);
    });

    test('a first failure is tried again when it is due', async () => {
      const { blocklist, source, clock } = opened();
      source.before = away;
      expect(await blocklist.check('evil.example')).toMatchObject(noList);
      source.before = () => {};
      clock.nowMs += minuteMs;
      // Checks do not wait for it.
      await vi.waitFor(async () => expect(await blocklist.check('evil.example')).toMatchObject(blocked));
    });

    test('an app that runs the rounds itself is left alone', async () => {
      const { blocklist, source, calls } = opened();
      source.before = away;
      await blocklist.sync();
      source.before = () => {};
      expect(await blocklist.check('evil.example')).toMatchObject(noList);
      expect(calls()).toEqual(['version']);
    });
  });

  describe('rounds', () => {
    test('requested together are merged into one', async () => {
      const { blocklist, calls } = opened();
      await Promise.all([blocklist.sync(), blocklist.sync(), blocklist.ready()]);
      expect(calls()).toEqual(['version', 'snapshot', 'version']);
    });

    test('go on when one caller aborts its wait', async () => {
      const { blocklist, source } = opened();
      const { wait, release } = held();
      source.before = wait;
      const controller = new AbortController();
      const aborted = blocklist.sync({ signal: controller.signal });
      const patient = blocklist.sync();
      controller.abort('enough');
      await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' });
      release();
      expect(await patient).toMatchObject(updated);
    });

    test('fail after 15 minutes, and the next one can run', async () => {
      fakeTimers();
      const { blocklist, source } = opened();
      source.before = never;
      const round = blocklist.sync();
      await vi.advanceTimersByTimeAsync(15 * minuteMs);
      expect(await round).toMatchObject({ outcome: 'failed', error: { code: 'TIMEOUT' } });
      source.before = () => {};
      expect(await blocklist.sync()).toMatchObject(updated);
    });

    test('are ended by `close`, and every later call rejects', async () => {
      const { blocklist, source } = opened();
      source.before = never;
      const running = blocklist.sync();
      running.catch(() => {});
      await sleep(5);
      await blocklist.close();
      const closed = { code: 'CLOSED' };
      await expect(running).rejects.toMatchObject(closed);
      for (const call of [() => blocklist.sync(), () => blocklist.check('evil.example'), () => blocklist.ready()])
        await expect(call()).rejects.toMatchObject(closed);
      expect(() => blocklist.test('evil.example')).toThrow(expect.objectContaining(closed));
    });

    test('are run by the timer until `close`', async () => {
      fakeTimers();
      const { blocklist, calls } = opened({}, { pollMs: minuteMs, now: Date.now });
      await blocklist.ready();
      calls();
      await vi.advanceTimersByTimeAsync(3 * minuteMs + 5_000);
      expect(calls()).toEqual(['version', 'version', 'version']);
      await blocklist.close();
      await vi.advanceTimersByTimeAsync(10 * minuteMs);
      expect(calls()).toEqual([]);
    });

    test.each(['version', 'snapshot', 'recent'])('that fail at the %s change nothing', async (step) => {
      const { blocklist, source, offer, heard } = await listing({ recentToken: 'r1' });
      const before = blocklist.status().list;
      const events = heard('error', 'changed');
      source.before = (call) => {
        if (call === step) away();
      };
      const next = { snapshotToken: 's2', snapshot: ['evil.example', 'new.example'], recentToken: 'r2' };
      expect(await offer(next)).toMatchObject({ outcome: 'failed' });
      expect(events).toMatchObject([{ source: 'own', where: 'sync', error: { code: 'NETWORK' } }]);
      expect(blocklist.status()).toMatchObject({ list: before, failures: 1, lastError: { code: 'NETWORK' } });
      expect(await blocklist.check('evil.example')).toMatchObject(blocked);
      source.before = () => {};
      expect(await offer({})).toMatchObject(updated);
      expect(await blocklist.check('new.example')).toMatchObject(blocked);
      expect(blocklist.status()).toMatchObject({ failures: 0, lastError: null });
    });
  });

  describe('the next round', () => {
    async function waits(fail: () => never, { random = 0, isFirst = false } = {}): Promise<number[]> {
      const { blocklist, source, clock, offer } = opened({}, { random: () => random });
      if (!isFirst) await blocklist.ready();
      source.before = fail;
      const found: number[] = [];
      for (let round = 0; round < 8; round++) {
        await offer({});
        const waitMs = blocklist.status().nextSyncAtMs - clock.nowMs;
        found.push(waitMs / 1_000);
        clock.nowMs += waitMs;
      }
      return found;
    }
    const minutes = (all: readonly number[]) => all.map((one) => one * 60);

    test('comes five seconds after an unreachable source, and the wait doubles to five minutes', async () => {
      expect(await waits(away)).toEqual([5, 10, 20, 40, 80, 160, 300, 300]);
    });

    test('comes a quarter of an hour after a failing or overloaded one, and the wait doubles to two hours', async () => {
      expect(await waits(refused(500))).toEqual(minutes([15, 30, 60, 120, 120, 120, 120, 120]));
      expect(await waits(refused(429), { isFirst: true })).toEqual(minutes([0.5, 1, 2, 4, 8, 16, 32, 64]));
    });

    test('comes later at random, at most twice as late', async () => {
      expect((await waits(refused(429), { random: 0.999 }))[0]).toBeCloseTo(15 * 60 * 1.999, 0);
    });

    test('comes when a source without a list says, and at most a fifth later', async () => {
      for (const random of [0, 0.999]) {
        const [wait] = await waits(refused(503, minuteMs), { random, isFirst: true });
        expect(wait).toBeCloseTo(60 * (1 + 0.2 * random), 2);
      }
    });

    test.each<[string, Partial<OwnList>]>([
      ['SUSPICIOUS_LIST', { snapshotToken: 's2', snapshot: [] }],
      ['OLDER_LIST', { sequence: 1 }],
      ['LIST_EXPIRED', { sequence: 3, expiresAtMs: 1 }],
      ['ALGORITHM_UNKNOWN', { algoVersion: 'theirs-9' }],
    ])('comes with the next poll after %s, however often that failed', async (code, list) => {
      const { blocklist, clock, offer } = await listing({ sequence: 2, snapshot: hosts(10) });
      for (let failures = 1; failures < 5; failures++) {
        expect(await offer({ sequence: 2, ...list })).toMatchObject({ error: { code } });
        expect(blocklist.status().nextSyncAtMs - clock.nowMs).toBe(5 * minuteMs);
      }
    });

    describe.each([
      ['an error', (waitMs: number) => ({ before: refused(503, waitMs) })],
      ['a version', (minWaitMs: number) => ({ list: { minWaitMs } })],
    ])('does not come before the pause that %s asks for', (_, asking) => {
      const asked = async (waitMs: number) => {
        const world = await listing();
        const { before, list } = { list: {}, before: () => {}, ...asking(waitMs) };
        world.source.before = before;
        await world.offer(list);
        Object.assign(world.source, { before: () => {} }).list.minWaitMs = undefined;
        world.calls();
        return world;
      };

      test('whoever asks', async () => {
        const { blocklist, clock, calls, offer } = await asked(40 * minuteMs);
        const untilMs = clock.nowMs + 40 * minuteMs;
        expect(blocklist.status().nextSyncAtMs).toBeGreaterThanOrEqual(untilMs);
        expect(await offer({}, 40 * minuteMs - 1)).toEqual({ source: 'own', outcome: 'deferred', untilMs });
        expect(calls()).toEqual([]);
        expect(await offer({}, 1)).toMatchObject(unchanged);
      });

      test('after a restart, even if the list is from the future', async () => {
        const world = await listing({}, { store: memoryStore() });
        world.clock.nowMs -= hourMs;
        const { before, list } = { list: {}, before: () => {}, ...asking(40 * minuteMs) };
        world.source.before = before;
        await world.offer(list);
        const { blocklist, clock, offer } = await world.restart();
        expect(blocklist.status().nextSyncAtMs).toBe(clock.nowMs + 40 * minuteMs);
        expect(await offer({})).toMatchObject({ outcome: 'deferred' });
      });

      test('which lasts a day at most', async () => {
        const { blocklist, clock } = await asked(30 * dayMs);
        expect(blocklist.status().nextSyncAtMs - clock.nowMs).toBe(dayMs);
      });

      test('which a clock that was set back ends', async () => {
        const { offer } = await asked(2 * hourMs);
        expect(await offer({}, -dayMs)).toMatchObject(unchanged);
      });

      test.each([Number.NaN, -5, '5', Number.POSITIVE_INFINITY])('unless that is %j', async (waitMs) => {
        const { blocklist, clock, offer } = await asked(waitMs as number);
        const dueMs = blocklist.status().nextSyncAtMs - clock.nowMs;
        expect(dueMs).toBeGreaterThan(0);
        expect(dueMs).toBeLessThanOrEqual(dayMs);
        expect(await offer({}, dayMs)).toMatchObject(unchanged);
      });
    });

    test.each([
      ['the first round', () => {}],
      ['a failure', away],
      ['a pause that the source asked for', refused(503, 40 * minuteMs)],
    ])('is due at once when the clock is set back after %s', async (_, before) => {
      const { blocklist, source, clock, offer } = opened();
      source.before = before;
      await offer({});
      source.before = () => {};
      clock.nowMs -= 10 * hourMs;
      expect(blocklist.status().nextSyncAtMs).toBeLessThanOrEqual(clock.nowMs);
      await offer({});
      expect(blocklist.test('good.example')).toMatchObject(clear);
    });
  });

  describe('a store', () => {
    test.each<[string, (bytes: Uint8Array) => Uint8Array | null]>([
      ['cut', (bytes) => bytes.subarray(0, 3)],
      ['lost', () => null],
    ])('whose list is %s: it is fetched at once, even if the source asked for a pause', async (_, harm) => {
      const store = memoryStore();
      const { restart } = await listing({ minWaitMs: 6 * hourMs }, { store });
      const harmed: Store = {
        ...store,
        async read(name) {
          const bytes = await store.read(name);
          return bytes && /\/base\/|light$/.test(name) ? harm(bytes) : bytes;
        },
      };
      const { blocklist, calls } = await restart({ store: harmed });
      expect(calls()).toContain('snapshot');
      expect(await blocklist.check('evil.example')).toMatchObject(blocked);
    });

    /** Reads the list that another has stored. */
    const slow = async (openMs: number, options: Parameters<typeof listing>[1] = {}) => {
      const store = memoryStore();
      const { reopen, source } = await listing({}, { store });
      source.before = (call) => (call === 'confirm' ? undefined : away());
      return reopen({ ...options, store: { ...store, open: () => sleep(openMs).then(store.open) } });
    };

    test('that is slow to open is waited for within the deadline, and the listed host is blocked', async () => {
      const { blocklist } = await slow(200);
      expect(await blocklist.check('evil.example')).toMatchObject(blocked);
    });

    test('is loading until then, which is neither clear nor without a list', async () => {
      const { blocklist } = await slow(60, { deadlineMs: 0 });
      expect(blocklist.test('evil.example')).toMatchObject(loading);
      expect(await blocklist.check('evil.example')).toMatchObject(loading);
      expect(await blocklist.check('evil.example', { deadlineMs: 5_000 })).toMatchObject(blocked);
      expect(blocklist.test('fine.example')).toMatchObject(clear);
    });

    test.each(['allow', 'block'] as const)('that is loading has the action of the policy for it, %s', async (action) => {
      const { blocklist } = await slow(60, { policy: { loading: action, unknown: 'warn' } });
      expect(blocklist.test('evil.example')).toMatchObject({ action });
    });

    test.each(['open', 'read'] as const)('that never answers `%s` delays a check no longer than its deadline', async (name) => {
      fakeTimers();
      const { blocklist } = opened({}, { store: { ...memoryStore(), [name]: never } });
      const check = blocklist.check('good.example', { deadlineMs: 20 });
      await vi.advanceTimersByTimeAsync(20);
      expect(await check).toMatchObject(loading);
      const ready = blocklist.ready();
      await vi.advanceTimersByTimeAsync(2 * minuteMs);
      await ready;
      vi.useRealTimers();
      expect(await blocklist.check('evil.example')).toMatchObject(blocked);
    });

    test('that cannot be opened leaves the list in memory, and is reported', async () => {
      const { blocklist, heard } = opened({}, { store: { ...memoryStore(), open: fails(new Error('no space')) } });
      const errors = heard('error');
      await blocklist.ready();
      expect(await blocklist.check('evil.example')).toMatchObject(blocked);
      expect(errors).toMatchObject([{ where: 'store', error: { code: 'STORE_UNAVAILABLE' } }]);
    });

    test('is closed even if the source cannot be', async () => {
      const store = memoryStore();
      const source = Object.assign(ownSource(), { close: fails(new Error('boom')) });
      const { blocklist, heard } = await listing(source, { store });
      const errors = heard('error');
      await blocklist.close();
      expect(errors).toMatchObject([{ source: 'own', where: 'sync' }]);
      await expect(store.read('x')).rejects.toMatchObject({ code: 'CLOSED' });
    });

    test('that is emptied while the list is open has it again after the next round', async () => {
      const { store, replace } = replaceableStore();
      const { offer, restart, source } = await listing({}, { store });
      await offer({});
      await replace(memoryStore());
      await offer({});
      await offer({});
      source.before = away;
      expect((await restart()).blocklist.test('fine.example')).toMatchObject(clear);
    });

    test('with a list of last week, after failed rounds, and a clock that was set back: it stays stale', async () => {
      const { blocklist, source, offer, restart } = await listing({}, { store: memoryStore() });
      source.before = away;
      await offer({}, 7 * dayMs);
      const stale = { status: 'unknown', reason: 'list-stale' };
      for (let hours = 0; hours < 3; hours++) {
        await offer({}, hours === 0 ? -7 * dayMs : hourMs);
        expect(blocklist.test('fine.example')).toMatchObject(stale);
        expect(blocklist.status().list).toMatchObject({ isStale: true, ageMs: 7 * dayMs + hours * hourMs });
      }
      const again = await restart();
      expect(again.blocklist.test('fine.example')).toMatchObject(stale);
      source.before = () => {};
      await again.offer({});
      expect(again.blocklist.test('fine.example')).toMatchObject(clear);
    });

    test('with a pause until the year 2201 asks again after a day', async () => {
      const store = memoryStore();
      const { restart } = await listing({}, { store });
      const farMs = Date.UTC(2201, 0, 1);
      const forge = withRetry((retry) => ({ ...retry, dueAtMs: farMs, heldUntilMs: farMs }));
      const forged: Store = {
        ...store,
        async read(name) {
          const bytes = await store.read(name);
          return bytes && forge(name, bytes);
        },
      };
      const { blocklist, clock, offer } = await restart({ store: forged });
      expect(await offer({})).toMatchObject({ outcome: 'deferred' });
      expect(blocklist.status()).toMatchObject({ nextSyncAtMs: clock.nowMs + dayMs, heldUntilMs: clock.nowMs + dayMs });
      expect(await offer({}, dayMs)).toMatchObject(unchanged);
    });

    test('with a list of a clock a year ahead: offline, it becomes stale', async () => {
      const first = await listing({}, { store: memoryStore() });
      first.source.before = away;
      first.clock.nowMs -= 365 * dayMs;
      let world = await first.restart();
      expect(world.blocklist.test('fine.example')).toMatchObject(clear);
      world.clock.nowMs += dayMs / 2;
      world = await world.restart();
      expect(world.blocklist.test('fine.example')).toMatchObject(clear);
      world.clock.nowMs += dayMs;
      world = await world.restart();
      expect(world.blocklist.test('fine.example')).toMatchObject({ status: 'unknown', reason: 'list-stale' });
    });
  });
});
