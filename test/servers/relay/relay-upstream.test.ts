import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readVersion } from '../../../src/blocklist/formats/version-document.js';
import { createFlights } from '../../../src/servers/relay/relay-flights.js';
import { listen } from '../../support/listen.js';
import type { Answer } from '../../support/scripted-server.js';
import {
  ask,
  confirm,
  confirmationOf,
  confirmPath,
  expectRefused,
  get,
  key,
  pathOf,
  relayed,
  relayOf,
  snapshotBytes,
  v2Confirm,
  v2Version,
  versionFrom,
  versionOf,
  versionPath,
} from './relay-harness.js';

test('sends one request for two hundred concurrent clients', async () => {
  const { server, answers, asked, relay } = await relayed({ clientPerMinute: 1_000 });
  answers.set(v2Version, () => ({ body: versionOf(server.origin), delayMs: 100 }));
  answers.set('/files/snapshot', { body: snapshotBytes, delayMs: 100 });
  answers.set(v2Confirm, (request) => ({ body: confirmationOf(request), delayMs: 100 }));
  const origin = await listen(relay);
  const clients = <T>(run: (at: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: 200 }, (_, at) => run(at)));

  const versions = await clients(() => get(origin, versionPath));
  expect(new Set(versions.map(({ status, body }) => `${status} ${body}`)).size).toBe(1);
  const path = pathOf(readVersion(JSON.parse(String(versions[0]?.body))).snapshot.url);
  const files = await clients(() => get(origin, path));
  expect(files.every(({ status, body }) => status === 200 && body.equals(snapshotBytes))).toBe(true);
  const body = JSON.stringify({ algoVersion: 3, prefixes: ['a0000001'] });
  const confirmed = await clients(() => get(origin, confirmPath, { method: 'POST', body }));
  expect(new Set(confirmed.map((answer) => `${answer.status} ${answer.body}`)).size).toBe(1);

  expect(server.requests.map(({ url }) => url)).toEqual([v2Version, '/files/snapshot?signature=abc', v2Confirm]);
  expect(asked(v2Version)).toHaveLength(1);
});

test('polls the version at most every versionTtlMs, and not before minWaitMs', async () => {
  const { asked, relay, clock, publish } = await relayed({ versionTtlMs: 30_000 });
  for (let at = 0; at < 90; at++) {
    await versionFrom(relay);
    clock.nowMs += 1_000;
  }
  expect(asked(v2Version)).toHaveLength(3);
  publish({ minWaitMs: 120_000 });
  for (let at = 0; at < 12; at++) {
    const answer = await ask(relay, versionPath);
    expect(answer.headers.get('cache-control')).toContain('public, max-age=120,');
    clock.nowMs += 10_000;
  }
  expect(asked(v2Version)).toHaveLength(4);
});

test('serves the last good version with its age while the service fails, until maxStaleMs', async () => {
  const { answers, asked, relay, clock, events } = await relayed({ maxStaleMs: 600_000 });
  const good = await versionFrom(relay);
  answers.set(v2Version, { status: 500, body: { message: `down, ${key}`, code: 'INTERNAL_SERVER_ERROR' } });
  clock.nowMs += 90_500;
  const answer = await ask(relay, versionPath);
  expect([answer.status, answer.headers.get('age')]).toEqual([200, '90']);
  expect(readVersion(await answer.json())).toEqual(good);
  // Caches subtract the age, so they revalidate an old response at once.
  expect(answer.headers.get('cache-control')).toBe('public, max-age=60, stale-if-error=600');
  expect(events).toContainEqual({
    type: 'upstream-error',
    route: 'version',
    code: 'INTERNAL_SERVER_ERROR',
    status: 500,
    pauseMs: 1_000,
  });

  // The pause doubles after each failure.
  const times: number[] = [];
  for (let at = 0; at < 300; at++) {
    const before = asked(v2Version).length;
    await versionFrom(relay);
    if (asked(v2Version).length > before) times.push(at);
    clock.nowMs += 1_000;
  }
  expect(times).toEqual([1, 3, 7, 15, 31, 63, 123, 183, 243]);

  clock.nowMs += 600_000;
  const refused = await ask(relay, versionPath);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  await expectRefused(refused, 503, 'SERVICE_UNAVAILABLE');

  answers.delete(v2Version);
  clock.nowMs += 60_000;
  expect((await ask(relay, versionPath)).headers.get('age')).toBe('0');
});

test("respects the service's Retry-After up to a limit", async () => {
  const { answers, asked, relay, clock, events } = await relayed();
  answers.set(v2Version, { status: 429, headers: { 'retry-after': '120' }, body: {} });
  const answer = await ask(relay, versionPath);
  expect(answer.headers.get('retry-after')).toBe('120');
  await expectRefused(answer, 503, 'SERVICE_UNAVAILABLE');
  clock.nowMs += 119_000;
  expect((await ask(relay, versionPath)).headers.get('retry-after')).toBe('1');
  expect(asked(v2Version)).toHaveLength(1);
  answers.set(v2Version, { status: 503, headers: { 'retry-after': '999999999' }, body: {} });
  clock.nowMs += 1_000;
  expect((await ask(relay, versionPath)).headers.get('retry-after')).toBe('900');
  expect(events.map((event) => event.type === 'upstream-error' && event.pauseMs)).toEqual([120_000, 900_000]);
  // A clock set back must not lengthen the pause.
  clock.nowMs -= 86_400_000;
  answers.delete(v2Version);
  await versionFrom(relay);
});

test('counts concurrent failures as one', async () => {
  const { answers, relay, events } = await relayed();
  await versionFrom(relay);
  answers.set(v2Confirm, { status: 500, delayMs: 50 });
  await Promise.all(Array.from({ length: 20 }, (_, at) => confirm(relay, [(0xa0000000 + at).toString(16)])));
  expect(events.slice(1)).toEqual([
    { type: 'upstream-error', route: 'confirm', code: 'INTERNAL_SERVER_ERROR', status: 500, pauseMs: 1_000 },
  ]);
});

test('an earlier request that fails does not shorten the pause that the service asked for', async () => {
  const { answers, asked, relay, clock } = await relayed();
  await versionFrom(relay);
  answers.set(v2Confirm, (request) =>
    asked(v2Confirm).length === 1
      ? { fault: 'cut', body: confirmationOf(request), delayMs: 100 }
      : { status: 429, headers: { 'retry-after': '600' }, body: {} },
  );
  const first = confirm(relay, ['a0000001']);
  await vi.waitFor(() => expect(asked(v2Confirm)).toHaveLength(1));
  await Promise.all([first, confirm(relay, ['a0000002'])]);
  clock.nowMs += 5_000;
  const refused = await confirm(relay, ['a0000003']);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '595']);
  expect(asked(v2Confirm)).toHaveLength(2);
  // A clock set back ends the pause.
  answers.delete(v2Confirm);
  clock.nowMs -= 10_000;
  expect((await confirm(relay, ['a0000003'])).status).toBe(200);
});

test('after a pause, one request shows whether the service is back', async () => {
  const { answers, asked, relay, clock } = await relayed();
  await versionFrom(relay);
  const send = (at: number): Promise<Response> => confirm(relay, [(0xa0000000 + at).toString(16)]);
  answers.set(v2Confirm, { status: 500 });
  await send(0);
  clock.nowMs += 1_000;
  answers.set(v2Confirm, { status: 500, delayMs: 100 });
  const late = Array.from({ length: 25 }, async (_, at) => {
    await sleep(at * 5);
    return (await send(at)).status;
  });
  for (const status of await Promise.all(late)) expect([502, 503]).toContain(status);
  expect(asked(v2Confirm)).toHaveLength(2);
});

test('polls at once after the clock was set back', async () => {
  const { asked, relay, clock } = await relayed();
  await versionFrom(relay);
  clock.nowMs -= 3_600_000;
  await versionFrom(relay);
  await versionFrom(relay);
  expect(asked(v2Version)).toHaveLength(2);
});

test('answers 503 in time if the service hangs and no version is known', async () => {
  const { answers, relay, events } = await relayed({ timeoutMs: 150 });
  answers.set(v2Version, { fault: 'hang' });
  answers.set(v2Confirm, { fault: 'stall', body: { hashes: {} } });
  await expectRefused(await ask(relay, versionPath), 503, 'SERVICE_UNAVAILABLE');
  await expectRefused(await confirm(relay, ['a0000001']), 503, 'SERVICE_UNAVAILABLE');
  expect(events.map((event) => event.type === 'upstream-error' && [event.route, event.code])).toEqual([
    ['version', 'TIMEOUT'],
    ['confirm', 'TIMEOUT'],
  ]);
});

type Row = [name: string, answer: Answer | ((origin: string) => Answer), code: string];

test.each<Row>([
  ['a redirect', { status: 302, headers: { location: 'https://evil.example/' } }, 'REDIRECTED'],
  ['a redirect to itself', (origin) => ({ status: 307, headers: { location: `${origin}/v2${versionPath}` } }), 'REDIRECTED'],
  ['an HTML page', { body: '<!doctype html><title>Login</title>', headers: { 'content-type': 'text/html' } }, 'INVALID_RESPONSE'],
  ['an empty body', { body: '' }, 'INVALID_RESPONSE'],
  ['invalid UTF-8', { body: Buffer.from([0x22, 0xff, 0x22]) }, 'INVALID_RESPONSE'],
  ['too many bytes', { body: ' '.repeat(70_000) }, 'LIMIT_EXCEEDED'],
  ['an endless answer', { fault: 'endless' }, 'LIMIT_EXCEEDED'],
  ['a rejected key', { status: 401, body: { message: `bad key ${key}`, code: 'UNAUTHORIZED' } }, 'UNAUTHORIZED'],
  ['an unexpected status', { status: 206, body: { algoVersion: 3 } }, 'UNEXPECTED_STATUS'],
  [
    'file URLs over plain http on another host',
    (origin) => ({ body: versionOf(origin, { snapshot: { url: 'http://files.example/a' } }) }),
    'INVALID_RESPONSE',
  ],
  [
    'the key with escapes',
    (origin) => ({
      body: JSON.stringify(versionOf(origin, { recent: { token: `x${key}x` } })).replace('k3y', '\\u006b3y'),
      headers: { 'content-type': 'application/json' },
    }),
    'INVALID_RESPONSE',
  ],
  ['the key', (origin) => ({ body: versionOf(origin, { recent: { token: `x${key}x` } }) }), 'INVALID_RESPONSE'],
])('rejects a version response with %s and keeps the last good one', async (_, bad, code) => {
  const { server, answers, relay, clock, events } = await relayed();
  answers.set(v2Version, typeof bad === 'function' ? bad(server.origin) : bad);
  const first = await ask(relay, versionPath);
  expect([502, 503]).toContain(first.status);
  expect(Number(first.headers.get('retry-after'))).toBe(1);
  expect(await first.text()).not.toContain(key);

  clock.nowMs += 2_000;
  const good = answers.get(v2Version)!;
  answers.delete(v2Version);
  const version = await versionFrom(relay);
  answers.set(v2Version, good);
  clock.nowMs += 61_000;
  expect(await versionFrom(relay)).toEqual(version);
  const errors = events.filter(({ type }) => type === 'upstream-error');
  expect(errors).toMatchObject([
    { code, route: 'version' },
    { code, route: 'version' },
  ]);
  expect(JSON.stringify(events)).not.toContain(key);
});

test('keeps serving what it has when the service is down', async () => {
  const { server, relay, clock, events } = await relayed();
  const { snapshot } = await versionFrom(relay);
  await ask(relay, snapshot.url);
  await server.close();
  clock.nowMs += 61_000;
  expect((await ask(relay, versionPath)).status).toBe(200);
  expect((await ask(relay, snapshot.url)).status).toBe(200);
  await expectRefused(await confirm(relay, ['a0000001']), 503, 'SERVICE_UNAVAILABLE');
  expect(events).toContainEqual({ type: 'upstream-error', route: 'confirm', code: 'NETWORK', pauseMs: 1_000 });
});

test('sends no request while the key function returns no key', async () => {
  const { server, relay, clock, events } = await relayed({ apiKey: () => next() as string, timeoutMs: 1_000 });
  let next: () => unknown = () => Promise.reject(new Error(`no ${key}`));
  for (const give of [next, () => '', () => 'a b', () => undefined, () => new Promise(() => {})]) {
    next = give;
    await expectRefused(await ask(relay, versionPath), 503, 'SERVICE_UNAVAILABLE');
    clock.nowMs += 60_000;
  }
  expect(server.requests).toEqual([]);
  expect(JSON.stringify(events)).not.toContain(key);
  next = () => key;
  await versionFrom(relay);
});

test('keeps a worker alive until shared work is done', async () => {
  const { server, answers, relay } = await relayed();
  answers.set(v2Version, () => ({ body: versionOf(server.origin), delayMs: 50 }));
  const kept: Promise<unknown>[] = [];
  await ask(relay, versionPath, {}, { waitUntil: (work) => kept.push(work) });
  expect(kept).toHaveLength(1);
  await kept[0];
  // Platforms may pass other objects in this place.
  for (const other of [null, 7, 'x', { waitUntil: 1, address: {} }])
    expect((await ask(relay, versionPath, {}, other as never)).status).toBe(200);
});

test('answers although waitUntil throws', async () => {
  const { relay } = await relayed();
  const waitUntil = (): void => {
    throw new Error('the request has ended');
  };
  expect((await ask(relay, versionPath, {}, { waitUntil })).status).toBe(200);
});

test('restarts shared work that a worker has lost', async () => {
  let lost = true;
  const fetch = (url: string, init?: unknown): Promise<Response> =>
    lost ? new Promise(() => {}) : globalThis.fetch(url, init as RequestInit);
  const { relay, clock } = await relayed({ fetch: fetch as never, timeoutMs: 1_000 });
  await expectRefused(await ask(relay, versionPath), 503, 'SERVICE_UNAVAILABLE');
  lost = false;
  clock.nowMs += 60_000;
  await versionFrom(relay);
});

test('does not join work that is older than its limit', async () => {
  let nowMs = 0;
  const underWay = new Set<Promise<unknown>>();
  const join = createFlights<number>(1_000, () => nowMs, underWay);
  const lost = vi.fn(() => new Promise<number>(() => {}));
  void join('a', lost);
  nowMs = 999;
  void join('a', lost);
  expect([lost.mock.calls.length, underWay.size]).toEqual([1, 1]);
  nowMs = 1_000;
  expect(await join('a', async () => 7)).toBe(7);
  expect([lost.mock.calls.length, underWay.size]).toEqual([1, 1]);
});

test('uses a global fetch that was replaced later', async () => {
  const { fetch } = globalThis;
  onTestFinished(() => {
    globalThis.fetch = fetch;
  });
  const { relay } = relayOf('https://api.example');
  globalThis.fetch = async () => Response.json(versionOf('https://files.example'));
  await versionFrom(relay);
});

test('close() aborts pending work, and later requests get 503', async () => {
  const { answers, asked, relay, events } = await relayed({ timeoutMs: 60_000 });
  answers.set(v2Version, { fault: 'hang' });
  const waiting = ask(relay, versionPath);
  while (asked(v2Version).length === 0) await sleep(5);
  await relay.close();
  await expectRefused(await waiting, 503, 'SERVICE_UNAVAILABLE');
  await expectRefused(await ask(relay, versionPath), 503, 'SERVICE_UNAVAILABLE');
  expect(asked(v2Version)).toHaveLength(1);
  expect(events).toEqual([]);
  await relay.close();
});

test('close() does not wait for a key function that hangs', async () => {
  const { relay } = relayOf('https://api.example', { apiKey: () => new Promise(() => {}), timeoutMs: 60_000 });
  const waiting = ask(relay, versionPath);
  await sleep(20);
  await relay.close();
  await expectRefused(await waiting, 503, 'SERVICE_UNAVAILABLE');
});
