import * as node from 'portcullis/client';
import { describe, expect, test } from 'vitest';
import * as web from '../../../src/entry/client.js';
import { serve } from '../../support/scripted-server.js';
import { clientAt, found, platforms, promptMs, thrownBy } from './client-harness.js';

const report = { assets: [{ content: 'https://scam-mint.example/' }] };
const filed = { id: 1, submittedAssets: [] };

describe('more calls than connections', () => {
  test('the time of an attempt starts when its request leaves', async () => {
    const server = await serve([{ body: filed, delayMs: 100 }]);
    // Each waits for up to nine others, three times as long as one attempt may take.
    const { client } = clientAt(node, server.origin, { agent: { maxConnections: 2 }, timeoutMs: 400 });
    const calls = Array.from({ length: 24 }, () => client.reports.create(report));
    expect(await Promise.all(calls)).toEqual(calls.map(() => filed));
    expect(server.requests.length).toBe(24);
  });

  test('a call that reaches its deadline in the queue says that nothing was sent, and which option decides', async () => {
    const server = await serve([{ fault: 'hang' }]);
    const { client } = clientAt(node, server.origin, { agent: { maxConnections: 1 } });
    const deadlines = [600, 100];
    const calls = deadlines.map((deadlineMs) => thrownBy(() => client.reports.create(report, { deadlineMs })));
    const [first, second] = await Promise.all(calls);
    expect(first).toMatchObject({ code: 'TIMEOUT', sent: true });
    expect(first!.message).toMatch(/the service may have acted$/);
    expect(second).toMatchObject({ code: 'TIMEOUT', sent: false });
    expect(second!.message).toMatch(
      /^none of the 1 connections was free within \d+ ms \(agent\.maxConnections\); nothing was sent$/,
    );
    expect(server.requests.length).toBe(1);
  });

  test('a call that is aborted in the queue leaves it, and the next one goes on', async () => {
    const server = await serve([{ body: found, delayMs: 200 }, { body: found }]);
    const { client } = clientAt(node, server.origin, { agent: { maxConnections: 1 } });
    const stop = new AbortController();
    const first = client.assets.check({ content: 'a.example' });
    const second = thrownBy(() => client.reports.create(report, { signal: stop.signal }));
    const third = client.assets.check({ content: 'c.example' });
    stop.abort();
    expect(await second).toMatchObject({ code: 'ABORTED', sent: false });
    expect(await Promise.all([first, third])).toEqual([found, found]);
    expect(server.requests.length).toBe(2);
  });

  test('what failed or was aborted frees its connection', async () => {
    const server = await serve([{ fault: 'hang' }, { fault: 'hang' }, { status: 500 }, { body: found }]);
    const { client } = clientAt(node, server.origin, { agent: { maxConnections: 1 } });
    const stop = new AbortController();
    const aborted = thrownBy(() => client.assets.check({ content: 'a.example' }, { signal: stop.signal }));
    const late = thrownBy(() => client.assets.check({ content: 'b.example' }, { timeoutMs: 50 }));
    const failed = thrownBy(() => client.assets.check({ content: 'c.example' }));
    const last = client.assets.check({ content: 'd.example' });
    await expect.poll(() => server.requests.length).toBe(1);
    stop.abort();
    expect((await aborted).code).toBe('ABORTED');
    expect((await late).code).toBe('TIMEOUT');
    expect((await failed).code).toBe('INTERNAL_SERVER_ERROR');
    expect(await last).toEqual(found);
  });
});

describe('whether a request was sent', () => {
  const silent = 'http://127.0.0.1:9';

  test('a refused connection sends nothing', async () => {
    const error = await thrownBy(() => clientAt(node, silent).client.reports.create(report));
    expect(error).toMatchObject({ code: 'NETWORK', sent: false });
    expect(error.message).toMatch(/; nothing was sent$/);
  });

  test('a write that is aborted while it hangs may have acted', async () => {
    const server = await serve([{ fault: 'hang' }]);
    const { client } = clientAt(node, server.origin);
    const stop = new AbortController();
    const call = thrownBy(() => client.reports.create(report, { signal: stop.signal }));
    await expect.poll(() => server.requests.length).toBe(1);
    stop.abort();
    const error = await call;
    expect(error).toMatchObject({ code: 'ABORTED', sent: true });
    expect(error.message).toBe('aborted; the service may have acted');
  });

  test('a write whose answer is too long to be read may have acted', async () => {
    const server = await serve([{ headers: { 'content-length': '99999999' }, fault: 'stall' }]);
    const error = await thrownBy(() => clientAt(node, server.origin).client.reports.create(report));
    expect(error).toMatchObject({ code: 'LIMIT_EXCEEDED', sent: true });
    expect(error.message).toMatch(/; the service may have acted$/);
  });

  test('one attempt that left is enough', async () => {
    const server = await serve([{ fault: 'hang' }]);
    const { client } = clientAt(node, server.origin);
    const retry = { maxRetries: 1, delayMs: 1 };
    const call = thrownBy(() => client.reports.create(report, { retry, timeoutMs: 300, deadlineMs: promptMs }));
    await expect.poll(() => server.requests.length).toBeGreaterThan(0);
    await server.close();
    expect(await call).toMatchObject({ sent: true });
  });

  test.each(platforms)('a read says it in its fields only, %s', async (name, entry) => {
    const error = await thrownBy(() => clientAt(entry, silent).client.assets.check({ content: 'a.example' }));
    expect(error.code).toBe('NETWORK');
    expect(error.message).not.toMatch(/sent|acted/);
    expect(error.sent).toBe(name === platforms[0]![0] ? false : undefined);
  });

  test("a browser's fetch does not tell", async () => {
    const error = await thrownBy(() => clientAt(web, silent).client.reports.create(report));
    expect(error).toMatchObject({ code: 'NETWORK' });
    expect(error).not.toHaveProperty('sent');
    expect(error.message).toMatch(/; the service may have acted$/);
  });

  test.each(platforms)('a write whose signal is aborted already asks no fetch, and was not sent, %s', async (_, entry) => {
    let asked = 0;
    const fetch = async (): Promise<never> => {
      asked++;
      throw new Error('not expected');
    };
    const { client } = clientAt(entry, silent, { fetch });
    const error = await thrownBy(() => client.reports.create(report, { signal: AbortSignal.abort() }));
    expect([asked, error.code, error.sent]).toEqual([0, 'ABORTED', false]);
    expect(error.message).toMatch(/; nothing was sent$/);
  });

  test.each(platforms)('a call whose deadline is over before it leaves is not sent, %s', async (_, entry) => {
    let asked = 0;
    const fetch = async (): Promise<never> => {
      asked++;
      throw new Error('not expected');
    };
    // A function that holds up the whole thread, so that no timer ends the call first.
    const apiKey = async (): Promise<string> => {
      const endMs = Date.now() + 150;
      while (Date.now() < endMs);
      return 'some-key';
    };
    const { client } = clientAt(entry, silent, { fetch, apiKey, deadlineMs: 100 });
    const error = await thrownBy(() => client.reports.create(report));
    expect([asked, error.code, error.sent]).toEqual([0, 'TIMEOUT', false]);
  });

  test('an input that cannot be sent was not', async () => {
    const error = await thrownBy(() => clientAt(node, silent).client.reports.create({ assets: [] }));
    expect(error).toMatchObject({ code: 'INVALID_INPUT', sent: false });
  });
});
