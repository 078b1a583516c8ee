import { createBlocklist, explain, PortcullisError } from 'portcullis';
import { createCoreBlocklist } from 'portcullis/core';
import { memoryStore } from 'portcullis/stores';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { away, dayMs, fails, heard, held, hourMs, listing, minuteMs, opened, synced } from './harness.js';
import { type OwnSource, ownSource } from './own-source.js';

const blocked = { status: 'blocked' } as const;
const clear = { status: 'clear' } as const;

/** The calls since the last time, in order. */
function callsOf(source: OwnSource): string[] {
  return source.calls.splice(0);
}

describe('a round fetches', () => {
  test('everything at first, then nothing until a token changes', async () => {
    const { source, blocklist } = await listing({ recentToken: 'r1', recent: ['new.example'] });
    expect(callsOf(source)).toEqual(['version', 'snapshot', 'recent', 'version']);
    expect(await blocklist.sync()).toEqual({ outcome: 'unchanged', sources: [{ source: 'own', outcome: 'unchanged' }] });
    expect(callsOf(source)).toEqual(['version']);
    expect(await blocklist.check('new.example')).toMatchObject(blocked);
  });

  test('only the recents if only they changed', async () => {
    const { source, blocklist } = await listing({ recentToken: 'r1' });
    callsOf(source);
    Object.assign(source.list, { recentToken: 'r2', recent: ['new.example'] });
    expect(await blocklist.sync()).toMatchObject({ outcome: 'updated' });
    expect(callsOf(source)).toEqual(['version', 'recent', 'version']);
    expect(await blocklist.check('new.example')).toMatchObject(blocked);
  });

  test('the snapshot after seven days, even if its token is the same', async () => {
    const { source, blocklist, clock } = await listing();
    callsOf(source);
    clock.nowMs += 7 * dayMs - 1;
    await blocklist.sync();
    expect(callsOf(source)).toEqual(['version']);
    clock.nowMs += 1;
    await blocklist.sync();
    expect(callsOf(source)).toEqual(['version', 'snapshot', 'version']);
  });

  test('the snapshot again when there are too many recents, and drops none', async () => {
    const { source, blocklist, clock } = await listing(
      { recentToken: 'r1', recent: ['one.example', 'two.example', 'three.example'] },
      { maxRecentCount: 2 },
    );
    callsOf(source);
    clock.nowMs += hourMs;
    Object.assign(source.list, { recentToken: 'r2', recent: ['four.example'] });
    await blocklist.sync();
    expect(callsOf(source)).toEqual(['version', 'snapshot', 'recent', 'version']);
    expect(blocklist.status().sources[0]?.list).toMatchObject({ recentCount: 4 });
  });

  test('a feed that removes and allows entries', async () => {
    const { source, blocklist } = await listing({ snapshot: ['evil.example', 'sorry.example'], recentToken: 'r1', whole: true });
    expect(blocklist.test('sorry.example')).toMatchObject(blocked);
    Object.assign(source.list, { recentToken: 'r2', remove: ['sorry.example'], allow: ['good.evil.example'] });
    await blocklist.sync();
    expect(blocklist.test('sorry.example')).toMatchObject(clear);
    expect(explain(blocklist, 'sorry.example').lists[0]?.expressions).toMatchObject([{ heldIn: 'removed' }]);
    expect(blocklist.test('good.evil.example')).toMatchObject({ status: 'allowed' });
    Object.assign(source.list, { recentToken: 'r3', remove: [], allow: undefined, recent: ['sorry.example'] });
    await blocklist.sync();
    expect(blocklist.test('sorry.example')).toMatchObject(blocked);
  });
});

describe('a list that changes while it is read', () => {
  test('is read again', async () => {
    const source = ownSource({ snapshot: ['one.example'] });
    source.before = (call) => {
      if (call === 'snapshot' && source.list.snapshotToken === 's1')
        Object.assign(source.list, { snapshotToken: 's2', snapshot: ['two.example'] });
    };
    const { blocklist } = await synced(source);
    expect(callsOf(source)).toEqual(['version', 'snapshot', 'version', 'snapshot', 'version']);
    expect(blocklist.status().sources[0]?.list).toMatchObject({ snapshotToken: 's2' });
  });

  test('fails the round after three changes, and the held list answers', async () => {
    const { source, blocklist } = await listing();
    let count = 1;
    source.before = (call) => {
      if (call === 'version') source.list.snapshotToken = `s${++count}`;
    };
    const events = heard(blocklist, 'changed');
    expect(await blocklist.sync()).toMatchObject({ outcome: 'failed', sources: [{ error: { code: 'INVALID_RESPONSE' } }] });
    expect(events).toEqual([]);
    expect(blocklist.status().sources[0]?.list).toMatchObject({ snapshotToken: 's1', generation: 1 });
    expect(await blocklist.check('evil.example')).toMatchObject(blocked);
  });

  test('is read again at the next poll if only its feed changes', async () => {
    const source = ownSource({ snapshot: ['evil.example'], recentToken: 'r1', recent: ['one.example'] });
    source.before = (call) => {
      if (call === 'recent' && source.list.recentToken === 'r1') source.list.recentToken = 'r2';
    };
    const { blocklist } = await synced(source);
    expect(blocklist.status().sources[0]?.list).toMatchObject({ recentToken: 'r1' });
    callsOf(source);
    await blocklist.sync();
    expect(callsOf(source)).toEqual(['version', 'recent', 'version']);
    expect(blocklist.status().sources[0]?.list).toMatchObject({ recentToken: 'r2' });
  });
});

describe('a failed round', () => {
  const names = ['version', 'snapshot', 'recent'] as const;

  test.each(names)('changes nothing and is retried, after a failure at %s', async (step) => {
    const { source, blocklist, clock } = await listing({ recentToken: 'r1' });
    Object.assign(source.list, { snapshotToken: 's2', snapshot: ['evil.example', 'new.example'], recentToken: 'r2' });
    source.before = (call) => {
      if (call === step) away();
    };
    const before = blocklist.status().sources[0]?.list;
    const errors = heard(blocklist, 'error');
    expect(await blocklist.sync()).toMatchObject({ outcome: 'failed' });
    expect(errors).toMatchObject([{ source: 'own', where: 'sync', error: { code: 'NETWORK' } }]);
    expect(blocklist.status().sources[0]?.list).toEqual(before);
    expect(blocklist.status().sources[0]).toMatchObject({ failures: 1, lastError: { code: 'NETWORK' } });
    expect(await blocklist.check('evil.example')).toMatchObject(blocked);
    source.before = () => {};
    expect(await blocklist.syncDue()).toMatchObject({ sources: [] });
    clock.nowMs += 5_000;
    expect(await blocklist.syncDue()).toMatchObject({ outcome: 'updated' });
    expect(await blocklist.check('new.example')).toMatchObject(blocked);
    expect(blocklist.status().sources[0]).toMatchObject({ failures: 0, lastError: null });
  });

  test('does not affect another source', async () => {
    const broken = ownSource({ id: 'broken' });
    broken.before = away;
    const whole = ownSource({ id: 'whole', snapshot: ['evil.example'] });
    const { blocklist } = await synced([broken, whole]);
    expect(await blocklist.check('evil.example')).toMatchObject({ ...blocked, source: 'whole' });
    expect(await blocklist.sync()).toMatchObject({
      outcome: 'failed',
      sources: [{ outcome: 'failed' }, { outcome: 'unchanged' }],
    });
  });

  test.each([
    ['a value that is not a list', null],
    ['an answer without tokens', { algoVersion: 'portcullis-1' }],
    ['an algorithm that is a number', { algoVersion: 1, snapshot: { token: 'a' } }],
  ])('is the result if a custom source returns %s', async (_, version) => {
    const { source, blocklist } = await listing();
    source.version = async () => version as never;
    expect(await blocklist.sync()).toMatchObject({ outcome: 'failed', sources: [{ error: { code: 'INVALID_RESPONSE' } }] });
    expect(await blocklist.check('evil.example')).toMatchObject(blocked);
  });

  test('is the result of fewer or more entries than the version announces', async () => {
    for (const count of [1, 40]) {
      const source = ownSource({ snapshot: ['one.example', 'two.example'] });
      const version = source.version.bind(source);
      source.version = async (call) => ({ ...(await version(call)), snapshot: { token: 's1', count } });
      const { blocklist } = await synced(source);
      expect(blocklist.status().sources[0]).toMatchObject({ list: null, lastError: { code: 'INVALID_ARTIFACT' } });
    }
  });
});

describe('the wait after a failure', () => {
  async function waits(error: Error, options: Parameters<typeof synced>[1] = {}): Promise<number[]> {
    const { source, blocklist, clock } = await listing({}, { random: () => 0, ...options });
    source.before = fails(error);
    const found: number[] = [];
    for (let round = 0; round < 10; round++) {
      await blocklist.sync();
      const waitMs = blocklist.nextSyncAtMs - clock.nowMs;
      found.push(waitMs);
      clock.nowMs += waitMs;
    }
    return found;
  }

  test('starts at five seconds for an unreachable source, and doubles to five minutes', async () => {
    expect(await waits(new PortcullisError('NETWORK', 'away'))).toEqual(
      [5, 10, 20, 40, 80, 160, 300, 300, 300, 300].map((seconds) => seconds * 1_000),
    );
  });

  test('starts at a quarter of an hour for a failing or overloaded source, and doubles to two hours', async () => {
    expect(await waits(new PortcullisError('INTERNAL_SERVER_ERROR', 'oh', { status: 500 }))).toEqual(
      [15, 30, 60, 120, 120, 120, 120, 120, 120, 120].map((minutes) => minutes * minuteMs),
    );
  });

  test('is lengthened at random, at most doubled', async () => {
    const [first] = await waits(new PortcullisError('TOO_MANY_REQUESTS', 'wait', { status: 429 }), { random: () => 0.999 });
    expect(first).toBeCloseTo(15 * minuteMs * 1.999, -3);
  });

  test('respects Retry-After, even in sync(), for at most a day', async () => {
    const { source, blocklist, clock } = await listing();
    source.before = fails(new PortcullisError('TOO_MANY_REQUESTS', 'wait', { status: 429, retryAfterMs: 40 * minuteMs }));
    await blocklist.sync();
    callsOf(source);
    const untilMs = clock.nowMs + 40 * minuteMs;
    clock.nowMs += 40 * minuteMs - 1;
    expect(await blocklist.sync()).toEqual({
      outcome: 'deferred',
      untilMs,
      sources: [{ source: 'own', outcome: 'deferred', untilMs }],
    });
    expect(callsOf(source)).toEqual([]);
    clock.nowMs += 1;
    source.before = () => {};
    expect(await blocklist.sync()).toMatchObject({ outcome: 'unchanged' });
    source.before = fails(new PortcullisError('TOO_MANY_REQUESTS', 'wait', { status: 429, retryAfterMs: 30 * dayMs }));
    await blocklist.sync();
    expect(blocklist.nextSyncAtMs - clock.nowMs).toBe(dayMs);
  });
});

describe('a shrinking list', () => {
  const names = Array.from({ length: 20 }, (_, at) => `evil-${at}.example`);

  test.each([
    ['to nothing', []],
    ['to less than half', names.slice(0, 9)],
  ])('%s is not accepted until the same list has come three times over at least an hour', async (_, snapshot) => {
    const { source, blocklist, clock } = await listing({ snapshot: names });
    Object.assign(source.list, { snapshotToken: 's2', snapshot });
    for (const waitMs of [0, 10 * minuteMs, 10 * minuteMs, 39 * minuteMs]) {
      clock.nowMs += waitMs;
      expect(await blocklist.sync()).toMatchObject({ outcome: 'failed', sources: [{ error: { code: 'SUSPICIOUS_LIST' } }] });
      source.list.confirmed = names;
      expect(await blocklist.check('evil-19.example')).toMatchObject(blocked);
    }
    clock.nowMs += minuteMs;
    expect(await blocklist.sync()).toMatchObject({ outcome: 'updated' });
    expect(blocklist.status().sources[0]?.list?.count).toBe(snapshot.length);
  });

  test('stays suspicious across a restart, and a first list may be empty', async () => {
    const store = memoryStore();
    const source = ownSource();
    const clock = { nowMs: Date.UTC(2026, 0, 1) };
    const once = async () => {
      await store.open();
      const blocklist = createBlocklist({ sources: [source], store, pollMs: 0, now: () => clock.nowMs });
      const { outcome } = await blocklist.sync();
      await blocklist.close();
      return outcome;
    };
    expect(await once()).toBe('updated');
    Object.assign(source.list, { snapshotToken: 's2', snapshot: names });
    expect(await once()).toBe('updated');
    Object.assign(source.list, { snapshotToken: 's3', snapshot: [] });
    for (const waitMs of [0, 30 * minuteMs]) {
      clock.nowMs += waitMs;
      expect(await once()).toBe('failed');
    }
    clock.nowMs += 30 * minuteMs;
    expect(await once()).toBe('updated');
  });
});

test('an old snapshot is fetched again, even if recents have arrived since', async () => {
  const { source, blocklist, clock } = await listing({ recentToken: 'r1' }, { maxSnapshotAgeMs: 10 * hourMs });
  for (const recentToken of ['r2', 'r3']) {
    expect(source.calls.filter((call) => call === 'snapshot')).toHaveLength(1);
    clock.nowMs += 6 * hourMs;
    source.list.recentToken = recentToken;
    await blocklist.sync();
  }
  expect(source.calls.filter((call) => call === 'snapshot')).toHaveLength(2);
});

describe('the algorithm', () => {
  test('is unknown if a stored list names one that the build lacks', async () => {
    const store = memoryStore();
    const { blocklist, clock } = await listing({ algoVersion: 'safe-browsing-4', snapshot: ['evil.example/'] }, { store });
    expect(await blocklist.check('evil.example')).toMatchObject(blocked);
    const core = createCoreBlocklist({ sources: [ownSource()], store, pollMs: 0, now: () => clock.nowMs });
    onTestFinished(() => core.close());
    expect(await core.check('evil.example')).toMatchObject({ status: 'unknown', reason: 'algorithm-unknown', source: 'own' });
    expect(core.test('fine.example')).toMatchObject({ status: 'unknown', reason: 'algorithm-unknown' });
  });

  test('is mapped by the source', async () => {
    const { blocklist } = await listing({ algoVersion: '7', algorithms: { 7: 'portcullis-1' } });
    expect(await blocklist.check('evil.example')).toMatchObject(blocked);
    expect(blocklist.status().sources[0]?.list).toMatchObject({ algoVersion: '7', algorithm: 'portcullis-1' });
  });

  test.each(['theirs-9', 'constructor', '__proto__'])(
    '%s is unknown: no list at first, later the held list answers',
    async (name) => {
      const { source, blocklist, clock } = await listing({ algoVersion: name });
      expect(await blocklist.check('evil.example')).toMatchObject({ status: 'unknown', reason: 'algorithm-unknown' });
      Object.assign(source.list, { algoVersion: 'portcullis-1' });
      expect(await blocklist.sync()).toMatchObject({ outcome: 'updated' });
      Object.assign(source.list, { algoVersion: name, snapshotToken: 's2' });
      expect(await blocklist.sync()).toMatchObject({ outcome: 'failed', sources: [{ error: { code: 'ALGORITHM_UNKNOWN' } }] });
      expect(await blocklist.check('evil.example')).toMatchObject(blocked);
      expect(blocklist.test('fine.example')).toMatchObject(clear);
      clock.nowMs += dayMs + 1;
      expect(blocklist.test('fine.example')).toMatchObject({ status: 'unknown', reason: 'list-stale' });
      source.list.algoVersion = 'portcullis-1';
      expect(await blocklist.sync()).toMatchObject({ outcome: 'updated' });
      expect(blocklist.test('fine.example')).toMatchObject(clear);
    },
  );

  test('may be safe-browsing-4', async () => {
    const { blocklist } = await listing({ algoVersion: 'safe-browsing-4', snapshot: ['evil.example/'] });
    expect(await blocklist.check('https://a.evil.example/x')).toMatchObject({ ...blocked, expression: 'evil.example/' });
  });

  const samples = Array.from({ length: 20 }, (_, at) => ({ type: 'URL', content: `https://evil-${at}.example/` }));
  const names = samples.map(({ content }) => content.slice(8, -1));

  test('is confirmed by samples', async () => {
    const { blocklist } = await synced(ownSource({ snapshot: names, samples }));
    expect(blocklist.status().sources[0]?.list?.calibration).toEqual({ outcome: 'passed', samples: 20, found: 20 });
  });

  test('is disproved and reported if fewer than nine in ten samples are found', async () => {
    const source = ownSource({ snapshot: names.slice(0, 17), samples });
    const { blocklist } = opened({ sources: [source] });
    const events = heard(blocklist, 'mismatch');
    await blocklist.ready();
    expect(events).toEqual([{ type: 'mismatch', source: 'own', samples: 20, found: 17 }]);
    expect(blocklist.test('fine.example')).toMatchObject({ status: 'unknown', reason: 'algorithm-mismatch' });
    await blocklist.sync();
    expect(events).toHaveLength(1);
    expect(callsOf(source).filter((call) => call === 'samples')).toHaveLength(1);
  });

  test.each([
    ['too few', samples.slice(0, 9), undefined],
    ['asking for samples is forbidden', samples, new PortcullisError('FORBIDDEN', 'no', { status: 403 })],
    ['the call fails', samples, new Error('boom')],
  ])('is not disproved where %s', async (_, given, error) => {
    const source = ownSource({ snapshot: ['other.example'], samples: given });
    source.before = (call) => {
      if (call === 'samples' && error !== undefined) throw error;
    };
    const { blocklist } = await synced(source);
    expect(blocklist.status().sources[0]?.list?.calibration.outcome).toBe('skipped');
    expect(blocklist.test('fine.example')).toMatchObject(clear);
  });
});

describe('events', () => {
  test('stale is emitted once, and again after the list was current', async () => {
    const { source, blocklist, clock } = await listing();
    const events = heard(blocklist, 'stale');
    source.before = away;
    for (let round = 0; round < 3; round++) {
      clock.nowMs += 13 * hourMs;
      await blocklist.sync();
    }
    expect(events).toEqual([{ type: 'stale', source: 'own', ageMs: 26 * hourMs }]);
    source.before = () => {};
    await blocklist.sync();
    source.before = away;
    clock.nowMs += 25 * hourMs;
    await blocklist.sync();
    expect(events).toHaveLength(2);
  });

  test('frozen is emitted if no token changed for a day, unless the source does not change', async () => {
    const still = ownSource({ id: 'still', moves: false });
    const { blocklist, clock } = await synced([ownSource(), still]);
    const sinceMs = clock.nowMs;
    const events = heard(blocklist, 'frozen');
    for (let round = 0; round < 3; round++) {
      clock.nowMs += 13 * hourMs;
      await blocklist.sync();
    }
    expect(events).toEqual([{ type: 'frozen', source: 'own', sinceMs }]);
  });

  test('progress has the steps with their bytes, in order', async () => {
    const { blocklist } = opened({ sources: [ownSource({ recentToken: 'r1' })] });
    const events = heard(blocklist, 'progress');
    await blocklist.ready();
    expect(events.map(({ step }) => step)).toEqual(['version', 'snapshot', 'recent', 'version', 'verify', 'calibrate', 'store']);
  });

  test('a listener that throws affects nothing', async () => {
    const { blocklist } = opened({ sources: [ownSource({ snapshot: ['evil.example'] })] });
    for (const type of ['changed', 'progress', 'confirm', 'error'] as const) {
      blocklist.on(type, () => {
        throw new Error('boom');
      });
    }
    const events = heard(blocklist, 'changed');
    await blocklist.ready();
    expect(events).toEqual([{ type: 'changed', source: 'own', generation: 1, count: 1, isRecentOnly: false }]);
    expect(await blocklist.check('evil.example')).toMatchObject(blocked);
  });

  test('a removed listener is not called', async () => {
    const { source, blocklist } = await listing({ snapshot: [], recentToken: 'r1' });
    let count = 0;
    const end = blocklist.on('changed', () => {
      count++;
    });
    Object.assign(source.list, { recentToken: 'r2', recent: ['a.example'] });
    await blocklist.sync();
    end();
    Object.assign(source.list, { recentToken: 'r3', recent: ['b.example'] });
    await blocklist.sync();
    expect(count).toBe(1);
  });
});

describe('rounds', () => {
  test('requested together are merged into one', async () => {
    const source = ownSource();
    const { blocklist } = opened({ sources: [source] });
    await Promise.all([blocklist.sync(), blocklist.sync(), blocklist.ready()]);
    expect(callsOf(source)).toEqual(['version', 'snapshot', 'version']);
  });

  test('an abort ends only the wait of its caller', async () => {
    const source = ownSource({ snapshot: ['evil.example'] });
    const { wait, release } = held();
    source.before = wait;
    const { blocklist } = opened({ sources: [source] });
    const controller = new AbortController();
    const aborted = blocklist.sync({ signal: controller.signal });
    const patient = blocklist.sync();
    controller.abort('enough');
    await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' });
    release();
    expect(await patient).toMatchObject({ outcome: 'updated' });
  });

  test('fail if they take too long, and the next one can run', async () => {
    const source = ownSource({ snapshot: ['evil.example'] });
    source.before = () => new Promise(() => {});
    const { blocklist } = opened({ sources: [source], roundTimeoutMs: 100 });
    expect(await blocklist.sync()).toMatchObject({ outcome: 'failed', sources: [{ error: { code: 'TIMEOUT' } }] });
    source.before = () => {};
    expect(await blocklist.sync()).toMatchObject({ outcome: 'updated' });
  });

  test('are ended by close', async () => {
    const source = ownSource();
    source.before = () => new Promise(() => {});
    const { blocklist } = opened({ sources: [source] });
    const running = blocklist.sync();
    running.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 5));
    await blocklist.close();
    await expect(running).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(blocklist.sync()).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(blocklist.check('evil.example')).rejects.toMatchObject({ code: 'CLOSED' });
    expect(() => blocklist.test('evil.example')).toThrow(expect.objectContaining({ code: 'CLOSED' }));
  });

  test('are run by polling until it stops', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const source = ownSource();
    const blocklist = createBlocklist({ sources: [source], pollMs: 1_000, random: () => 0 });
    await blocklist.ready();
    callsOf(source);
    await vi.advanceTimersByTimeAsync(2_500);
    expect(source.calls.length).toBeGreaterThanOrEqual(2);
    blocklist.stop();
    callsOf(source);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(callsOf(source)).toEqual([]);
    await blocklist.close();
  });
});
