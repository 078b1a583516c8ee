import { createBlocklist, explain, hashOf, PortcullisError, PrefixSet, prefixOf } from 'portcullis';
import { memoryStore } from 'portcullis/stores';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { fails, heard, held, listing, minuteMs, opened, synced } from './harness.js';
import { ownSource } from './own-source.js';

const names = Array.from({ length: 1_000 }, (_, at) => `evil-${at}.example`);
const never = (): Promise<void> => new Promise(() => {});

describe('requests to the source', () => {
  test('a thousand concurrent checks of one prefix make one request', async () => {
    const { source, blocklist } = await listing();
    const verdicts = await Promise.all(Array.from({ length: 1_000 }, (_, at) => blocklist.check(`https://evil.example/${at}`)));
    expect(verdicts.every(({ status }) => status === 'blocked')).toBe(true);
    expect(source.asked).toEqual([[prefixOf('evil.example')]]);
  });

  test('concurrent hits are sent together, a hundred per request', async () => {
    const { source, blocklist } = await listing({ snapshot: names.slice(0, 250) });
    await Promise.all(names.slice(0, 250).map((name) => blocklist.check(name)));
    expect(source.asked.map(({ length }) => length)).toEqual([100, 100, 50]);
  });

  test('a page of a thousand crafted hits uses up the budget of one minute, lets nothing through, and blocks stay blocks', async () => {
    const { source, blocklist, clock } = await listing({ snapshot: [...names, 'known.example'], confirmed: ['known.example'] });
    await blocklist.check('known.example');
    const verdicts = await blocklist.checkMany(names);
    expect(source.asked.flat()).toHaveLength(600);
    expect(verdicts.filter(({ action, reason }) => action === 'allow' && reason === 'disproved')).toHaveLength(599);
    expect(verdicts.filter(({ action, reason }) => action === 'warn' && reason === 'budget')).toHaveLength(401);
    expect(await blocklist.check('known.example')).toMatchObject({ status: 'blocked', reason: 'confirmed' });
    source.list.confirmed = undefined;
    clock.nowMs += 31 * minuteMs;
    await blocklist.checkMany(names);
    expect(await blocklist.check('known.example')).toMatchObject({ status: 'blocked', reason: 'confirmed-earlier' });
    clock.nowMs += minuteMs;
    expect(await blocklist.check('known.example')).toMatchObject({ status: 'blocked', reason: 'confirmed-earlier' });
    await expect.poll(() => blocklist.test('known.example').reason).toBe('confirmed');
  });

  test('a request rejected for its size is halved', async () => {
    const { source, blocklist } = await listing({ snapshot: names.slice(0, 64) });
    const confirm = source.confirm!;
    source.confirm = async (prefixes, call) => {
      if (prefixes.length > 10) throw new PortcullisError('BAD_REQUEST', 'too many', { status: 413 });
      return confirm(prefixes, call);
    };
    const verdicts = await blocklist.checkMany(names.slice(0, 64));
    expect(verdicts.every(({ status }) => status === 'blocked')).toBe(true);
    expect(source.asked).toHaveLength(8);
  });

  test('nothing is asked if an override or another list has decided', async () => {
    const source = ownSource({ id: 'asked', snapshot: ['evil.example'] });
    const { blocklist } = await synced([source, ownSource({ id: 'whole', snapshot: ['evil.example'], whole: true })]);
    expect(await blocklist.check('evil.example')).toMatchObject({ status: 'blocked', reason: 'listed' });
    await blocklist.allow('evil.example');
    expect(await blocklist.check('evil.example')).toMatchObject({ status: 'allowed' });
    expect(source.asked).toEqual([]);
  });

  describe('decoys', () => {
    // Drawn entries may repeat, so the draw is fixed.
    const fixed = { confirm: { decoys: 7 }, random: () => 0.5 };
    const prefix = prefixOf('evil-5.example');

    test('are sent with the prefix, sorted, and their answers are ignored', async () => {
      const { source, blocklist } = await listing({ snapshot: names }, fixed);
      expect(await blocklist.check('evil-5.example')).toMatchObject({ status: 'blocked' });
      expect(blocklist.status().sources[0]?.confirm.cached).toBe(1);
      const [asked] = source.asked;
      expect(asked).toHaveLength(8);
      expect(asked).toContain(prefix);
      expect(asked).toEqual([...asked!].sort((a, b) => a - b));
      expect(asked!.every((one) => names.some((name) => prefixOf(name) === one))).toBe(true);
    });

    test('are the same for a prefix on one device, and different on another', async () => {
      const askedOn = async (store: ReturnType<typeof memoryStore>): Promise<readonly (readonly number[])[]> => {
        const source = ownSource({ snapshot: names });
        const clock = { nowMs: Date.UTC(2026, 0, 1) };
        for (let start = 0; start < 2; start++) {
          await store.open();
          const blocklist = createBlocklist({
            sources: [source],
            store,
            pollMs: 0,
            now: () => clock.nowMs,
            confirm: fixed.confirm,
          });
          await blocklist.sync();
          for (let check = 0; check < 2; check++) {
            clock.nowMs += 5 * minuteMs;
            await blocklist.check('evil-5.example');
            await expect.poll(() => blocklist.test('evil-5.example').reason).toBe('confirmed');
          }
          await blocklist.close();
        }
        return source.asked;
      };
      const [here, there] = [await askedOn(memoryStore()), await askedOn(memoryStore())];
      expect(here).toHaveLength(4);
      for (const asked of here) expect(asked).toEqual(here[0]);
      expect(there[0]).not.toEqual(here[0]);
    });

    test('for a hit in the recents come from the recents', async () => {
      const { source, blocklist } = await listing({ recentToken: 'r1', recent: names }, fixed);
      await blocklist.check('evil-5.example');
      expect(source.asked[0]).toHaveLength(8);
      expect(source.asked[0]).not.toContain(prefixOf('evil.example'));
    });
  });
});

describe('a lying source', () => {
  const hashes = (of: unknown, prefix = prefixOf('evil.example')) => ({ hashes: new Map([[prefix, of]]) });

  test.each<[string, unknown]>([
    ['hashes of another prefix', hashes([new Uint8Array(32)])],
    ['hashes of another prefix beside its own', hashes([hashOf('evil.example'), new Uint8Array(32)])],
    ['hashes that are too short', hashes([hashOf('evil.example').subarray(0, 31)])],
    ['hashes that are too long', hashes([new Uint8Array([...hashOf('evil.example'), 0])])],
    ['1,001 hashes', hashes(new Array(1_001).fill(hashOf('evil.example')))],
    ['texts', hashes(['x'])],
    ['a group that was not requested', hashes([new Uint8Array(32)], 1)],
    ['a second group that was not requested', { hashes: new Map([...hashes([]).hashes, [1, []]]) }],
    ['nothing', undefined],
    ['no map', { hashes: {} }],
    ['a group that is not a list', hashes('x')],
  ])('an answer with %s confirms nothing and clears nothing', async (_, answer) => {
    const { source, blocklist } = await listing();
    source.confirm = async () => answer as never;
    expect(await blocklist.check('evil.example')).toMatchObject({ status: 'unconfirmed', action: 'warn', reason: 'bad-answer' });
  });

  describe('that leaves out groups', () => {
    const confirmed = ['one.example', 'two.example'];
    const all = [...confirmed, 'fine.example'];
    /** Answers only about some prefixes if asked about several. */
    async function forgetful(isAnswered: (prefix: number, asked: readonly number[]) => boolean, options = {}) {
      const listed = await listing({ snapshot: [...all, ...names], confirmed }, options);
      const confirm = listed.source.confirm!;
      listed.source.confirm = async (prefixes, call) => {
        const { hashes: groups } = await confirm(prefixes, call);
        return { hashes: new Map([...groups].filter(([prefix]) => isAnswered(prefix, prefixes))) };
      };
      return listed;
    }

    test('is asked about them again, each alone', async () => {
      const { source, blocklist } = await forgetful((prefix, asked) => asked.length === 1 || prefix === asked[0]);
      const verdicts = await blocklist.checkMany(all);
      expect(verdicts.map(({ status }) => status)).toEqual(['blocked', 'blocked', 'clear']);
      expect(source.asked.map(({ length }) => length)).toEqual([3, 1, 1]);
    });

    test('because nothing is listed behind them gets the same verdicts', async () => {
      const listed = new Set(confirmed.map(prefixOf));
      const { source, blocklist } = await forgetful((prefix) => listed.has(prefix));
      const verdicts = await blocklist.checkMany(all);
      expect(verdicts.map(({ status }) => status)).toEqual(['blocked', 'blocked', 'clear']);
      expect(source.asked.map(({ length }) => length)).toEqual([3, 1]);
    });

    test('is asked again about 31 of them at most, and the others stay unconfirmed', async () => {
      const { source, blocklist } = await forgetful((_, asked) => asked.length === 1);
      const verdicts = await blocklist.checkMany(names.slice(0, 50));
      expect(source.asked.map(({ length }) => length)).toEqual([50, ...new Array<number>(31).fill(1)]);
      expect(verdicts.filter(({ status }) => status === 'clear')).toHaveLength(31);
      expect(verdicts.filter(({ reason }) => reason === 'bad-answer')).toHaveLength(19);
    });

    test('is whole if only the prefix is missing among its decoys', async () => {
      const decoys = { confirm: { decoys: 3 }, random: () => 0.5 };
      const fine = prefixOf('fine.example');
      const whole = await forgetful((prefix) => prefix !== fine, decoys);
      expect(await whole.blocklist.check('fine.example')).toMatchObject({ status: 'clear' });
      const half = await forgetful(
        (prefix, asked) => prefix !== fine && prefix !== asked.find((other) => other !== fine),
        decoys,
      );
      expect(await half.blocklist.check('fine.example')).toMatchObject({ status: 'unconfirmed', reason: 'bad-answer' });
    });
  });
});

describe('the cache remembers', () => {
  test('a disproved hit for half an hour', async () => {
    const { source, blocklist, clock } = await listing({ confirmed: [] });
    await blocklist.check('evil.example');
    clock.nowMs += 30 * minuteMs - 1;
    await blocklist.check('evil.example');
    expect(source.asked).toHaveLength(1);
    clock.nowMs += 1;
    await blocklist.check('evil.example');
    expect(source.asked).toHaveLength(2);
  });

  test('for as long as the source says', async () => {
    const { source, blocklist, clock } = await listing({
      snapshot: ['evil.example', 'fine.example'],
      confirmed: ['evil.example'],
    });
    const confirm = source.confirm!;
    source.confirm = async (...call) => ({ ...(await confirm(...call)), positiveMs: 10, negativeMs: 20 });
    await blocklist.checkMany(['evil.example', 'fine.example']);
    clock.nowMs += 10;
    expect(blocklist.test('evil.example')).toMatchObject({ reason: 'confirmed-earlier' });
    expect(blocklist.test('fine.example')).toMatchObject({ reason: 'disproved' });
    clock.nowMs += 10;
    expect(blocklist.test('fine.example')).toMatchObject({ reason: 'not-asked' });
  });

  test('no denial once a new snapshot or a new recent has the prefix', async () => {
    const { source, blocklist } = await listing({ snapshot: ['one.example', 'two.example'], confirmed: [], recentToken: 'r1' });
    await blocklist.checkMany(['one.example', 'two.example']);
    Object.assign(source.list, { recentToken: 'r2', recent: ['one.example'], confirmed: ['one.example', 'two.example'] });
    await blocklist.sync();
    expect(await blocklist.check('one.example')).toMatchObject({ status: 'blocked' });
    expect(blocklist.test('two.example')).toMatchObject({ reason: 'disproved' });
    Object.assign(source.list, { snapshotToken: 's2' });
    await blocklist.sync();
    expect(await blocklist.check('two.example')).toMatchObject({ status: 'blocked' });
  });

  test('no denial given while the list changed', async () => {
    const { source, blocklist } = await listing({ confirmed: [] });
    const { wait, release } = held();
    const confirm = source.confirm!;
    source.confirm = async (...call) => {
      const answer = await confirm(...call);
      await wait();
      return answer;
    };
    const early = blocklist.check('evil.example');
    await expect.poll(() => source.asked.length).toBe(1);
    Object.assign(source.list, { snapshotToken: 's2', confirmed: ['evil.example'] });
    await blocklist.sync();
    release();
    expect(await early).toMatchObject({ status: 'clear', generation: 1 });
    source.confirm = confirm;
    expect(await blocklist.check('evil.example')).toMatchObject({ status: 'blocked', generation: 2 });
  });

  test('blocks across a restart, from both writers', async () => {
    const store = memoryStore();
    const source = ownSource({ snapshot: ['one.example', 'two.example'] });
    const nowMs = Date.UTC(2026, 0, 1);
    const options = { sources: [source], store, pollMs: 0, now: () => nowMs };
    const [first, second] = [createBlocklist(options), createBlocklist(options)];
    await first.ready();
    await second.ready();
    await first.check('one.example');
    await expect.poll(async () => (await store.read('own/confirmed')) !== null).toBe(true);
    await second.check('two.example');
    await first.close();
    await second.close();
    source.before = fails(new PortcullisError('NETWORK', 'away'));
    await store.open();
    const third = createBlocklist({ ...options, now: () => nowMs + 5 * minuteMs });
    expect(await third.checkMany(['one.example', 'two.example'])).toMatchObject([
      { status: 'blocked', reason: 'confirmed-earlier' },
      { status: 'blocked', reason: 'confirmed-earlier' },
    ]);
    await third.close();
  });

  test('at most maxCount prefixes, and evicts blocks last', async () => {
    const { blocklist } = await listing({ snapshot: names, confirmed: ['evil-0.example'] }, { confirm: { maxCount: 10 } });
    await blocklist.check('evil-0.example');
    await blocklist.checkMany(names.slice(1, 100));
    expect(blocklist.status().sources[0]?.confirm.cached).toBe(10);
    expect(blocklist.test('evil-0.example')).toMatchObject({ reason: 'confirmed' });
  });
});

describe('a check', () => {
  test('waits until its deadline, and a later answer is remembered', async () => {
    const { source, blocklist } = await listing();
    const { wait, release } = held();
    source.before = wait;
    expect(await blocklist.check('evil.example', { deadlineMs: 5 })).toMatchObject({ reason: 'deadline' });
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
    expect(await patient).toMatchObject({ status: 'blocked' });
    expect(source.asked).toHaveLength(1);
    await expect(blocklist.check('evil.example', { signal: controller.signal })).rejects.toMatchObject({ code: 'ABORTED' });
  });

  test('waits for the first list after `start`, and for stored overrides', async () => {
    const started = createBlocklist({ sources: [ownSource({ snapshot: ['evil.example'] })], pollMs: 60_000 });
    onTestFinished(() => started.close());
    started.start();
    expect(await started.check('evil.example')).toMatchObject({ status: 'blocked' });

    const kept = memoryStore();
    const { blocklist } = await listing({}, { store: kept });
    await blocklist.block('mine.example');
    await blocklist.close();
    const slow = {
      ...kept,
      heads: async (name: string) => {
        if (name === 'overrides') await new Promise((resolve) => setTimeout(resolve, 100));
        return kept.heads(name);
      },
    };
    const again = opened({ sources: [ownSource({ snapshot: ['evil.example'] })], store: slow }).blocklist;
    const early = again.check('mine.example');
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(again.test('mine.example')).toMatchObject({ status: 'unknown', reason: 'loading' });
    expect(await early).toMatchObject({ status: 'blocked', reason: 'override' });
  });

  test('a source that hangs does not delay the hits of another', async () => {
    const hanging = ownSource({ id: 'other' });
    hanging.before = never;
    const { blocklist } = opened({ sources: [ownSource({ snapshot: ['evil.example'] }), hanging] });
    void blocklist.sync().catch(() => {});
    await vi.waitFor(() => expect(blocklist.status().sources[0]!.list).not.toBeNull());
    expect(await blocklist.check('evil.example')).toMatchObject({ status: 'blocked', reason: 'confirmed' });
    expect(await blocklist.check('good.example')).toMatchObject({ status: 'unknown', reason: 'loading', action: 'warn' });
  });

  test('uses one generation from beginning to end', async () => {
    const { source, blocklist } = await listing();
    const { wait, release } = held();
    source.before = (call) => (call === 'confirm' ? wait() : undefined);
    const checks = Array.from({ length: 1_000 }, (_, at) => blocklist.check(`https://evil.example/${at}`));
    await expect.poll(() => source.asked.length).toBe(1);
    Object.assign(source.list, { snapshotToken: 's2', snapshot: ['other.example'], isProven: true });
    await blocklist.sync();
    release();
    source.before = () => {};
    const verdicts = await Promise.all(checks);
    expect(new Set(verdicts.map(({ generation }) => generation))).toEqual(new Set([1]));
    expect(blocklist.test('evil.example')).toMatchObject({ status: 'clear', generation: 2 });
  });

  test('during a swap of 200,000 entries uses one generation, and none of a thousand misses', async () => {
    const rest = PrefixSet.from(Array.from({ length: 199_000 }, (_, at) => Math.imul(at, 0x9e3779b1) >>> 0));
    const source = ownSource({ confirmed: names });
    const setOf = (more: readonly string[]): PrefixSet =>
      PrefixSet.from([...rest, ...names.map(prefixOf), ...more.map(prefixOf)]);
    const sets: Record<string, PrefixSet> = {
      s1: setOf([]),
      s2: setOf(['two.example']),
      s3: setOf(['two.example', 'three.example']),
    };
    source.artifact = async (part) => ({
      entries: part === 'snapshot' ? sets[source.list.snapshotToken]! : PrefixSet.from([]),
      isProven: false,
    });
    const { blocklist } = await synced(source, { confirm: { prefixesPerMinute: 100_000 } });
    const generations = new Set<number | undefined>();
    for (const token of ['s2', 's3']) {
      source.list.snapshotToken = token;
      let isDone = false;
      const syncing = blocklist.sync().finally(() => {
        isDone = true;
      });
      do {
        const verdicts = await Promise.all(names.map((name) => blocklist.check(name)));
        expect(verdicts.filter(({ status }) => status !== 'blocked')).toEqual([]);
        for (const { generation } of verdicts) generations.add(generation);
        // A check answered from memory gives the round no turn of the event loop.
        await new Promise((resolve) => setImmediate(resolve));
      } while (!isDone);
      expect(await syncing).toMatchObject({ outcome: 'updated' });
      expect(blocklist.test('two.example')).not.toMatchObject({ status: 'clear' });
    }
    const last = await Promise.all(names.map((name) => blocklist.check(name)));
    for (const { generation } of last) generations.add(generation);
    expect([...generations].sort()).toEqual([1, 2, 3]);
  });

  test('emits the number of prefixes, and no input', async () => {
    const { source, blocklist } = await listing();
    const events = heard(blocklist, 'confirm', 'error');
    await blocklist.check('https://evil.example/secret');
    source.before = fails(new PortcullisError('INVALID_RESPONSE', 'what'));
    await blocklist.check('https://other.evil.example/');
    expect(events).toEqual([{ type: 'confirm', source: 'own', prefixes: 1, error: undefined }]);
  });

  test.each([[undefined], [null], [5], [{}], [{ content: 5 }], [Symbol('x')]])(
    'throws for the invalid input %j',
    async (input) => {
      const { blocklist } = await synced(ownSource());
      expect(() => blocklist.test(input as never)).toThrow(TypeError);
      await expect(blocklist.check(input as never)).rejects.toThrow(TypeError);
      await expect(blocklist.checkMany([input as never])).rejects.toThrow(TypeError);
    },
  );

  test.each([[-1], [Number.NaN], [600_001]])('rejects a deadline of %s', async (deadlineMs) => {
    const { blocklist } = await synced(ownSource());
    await expect(blocklist.check('evil.example', { deadlineMs })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test('accepts a hint', async () => {
    const address = '0x52908400098527886e0f7030069857d2e4169ee7';
    const { blocklist } = await synced(ownSource({ snapshot: [`address:${address}`, 'evil.example'], whole: true }));
    expect(blocklist.test({ content: address, type: 'ADDRESS' })).toMatchObject({ status: 'blocked' });
    expect(blocklist.test({ content: address, chain: 'eip155:1' })).toMatchObject({ status: 'blocked' });
    expect(blocklist.test({ content: 'https://evil.example/a', type: 'PAGE' })).toMatchObject({ status: 'blocked' });
    expect(blocklist.test({ content: 'https://evil.example/a', type: 'ADDRESS' })).toMatchObject({
      status: 'unknown',
      reason: 'unreadable',
    });
  });
});

describe('checkMany', () => {
  test('keeps the order, with one request for all', async () => {
    const { source, blocklist } = await listing({ snapshot: ['one.example', 'three.example'] });
    const verdicts = await blocklist.checkMany(new Set(['one.example', 'two.example', 'three.example', '']));
    expect(verdicts.map(({ status }) => status)).toEqual(['blocked', 'clear', 'blocked', 'unknown']);
    expect(source.asked).toHaveLength(1);
    expect(await blocklist.checkMany([])).toEqual([]);
  });

  test('rejects a string instead of checking its characters', async () => {
    const { blocklist } = await synced(ownSource());
    await expect(blocklist.checkMany('evil.example')).rejects.toThrow(TypeError);
  });
});

test('explain names the list that holds an expression, and the reason', async () => {
  const { source, blocklist } = await listing({ recentToken: 'r1', recent: ['login.evil.example'] });
  await blocklist.check('login.evil.example');
  const { verdict, assets, override, policy, lists } = explain(blocklist, 'https://login.evil.example/a');
  expect(verdict).toMatchObject({ status: 'blocked', expression: 'login.evil.example' });
  expect(assets).toEqual([
    { type: 'PAGE', canonical: 'login.evil.example/a' },
    { type: 'URL', canonical: 'login.evil.example' },
  ]);
  expect(override).toBe(null);
  expect(policy).toEqual({ unconfirmed: 'warn', unknown: 'allow', loading: 'warn' });
  expect(lists).toMatchObject([
    {
      source: 'own',
      algorithm: 'portcullis-1',
      finding: { status: 'blocked' },
      expressions: [
        { expression: 'login.evil.example/a', heldIn: 'nothing' },
        { expression: 'login.evil.example', heldIn: 'recent', known: 'blocked' },
        { expression: 'evil.example', prefix: '9c180de0', heldIn: 'base', known: 'blocked' },
      ],
    },
  ]);
  expect(source.asked).toHaveLength(1);
});

test('explain numbers the targets of an input', async () => {
  const { blocklist } = await listing({});
  const { lists } = explain(
    blocklist,
    'intent://good.example/a#Intent;scheme=https;S.browser_fallback_url=https://evil.example/;end',
  );
  expect(lists[0]?.expressions.map(({ expression, target }) => [expression, target])).toEqual([
    ['good.example/a', 0],
    ['good.example', 0],
    ['evil.example', 1],
  ]);
});
