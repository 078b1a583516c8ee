import { createBlocklist, explain, PortcullisError, prefixOf } from 'portcullis';
import { memoryStore } from 'portcullis/stores';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Store } from '../../../src/blocklist/model/store.js';
import { never } from '../engines-world.js';
import { away, fails, heard, hourMs, listing, minuteMs, opened, synced } from './harness.js';
import { ownSource } from './own-source.js';

/** What only this engine has of checks. See engines-confirming.test.ts. */

const names = Array.from({ length: 1_000 }, (_, at) => `evil-${at}.example`);

describe('requests to the source', () => {
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
      const askedOn = async (store: Store): Promise<readonly (readonly number[])[]> => {
        const source = ownSource({ snapshot: names });
        for (let start = 0; start < 2; start++) {
          const { blocklist, clock } = await synced(source, { store, confirm: fixed.confirm });
          clock.nowMs += start * 10 * minuteMs;
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

    test('make an answer whole if only the prefix is missing among them', async () => {
      for (const [missing, verdict] of [[1, { status: 'clear' }] as const, [2, { reason: 'bad-answer' }] as const]) {
        const { source, blocklist } = await listing({ snapshot: ['fine.example', ...names] }, fixed);
        const { confirm } = source;
        const fine = prefixOf('fine.example');
        source.confirm = async (prefixes, call) => {
          const { hashes } = await confirm!(prefixes, call);
          const others = prefixes.filter((prefix) => prefix !== fine);
          return { hashes: new Map([...hashes].filter(([prefix]) => others.indexOf(prefix) >= missing - 1)) };
        };
        expect(await blocklist.check('fine.example')).toMatchObject(verdict);
      }
    });
  });
});

describe('the cache remembers', () => {
  test('what two writers of one store have confirmed, across a restart', async () => {
    const store = memoryStore();
    const { source, blocklist } = await listing({ snapshot: ['one.example', 'two.example'] }, { store });
    const { blocklist: second } = await synced(source, { store });
    await blocklist.check('one.example');
    await expect.poll(async () => (await store.read('own/confirmed')) !== null).toBe(true);
    await second.check('two.example');
    for (const each of [blocklist, second]) await each.close();
    source.before = away;
    const { blocklist: third, clock } = opened({ sources: [source], store });
    clock.nowMs += 5 * minuteMs;
    const earlier = { status: 'blocked', reason: 'confirmed-earlier' };
    expect(await third.checkMany(['one.example', 'two.example'])).toMatchObject([earlier, earlier]);
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

  test('emits the number of prefixes, and no input', async () => {
    const { source, blocklist } = await listing();
    const events = heard(blocklist, 'confirm', 'error');
    await blocklist.check('https://evil.example/secret');
    source.before = fails(new PortcullisError('INVALID_RESPONSE', 'what'));
    await blocklist.check('https://other.evil.example/');
    expect(events).toEqual([{ type: 'confirm', source: 'own', prefixes: 1, error: undefined }]);
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
  expect(policy).toEqual({ unconfirmed: 'warn', unknown: 'allow', loading: 'warn', carried: 'warn' });
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

const link = 'https://login.evil.example/a?b';

test('an entry of 8 bytes needs no confirmation', async () => {
  const { blocklist } = await synced(ownSource({ snapshot: ['evil.example'], whole: true }));
  const listed = { status: 'blocked', action: 'block', reason: 'listed', expression: 'evil.example' };
  expect(blocklist.test(link)).toMatchObject(listed);
  expect(blocklist.test('https://fine.example')).toMatchObject({ status: 'clear', reason: 'not-listed' });
});

test('an override decides, whatever the lists say', async () => {
  const { blocklist } = await synced(ownSource({ snapshot: ['evil.example'], whole: true }));
  await blocklist.block('https://fine.example/');
  await blocklist.allow('https://evil.example/');
  const override = { reason: 'override', expression: 'fine.example' };
  expect(blocklist.test('https://fine.example/page')).toMatchObject({ status: 'blocked', action: 'block', ...override });
  const allowed = { status: 'allowed', action: 'allow', ...override, expression: 'evil.example' };
  expect(await blocklist.check(link)).toMatchObject(allowed);
});

test('a source allows what it names, and nothing above it', async () => {
  const { blocklist } = await listing({ allow: ['login.evil.example'], whole: true });
  const allowed = { status: 'allowed', action: 'allow', reason: 'source-allows', expression: 'login.evil.example' };
  expect(blocklist.test(link)).toMatchObject(allowed);
  expect(blocklist.test('other.evil.example')).toMatchObject({ status: 'blocked' });
});

test('a secret is in no explanation', async () => {
  const secret = 'f'.repeat(64);
  const { blocklist } = await listing({ snapshot: [secret, `address:${secret}`] });
  expect(JSON.stringify(explain(blocklist, secret))).not.toContain('ffff');
});

test('the status says that the machine computes wrong hashes', () => {
  const { fromCharCode } = String;
  const broken = vi
    .spyOn(String, 'fromCharCode')
    .mockImplementation((...codes) => fromCharCode(...codes.map((code) => code ^ 1)));
  const { blocklist } = opened();
  broken.mockRestore();
  expect(blocklist.status().isSound).toBe(false);
});

describe('several lists', () => {
  const whole = (id: string, snapshot: readonly string[]) => ownSource({ id, snapshot, whole: true });
  const allowing = () => ownSource({ id: 'one', allow: ['login.evil.example'], whole: true });
  const asking = () => ownSource({ id: 'two', snapshot: ['evil.example'] });
  const absent = () => Object.assign(ownSource({ id: 'two' }), { before: away });

  test.each([
    ['blocked by one of them', [whole('one', []), whole('two', ['evil.example'])], 'blocked', 'two'],
    ['blocked by one, allowed by another', [allowing(), whole('two', ['evil.example'])], 'blocked', 'two'],
    ['allowed by one, unknown to another', [absent(), allowing()], 'allowed', 'one'],
    ['unconfirmed by one, allowed by another', [allowing(), asking()], 'unconfirmed', 'two'],
    ['unknown to a missing list, not in another', [whole('one', []), absent()], 'unknown', 'two'],
  ])('an input that is %s', async (_, sources, status, source) => {
    const { blocklist } = await synced(sources);
    expect(blocklist.test(link)).toMatchObject({ status, source, ...(status === 'unknown' && { reason: 'no-list' }) });
  });

  test('clear has the age of the oldest list', async () => {
    const second = whole('two', []);
    const { blocklist, clock } = await synced([whole('one', []), second]);
    clock.nowMs += hourMs;
    second.before = away;
    await blocklist.sync();
    expect(blocklist.test(link)).toMatchObject({ status: 'clear', source: 'two', ageMs: hourMs });
  });
});

describe('a caller', () => {
  test('causes no polling after it stops before loading has finished', async () => {
    const source = ownSource();
    const blocklist = createBlocklist({ sources: [source], pollMs: 1_000 });
    blocklist.start();
    blocklist.stop();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(source.calls).toEqual([]);
    await blocklist.close();
  });

  test.each([[5], [{}], [null], [(async function* () {})()]])(
    'gets a TypeError from checkMany without an iterable: %j',
    async (inputs) => {
      const { blocklist } = await synced(ownSource());
      await expect(blocklist.checkMany(inputs as never)).rejects.toThrow(TypeError);
    },
  );

  test('gets an error for an unknown type', async () => {
    const { blocklist } = await synced(ownSource());
    expect(() => blocklist.test({ content: 'evil.example', type: 'url' as never })).toThrow(TypeError);
    for (const input of [undefined, { content: 5 }])
      await expect(blocklist.checkMany([input as never])).rejects.toThrow(TypeError);
    await expect(blocklist.removeOverride(5 as never)).rejects.toThrow(TypeError);
    await expect(blocklist.sync(null as never)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test('receives an event once after adding a listener during it', async () => {
    const { blocklist } = opened();
    let count = 0;
    const listen = (): void => {
      count++;
      blocklist.on('changed', listen);
    };
    blocklist.on('changed', listen);
    await blocklist.ready();
    expect(count).toBe(1);
  });
});
