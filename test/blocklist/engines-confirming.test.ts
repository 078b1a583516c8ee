import { hashOf, PortcullisError, PrefixSet, prefixOf } from 'portcullis';
import { type Confirmation, uniqueTokens } from 'portcullis/sources';
import { memoryStore } from 'portcullis/stores';
import { describe, expect, test, vi } from 'vitest';
import { around } from './engine/bad-days-contents.js';
import { away, dayMs, fails, held, hourMs, minuteMs } from './engine/harness.js';
import { type OwnList, ownSource } from './engine/own-source.js';
import { counted, fakeTimers, hosts, never, onConfirm, type World, worldsOf } from './engines-world.js';
import { engines } from './light/engines.js';

/** What a hit costs, how a source is asked about it, and how long its answer counts: the same on both engines. */

const blocked = { status: 'blocked', reason: 'confirmed' } as const;
const earlier = { status: 'blocked', reason: 'confirmed-earlier' } as const;
const disproved = { status: 'clear', reason: 'disproved' } as const;
const tooMany = (retryAfterMs: number) =>
  fails(new PortcullisError('TOO_MANY_REQUESTS', 'slow down', { status: 429, retryAfterMs }));
const rejects = (status: number) => fails(new PortcullisError('INVALID_INPUT', 'rejected', { status }));

/** Changes the answers of the source, which knows how it would have answered. */
function answering(
  { source }: Pick<World, 'source'>,
  change: (prefixes: readonly number[], answer: () => Promise<Confirmation>) => Promise<unknown>,
): void {
  const { confirm } = source;
  source.confirm = (prefixes, call) => change(prefixes, () => confirm!(prefixes, call)) as Promise<Confirmation>;
}

const sizes = ({ source }: Pick<World, 'source'>): readonly number[] => source.asked.map(({ length }) => length);

/** A verdict while timers are fake, and how long it took. */
async function timed<T>(running: Promise<T>): Promise<readonly [result: T, passedMs: number]> {
  let result: { readonly value: T } | undefined;
  void running.then((value) => {
    result = { value };
  });
  await vi.advanceTimersByTimeAsync(1);
  let passedMs = 0;
  for (; result === undefined; passedMs += 10) await vi.advanceTimersByTimeAsync(10);
  return [result.value, passedMs];
}

describe.each(engines)('the %s engine', (engine) => {
  const { listing, opened } = worldsOf(engine);
  const pair: typeof listing = (list, options) => listing({ snapshot: ['evil.example', 'scam.example'], ...list }, options);

  describe('requests', () => {
    test('are shared by a thousand concurrent checks of one prefix', async () => {
      const { source, checkAll } = await listing();
      const all = await checkAll(Array.from({ length: 1_000 }, (_, at) => `https://evil.example/${at}`));
      expect(counted(all.map(({ status }) => status))).toEqual({ blocked: 1_000 });
      expect(source.asked).toEqual([[prefixOf('evil.example')]]);
    });

    test('have a hundred prefixes each', async () => {
      const world = await listing({ snapshot: hosts(250) });
      expect(counted(await world.reasons([...hosts(250), ...hosts(250)]))).toEqual({ confirmed: 500 });
      expect(sizes(world)).toEqual([100, 100, 50]);
    });

    test.each([1_000, 100])('about crafted hits, %i at once, use up a minute’s budget, and let nothing through', async (size) => {
      const confirmed = ['known.example'];
      const { source, blocklist, clock, reasons } = await listing({ snapshot: [...confirmed, ...hosts(1_000)], confirmed });
      await blocklist.check('known.example');
      const all: string[] = [];
      for (let at = 0; at < 1_000; at += size) all.push(...(await reasons(hosts(1_000).slice(at, at + size))));
      expect(counted(all)).toEqual({ disproved: 599, budget: 401 });
      expect(source.asked.flat()).toHaveLength(600);
      expect(blocklist.test('host999.example')).toMatchObject({ status: 'unconfirmed', action: 'warn' });
      expect(await blocklist.check('known.example')).toMatchObject(blocked);
      clock.nowMs += 30_000;
      expect(counted(await reasons(hosts(1_000)))).toEqual({ disproved: 899, budget: 101 });
      // A block is known for longer than its answer counts, and asking about it costs nobody a wait.
      clock.nowMs += 31 * minuteMs;
      await reasons(hosts(1_000));
      expect(await blocklist.check('known.example')).toMatchObject(earlier);
      clock.nowMs += minuteMs;
      expect(await blocklist.check('known.example')).toMatchObject(earlier);
      await expect.poll(() => blocklist.test('known.example').reason).toBe('confirmed');
    });

    test('that are too large are sent in parts, and the size that was accepted is kept for ten minutes', async () => {
      const world = await listing({ snapshot: hosts(160) });
      const asked: number[] = [];
      answering(world, async (prefixes, answer) => {
        asked.push(prefixes.length);
        return prefixes.length > 10 ? rejects(413)() : answer();
      });
      const next = async (from: number): Promise<readonly number[]> => {
        asked.length = 0;
        expect(counted(await world.reasons(hosts(160).slice(from, from + 40)))).toEqual({ confirmed: 40 });
        return asked.filter((size) => size > 10);
      };
      expect(await next(0)).toEqual([40, 20]);
      expect(asked).toHaveLength(6);
      expect(await next(40)).toEqual([]);
      world.clock.nowMs += 10 * minuteMs;
      expect(await next(80)).toEqual([40, 20]);
    });

    test.each([400, 404, 409, 422])('that are rejected with %i are no failure of the source', async (status) => {
      const world = await pair();
      const rejected = prefixOf('evil.example');
      answering(world, async (prefixes, answer) => (prefixes.includes(rejected) ? rejects(status)() : answer()));
      expect(await world.reasons(['evil.example'])).toEqual(['bad-answer']);
      expect(await world.reasons(['scam.example'])).toEqual(['confirmed']);
      expect(await world.reasons(['evil.example', 'scam.example'])).toEqual(['bad-answer', 'confirmed']);
    });
  });

  describe('a source that fails', () => {
    test('gets 2 requests from 1,000 checks within 2.7 seconds', async () => {
      const { source, blocklist, clock } = await listing({ snapshot: hosts(1_000) });
      source.before = onConfirm(rejects(503));
      for (const host of hosts(1_000)) {
        expect(await blocklist.check(host)).toMatchObject({ status: 'unconfirmed', reason: 'offline', action: 'warn' });
        clock.nowMs += 2.7;
      }
      expect(source.asked).toHaveLength(2);
    });

    test('is asked after pauses that double up to a minute, one request at a time, until it answers', async () => {
      const world = await listing({ snapshot: hosts(250) });
      const { source, clock, reasons } = world;
      source.before = onConfirm(rejects(503));
      await reasons(hosts(250));
      for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
        const before = source.asked.length;
        clock.nowMs += seconds * 1_000 - 1;
        expect(counted(await reasons(hosts(250)))).toEqual({ offline: 250 });
        expect(source.asked).toHaveLength(before);
        clock.nowMs += 1;
        await reasons(hosts(250));
      }
      // At first all three requests of the 250 prefixes were sent.
      expect(sizes(world)).toEqual([100, 100, 50, ...new Array<number>(8).fill(100)]);
      source.before = () => {};
      clock.nowMs += minuteMs;
      expect(await reasons(['host0.example'])).toEqual(['confirmed']);
      expect(counted(await reasons(hosts(250)))).toEqual({ confirmed: 250 });
    });

    test('is asked by one request after a pause, which shows whether it is back', async () => {
      const { source, blocklist, clock, reasons } = await pair();
      source.before = away;
      await blocklist.check('evil.example');
      clock.nowMs += 2_000;
      source.before = onConfirm(never);
      void blocklist.check('evil.example');
      await vi.waitFor(() => expect(source.asked).toHaveLength(2));
      expect(await reasons(['scam.example'])).toEqual(['offline']);
      expect(source.asked).toHaveLength(2);
    });

    test('keeps the pause that it asked for when an earlier request fails', async () => {
      const { source, blocklist, clock, reasons } = await pair();
      let failNow = (): void => {};
      source.before = onConfirm(async () => {
        if (source.asked.length > 1) tooMany(10 * minuteMs)();
        await new Promise((_, reject) => {
          failNow = () => reject(new PortcullisError('NETWORK', 'away'));
        });
      });
      const first = blocklist.check('evil.example');
      await vi.waitFor(() => expect(source.asked).toHaveLength(1));
      await blocklist.check('scam.example');
      failNow();
      await first;
      source.before = () => {};
      clock.nowMs += 5_000;
      expect(await reasons(['evil.example'])).toEqual(['offline']);
      expect(source.asked).toHaveLength(2);
      clock.nowMs += 10 * minuteMs;
      expect(await reasons(['evil.example'])).toEqual(['confirmed']);
    });

    test.each([
      ['15 minutes later at the latest', 15 * minuteMs - 1, 1],
      ['once the clock is set back', 0, -500_000],
    ])('is asked again %s, whatever pause it asked for', async (_, waitMs, lastMs) => {
      const { source, clock, reasons } = await listing();
      source.before = onConfirm(tooMany(dayMs));
      expect(await reasons(['evil.example'])).toEqual(['offline']);
      source.before = () => {};
      clock.nowMs += waitMs;
      expect(await reasons(['evil.example'])).toEqual(['offline']);
      clock.nowMs += lastMs;
      expect(await reasons(['evil.example'])).toEqual(['confirmed']);
    });

    test('gets no part of a question during a pause that another request has caused', async () => {
      const { source, reasons } = await listing({ snapshot: hosts(200) });
      source.before = onConfirm(async () => {
        if (source.asked.length === 1) tooMany(minuteMs)();
        await new Promise((resolve) => setTimeout(resolve, 5));
        rejects(413)();
      });
      expect(counted(await reasons(hosts(200)))).toEqual({ offline: 200 });
      expect(sizes({ source })).toEqual([100, 100]);
    });

    test.each([
      ['offline', 'no connection', new PortcullisError('NETWORK', 'away')],
      ['offline', 'too slow', new PortcullisError('TIMEOUT', 'slow')],
      ['offline', 'too many requests', new PortcullisError('TOO_MANY_REQUESTS', 'wait', { status: 429 })],
      ['offline', 'a failing service', new PortcullisError('INTERNAL_SERVER_ERROR', 'oh', { status: 503 })],
      ['offline', 'a foreign error', new Error('boom')],
      ['bad-answer', 'an answer that cannot be read', new PortcullisError('INVALID_RESPONSE', 'what')],
      ['bad-answer', 'a key that is rejected', new PortcullisError('UNAUTHORIZED', 'no', { status: 401 })],
    ])('leaves a hit unconfirmed: %s, %s', async (reason, _, error) => {
      const { source, blocklist } = await listing();
      source.before = fails(error);
      const expected = { status: 'unconfirmed', action: 'warn', expression: 'evil.example', source: 'own', reason };
      expect(await blocklist.check('evil.example')).toMatchObject(expected);
    });
  });

  test('the network that is back ends a pause, unless the source asked for it', async () => {
    const wakeUps = new Set<() => void>();
    vi.stubGlobal('addEventListener', (_: string, listener: () => void) => wakeUps.add(listener));
    vi.stubGlobal('removeEventListener', (_: string, listener: () => void) => wakeUps.delete(listener));
    const { source, blocklist } = await listing();
    source.before = onConfirm(away);
    await blocklist.check('evil.example');
    source.before = onConfirm(tooMany(minuteMs));
    for (const wake of wakeUps) wake();
    await blocklist.check('evil.example');
    source.before = () => {};
    for (const wake of wakeUps) wake();
    expect(await blocklist.check('evil.example')).toMatchObject({ status: 'unconfirmed', reason: 'offline' });
    expect(source.asked).toHaveLength(2);
    await blocklist.close();
    expect(wakeUps.size).toBe(0);
  });

  describe('a source that hangs', () => {
    test('costs one check its deadline, and the next ones nothing', async () => {
      const { source, blocklist } = await listing({ snapshot: hosts(20) });
      source.before = onConfirm(never);
      fakeTimers();
      let waitedMs = 0;
      for (const host of hosts(20)) {
        const [verdict, passedMs] = await timed(blocklist.check(host));
        expect(verdict).toMatchObject({ status: 'unconfirmed', reason: 'deadline' });
        waitedMs += passedMs;
      }
      expect(waitedMs).toBeLessThanOrEqual(1_500);
      expect(source.asked).toHaveLength(1);
      // After five seconds the request has failed, and a pause begins.
      await vi.advanceTimersByTimeAsync(5_000);
      expect((await timed(blocklist.check('host0.example')))[0]).toMatchObject({ reason: 'offline' });
    });

    test('in one request only does not keep others from being asked', async () => {
      const { source, blocklist } = await listing({ snapshot: hosts(3) });
      source.before = onConfirm(() => (source.asked.length === 1 ? never() : undefined));
      fakeTimers();
      const hanging = blocklist.check('host0.example');
      await vi.advanceTimersByTimeAsync(1);
      const answered = blocklist.check('host1.example');
      await vi.advanceTimersByTimeAsync(1_600);
      expect(await answered).toMatchObject(blocked);
      expect(await hanging).toMatchObject({ reason: 'deadline' });
      expect((await timed(blocklist.check('host2.example')))[0]).toMatchObject(blocked);
    });
  });

  describe('an answer', () => {
    const group = (of: unknown, prefix = prefixOf('evil.example')) => ({ hashes: new Map([[prefix, of]]) });

    test.each<[string, unknown]>([
      ['hashes of another prefix', group([new Uint8Array(32)])],
      ['hashes of another prefix beside its own', group([hashOf('evil.example'), new Uint8Array(32)])],
      ['hashes that are too short', group([hashOf('evil.example').subarray(0, 31)])],
      ['hashes that are too long', group([new Uint8Array([...hashOf('evil.example'), 0])])],
      ['1,001 hashes', group(new Array(1_001).fill(hashOf('evil.example')))],
      ['texts', group(['x'])],
      ['a group that was not requested', group([new Uint8Array(32)], 1)],
      ['a second group that was not requested', { hashes: new Map([...group([]).hashes, [1, []]]) }],
      ['nothing', undefined],
      ['null', null],
      ['no map', { hashes: {} }],
      ['a group that is not a list', group('x')],
    ])('with %s confirms nothing and clears nothing', async (_, answer) => {
      const world = await listing();
      answering(world, async () => answer);
      const expected = { status: 'unconfirmed', action: 'warn', reason: 'bad-answer' };
      expect(await world.blocklist.check('evil.example')).toMatchObject(expected);
    });

    describe('that leaves out groups is no denial: the source', () => {
      /** Answers only about some prefixes. */
      async function forgetful(isAnswered: (prefix: number, asked: readonly number[]) => boolean) {
        const world = await listing({ snapshot: [...hosts(50), 'fine.example'], confirmed: hosts(2) });
        answering(world, async (prefixes, answer) => ({
          hashes: new Map([...(await answer()).hashes].filter(([prefix]) => isAnswered(prefix, prefixes))),
        }));
        return world;
      }
      const three = [...hosts(2), 'fine.example'];
      const listed = hosts(2).map(prefixOf);

      test.each<[string, Parameters<typeof forgetful>[0], readonly number[]]>([
        ['is asked again about each alone', (prefix, asked) => asked.length === 1 || prefix === asked[0], [3, 1, 1]],
        ['may have left out what is not listed', (prefix) => listed.includes(prefix), [3, 1]],
      ])('%s', async (_, isAnswered, asked) => {
        const world = await forgetful(isAnswered);
        expect(await world.reasons(three)).toEqual(['confirmed', 'confirmed', 'disproved']);
        expect(sizes(world)).toEqual(asked);
      });

      test('is asked again about 31 at most, and the others stay unconfirmed', async () => {
        const world = await forgetful((_, asked) => asked.length === 1);
        expect(counted(await world.reasons(hosts(50)))).toEqual({ confirmed: 2, disproved: 29, 'bad-answer': 19 });
        expect(sizes(world)).toEqual([50, ...new Array<number>(31).fill(1)]);
      });
    });

    test('that lists a host for frames only does not block a page', async () => {
      const world = await listing();
      answering(world, async (_, answer) => {
        const { hashes } = await answer();
        return { hashes, kinds: new Map([...hashes.values()].flat().map((hash) => [hash, 1 << 8])) };
      });
      expect(await world.blocklist.check('evil.example')).toMatchObject(disproved);
      expect(world.blocklist.test('evil.example')).toMatchObject(disproved);
      expect(await world.blocklist.check('evil.example', { loading: 'frame' })).toMatchObject(blocked);
    });
  });

  describe('a source with terms', () => {
    const advisory = { text: 'This may be wrong.', link: 'https://terms.example/', attribution: 'A publisher' };
    const limited = (options?: Parameters<typeof listing>[1], list: Partial<OwnList> = {}) => {
      const source = ownSource({ snapshot: ['evil.example', 'fine.example'], confirmed: ['evil.example'], ...list });
      return listing(Object.assign(source, { terms: { maxConfirmedMs: 30 * minuteMs, advisory } }), options);
    };

    test('confirms a hit for as long as they say, and no longer while it cannot be asked', async () => {
      const { source, blocklist, clock } = await limited();
      await blocklist.check('evil.example');
      source.before = onConfirm(away);
      clock.nowMs += 30 * minuteMs - 1;
      expect(await blocklist.check('evil.example')).toMatchObject(earlier);
      clock.nowMs += 1;
      expect(await blocklist.check('evil.example')).toMatchObject({ status: 'unconfirmed', reason: 'offline', action: 'warn' });
      expect(blocklist.test('evil.example')).toMatchObject({ status: 'unconfirmed', reason: 'not-asked' });
      source.before = () => {};
      clock.nowMs += minuteMs;
      expect(await blocklist.check('evil.example')).toMatchObject(blocked);
    });

    test('confirms a hit no longer than that if its answer counts for longer, and denies one as long as the answer says', async () => {
      const world = await limited();
      answering(world, async (_, answer) => ({ ...(await answer()), positiveMs: 2 * hourMs, negativeMs: 2 * hourMs }));
      await world.reasons(['evil.example', 'fine.example']);
      world.source.before = onConfirm(away);
      world.clock.nowMs += 30 * minuteMs - 1;
      expect(world.blocklist.test('evil.example')).toMatchObject(blocked);
      world.clock.nowMs += 1;
      expect(await world.reasons(['evil.example', 'fine.example'])).toEqual(['offline', 'disproved']);
    });

    test('confirms nothing by an answer whose age a clock that was set back hides', async () => {
      const { source, blocklist, clock } = await limited();
      await blocklist.check('evil.example');
      source.before = onConfirm(away);
      clock.nowMs -= hourMs;
      expect(await blocklist.check('evil.example')).toMatchObject({ status: 'unconfirmed', reason: 'offline' });
    });

    test.each([
      ['counts until then', 29 * minuteMs, 'confirmed-earlier'],
      ['ends', 30 * minuteMs, 'offline'],
      ['ends if the clock was set back', -minuteMs, 'offline'],
    ])('after a restart, what was confirmed %s', async (_, waitMs, reason) => {
      const before = await limited({ store: memoryStore() });
      await before.blocklist.check('evil.example');
      before.source.before = onConfirm(away);
      before.clock.nowMs += waitMs;
      // The second restart reads what the first one may have stored anew.
      for (let world = before, starts = 0; starts < 2; starts++) {
        world = await world.restart();
        expect(await world.reasons(['evil.example'])).toEqual([reason]);
      }
    });

    test('stores no answer of unknown age as one of the present time', async () => {
      const both = ['evil.example', 'scam.example'];
      const before = await limited({ store: memoryStore() }, { snapshot: both, confirmed: both });
      await before.blocklist.check('evil.example');
      before.clock.nowMs -= minuteMs;
      const second = await before.restart();
      expect(await second.reasons(['scam.example'])).toEqual(['confirmed']);
      second.source.before = onConfirm(away);
      const third = await second.restart();
      expect(await third.reasons(both)).toEqual(['offline', 'confirmed']);
    });

    test('shows its advisory with warnings only', async () => {
      const { source, blocklist, clock } = await limited();
      expect(await blocklist.check('evil.example')).toMatchObject({ ...blocked, advisory });
      expect(await blocklist.check('fine.example')).not.toHaveProperty('advisory');
      expect(await blocklist.check('other.example')).not.toHaveProperty('advisory');
      source.before = onConfirm(away);
      clock.nowMs += hourMs;
      expect(await blocklist.check('evil.example')).toMatchObject({ status: 'unconfirmed', advisory });
    });

    test('whose list is missing has nothing to show', async () => {
      const source = Object.assign(ownSource({}), { terms: { advisory } });
      source.before = away;
      expect(await opened(source).blocklist.check('evil.example')).not.toHaveProperty('advisory');
    });
  });

  describe('a denial', () => {
    test('counts for half an hour', async () => {
      const { source, blocklist, clock } = await listing({ confirmed: [] });
      const askedAfter = async (waitMs: number) => {
        clock.nowMs += waitMs;
        expect(await blocklist.check('evil.example')).toMatchObject(disproved);
        return source.asked.length;
      };
      expect([await askedAfter(0), await askedAfter(30 * minuteMs - 1), await askedAfter(1)]).toEqual([1, 1, 2]);
    });

    test('counts as long as the source says, and so does a block', async () => {
      const world = await listing({ snapshot: ['evil.example', 'fine.example'], confirmed: ['evil.example'] });
      answering(world, async (_, answer) => ({ ...(await answer()), positiveMs: 10, negativeMs: 20 }));
      await world.reasons(['evil.example', 'fine.example']);
      world.clock.nowMs += 10;
      expect(world.blocklist.test('evil.example')).toMatchObject(earlier);
      expect(world.blocklist.test('fine.example')).toMatchObject(disproved);
      world.clock.nowMs += 10;
      expect(world.blocklist.test('fine.example')).toMatchObject({ reason: 'not-asked' });
    });

    test.each<[string, Partial<OwnList>]>([
      ['a new snapshot', { snapshotToken: 's2' }],
      ['new recents', { recentToken: 'r2', recent: ['evil.example'] }],
      ['recents that name it a second time', { recentToken: 'r2' }],
      ['a new version of the same snapshot', { sequence: 2 }],
    ])('ends when %s may have the prefix again', async (how, list) => {
      const recent = how.includes('second') ? ['evil.example'] : [];
      const snapshot = ['scam.example', ...(recent.length > 0 ? [] : ['evil.example'])];
      const before = { sequence: 1, snapshot, recentToken: 'r1', recent, confirmed: [] };
      const { blocklist, offer, reasons, heard } = await listing(before);
      expect(await reasons(['evil.example', 'scam.example'])).toEqual(['disproved', 'disproved']);
      const events = heard('changed');
      await offer({ confirmed: ['evil.example', 'scam.example'], ...list });
      expect(await blocklist.check('evil.example')).toMatchObject(blocked);
      // What the recents do not name stays denied.
      expect(blocklist.test('scam.example').reason).toBe('recentToken' in list ? 'disproved' : 'not-asked');
      expect(events).toHaveLength('sequence' in list ? 0 : 1);
    });

    test('that was given while the list changed is not remembered', async () => {
      const world = await listing({ confirmed: [] });
      const { wait, release } = held();
      const { confirm } = world.source;
      answering(world, async (_, answer) => {
        const denial = await answer();
        await wait();
        return denial;
      });
      const early = world.blocklist.check('evil.example');
      await expect.poll(() => world.source.asked.length).toBe(1);
      await world.offer({ snapshotToken: 's2', confirmed: ['evil.example'] });
      release();
      expect(await early).toMatchObject({ status: 'clear', generation: 1 });
      world.source.confirm = confirm!;
      expect(await world.blocklist.check('evil.example')).toMatchObject({ ...blocked, generation: 2 });
    });

    test.each<[string, Partial<OwnList>]>([
      ['another snapshot', { snapshotToken: 's2', isProven: true }],
      ['a new version of the same snapshot', { sequence: 2 }],
    ])('that is late, from before %s, neither delays nor replaces a newer answer', async (_, list) => {
      const world = await listing({ sequence: 1 });
      const { wait, release } = held();
      const { confirm } = world.source;
      let asked = 0;
      world.source.confirm = async (prefixes, call) => {
        if (++asked > 1) return confirm!(prefixes, call);
        await wait();
        return { hashes: new Map(prefixes.map((prefix) => [prefix, []])) };
      };
      const before = world.blocklist.check('evil.example');
      await vi.waitFor(() => expect(asked).toBe(1));
      await world.offer(list, 1_000);
      expect(await world.blocklist.check('evil.example')).toMatchObject(blocked);
      release();
      expect(await before).toMatchObject(disproved);
      expect(world.blocklist.test('evil.example')).toMatchObject(blocked);
    });

    test('that was crafted does not evict what is known to be blocked', async () => {
      const confirmed = ['evil.example'];
      const { blocklist, clock, reasons } = await listing({ snapshot: [...confirmed, ...hosts(500)], confirmed });
      await blocklist.check('evil.example');
      for (let round = 0; round < 3; round++) {
        await reasons(hosts(500));
        clock.nowMs += minuteMs;
      }
      expect(blocklist.test('evil.example')).toMatchObject(blocked);
    });
  });

  test('a denial after an older version was offered clears nothing for an hour, and unblocks nothing', async () => {
    const listed = { snapshotToken: 's2', snapshot: ['evil.example', 'new.example', 'gone.example'] };
    const both = ['evil.example', 'new.example'];
    const world = await listing({ snapshot: ['evil.example'], tokenHistory: uniqueTokens });
    const { blocklist, clock, offer, source, reasons } = world;
    await offer({ ...listed, confirmed: both });
    expect(await reasons([...both, 'gone.example'])).toEqual(['confirmed', 'confirmed', 'disproved']);
    // Half of the requests meet an edge that has the first version.
    expect(await offer({ snapshotToken: 's1', snapshot: ['evil.example'] }, 31 * minuteMs)).toMatchObject({ outcome: 'failed' });
    source.list.confirmed = ['evil.example'];
    expect(await offer(listed)).toMatchObject({ outcome: 'unchanged' });
    for (let round = 0; round < 3; round++) {
      expect(await reasons(['evil.example', 'new.example'])).toEqual([
        round === 0 ? 'confirmed-earlier' : 'confirmed',
        'confirmed-earlier',
      ]);
      await expect.poll(() => blocklist.test('evil.example').reason).toBe('confirmed');
      expect(await blocklist.check('gone.example')).toMatchObject({
        status: 'unconfirmed',
        reason: 'older-answer',
        action: 'warn',
      });
    }
    clock.nowMs += 60 * minuteMs;
    expect(await blocklist.check('gone.example')).toMatchObject(disproved);
    await blocklist.check('new.example');
    await expect.poll(() => blocklist.test('new.example').reason).toBe('disproved');
  });

  describe('a check', () => {
    test('waits until its deadline, and a later answer is remembered', async () => {
      const { source, blocklist } = await listing();
      const { wait, release } = held();
      source.before = wait;
      expect(await blocklist.check('evil.example', { deadlineMs: 5 })).toMatchObject({
        status: 'unconfirmed',
        reason: 'deadline',
      });
      release();
      await expect.poll(() => blocklist.test('evil.example').reason).toBe('confirmed');
    });

    test('is aborted by its signal, and its request continues for others', async () => {
      const { source, blocklist } = await listing();
      const { wait, release } = held();
      source.before = wait;
      const controller = new AbortController();
      const aborted = blocklist.check('evil.example', { signal: controller.signal, deadlineMs: 10_000 });
      const patient = blocklist.check('https://evil.example/', { deadlineMs: 10_000 });
      await expect.poll(() => source.asked.length).toBe(1);
      controller.abort(new Error('gone'));
      await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' });
      release();
      expect(await patient).toMatchObject(blocked);
      expect(source.asked).toHaveLength(1);
      await expect(blocklist.check('evil.example', { signal: controller.signal })).rejects.toMatchObject({ code: 'ABORTED' });
    });

    test('uses one generation from beginning to end', async () => {
      const { source, blocklist, offer, checkAll } = await listing();
      const { wait, release } = held();
      source.before = onConfirm(wait);
      const checks = checkAll(Array.from({ length: 1_000 }, (_, at) => `https://evil.example/${at}`));
      await expect.poll(() => source.asked.length).toBe(1);
      await offer({ snapshotToken: 's2', snapshot: ['other.example'], isProven: true });
      release();
      source.before = () => {};
      expect(new Set((await checks).map(({ generation }) => generation))).toEqual(new Set([1]));
      expect(blocklist.test('evil.example')).toMatchObject({ status: 'clear', generation: 2 });
    });

    test('during a swap of 200,000 entries uses one generation, and none of 500 misses', async () => {
      const rest = Array.from({ length: 199_000 }, (_, at) => Math.imul(at, 0x9e3779b1) >>> 0);
      const source = ownSource({ confirmed: hosts(500) });
      const setOf = (...more: string[]) => PrefixSet.from([...rest, ...[...hosts(500), ...more].map(prefixOf)]);
      const sets: Record<string, PrefixSet> = {
        s1: setOf(),
        s2: setOf('two.example'),
        s3: setOf('two.example', 'three.example'),
      };
      source.artifact = async () => ({ entries: sets[source.list.snapshotToken]!, isProven: false });
      const { blocklist, offer, checkAll } = await listing(source);
      const generations = new Set<number | undefined>();
      const look = async () => {
        const verdicts = await checkAll(hosts(500));
        expect(verdicts.filter(({ status }) => status !== 'blocked')).toEqual([]);
        for (const { generation } of verdicts) generations.add(generation);
      };
      for (const snapshotToken of ['s2', 's3']) {
        let isDone = false;
        const syncing = offer({ snapshotToken }).finally(() => {
          isDone = true;
        });
        do {
          await look();
          // A check answered from memory gives the round no turn of the event loop.
          await new Promise((resolve) => setImmediate(resolve));
        } while (!isDone);
        expect(await syncing).toMatchObject({ outcome: 'updated' });
        expect(blocklist.test('two.example')).toMatchObject({ status: 'unconfirmed' });
      }
      await look();
      expect([...generations].sort()).toEqual([1, 2, 3]);
    });

    test.each([undefined, null, 5, {}, { content: 5 }, Symbol('x')])('throws for the invalid input %j', async (input) => {
      const { blocklist } = await listing();
      expect(() => blocklist.test(input as never)).toThrow(TypeError);
      await expect(blocklist.check(input as never)).rejects.toThrow(TypeError);
    });

    test.each([-1, Number.NaN, 600_001])('rejects a deadline of %s', async (deadlineMs) => {
      const { blocklist } = await listing();
      await expect(blocklist.check('evil.example', { deadlineMs })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    });
  });

  describe('a block', () => {
    test('counts for seven days while the source cannot be asked', async () => {
      const { source, blocklist, clock } = await listing({}, { maxAgeMs: 30 * dayMs });
      await blocklist.check('evil.example');
      source.before = away;
      clock.nowMs += 5 * minuteMs;
      expect(blocklist.test('evil.example')).toMatchObject({ ...earlier, action: 'block' });
      expect(await blocklist.check('evil.example')).toMatchObject(earlier);
      clock.nowMs += 7 * dayMs - 5 * minuteMs - 1;
      expect(await blocklist.check('evil.example')).toMatchObject(earlier);
      clock.nowMs += 1;
      expect(await blocklist.check('evil.example')).toMatchObject({ status: 'unconfirmed', reason: 'offline' });
    });

    test('after a restart is not asked about again for five minutes, then behind the check', async () => {
      const first = await listing({}, { store: memoryStore() });
      const { source, clock } = first;
      await first.blocklist.check('evil.example');
      let world = first;
      for (let wakeUp = 0; wakeUp < 14; wakeUp++) {
        world = await world.restart();
        expect(await world.blocklist.check('evil.example')).toMatchObject(blocked);
        clock.nowMs += 20_000;
      }
      expect(source.asked).toHaveLength(1);
      clock.nowMs += minuteMs;
      const { wait, release } = held();
      source.before = onConfirm(wait);
      world = await world.restart();
      const startedMs = performance.now();
      for (let check = 0; check < 10; check++) expect(await world.blocklist.check('evil.example')).toMatchObject(earlier);
      // Far less than the deadline of one of them.
      expect(performance.now() - startedMs).toBeLessThan(1_000);
      await expect.poll(() => source.asked.length).toBe(2);
      release();
      await expect.poll(() => world.blocklist.test('evil.example').reason).toBe('confirmed');
      // The source lifts it: it is blocked once more at most.
      source.list.confirmed = [];
      clock.nowMs += hourMs;
      world = await world.restart();
      expect(await world.blocklist.check('evil.example')).toMatchObject(earlier);
      await expect.poll(() => world.blocklist.test('evil.example').reason).toBe('disproved');
      world = await world.restart();
      expect(world.blocklist.test('evil.example')).toMatchObject({ status: 'unconfirmed' });
    });

    test('is stored for seven days, and after that no longer', async () => {
      const store = memoryStore();
      const { blocklist, clock } = await pair({}, { store });
      await blocklist.check('evil.example');
      clock.nowMs += 8 * dayMs;
      await blocklist.check('scam.example');
      await blocklist.close();
      await store.open();
      const stored = Buffer.concat(await Promise.all((await store.list('own/')).map(async (name) => (await store.read(name))!)));
      expect(['evil.example', 'scam.example'].map((host) => stored.includes(Buffer.from(hashOf(host))))).toEqual([false, true]);
    });

    test('that could not be stored is stored with the next one', async () => {
      let isFull = true;
      const store = memoryStore();
      await store.open();
      const full = around(store, async (name, run) => {
        if (isFull && name === 'write') throw new PortcullisError('STORE_FULL', 'the disk is full');
        return run();
      });
      const world = await listing({ snapshot: hosts(2) }, { store: full });
      const errors = world.heard('error');
      await world.blocklist.check('host0.example');
      await expect.poll(() => errors.filter(({ error }) => error.code === 'STORE_FULL').length).toBeGreaterThan(0);
      isFull = false;
      await world.blocklist.check('host1.example');
      const again = await world.restart();
      for (const host of hosts(2)) expect(again.blocklist.test(host)).toMatchObject(blocked);
    });
  });

  describe('a verdict', () => {
    const link = 'https://login.evil.example/a?b';

    test('has what was found, and when', async () => {
      const { blocklist, clock, source } = await listing();
      const common = { source: 'own', ageMs: 1_000, generation: 1 };
      clock.nowMs += 1_000;
      const fine = { status: 'clear', action: 'allow', reason: 'not-listed', ...common };
      expect(blocklist.test('https://fine.example/')).toEqual(fine);
      expect(await blocklist.check('https://fine.example/')).toEqual(fine);
      const found = { asset: { type: 'PAGE', canonical: 'login.evil.example/a' }, expression: 'evil.example', ...common };
      expect(blocklist.test(link)).toEqual({ status: 'unconfirmed', action: 'warn', reason: 'not-asked', ...found });
      expect(source.asked).toEqual([]);
      expect(await blocklist.check(link)).toEqual({ ...blocked, action: 'block', ...found });
    });

    test('is unconfirmed if the source cannot confirm hits', async () => {
      const { confirm: _, ...source } = ownSource({ snapshot: ['evil.example'] });
      const { blocklist } = await listing(source as ReturnType<typeof ownSource>);
      expect(await blocklist.check(link)).toMatchObject({ status: 'unconfirmed', action: 'warn', reason: 'not-asked' });
    });

    test('of an old list is unknown for a miss, and its hits stay hits', async () => {
      const { blocklist, clock } = await listing();
      clock.nowMs += dayMs;
      expect(blocklist.test('fine.example')).toMatchObject({ status: 'clear' });
      clock.nowMs += 1;
      const stale = { status: 'unknown', action: 'allow', reason: 'list-stale', ageMs: dayMs + 1 };
      expect(blocklist.test('fine.example')).toMatchObject(stale);
      expect(await blocklist.check(link)).toMatchObject(blocked);
    });

    test.each(['', '   ', 'no link at all', '\u0000', 'x'.repeat(500), 'htp://fine.example/'])(
      'of %j is unknown: unreadable',
      async (input) => {
        const { blocklist } = await listing();
        expect(await blocklist.check(input)).toMatchObject({ status: 'unknown', action: 'allow', reason: 'unreadable' });
      },
    );

    test.each([
      ['internal-scheme', 'chrome://settings'],
      ['internal-scheme', 'about:blank'],
      ['internal-scheme', 'file://fine.example/folder'],
      ['internal-scheme', 'chrome-search://local-ntp/'],
      ['not-a-host', 'http://localhost:3000/'],
      ['not-a-host', 'localhost'],
      ['private-address', 'http://192.168.1.1/admin'],
      ['private-address', '10.0.0.1'],
      ['private-address', 'http://[::1]:8080/x'],
      ['private-address', 'http://0x7f.1/'],
      ['secret', 'f'.repeat(64)],
    ])('%s: %s is never looked up', async (reason, input) => {
      const snapshot = ['192.168.1.1', '10.0.0.1', input, `address:${input}`];
      const { blocklist, source } = await listing({ snapshot }, { policy: { unknown: 'block' } });
      expect(await blocklist.check(input)).toEqual({ status: 'not-listable', action: 'allow', reason });
      expect(source.asked).toEqual([]);
    });

    test.each(['allow', 'warn', 'block'] as const)('has the action of the policy, %s', async (action) => {
      const { blocklist } = await listing({}, { policy: { unconfirmed: action } });
      expect(blocklist.test(link)).toMatchObject({ status: 'unconfirmed', action });
      const none = opened({}, { policy: { unknown: action } });
      none.source.before = away;
      expect(await none.blocklist.check(link)).toMatchObject({ status: 'unknown', reason: 'no-list', action });
    });

    test('is unknown if the machine computes wrong hashes', async () => {
      const { fromCharCode } = String;
      const broken = vi
        .spyOn(String, 'fromCharCode')
        .mockImplementation((...codes) => fromCharCode(...codes.map((code) => code ^ 1)));
      const world = opened();
      broken.mockRestore();
      await world.blocklist.ready();
      expect(world.blocklist.test(link)).toEqual({ status: 'unknown', action: 'allow', reason: 'self-test-failed' });
    });
  });
});
