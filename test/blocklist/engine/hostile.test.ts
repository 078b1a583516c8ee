import { createBlocklist, handleWebhook } from 'portcullis';
import { memoryStore } from 'portcullis/stores';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listing, opened, synced, told } from './harness.js';
import { ownSource } from './own-source.js';

test('a list is fetched again if its algorithm name is mapped differently', async () => {
  const store = memoryStore();
  const nowMs = Date.UTC(2026, 0, 1);
  const start = async (meaning: string) => {
    await store.open();
    const source = ownSource({ algoVersion: '7', algorithms: { 7: meaning }, snapshot: ['evil.example'] });
    const blocklist = createBlocklist({ sources: [source], store, pollMs: 0, now: () => nowMs });
    onTestFinished(() => blocklist.close());
    await blocklist.sync();
    return blocklist;
  };
  const wrong = await start('safe-browsing-4');
  expect(wrong.test('evil.example')).toMatchObject({ status: 'clear' });
  await wrong.close();
  expect(await (await start('portcullis-1')).check('evil.example')).toMatchObject({ status: 'blocked' });
});

test('an event from one source does not block on behalf of another', async () => {
  const asked = ownSource({ id: 'asked' });
  const fixed = ownSource({ id: 'fixed', whole: true, snapshot: ['evil.example'] });
  const { blocklist } = await synced([asked, fixed]);
  await handleWebhook(blocklist, told('fine.example', 'URL'));
  expect(await blocklist.check('fine.example')).toMatchObject({ status: 'clear', reason: 'disproved' });
});

test('overrides survive a restart, even without an expiry or for the longest link', async () => {
  const store = memoryStore();
  const host = `${`${'a'.repeat(60)}.`.repeat(3)}${'b'.repeat(56)}.example`;
  const longest = `https://${host}/${'%FF'.repeat(5_400)}?${'%FF'.repeat(5_400)}`;
  const first = createBlocklist({ sources: [ownSource()], store, pollMs: 0 });
  await first.allow('good.example', { untilMs: Number.POSITIVE_INFINITY });
  await first.block(longest);
  await first.close();
  await store.open();
  const { blocklist } = opened({ store });
  expect(await blocklist.check('good.example')).toMatchObject({ status: 'allowed' });
  expect(await blocklist.check(longest)).toMatchObject({ status: 'blocked' });
});

test('unavailable samples are requested once an hour, not in each round', async () => {
  const { source, blocklist, clock } = await listing({ recentToken: 'r0', samples: [] });
  for (let round = 1; round <= 10; round++) {
    clock.nowMs += 10 * 60_000;
    source.list.recentToken = `r${round}`;
    await blocklist.sync();
  }
  expect(source.calls.filter((call) => call === 'samples')).toHaveLength(2);
});

describe('a caller', () => {
  test('may destructure the methods', async () => {
    const blocklist = createBlocklist({ sources: [ownSource({ snapshot: ['evil.example'] })], pollMs: 60_000 });
    const { ready, check, sync, close } = blocklist;
    await ready();
    expect(await check('evil.example')).toMatchObject({ status: 'blocked' });
    expect(await sync()).toMatchObject({ outcome: 'unchanged' });
    await close();
  });

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
