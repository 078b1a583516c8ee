import { type Blocklist, hashOf, PortcullisError, prefixOf, type SourcesOptions, screen, type Verdict } from 'portcullis';
import { memoryStore } from 'portcullis/stores';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Store } from '../../../src/blocklist/model/store.js';
import { counted, never, onConfirm } from '../engines-world.js';
import { away, fails, hourMs, listing, minuteMs, synced } from './harness.js';

/** What only this engine has of asking about hits: its status, `screen`, and answers stored in parts. See engines-confirming.test.ts. */

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

const countOf = (verdicts: readonly Verdict[], key: 'status' | 'action' | 'reason') => counted(verdicts.map((one) => one[key]));

afterEach(() => void vi.useRealTimers());

describe('a source that fails', () => {
  test('is paused, which the status says', async () => {
    const { source, blocklist, clock } = await quick();
    const status = () => blocklist.status().sources[0]!.confirm;
    source.before = onConfirm(fails(new PortcullisError('SERVICE_UNAVAILABLE' as never, 'down', { status: 503 })));
    await blocklist.checkMany(names.slice(0, 250));
    const heldUntilMs = clock.nowMs + 1_000;
    expect(status()).toMatchObject({ pending: 0, isPaused: true, heldUntilMs, failures: 1, lastError: { status: 503 } });
    clock.nowMs = heldUntilMs;
    source.before = onConfirm(never);
    vi.useFakeTimers();
    void blocklist.check('evil-0.example');
    await vi.advanceTimersByTimeAsync(1_600);
    expect(status()).toMatchObject({ pending: 1, isPaused: true, heldUntilMs: 0 });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(status()).toMatchObject({ pending: 0, isPaused: true, heldUntilMs: heldUntilMs + 2_000, failures: 2 });
    vi.useRealTimers();
    clock.nowMs = heldUntilMs + 2_000;
    source.before = () => {};
    await blocklist.check('evil-0.example');
    expect(status()).toEqual({ cached: 1, pending: 0, isPaused: false, heldUntilMs: 0, failures: 0, lastError: null });
  });
});

describe('screen', () => {
  async function screened(list: readonly string[], blocklist: Blocklist): Promise<Verdict[]> {
    const verdicts: Verdict[] = [];
    for await (const { verdict } of screen(blocklist, list)) verdicts.push(verdict);
    return verdicts;
  }

  /** Runs it with fake timers, which also move the clock, and returns how long it took. */
  async function timedScreen(list: readonly string[], blocklist: Blocklist) {
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

test('2,800 confirmed hits are stored, in values of 6 kB, of which one in 129 is moved', async () => {
  const store = memoryStore();
  const written = { confirmed: [] as number[], 'confirmed-older': [] as number[] };
  const counting: Store = {
    ...store,
    async write(name, bytes) {
      written[name.split('/')[1] as keyof typeof written]?.push(bytes.length);
      return store.write(name, bytes);
    },
  };
  const options = { store: counting, confirm: { prefixesPerMinute: 10_000 } };
  const { source, blocklist } = await quick(options);
  await blocklist.checkMany(names.slice(0, 2_500));
  await expect.poll(() => written['confirmed-older'].length).toBeGreaterThan(0);
  for (const all of Object.values(written)) all.length = 0;
  for (const name of names.slice(2_500, 2_800)) expect(await blocklist.check(name)).toMatchObject({ status: 'blocked' });
  await blocklist.close();
  expect(Math.max(...written.confirmed)).toBeLessThan(6_000);
  expect(written['confirmed-older'].length).toBeLessThanOrEqual(3);
  source.before = away;
  const { blocklist: again } = await synced(source, options);
  const verdicts = names.slice(0, 2_800).map((name) => again.test(name));
  expect(countOf(verdicts, 'reason')).toEqual({ confirmed: 2_800 });
});
