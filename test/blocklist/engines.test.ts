import { type Blocklist, createBlocklist, PortcullisError, prefixOf } from 'portcullis';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { away, type Clock, fails, hourMs, minuteMs } from './engine/harness.js';
import { type OwnOptions, type OwnSource, ownSource } from './engine/own-source.js';
import { type Engine, engines, lightBlocklist } from './light/engines.js';

/** One rule, told by what a user sees: both engines must answer alike. The names say what was different before the rules had one room. */

interface World {
  readonly blocklist: Blocklist;
  readonly source: OwnSource;
  readonly clock: Clock;
  count(call: string): number;
}

async function world(engine: Engine, list: OwnOptions = {}): Promise<World> {
  const made = opened(engine, list);
  await made.blocklist.ready();
  return made;
}

function opened(engine: Engine, list: OwnOptions = {}): World {
  const clock = { nowMs: Date.UTC(2026, 0, 1) };
  const source = ownSource({ snapshot: ['evil.example', 'scam.example'], ...list });
  const options = { pollMs: 0, now: () => clock.nowMs, random: () => 0.5 };
  const blocklist =
    engine === 'full' ? createBlocklist({ sources: [source], ...options }) : lightBlocklist({ source, ...options });
  onTestFinished(() => blocklist.close());
  return { blocklist, source, clock, count: (call) => source.calls.filter((name) => name === call).length };
}

/** Changes what the source offers, and runs a round an hour later. */
async function offer({ blocklist, source, clock }: World, list: Partial<OwnSource['list']>, afterMs = hourMs) {
  Object.assign(source.list, list);
  clock.nowMs += afterMs;
  return (await blocklist.sync()).sources[0]!;
}

const hosts = (count: number): string[] => Array.from({ length: count }, (_, at) => `host${at}.example`);
const reasons = async (blocklist: Blocklist, texts: readonly string[]): Promise<string[]> =>
  (await Promise.all(texts.map((text) => blocklist.check(text)))).map(({ reason }) => reason);
/** How many there are of each. */
const counted = (all: readonly string[]): Record<string, number> =>
  Object.fromEntries([...new Set(all)].map((one) => [one, all.filter((other) => other === one).length]));
const tooMany = new PortcullisError('TOO_MANY_REQUESTS', 'slow down', { status: 429, retryAfterMs: 10 * minuteMs });

describe.each(engines)('the %s engine', (engine) => {
  describe('a hit', () => {
    test('that is listed for frames only does not block a page', async () => {
      const listed = await world(engine);
      const { confirm } = listed.source;
      listed.source.confirm = async (prefixes, call) => {
        const answer = await confirm!(prefixes, call);
        const kinds = new Map([...answer.hashes.values()].flat().map((hash) => [hash, 1 << 8]));
        return { ...answer, kinds };
      };
      expect(await listed.blocklist.check('evil.example')).toMatchObject({ status: 'clear', reason: 'disproved' });
      expect(listed.blocklist.test('evil.example')).toMatchObject({ status: 'clear', reason: 'disproved' });
    });

    test('a failure of an earlier request does not shorten the pause that the source asked for', async () => {
      const listed = await world(engine);
      let failNow = (): void => {};
      listed.source.before = async (call) => {
        if (call !== 'confirm') return;
        if (listed.count('confirm') > 1) throw tooMany;
        await new Promise((_, reject) => {
          failNow = () => reject(new PortcullisError('NETWORK', 'away'));
        });
      };
      const first = listed.blocklist.check('evil.example');
      await vi.waitFor(() => expect(listed.count('confirm')).toBe(1));
      await listed.blocklist.check('scam.example');
      failNow();
      await first;
      listed.source.before = () => {};
      listed.clock.nowMs += 5_000;
      expect(await reasons(listed.blocklist, ['evil.example'])).toEqual(['offline']);
      expect(listed.count('confirm')).toBe(2);
      listed.clock.nowMs += 10 * minuteMs;
      expect(await reasons(listed.blocklist, ['evil.example'])).toEqual(['confirmed']);
    });

    test('a clock that was set back ends a pause', async () => {
      const listed = await world(engine);
      listed.source.before = fails(tooMany);
      expect(await reasons(listed.blocklist, ['evil.example'])).toEqual(['offline']);
      listed.source.before = () => {};
      listed.clock.nowMs -= 500_000;
      expect(await reasons(listed.blocklist, ['evil.example'])).toEqual(['confirmed']);
    });

    test('after a pause, one request shows whether the source is back', async () => {
      const listed = await world(engine);
      listed.source.before = away;
      await listed.blocklist.check('evil.example');
      listed.clock.nowMs += 2_000;
      const before = listed.count('confirm');
      listed.source.before = (call) => (call === 'confirm' ? new Promise<never>(() => {}) : undefined);
      void listed.blocklist.check('evil.example');
      await vi.waitFor(() => expect(listed.count('confirm')).toBe(before + 1));
      expect(await reasons(listed.blocklist, ['scam.example'])).toEqual(['offline']);
      expect(listed.count('confirm')).toBe(before + 1);
    });

    test('a question that is too large is asked in parts, and the size that was accepted is kept', async () => {
      const listed = await world(engine, { snapshot: hosts(80) });
      const { confirm } = listed.source;
      const sizes: number[] = [];
      listed.source.confirm = async (prefixes, call) => {
        sizes.push(prefixes.length);
        if (prefixes.length > 10) throw new PortcullisError('INVALID_INPUT', 'too many', { status: 413 });
        return confirm!(prefixes, call);
      };
      expect(counted(await reasons(listed.blocklist, hosts(40)))).toEqual({ confirmed: 40 });
      expect(sizes.filter((size) => size > 10)).toEqual([40, 20]);
      sizes.length = 0;
      expect(counted(await reasons(listed.blocklist, hosts(80).slice(40)))).toEqual({ confirmed: 40 });
      expect(sizes.every((size) => size <= 10)).toBe(true);
    });

    test.each([400, 404, 409, 422])('a question that is rejected with %i is no failure of the source', async (status) => {
      const listed = await world(engine);
      const { confirm } = listed.source;
      const rejected = prefixOf('evil.example');
      listed.source.confirm = async (prefixes, call) => {
        if (prefixes.includes(rejected)) throw new PortcullisError('INVALID_INPUT', 'rejected', { status });
        return confirm!(prefixes, call);
      };
      expect(await reasons(listed.blocklist, ['evil.example'])).toEqual(['bad-answer']);
      expect(await reasons(listed.blocklist, ['scam.example'])).toEqual(['confirmed']);
    });

    test('seven bursts of a hundred hits in a minute use up the budget', async () => {
      const listed = await world(engine, { snapshot: hosts(700) });
      const all: string[] = [];
      for (let burst = 0; burst < 7; burst++)
        all.push(...(await reasons(listed.blocklist, hosts(700).slice(burst * 100, burst * 100 + 100))));
      expect(counted(all)).toEqual({ confirmed: 600, budget: 100 });
    });

    test('while a request hangs, the next check does not wait', async () => {
      vi.useFakeTimers();
      onTestFinished(() => void vi.useRealTimers());
      const listed = await world(engine);
      listed.source.before = (call) => (call === 'confirm' ? new Promise<never>(() => {}) : undefined);
      const first = listed.blocklist.check('evil.example');
      await vi.advanceTimersByTimeAsync(1_600);
      expect((await first).reason).toBe('deadline');
      // Without a timer's help: it is answered at once.
      expect(await reasons(listed.blocklist, ['scam.example'])).toEqual(['deadline']);
    });

    test('a late answer about the old list does not replace a newer one', async () => {
      const listed = await world(engine);
      const { confirm } = listed.source;
      let release = (): void => {};
      const late = new Promise<void>((resolve) => {
        release = resolve;
      });
      listed.source.confirm = async (prefixes) => {
        listed.source.confirm = confirm!;
        await late;
        return { hashes: new Map(prefixes.map((prefix) => [prefix, []])) };
      };
      const first = listed.blocklist.check('evil.example');
      await new Promise((resolve) => setTimeout(resolve, 5));
      await offer(listed, { snapshotToken: 's2', isProven: true }, 1_000);
      expect(await reasons(listed.blocklist, ['evil.example'])).toEqual(['confirmed']);
      release();
      await first;
      expect(listed.blocklist.test('evil.example')).toMatchObject({ status: 'blocked', reason: 'confirmed' });
    });

    test('a part is not sent during a pause that another request has caused', async () => {
      const listed = await world(engine, { snapshot: hosts(200) });
      const sizes: number[] = [];
      listed.source.confirm = async (prefixes) => {
        sizes.push(prefixes.length);
        if (sizes.length === 1) throw tooMany;
        await new Promise((resolve) => setTimeout(resolve, 5));
        throw new PortcullisError('INVALID_INPUT', 'too many', { status: 413 });
      };
      expect(counted(await reasons(listed.blocklist, hosts(200)))).toEqual({ offline: 200 });
      expect(sizes).toEqual([100, 100]);
    });

    test('half an answer is no denial: what it leaves out is asked again, alone', async () => {
      const listed = await world(engine);
      const { confirm } = listed.source;
      listed.source.confirm = async (prefixes, call) => {
        const { hashes } = await confirm!(prefixes, call);
        return { hashes: prefixes.length === 1 ? hashes : new Map([...hashes].slice(0, 1)) };
      };
      expect(await reasons(listed.blocklist, ['evil.example', 'scam.example'])).toEqual(['confirmed', 'confirmed']);
    });

    test('crafted denials do not evict what is known to be blocked', async () => {
      const listed = await world(engine, { snapshot: ['evil.example', ...hosts(500)], confirmed: ['evil.example'] });
      expect(await reasons(listed.blocklist, ['evil.example'])).toEqual(['confirmed']);
      for (let round = 0; round < 3; round++) {
        await reasons(listed.blocklist, hosts(500));
        listed.clock.nowMs += minuteMs;
      }
      expect(listed.blocklist.test('evil.example')).toMatchObject({ status: 'blocked' });
    });
  });
});
