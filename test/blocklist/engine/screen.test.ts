import type { CheckInput, Screened } from 'portcullis';
import { explain, handleWebhook, screen } from 'portcullis';
import { describe, expect, test } from 'vitest';
import { held, listing, synced } from './harness.js';
import { ownSource } from './own-source.js';

async function all(screened: AsyncIterable<Screened>): Promise<Screened[]> {
  const found: Screened[] = [];
  for await (const item of screened) found.push(item);
  return found;
}

const names = Array.from({ length: 1_000 }, (_, at) => `evil-${at}.example`);

test('yields verdicts in order, with index and input', async () => {
  const { blocklist } = await synced(ownSource({ snapshot: ['evil-3.example', 'evil-999.example'] }));
  const found = await all(screen(blocklist, names));
  expect(found.map(({ index }) => index)).toEqual(names.map((_, at) => at));
  expect(found.map(({ input }) => input)).toEqual(names);
  expect(found.filter(({ verdict }) => verdict.status === 'blocked').map(({ index }) => index)).toEqual([3, 999]);
});

test('yields verdicts that need no request first, with order ready', async () => {
  const { blocklist } = await synced(ownSource({ snapshot: ['evil-3.example'] }));
  const found = await all(screen(blocklist, names.slice(0, 10), { order: 'ready' }));
  expect(found.map(({ index }) => index)).toEqual([0, 1, 2, 4, 5, 6, 7, 8, 9, 3]);
});

test('yields nothing for no inputs', async () => {
  const { blocklist } = await synced(ownSource());
  expect(await all(screen(blocklist, []))).toEqual([]);
});

test('reads at most one batch ahead', async () => {
  const { blocklist } = await synced(ownSource());
  let read = 0;
  function* endless(): Iterable<CheckInput> {
    for (;;) yield `evil-${read++}.example`;
  }
  const screened = screen(blocklist, endless());
  for (let count = 0; count < 300; count++) await screened.next();
  expect(read).toBe(512);
  await screened.return?.();
  expect(await screened.next()).toMatchObject({ done: true });
});

describe('async inputs', () => {
  test('are confirmed together, and checked before the next ones arrive', async () => {
    const { source, blocklist } = await listing({ snapshot: names });
    const { wait, release } = held();
    async function* slow(): AsyncIterable<CheckInput> {
      yield* names.slice(0, 50);
      await wait();
      yield names[50]!;
    }
    const screened = screen(blocklist, slow());
    for (let count = 0; count < 50; count++)
      expect((await screened.next()).value).toMatchObject({ verdict: { status: 'blocked' } });
    expect(source.asked).toHaveLength(1);
    const last = screened.next();
    release();
    expect((await last).value).toMatchObject({ index: 50 });
    expect(await screened.next()).toMatchObject({ done: true });
  });

  test('stop at an aborted signal', async () => {
    const { blocklist } = await synced(ownSource());
    const controller = new AbortController();
    const endless = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<IteratorResult<CheckInput>>(() => {}) }) };
    const next = screen(blocklist, endless, { signal: controller.signal }).next();
    setTimeout(() => controller.abort(), 5);
    await expect(next).rejects.toMatchObject({ code: 'ABORTED' });
  });

  test('are closed when the loop breaks', async () => {
    const { blocklist } = await synced(ownSource());
    let isClosed = false;
    async function* watched(): AsyncIterable<CheckInput> {
      try {
        for (;;) yield 'evil.example';
      } finally {
        isClosed = true;
      }
    }
    for await (const { index } of screen(blocklist, watched())) if (index === 3) break;
    await expect.poll(() => isClosed).toBe(true);
  });

  test('pass on their error', async () => {
    const { blocklist } = await synced(ownSource());
    async function* broken(): AsyncIterable<CheckInput> {
      yield 'evil.example';
      throw new Error('pipe');
    }
    await expect(all(screen(blocklist, broken()))).rejects.toThrow('pipe');
  });
});

test('rejects a string and values that are not iterable', async () => {
  const { blocklist } = await synced(ownSource());
  for (const inputs of [undefined, null, 5, {}, 'evil.example'])
    expect(() => screen(blocklist, inputs as never)).toThrow(TypeError);
});

test('functions that take a blocklist refuse anything else', async () => {
  const { blocklist } = await synced(ownSource());
  for (const wrong of [undefined, 'evil.example', { ...blocklist }] as never[]) {
    expect(() => screen(wrong, names)).toThrow('the first argument must be a blocklist made by createBlocklist');
    expect(() => explain(wrong, 'evil.example')).toThrow(TypeError);
    await expect(handleWebhook(wrong, { type: 'asset.status-updated', data: {} })).rejects.toThrow(TypeError);
  }
  await blocklist.close();
  expect(() => screen(blocklist, names)).toThrow('closed');
  expect(() => explain(blocklist, 'evil.example')).toThrow('closed');
});

test('answers concurrent calls one after the other', async () => {
  const { blocklist } = await synced(ownSource());
  const screened = screen(blocklist, names.slice(0, 3));
  const steps = await Promise.all([screened.next(), screened.next(), screened.next(), screened.next()]);
  expect(steps.map(({ done, value }) => (done === true ? 'done' : value.index))).toEqual([0, 1, 2, 'done']);
});
