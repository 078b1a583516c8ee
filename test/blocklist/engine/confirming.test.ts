import { hashOf, PortcullisError, prefixOf, type SourcesOptions, screen, type Verdict } from 'portcullis';
import { memoryStore } from 'portcullis/stores';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Store } from '../../../src/blocklist/model/store.js';
import { around } from './bad-days-contents.js';
import { away, fails, heard, hourMs, listing, minuteMs, opened, synced } from './harness.js';
import { ownSource } from './own-source.js';

/** How a blocklist treats the source it asks about hits, and what a hit costs. */

const names = Array.from({ length: 3_000 }, (_, at) => `evil-${at}.example`);

const hashes = new Map(names.map((name) => [prefixOf(name), [hashOf(name)]]));

/** Lists all names. Its answers take no time, which hashing 3,000 names would. */
async function quick(options: Partial<SourcesOptions> = {}) {
  const listed = await listing({ snapshot: names }, options);
  const { source } = listed;
  source.confirm = async (prefixes) => {
    (source.asked as (readonly number[])[]).push(prefixes);
    await source.before('confirm');
    return { hashes: new Map(prefixes.map((prefix) => [prefix, hashes.get(prefix) ?? []])) };
  };
  return listed;
}

const never = (): Promise<void> => new Promise(() => {});

const onConfirm = (run: () => void | Promise<void>) => (call: string) => (call === 'confirm' ? run() : undefined);

const countOf = (verdicts: readonly Verdict[], key: 'status' | 'action' | 'reason'): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const verdict of verdicts) counts[verdict[key]] = (counts[verdict[key]] ?? 0) + 1;
  return counts;
};

afterEach(() => void vi.useRealTimers());

describe('a source that fails', () => {
  const failing = fails(new PortcullisError('SERVICE_UNAVAILABLE' as never, 'down', { status: 503 }));

  test('gets 2 requests from 1,000 checks within 2.7 seconds', async () => {
    const { source, blocklist, clock } = await quick();
    source.before = onConfirm(failing);
    for (const name of names.slice(0, 1_000)) {
      expect(await blocklist.check(name)).toMatchObject({ status: 'unconfirmed', reason: 'offline', action: 'warn' });
      clock.nowMs += 2.7;
    }
    expect(source.asked).toHaveLength(2);
  });

  test('is asked after pauses that double up to a minute, one request at a time', async () => {
    const { source, blocklist, clock } = await quick();
    source.before = onConfirm(failing);
    const pauses: number[] = [];
    for (let failures = 1; failures <= 8; failures++) {
      await blocklist.checkMany(names.slice(0, 250));
      const { confirm } = blocklist.status().sources[0]!;
      expect(confirm).toMatchObject({ isPaused: true, failures, lastError: { status: 503 } });
      pauses.push((confirm.heldUntilMs - clock.nowMs) / 1_000);
      clock.nowMs = confirm.heldUntilMs;
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    // At first all three requests of the 250 prefixes were sent.
    expect(source.asked.map(({ length }) => length)).toEqual([100, 100, 50, ...new Array<number>(7).fill(100)]);
    source.before = () => {};
    expect(await blocklist.check('evil-0.example')).toMatchObject({ status: 'blocked' });
    expect(blocklist.status().sources[0]!.confirm).toEqual({
      ...{ cached: 1, pending: 0, isPaused: false, heldUntilMs: 0, failures: 0, lastError: null },
    });
  });

  test('is asked at once when the network is back, unless it asked for the pause', async () => {
    const wakeUps = new Set<() => void>();
    vi.stubGlobal('addEventListener', (_: string, listener: () => void) => wakeUps.add(listener));
    vi.stubGlobal('removeEventListener', () => {});
    try {
      const { source, blocklist } = await quick();
      source.before = onConfirm(away);
      await blocklist.check('evil-0.example');
      source.before = onConfirm(fails(new PortcullisError('TOO_MANY_REQUESTS', 'wait', { status: 429, retryAfterMs: minuteMs })));
      for (const wake of wakeUps) wake();
      await blocklist.check('evil-0.example');
      source.before = () => {};
      for (const wake of wakeUps) wake();
      expect(await blocklist.check('evil-0.example')).toMatchObject({ status: 'unconfirmed', reason: 'offline' });
      expect(source.asked).toHaveLength(2);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

describe('a source that hangs', () => {
  test('costs one check its deadline, and the next ones nothing', async () => {
    const { source, blocklist } = await quick();
    source.before = onConfirm(never);
    vi.useFakeTimers();
    let waitedMs = 0;
    for (const name of names.slice(0, 20)) {
      let verdict: Verdict | undefined;
      void blocklist.check(name).then((one) => {
        verdict = one;
      });
      for (await vi.advanceTimersByTimeAsync(1); verdict === undefined; waitedMs += 10) await vi.advanceTimersByTimeAsync(10);
      expect(verdict).toMatchObject({ status: 'unconfirmed', reason: 'deadline' });
    }
    expect(waitedMs).toBeLessThanOrEqual(1_500);
    expect(source.asked).toHaveLength(1);
    expect(blocklist.status().sources[0]!.confirm).toMatchObject({ isPaused: true, pending: 1, heldUntilMs: 0 });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(blocklist.status().sources[0]!.confirm).toMatchObject({ isPaused: true, pending: 0, failures: 1 });
  });

  test('in one request only does not keep others from being asked', async () => {
    const { source, blocklist } = await quick();
    source.before = onConfirm(() => (source.asked.length === 1 ? never() : undefined));
    vi.useFakeTimers();
    const hanging = blocklist.check('evil-0.example');
    await vi.advanceTimersByTimeAsync(1);
    const answered = blocklist.check('evil-1.example');
    await vi.advanceTimersByTimeAsync(1_600);
    expect((await answered).status).toBe('blocked');
    expect((await hanging).reason).toBe('deadline');
    const after = blocklist.check('evil-2.example');
    await vi.advanceTimersByTimeAsync(1);
    expect((await after).status).toBe('blocked');
  });
});

describe('screen', () => {
  async function screened(
    list: readonly string[],
    blocklist: Awaited<ReturnType<typeof synced>>['blocklist'],
  ): Promise<Verdict[]> {
    const verdicts: Verdict[] = [];
    for await (const { verdict } of screen(blocklist, list)) verdicts.push(verdict);
    return verdicts;
  }

  /** Runs it with fake timers, which also move the clock, and returns how long it took. */
  async function timedScreen(list: readonly string[], blocklist: Awaited<ReturnType<typeof synced>>['blocklist']) {
    let verdicts: readonly Verdict[] | undefined;
    void screened(list, blocklist).then((all) => {
      verdicts = all;
    });
    let passedMs = 0;
    for (; verdicts === undefined && passedMs < 600_000; passedMs += 100) await vi.advanceTimersByTimeAsync(100);
    return { verdicts: verdicts!, passedMs };
  }

  /** Its clock is that of the fake timers. */
  function ticking(options: Partial<SourcesOptions> = {}) {
    vi.useFakeTimers();
    return quick({ now: () => Date.now(), confirm: { prefixesPerMinute: 1_000_000 }, ...options });
  }

  const tooMany = (retryAfterMs: number) =>
    fails(new PortcullisError('TOO_MANY_REQUESTS', 'wait', { status: 429, retryAfterMs }));

  test('blocks 2,000 of 2,000 listed inputs, and leaves the budget of checks alone', async () => {
    const { blocklist } = await quick();
    vi.useFakeTimers();
    const { verdicts, passedMs } = await timedScreen(names.slice(0, 2_000), blocklist);
    expect(countOf(verdicts, 'action')).toEqual({ block: 2_000 });
    // 600 at once, and the others at 600 a minute.
    expect(passedMs).toBeGreaterThanOrEqual(140_000);
    expect(passedMs).toBeLessThan(145_000);
    vi.useRealTimers();
    expect(countOf(await blocklist.checkMany(names.slice(2_000)), 'reason')).toEqual({ confirmed: 600, budget: 400 });
  });

  test('waits out each pause that the source asks for', async () => {
    const { source, blocklist } = await ticking();
    source.before = onConfirm(() => (source.asked.length % 4 === 0 ? tooMany(1_000)() : undefined));
    const { verdicts, passedMs } = await timedScreen(names.slice(0, 2_000), blocklist);
    expect(countOf(verdicts, 'reason')).toEqual({ confirmed: 2_000 });
    // 24 answers and 7 rejections.
    expect(source.asked).toHaveLength(31);
    expect(passedMs).toBeGreaterThanOrEqual(7_000);
    expect(passedMs).toBeLessThan(9_000);
  });

  test('waits as long as the longest pause that a rate limit by the minute asks for', async () => {
    const { source, blocklist } = await ticking();
    source.before = onConfirm(() => (source.asked.length === 2 ? tooMany(minuteMs)() : undefined));
    const { verdicts } = await timedScreen(names, blocklist);
    expect(countOf(verdicts, 'reason')).toEqual({ confirmed: 3_000 });
  });

  test('goes on after a connection failed, and after a request that hangs', async () => {
    const { source, blocklist } = await ticking();
    source.before = onConfirm(() => {
      if (source.asked.length === 2) return away();
      return source.asked.length === 5 ? never() : undefined;
    });
    const { verdicts } = await timedScreen(names.slice(0, 2_000), blocklist);
    // Only the hits of the hanging request have waited for the whole deadline.
    expect(countOf(verdicts, 'reason')).toEqual({ confirmed: 1_900, deadline: 100 });
  });

  test.each([
    ['cannot be reached', away, 'offline', 120_000],
    ['asks for a second each time', tooMany(1_000), 'offline', 120_000],
    ['asks for more time than a caller should wait', tooMany(10 * minuteMs), 'offline', 100],
    ['rejects the request', fails(new PortcullisError('BAD_REQUEST', 'no', { status: 403 })), 'bad-answer', 100],
  ])('ends in bounded time with a source that %s', async (_, fail, reason, maxMs) => {
    const { source, blocklist } = await ticking({ confirm: { prefixesPerMinute: 600 } });
    source.before = onConfirm(fail);
    const { verdicts, passedMs } = await timedScreen(names, blocklist);
    expect(countOf(verdicts, 'reason')).toEqual({ [reason]: 3_000 });
    expect(countOf(verdicts, 'status')).toEqual({ unconfirmed: 3_000 });
    // It does not wait for its budget either, which would take four minutes.
    expect(passedMs).toBeLessThanOrEqual(maxMs);
    expect(source.asked.length).toBeLessThanOrEqual(8);
    // The next one does not wait again.
    const again = await timedScreen(names.slice(0, 500), blocklist);
    expect(again.passedMs).toBeLessThanOrEqual(100);
    source.before = () => {};
    await vi.advanceTimersByTimeAsync(11 * minuteMs);
    const after = await timedScreen(names.slice(0, 500), blocklist);
    expect([after.passedMs, countOf(after.verdicts, 'status')]).toEqual([100, { blocked: 500 }]);
  });

  test('waits again 15 minutes after it gave up', async () => {
    const { source, blocklist } = await ticking();
    source.before = onConfirm(away);
    await timedScreen(names.slice(0, 100), blocklist);
    const returns = source.asked.length + 2;
    source.before = onConfirm(() => (source.asked.length < returns ? away() : undefined));
    await vi.advanceTimersByTimeAsync(16 * minuteMs);
    expect(countOf((await timedScreen(names.slice(0, 500), blocklist)).verdicts, 'reason')).toEqual({ confirmed: 500 });
  });

  test('waits again at once after the source has answered', async () => {
    const { source, blocklist } = await ticking();
    source.before = onConfirm(away);
    await timedScreen(names.slice(0, 100), blocklist);
    await vi.advanceTimersByTimeAsync(minuteMs);
    source.before = () => {};
    await timedScreen(names.slice(100, 101), blocklist);
    source.before = onConfirm(() => (source.asked.length % 2 === 0 ? tooMany(1_000)() : undefined));
    expect(countOf((await timedScreen(names.slice(200, 700), blocklist)).verdicts, 'reason')).toEqual({ confirmed: 500 });
  });

  test('ends in bounded time while the clock stands still', async () => {
    const { source, blocklist } = await quick();
    source.before = onConfirm(away);
    vi.useFakeTimers();
    const { verdicts, passedMs } = await timedScreen(names, blocklist);
    expect(countOf(verdicts, 'reason')).toEqual({ offline: 3_000 });
    expect(passedMs).toBeLessThanOrEqual(121_000);
    expect(source.asked).toHaveLength(1);
  });

  test.each([
    ['the source', tooMany(minuteMs), {}, 'offline'],
    ['its budget', () => {}, { confirm: { prefixesPerMinute: 10 } }, undefined],
  ] as const)(
    'that waits for %s ends when it is aborted, and when the blocklist is closed',
    async (_, before, options, reason) => {
      const { source, blocklist } = await ticking(options);
      source.before = onConfirm(before);
      const controller = new AbortController();
      const aborted = expect(screen(blocklist, names.slice(0, 20), { signal: controller.signal }).next()).rejects.toMatchObject({
        code: 'ABORTED',
      });
      await vi.advanceTimersByTimeAsync(1_000);
      controller.abort();
      await aborted;
      const other = screen(blocklist, names.slice(0, 30)).next();
      await vi.advanceTimersByTimeAsync(1_000);
      const closing = blocklist.close();
      await vi.advanceTimersByTimeAsync(1);
      expect(await other).toMatchObject({ done: false, ...(reason !== undefined && { value: { verdict: { reason } } }) });
      await closing;
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  test('waits for a fresh answer about what was confirmed earlier', async () => {
    const { source, blocklist, clock } = await listing();
    await blocklist.check('evil.example');
    clock.nowMs += hourMs;
    source.list.confirmed = [];
    expect(countOf(await screened(['evil.example'], blocklist), 'reason')).toEqual({ disproved: 1 });
  });
});

describe('after a restart', () => {
  const store = memoryStore();

  async function restarted(source = ownSource({ snapshot: ['evil.example'] }), passedMs = 0) {
    await store.open();
    const next = opened({ sources: [source], store, now: () => Date.UTC(2026, 0, 1) + passedMs });
    await next.blocklist.ready();
    return { source, ...next };
  }

  test('a hit that was confirmed before it is not asked about again for positiveMs', async () => {
    const { source, blocklist } = await restarted();
    await blocklist.check('evil.example');
    await blocklist.close();
    for (let wakeUp = 0; wakeUp < 14; wakeUp++) {
      const { blocklist: again } = await restarted(source, wakeUp * 20_000);
      expect(await again.check('evil.example')).toMatchObject({ status: 'blocked', reason: 'confirmed' });
      await again.close();
    }
    expect(source.asked).toHaveLength(1);
  });

  test('a hit that was confirmed longer ago blocks at once, and is asked about behind it', async () => {
    const source = ownSource({ snapshot: ['evil.example'] });
    let answer = (): void => {};
    source.before = onConfirm(() => new Promise((resolve) => (answer = resolve)));
    const { blocklist } = await restarted(source, 5 * minuteMs);
    const startedMs = performance.now();
    for (let check = 0; check < 10; check++) {
      expect(await blocklist.check('evil.example')).toMatchObject({ status: 'blocked', reason: 'confirmed-earlier' });
    }
    // Far less than the deadline of one of them.
    expect(performance.now() - startedMs).toBeLessThan(1_000);
    await expect.poll(() => source.asked.length).toBe(1);
    answer();
    await expect.poll(() => blocklist.test('evil.example').reason).toBe('confirmed');
    await blocklist.close();
  });

  test('a hit that the source has lifted meanwhile is blocked once more at most', async () => {
    const source = ownSource({ snapshot: ['evil.example'], confirmed: [] });
    const { blocklist } = await restarted(source, hourMs);
    await blocklist.check('evil.example');
    await expect.poll(() => blocklist.test('evil.example').reason).toBe('disproved');
    await blocklist.close();
    const { blocklist: again } = await restarted(source, hourMs);
    expect(again.test('evil.example')).toMatchObject({ status: 'unconfirmed' });
    await again.close();
  });
});

describe('storing hits', () => {
  /** A store that counts the bytes of confirmations written. */
  function counting(): { store: Store; written: Map<string, number[]> } {
    const written = new Map<string, number[]>();
    const inner = memoryStore();
    const store: Store = {
      ...inner,
      async write(name, bytes) {
        if (name.includes('/confirmed')) written.set(name, [...(written.get(name) ?? []), bytes.length]);
        return inner.write(name, bytes);
      },
    };
    return { store, written };
  }

  test('writes 6 kB at most for each, however many are remembered, and keeps all', async () => {
    const { store, written } = counting();
    await store.open();
    const options = { store, confirm: { prefixesPerMinute: 10_000 } };
    const { source, blocklist } = await quick(options);
    await blocklist.checkMany(names.slice(0, 2_500));
    await expect.poll(() => written.get('own/confirmed-older')?.length).toBeGreaterThan(0);
    written.clear();
    for (const name of names.slice(2_500, 2_800)) expect(await blocklist.check(name)).toMatchObject({ status: 'blocked' });
    await blocklist.close();
    expect(Math.max(...written.get('own/confirmed')!)).toBeLessThan(6_000);
    expect(written.get('own/confirmed-older')!.length).toBeLessThanOrEqual(3);
    await store.open();
    source.before = away;
    const { blocklist: again } = await synced(source, options);
    expect(
      countOf(
        names.slice(0, 2_800).map((name) => again.test(name)),
        'reason',
      ),
    ).toEqual({ confirmed: 2_800 });
  });

  test('that fails is tried again with the next hit', async () => {
    let isFull = true;
    const inner = memoryStore();
    await inner.open();
    const store = around(inner, async (name, run) => {
      if (isFull && name === 'write') throw new PortcullisError('STORE_FULL', 'the disk is full');
      return run();
    });
    const { blocklist } = await quick({ store });
    const errors = heard(blocklist, 'error');
    await blocklist.check('evil-0.example');
    await expect.poll(() => errors.filter(({ error }) => error.code === 'STORE_FULL').length).toBeGreaterThan(0);
    isFull = false;
    await blocklist.check('evil-1.example');
    await blocklist.close();
    await inner.open();
    const { blocklist: again } = await quick({ store: inner });
    for (const name of ['evil-0.example', 'evil-1.example']) expect(again.test(name)).toMatchObject({ reason: 'confirmed' });
  });
});
