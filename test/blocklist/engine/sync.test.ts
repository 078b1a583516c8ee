import { createBlocklist, explain, PortcullisError } from 'portcullis';
import { createCoreBlocklist } from 'portcullis/core';
import { memoryStore } from 'portcullis/stores';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { away, dayMs, heard, hourMs, listing, opened, synced } from './harness.js';
import { type OwnSource, ownSource } from './own-source.js';

const blocked = { status: 'blocked' } as const;
const clear = { status: 'clear' } as const;

/** The calls since the last time, in order. */
function callsOf(source: OwnSource): string[] {
  return source.calls.splice(0);
}

describe('a round fetches', () => {
  test.each([
    ['the age of the option', { maxSnapshotAgeMs: 10 * hourMs }, 10 * hourMs],
    ['more recents than the option', { maxRecentCount: 2 }, hourMs],
  ])('the snapshot again at %s', async (_, options, limitMs) => {
    const recent = ['one.example', 'two.example', 'three.example'];
    const { source, blocklist, clock } = await listing({ recentToken: 'r1', recent }, options);
    for (const [waitMs, isFetched] of [[limitMs - 1, false] as const, [1, true] as const]) {
      callsOf(source);
      clock.nowMs += waitMs;
      await blocklist.sync();
      expect(source.calls.includes('snapshot')).toBe(isFetched);
    }
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

describe('a round of several sources', () => {
  test('fails for one, which does not affect another', async () => {
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

  test('is deferred if all asked for a pause, until the first may be asked', async () => {
    const { blocklist, clock } = await synced([1, 2].map((hours) => ownSource({ id: `s${hours}`, minWaitMs: hours * hourMs })));
    const untilMs = clock.nowMs + hourMs;
    const sources = [
      { outcome: 'deferred', untilMs },
      { outcome: 'deferred', untilMs: untilMs + hourMs },
    ];
    expect(await blocklist.sync()).toMatchObject({ outcome: 'deferred', untilMs, sources });
  });
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

  test('is asked about once an hour while samples are unavailable, not in each round', async () => {
    const { source, blocklist, clock } = await listing({ recentToken: 'r0', samples: [] });
    for (let round = 1; round <= 10; round++) {
      clock.nowMs += 10 * 60_000;
      source.list.recentToken = `r${round}`;
      await blocklist.sync();
    }
    expect(source.calls.filter((call) => call === 'samples')).toHaveLength(2);
  });

  test('that a source maps differently makes the list be fetched again', async () => {
    const store = memoryStore();
    const mapped = (to: string) => ownSource({ algoVersion: '7', algorithms: { 7: to }, snapshot: ['evil.example'] });
    const { blocklist } = await synced(mapped('safe-browsing-4'), { store });
    expect(blocklist.test('evil.example')).toMatchObject(clear);
    await blocklist.close();
    const { blocklist: again } = opened({ sources: [mapped('portcullis-1')], store });
    await again.sync();
    expect(await again.check('evil.example')).toMatchObject(blocked);
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

  test('stale is emitted when a version expires', async () => {
    const { source, blocklist, clock } = await listing();
    const events = heard(blocklist, 'stale');
    source.list.expiresAtMs = clock.nowMs + hourMs;
    await blocklist.sync();
    clock.nowMs += hourMs + 1;
    await blocklist.sync();
    expect(events).toMatchObject([{ ageMs: 1 }]);
  });

  test.each([
    ['', 0],
    [', even if the clock was a year ahead when the list came', 365 * dayMs],
  ])('frozen is emitted if no token changed for a day, unless the source does not change%s', async (_, aheadMs) => {
    const still = ownSource({ id: 'still', moves: false });
    const { blocklist, clock } = await synced([ownSource(), still]);
    clock.nowMs -= aheadMs;
    const sinceMs = clock.nowMs;
    const events = heard(blocklist, 'frozen');
    for (let round = 0; round < 4; round++) {
      await blocklist.sync();
      clock.nowMs += 13 * hourMs;
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
  test('fail if they take too long, and the next one can run', async () => {
    const source = ownSource({ snapshot: ['evil.example'] });
    source.before = () => new Promise(() => {});
    const { blocklist } = opened({ sources: [source], roundTimeoutMs: 100 });
    expect(await blocklist.sync()).toMatchObject({ outcome: 'failed', sources: [{ error: { code: 'TIMEOUT' } }] });
    source.before = () => {};
    expect(await blocklist.sync()).toMatchObject({ outcome: 'updated' });
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
    // A round that the app gives up does not undo it.
    await expect(blocklist.sync({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' });
    await blocklist.check('good.example');
    callsOf(source);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(callsOf(source)).toEqual([]);
    await blocklist.close();
  });
});
