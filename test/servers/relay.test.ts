import { createHash } from 'node:crypto';
import { Agent, createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import fc from 'fast-check';
import { isPortcullisError } from 'portcullis';
import { hashOf } from 'portcullis/assets';
import { createClient } from 'portcullis/client';
import { encodeArtifact, HashSet, PrefixSet } from 'portcullis/prefixes';
import { createRelay, type Relay, type RelayContext, type RelayEvent, type RelayOptions } from 'portcullis/relay';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { readConfirm } from '../../src/blocklist/formats/confirm-answer.js';
import { readVersion } from '../../src/blocklist/formats/version-document.js';
import { createFlights } from '../../src/servers/relay/relay-flights.js';
import { networkOf } from '../../src/servers/relay/relay-rates.js';
import { targetOf } from '../../src/servers/relay/relay-routes.js';
import { type Answer, type Recorded, type ScriptedServer, serve } from '../support/scripted-server.js';

const key = 'k3y-0f-the-0rganization';
const publicUrl = 'https://relay.example/list';
const versionPath = '/asset/blocklist/version';
const confirmPath = '/asset/blocklist/confirm';

const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const snapshotBytes = Buffer.from(Array.from({ length: 40_000 }, (_, at) => (at * 7) & 0xff));
const recentBytes = Buffer.from('0000000a\n0000000b\n');

interface Upstream {
  /** Later answers replace the usual ones: by path, or `confirm`. */
  answers: Map<string, Answer | ((request: Recorded) => Answer)>;
  server: ScriptedServer;
  /** Requests of this path. */
  asked(path: string): readonly Recorded[];
}

/** A service as it should be; what a test wants otherwise it sets. */
async function upstreamOf(): Promise<Upstream> {
  const answers: Upstream['answers'] = new Map();
  const server: ScriptedServer = await serve((request) => {
    const path = request.url.replace(/\?.*$/, '');
    const answer = answers.get(path);
    if (answer !== undefined) return typeof answer === 'function' ? answer(request) : answer;
    if (path === `/v2${versionPath}`) return { body: versionOf(server.origin) };
    if (path === `/v2${confirmPath}`) return { body: confirmationOf(request) };
    if (path === '/files/snapshot') return { body: snapshotBytes, headers: { 'content-type': 'application/octet-stream' } };
    if (path === '/files/recent') return { body: recentBytes, headers: { 'content-type': 'text/plain' } };
    return { status: 404, body: { message: 'no', code: 'NOT_FOUND' } };
  });
  return { answers, server, asked: (path) => server.requests.filter(({ url }) => url.replace(/\?.*$/, '') === path) };
}

const versionOf = (origin: string, changes: { snapshot?: object; recent?: object; [name: string]: unknown } = {}): object => ({
  algoVersion: 3,
  ...changes,
  snapshot: { token: 's1', count: 10_000, url: `${origin}/files/snapshot?signature=abc`, ...changes.snapshot },
  recent: { token: 'r1', count: 2, url: `${origin}/files/recent`, ...changes.recent },
});

/** Every prefix that begins with a is listed, once. */
const hashFor = (prefix: string): string => prefix + 'e'.repeat(56);
function confirmationOf({ body }: Recorded): object {
  const { prefixes } = JSON.parse(body.toString()) as { prefixes: string[] };
  return {
    hashes: Object.fromEntries(prefixes.filter((prefix) => prefix.startsWith('a')).map((prefix) => [prefix, [hashFor(prefix)]])),
  };
}

interface Running {
  relay: Relay;
  events: RelayEvent[];
  clock: { nowMs: number };
  options: RelayOptions;
}

function relayOf(origin: string, options: Partial<RelayOptions> = {}): Running {
  const events: RelayEvent[] = [];
  const clock = { nowMs: 1_800_000_000_000 };
  const all: RelayOptions = {
    baseUrl: `${origin}/v2`,
    apiKey: key,
    publicUrl,
    now: () => clock.nowMs,
    onEvent: (event) => events.push(event),
    timeoutMs: 2_000,
    ...options,
  };
  const relay = createRelay(all);
  onTestFinished(() => relay.close());
  return { relay, events, clock, options: all };
}

/** As docs/relay.md has it. */
async function listen(relay: Relay): Promise<string> {
  const server = createServer(async (incoming, outgoing) => {
    try {
      const { method = 'GET', url = '/', headers, socket } = incoming;
      const body = method === 'POST' ? ReadableStream.from(incoming.iterator({ destroyOnReturn: false })) : null;
      outgoing.on('finish', () => incoming.resume());
      const request = new Request(`http://relay${url}`, {
        method,
        headers: headers as Record<string, string>,
        body,
        duplex: 'half',
      } as unknown as RequestInit);
      const answer = await relay.fetch(request, { address: socket.remoteAddress });
      outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
      if (answer.body)
        Readable.fromWeb(answer.body as never)
          .on('error', () => {})
          .pipe(outgoing);
      else outgoing.end();
    } catch {
      outgoing.writeHead(400).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Got {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A request as raw as Node makes it: paths are not tidied, and any header can be sent. */
function get(
  origin: string,
  path: string,
  {
    method = 'GET',
    headers = {},
    body,
    agent = false,
  }: { method?: string; headers?: Record<string, string>; body?: string | Buffer; agent?: Agent | false } = {},
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin);
    const request = httpRequest({ hostname, port, path, method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}

const ask = (relay: Relay, path: string, init: RequestInit = {}, context?: RelayContext): Promise<Response> =>
  relay.fetch(new Request(`http://anything.example${path}`, init), context);

const confirm = (
  relay: Relay,
  prefixes: readonly unknown[],
  algoVersion: unknown = 3,
  context?: RelayContext,
): Promise<Response> => ask(relay, confirmPath, { method: 'POST', body: JSON.stringify({ algoVersion, prefixes }) }, context);

async function versionFrom(relay: Relay): Promise<ReturnType<typeof readVersion>> {
  const answer = await ask(relay, versionPath);
  expect(answer.status).toBe(200);
  return readVersion(await answer.json());
}

const pathOf = (url: string): string => url.slice(publicUrl.length);

async function expectRefused(answer: Response, status: number, code: string): Promise<void> {
  expect(answer.status).toBe(status);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const envelope = (await answer.json()) as { message: string };
  expect(envelope).toEqual({ message: expect.any(String), code });
}

describe('a client without a key', () => {
  test('gets version, artifacts and confirmations over real connections', async () => {
    const { server } = await upstreamOf();
    const origin = await listen(relayOf(server.origin).relay);

    const version = await get(origin, `/some/mount${versionPath}`);
    expect(version.status).toBe(200);
    const document = readVersion(JSON.parse(version.body.toString()));
    expect(document).toMatchObject({
      algoVersion: '3',
      snapshot: { token: 's1', count: 10_000 },
      recent: { token: 'r1', count: 2 },
    });
    for (const { url } of [document.snapshot, document.recent])
      expect(url).toMatch(/^https:\/\/relay\.example\/list\/artifact\/[0-9a-f]{32}$/);

    const snapshot = await get(origin, `/some/mount${pathOf(document.snapshot.url)}`);
    expect([snapshot.status, snapshot.body.equals(snapshotBytes)]).toEqual([200, true]);
    expect((await get(origin, pathOf(document.recent.url))).body).toEqual(recentBytes);

    const body = JSON.stringify({ algoVersion: document.algoVersion, prefixes: ['a0000001', 'B0000002'] });
    const confirmed = await get(origin, `/some/mount${confirmPath}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(JSON.parse(confirmed.body.toString())).toEqual({ hashes: { a0000001: [hashFor('a0000001')], b0000002: [] } });
    expect(confirmed.headers['cache-control']).toBe('no-store');
  });

  test('is what createClient makes without one', async () => {
    const { server } = await upstreamOf();
    const origin = await listen(relayOf(server.origin).relay);
    const mismatches: unknown[] = [];
    const client = createClient({ baseUrl: `${origin}/list`, onEvent: (event) => mismatches.push(event) });
    onTestFinished(() => client.close());
    const version = await client.blocklist.version();
    expect(readVersion(version)).toMatchObject({ algoVersion: '3', snapshot: { token: 's1' }, recent: { token: 'r1' } });
    const { algoVersion } = version;
    const confirmed = await client.blocklist.confirm({ algoVersion, prefixes: ['a0000001', 'b0000001'] });
    expect(confirmed).toEqual({ hashes: { a0000001: [hashFor('a0000001')], b0000001: [] } });
    await expect(client.blocklist.confirm({ algoVersion: 9, prefixes: ['a0000001'] })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
    await expect(client.assets.check({ content: 'a.example' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(mismatches).toEqual([]);
  });

  test('gives the key to the API only, and the files neither key nor cookies', async () => {
    const { server, asked } = await upstreamOf();
    const { relay } = relayOf(server.origin);
    const { snapshot } = await versionFrom(relay);
    await ask(relay, pathOf(snapshot.url), { headers: { cookie: 'session=1', authorization: 'Bearer x', 'x-api-key': 'mine' } });
    await confirm(relay, ['a0000001']);
    const keys = server.requests.map(({ url, headers }) => [url.replace(/\?.*$/, ''), headers['x-api-key']]);
    expect(keys).toEqual([
      [`/v2${versionPath}`, key],
      ['/files/snapshot', undefined],
      [`/v2${confirmPath}`, key],
    ]);
    for (const { headers } of asked('/files/snapshot'))
      expect([headers.cookie, headers.authorization]).toEqual([undefined, undefined]);
  });

  test('sends the algorithm’s version to the service as the service writes it', async () => {
    const { server, answers, asked } = await upstreamOf();
    const { relay } = relayOf(server.origin);
    // No version answer was asked for yet: an instance may begin with a confirmation.
    await confirm(relay, ['a0000001'], '3');
    answers.set(`/v2${versionPath}`, { status: 500 });
    await confirm(relayOf(server.origin).relay, ['a0000003'], 3);
    await confirm(relayOf(server.origin).relay, ['a0000004'], '3');
    const sent = asked(`/v2${confirmPath}`).map(
      ({ body }) => (JSON.parse(body.toString()) as { algoVersion: unknown }).algoVersion,
    );
    expect(sent).toEqual([3, 3, '3']);
  });

  test('finds the relay below any mount path, and nothing else', async () => {
    const { server } = await upstreamOf();
    const { relay } = relayOf(server.origin);
    const { pathname } = new URL((await versionFrom(relay)).snapshot.url);
    const id = pathname.slice(pathname.lastIndexOf('/') + 1);
    const before = server.requests.length;
    for (const path of [versionPath, `/a${versionPath}`, `/a/b-c/v1.0${versionPath}`])
      expect((await ask(relay, path)).status, path).toBe(200);
    const none = [
      '/',
      '/asset/blocklist',
      `/${versionPath}`,
      `/a/${versionPath}`,
      `/a//b${versionPath}`,
      `${versionPath}/`,
      `${versionPath}?a=1`,
      `${versionPath}?`,
      `${versionPath}x`,
      `/x${versionPath.slice(1)}`,
      '/asset%2Fblocklist/version',
      '/asset/blocklist%2fversion',
      '/%61sset/blocklist/version',
      `/%2e%2e%2f${versionPath}`,
      `/a%20b${versionPath}`,
      '/ASSET/blocklist/version',
      '/asset/blocklist/versions',
      '/asset/check',
      '/asset/list',
      `/artifact/${id}/`,
      `/artifact/${id.toUpperCase().replace(/^\d*/, 'A')}`,
      `/artifact/${id}0`,
      `/artifact/${id.slice(1)}`,
      '/artifact/',
      `/artifact/../${id}`,
      `/artifact/${'0'.repeat(32)}`,
      `/artifact/https://evil.example/`,
      `/artifact/${encodeURIComponent(`${server.origin}/files/snapshot`)}`,
    ];
    for (const path of none)
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        if (method !== 'GET' && path.endsWith('0'.repeat(32))) continue;
        const answer = await ask(relay, path, { method });
        expect(answer.status, `${method} ${path}`).toBe(404);
        expect(answer.headers.get('cache-control')).toBe('no-store');
      }
    expect(server.requests.length).toBe(before);
  });

  test('cannot reach outside with dots, whoever resolves them', async () => {
    const { server, asked } = await upstreamOf();
    const origin = await listen(relayOf(server.origin).relay);
    for (const path of [
      '/artifact/../../files/snapshot',
      '/asset/blocklist/../list',
      '/../../etc/passwd',
      '/artifact/..%2f..%2fv2',
      '//files/snapshot',
    ]) {
      expect((await get(origin, path)).status, path).toBe(404);
    }
    // The platform resolves plain dots before the relay sees the path, and then it is that path.
    expect((await get(origin, `/a/..${versionPath}`)).status).toBe(200);
    expect(asked('/files/snapshot')).toEqual([]);
  });

  test('finds nothing behind dots that a platform left in', () => {
    expect(targetOf(`http://relay/a${versionPath}`)).toEqual({ route: 'version', id: '' });
    for (const dots of ['.', '..']) expect(targetOf(`http://relay/a/${dots}${versionPath}`)).toBeNull();
  });

  test('is told which methods there are', async () => {
    const { server } = await upstreamOf();
    const { relay } = relayOf(server.origin);
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await ask(relay, versionPath, { method });
      expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
      await expectRefused(answer, 405, 'METHOD_NOT_ALLOWED');
    }
    for (const method of ['GET', 'PUT']) {
      const answer = await ask(relay, confirmPath, { method });
      expect(answer.headers.get('allow')).toBe('POST, OPTIONS');
      await expectRefused(answer, 405, 'METHOD_NOT_ALLOWED');
    }
    expect(server.requests).toEqual([]);
  });

  test('gets heads without bodies', async () => {
    const { server } = await upstreamOf();
    const { relay } = relayOf(server.origin);
    const origin = await listen(relay);
    const { snapshot } = await versionFrom(relay);
    for (const path of [versionPath, pathOf(snapshot.url)]) {
      const [head, whole] = [await get(origin, path, { method: 'HEAD' }), await get(origin, path)];
      expect([head.status, head.body.length]).toEqual([200, 0]);
      for (const name of ['content-length', 'etag', 'cache-control', 'content-type'])
        expect(head.headers[name]).toBe(whole.headers[name]);
      expect(Number(head.headers['content-length'])).toBe(whole.body.length);
    }
    expect((await get(origin, `/artifact/${'0'.repeat(32)}`, { method: 'HEAD' })).status).toBe(404);
  });
});

describe('addresses', () => {
  test.each([
    ['Host', { host: 'evil.example' }],
    [
      'X-Forwarded-*',
      {
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'http',
        'x-forwarded-prefix': '/evil',
        'x-forwarded-for': '6.6.6.6',
      },
    ],
    ['Forwarded', { forwarded: 'host=evil.example;proto=http' }],
    ['X-Original-URL', { 'x-original-url': '/evil', 'x-rewrite-url': '/evil', 'x-original-host': 'evil.example' }],
  ])('come from publicUrl, whatever %s says', async (_, headers) => {
    const { server } = await upstreamOf();
    const origin = await listen(relayOf(server.origin).relay);
    const poisoned = await get(origin, `/evil${versionPath}`, { headers });
    const next = await get(origin, versionPath);
    expect(next.body).toEqual(poisoned.body);
    for (const { body, headers: got } of [poisoned, next]) {
      expect(body.toString()).not.toContain('evil');
      expect(JSON.stringify(got)).not.toContain('evil');
      expect(readVersion(JSON.parse(body.toString())).snapshot.url.startsWith(`${publicUrl}/artifact/`)).toBe(true);
    }
    expect(server.requests).toHaveLength(1);
    expect(JSON.stringify(server.requests[0]?.headers)).not.toContain('evil');
  });

  test('come from publicUrl, whatever absolute address a request has', async () => {
    const { server } = await upstreamOf();
    const { relay } = relayOf(server.origin);
    const answer = await relay.fetch(new Request(`https://evil.example:8443/evil${versionPath}`));
    expect(await answer.text()).not.toContain('evil');
    const origin = await listen(relay);
    expect((await get(origin, `http://evil.example${versionPath}`)).status).toBeGreaterThanOrEqual(400);
  });

  test('name artifacts of the service’s own answers only', async () => {
    const { server, asked } = await upstreamOf();
    const { relay } = relayOf(server.origin);
    for (const url of ['/files/other', '/files/snapshot', '/v2/asset/list']) {
      await expectRefused(await ask(relay, `/artifact/${sha256(server.origin + url).slice(0, 32)}`), 404, 'NOT_FOUND');
    }
    expect(server.requests.map(({ url }) => url)).toEqual([`/v2${versionPath}`]);
    expect(asked('/files/other')).toEqual([]);
  });

  test('stay the same while the service signs its own anew, and the newest is fetched', async () => {
    const { server, answers, asked } = await upstreamOf();
    const { relay, clock } = relayOf(server.origin);
    const first = await versionFrom(relay);
    answers.set(`/v2${versionPath}`, {
      body: versionOf(server.origin, { snapshot: { url: `${server.origin}/files/snapshot?signature=new` } }),
    });
    clock.nowMs += 61_000;
    expect(await versionFrom(relay)).toEqual(first);
    await ask(relay, pathOf(first.snapshot.url));
    expect(asked('/files/snapshot').map(({ url }) => url)).toEqual(['/files/snapshot?signature=new']);
  });

  test('are known to an instance that did not give them out', async () => {
    const { server, answers, asked } = await upstreamOf();
    const [one, other] = [relayOf(server.origin), relayOf(server.origin)];
    const { snapshot } = await versionFrom(one.relay);
    expect((await ask(other.relay, pathOf(snapshot.url))).status).toBe(200);

    answers.set(`/v2${versionPath}`, { body: versionOf(server.origin, { recent: { token: 'r2' } }) });
    one.clock.nowMs += 61_000;
    other.clock.nowMs += 11_000;
    const { recent } = await versionFrom(one.relay);
    expect((await ask(other.relay, pathOf(recent.url))).status).toBe(200);
    // Also where the service wants to be left alone: this instance's clients have nothing else.
    answers.set(`/v2${versionPath}`, { body: versionOf(server.origin, { recent: { token: 'r3' }, minWaitMs: 86_400_000 }) });
    for (const { clock } of [one, other]) clock.nowMs += 61_000;
    await versionFrom(one.relay);
    await versionFrom(other.relay);
    answers.set(`/v2${versionPath}`, { body: versionOf(server.origin, { recent: { token: 'r4' }, minWaitMs: 86_400_000 }) });
    const third = relayOf(server.origin);
    const { recent: newest } = await versionFrom(third.relay);
    other.clock.nowMs += 11_000;
    expect((await ask(other.relay, pathOf(newest.url))).status).toBe(200);
    // Strange ids are no way to make it ask at will.
    const before = asked(`/v2${versionPath}`).length;
    for (let i = 0; i < 20; i++) expect((await ask(other.relay, `/artifact/${sha256(`${i}`).slice(0, 32)}`)).status).toBe(404);
    expect(asked(`/v2${versionPath}`).length).toBe(before);
  });

  test('hold for a client in the middle of a sync, and not for ever', async () => {
    const { server, answers } = await upstreamOf();
    const { relay, clock, events } = relayOf(server.origin);
    const { recent } = await versionFrom(relay);
    for (let round = 2; round <= 12; round++) {
      answers.set(`/v2${versionPath}`, { body: versionOf(server.origin, { recent: { token: `r${round}` } }) });
      clock.nowMs += 61_000;
      const current = await versionFrom(relay);
      expect((await ask(relay, pathOf(current.recent.url))).status).toBe(200);
      expect((await ask(relay, pathOf(recent.url))).status, `round ${round}`).toBe(round <= 8 ? 200 : 404);
    }
    for (const event of events) if (event.type === 'memory') expect(event.artifacts).toBeLessThanOrEqual(16);
    expect(events.filter(({ type }) => type === 'memory')).toHaveLength(12);
  });
});

describe('the service', () => {
  test('is asked once for two hundred clients at the same time', async () => {
    const { server, answers, asked } = await upstreamOf();
    answers.set(`/v2${versionPath}`, () => ({ body: versionOf(server.origin), delayMs: 100 }));
    answers.set('/files/snapshot', { body: snapshotBytes, delayMs: 100 });
    answers.set(`/v2${confirmPath}`, (request) => ({ body: confirmationOf(request), delayMs: 100 }));
    const { relay } = relayOf(server.origin, { clientPerMinute: 1_000 });
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

    expect(server.requests.map(({ url }) => url)).toEqual([
      `/v2${versionPath}`,
      '/files/snapshot?signature=abc',
      `/v2${confirmPath}`,
    ]);
    expect(asked(`/v2${versionPath}`)).toHaveLength(1);
  });

  test('is asked for a version at most every versionTtlMs, and not sooner than it wants', async () => {
    const { server, answers, asked } = await upstreamOf();
    const { relay, clock } = relayOf(server.origin, { versionTtlMs: 30_000 });
    for (let at = 0; at < 90; at++) {
      await versionFrom(relay);
      clock.nowMs += 1_000;
    }
    expect(asked(`/v2${versionPath}`)).toHaveLength(3);
    answers.set(`/v2${versionPath}`, { body: versionOf(server.origin, { minWaitMs: 120_000 }) });
    for (let at = 0; at < 12; at++) {
      const answer = await ask(relay, versionPath);
      expect(answer.headers.get('cache-control')).toContain('public, max-age=120,');
      clock.nowMs += 10_000;
    }
    expect(asked(`/v2${versionPath}`)).toHaveLength(4);
  });

  test('may fail for a while: the last good answer is given with its age, then none', async () => {
    const { server, answers, asked } = await upstreamOf();
    const { relay, clock, events } = relayOf(server.origin, { staleMaxMs: 600_000 });
    const good = await versionFrom(relay);
    answers.set(`/v2${versionPath}`, { status: 500, body: { message: `down, ${key}`, code: 'INTERNAL_SERVER_ERROR' } });
    clock.nowMs += 90_500;
    const answer = await ask(relay, versionPath);
    expect([answer.status, answer.headers.get('age')]).toEqual([200, '90']);
    expect(readVersion(await answer.json())).toEqual(good);
    // What is not new is not kept by caches: they count the age.
    expect(answer.headers.get('cache-control')).toBe('public, max-age=60, stale-if-error=600');
    expect(events).toContainEqual({
      type: 'upstream-error',
      route: 'version',
      code: 'INTERNAL_SERVER_ERROR',
      status: 500,
      pauseMs: 1_000,
    });

    // It is left alone, longer each time.
    const times: number[] = [];
    for (let at = 0; at < 300; at++) {
      const before = asked(`/v2${versionPath}`).length;
      await versionFrom(relay);
      if (asked(`/v2${versionPath}`).length > before) times.push(at);
      clock.nowMs += 1_000;
    }
    expect(times).toEqual([1, 3, 7, 15, 31, 63, 123, 183, 243]);

    clock.nowMs += 600_000;
    const refused = await ask(relay, versionPath);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    await expectRefused(refused, 503, 'SERVICE_UNAVAILABLE');

    answers.delete(`/v2${versionPath}`);
    clock.nowMs += 60_000;
    expect((await ask(relay, versionPath)).headers.get('age')).toBe('0');
  });

  test('is heard when it asks for patience, within bounds', async () => {
    const { server, answers, asked } = await upstreamOf();
    const { relay, clock, events } = relayOf(server.origin);
    answers.set(`/v2${versionPath}`, { status: 429, headers: { 'retry-after': '120' }, body: {} });
    const answer = await ask(relay, versionPath);
    expect(answer.headers.get('retry-after')).toBe('120');
    await expectRefused(answer, 503, 'SERVICE_UNAVAILABLE');
    clock.nowMs += 119_000;
    expect((await ask(relay, versionPath)).headers.get('retry-after')).toBe('1');
    expect(asked(`/v2${versionPath}`)).toHaveLength(1);
    answers.set(`/v2${versionPath}`, { status: 503, headers: { 'retry-after': '999999999' }, body: {} });
    clock.nowMs += 1_000;
    expect((await ask(relay, versionPath)).headers.get('retry-after')).toBe('600');
    expect(events.map((event) => event.type === 'upstream-error' && event.pauseMs)).toEqual([120_000, 600_000]);
    // A clock that was set back does not close it for longer.
    clock.nowMs -= 86_400_000;
    answers.delete(`/v2${versionPath}`);
    await versionFrom(relay);
  });

  test('that fails many at once failed once', async () => {
    const { server, answers } = await upstreamOf();
    const { relay, events } = relayOf(server.origin);
    await versionFrom(relay);
    answers.set(`/v2${confirmPath}`, { status: 500, delayMs: 50 });
    await Promise.all(Array.from({ length: 20 }, (_, at) => confirm(relay, [(0xa0000000 + at).toString(16)])));
    expect(events.slice(1)).toEqual([
      { type: 'upstream-error', route: 'confirm', code: 'INTERNAL_SERVER_ERROR', status: 500, pauseMs: 1_000 },
    ]);
  });

  test('is asked at once when the clock was set back', async () => {
    const { server, asked } = await upstreamOf();
    const { relay, clock } = relayOf(server.origin);
    await versionFrom(relay);
    clock.nowMs -= 3_600_000;
    await versionFrom(relay);
    await versionFrom(relay);
    expect(asked(`/v2${versionPath}`)).toHaveLength(2);
  });

  test('may be slow: who has an old answer does not wait long for a new one', async () => {
    const { server, answers } = await upstreamOf();
    const { relay, clock } = relayOf(server.origin, { timeoutMs: 20_000 });
    await versionFrom(relay);
    answers.set(`/v2${versionPath}`, { fault: 'hang' });
    clock.nowMs += 61_000;
    const startedMs = performance.now();
    expect((await ask(relay, versionPath)).headers.get('age')).toBe('61');
    expect(performance.now() - startedMs).toBeLessThan(10_000);
  });

  test('may hang: who has nothing gets 503 in time', async () => {
    const { server, answers } = await upstreamOf();
    const { relay, events } = relayOf(server.origin, { timeoutMs: 150 });
    answers.set(`/v2${versionPath}`, { fault: 'hang' });
    answers.set(`/v2${confirmPath}`, { fault: 'stall', body: { hashes: {} } });
    await expectRefused(await ask(relay, versionPath), 503, 'SERVICE_UNAVAILABLE');
    await expectRefused(await confirm(relay, ['a0000001']), 503, 'SERVICE_UNAVAILABLE');
    expect(events.map((event) => event.type === 'upstream-error' && [event.route, event.code])).toEqual([
      ['version', 'TIMEOUT'],
      ['confirm', 'TIMEOUT'],
    ]);
  });

  test.each<[string, Answer | ((origin: string) => Answer), string]>([
    ['a redirect', { status: 302, headers: { location: 'https://evil.example/' } }, 'REDIRECTED'],
    ['a redirect to itself', (origin) => ({ status: 307, headers: { location: `${origin}/v2${versionPath}` } }), 'REDIRECTED'],
    ['a page', { body: '<!doctype html><title>Login</title>', headers: { 'content-type': 'text/html' } }, 'INVALID_RESPONSE'],
    ['nothing', { body: '' }, 'INVALID_RESPONSE'],
    ['no object', { body: '[1]' }, 'INVALID_RESPONSE'],
    ['another object', { body: { ok: true } }, 'INVALID_RESPONSE'],
    ['no UTF-8', { body: Buffer.from([0x22, 0xff, 0x22]) }, 'INVALID_RESPONSE'],
    ['too much', { body: ' '.repeat(70_000) }, 'LIMIT_EXCEEDED'],
    ['an endless answer', { fault: 'endless' }, 'LIMIT_EXCEEDED'],
    ['a refusal of the key', { status: 401, body: { message: `bad key ${key}`, code: 'UNAUTHORIZED' } }, 'UNAUTHORIZED'],
    ['another status', { status: 206, body: { algoVersion: 3 } }, 'UNEXPECTED_STATUS'],
    [
      'files over plain http elsewhere',
      (origin) => ({ body: versionOf(origin, { snapshot: { url: 'http://files.example/a' } }) }),
      'INVALID_RESPONSE',
    ],
    [
      'files with a user',
      (origin) => ({ body: versionOf(origin, { recent: { url: 'https://u:p@files.example/a' } }) }),
      'INVALID_RESPONSE',
    ],
    [
      'files of another kind',
      (origin) => ({ body: versionOf(origin, { recent: { url: 'file:///etc/passwd' } }) }),
      'INVALID_RESPONSE',
    ],
    ['files at no address', (origin) => ({ body: versionOf(origin, { recent: { url: '/files/recent' } }) }), 'INVALID_RESPONSE'],
    [
      'files by the million millions',
      (origin) => ({ body: versionOf(origin, { snapshot: { count: 1e12 } }) }),
      'INVALID_RESPONSE',
    ],
    [
      'its key in another spelling',
      (origin) => ({
        body: JSON.stringify(versionOf(origin, { recent: { token: `x${key}x` } })).replace('k3y', '\\u006b3y'),
        headers: { 'content-type': 'application/json' },
      }),
      'INVALID_RESPONSE',
    ],
    ['its key', (origin) => ({ body: versionOf(origin, { recent: { token: `x${key}x` } }) }), 'INVALID_RESPONSE'],
  ])('may answer a version with %s: the last good one stays', async (_, bad, code) => {
    const { server, answers } = await upstreamOf();
    const { relay, clock, events } = relayOf(server.origin);
    answers.set(`/v2${versionPath}`, typeof bad === 'function' ? bad(server.origin) : bad);
    const first = await ask(relay, versionPath);
    expect([502, 503]).toContain(first.status);
    expect(Number(first.headers.get('retry-after'))).toBe(1);
    expect(await first.text()).not.toContain(key);

    clock.nowMs += 2_000;
    const good = answers.get(`/v2${versionPath}`)!;
    answers.delete(`/v2${versionPath}`);
    const version = await versionFrom(relay);
    answers.set(`/v2${versionPath}`, good);
    clock.nowMs += 61_000;
    expect(await versionFrom(relay)).toEqual(version);
    const errors = events.filter(({ type }) => type === 'upstream-error');
    expect(errors).toMatchObject([
      { code, route: 'version' },
      { code, route: 'version' },
    ]);
    expect(JSON.stringify(events)).not.toContain(key);
  });

  test('may be gone', async () => {
    const { server } = await upstreamOf();
    const { relay, clock, events } = relayOf(server.origin);
    const { snapshot } = await versionFrom(relay);
    await ask(relay, pathOf(snapshot.url));
    await server.close();
    clock.nowMs += 61_000;
    expect((await ask(relay, versionPath)).status).toBe(200);
    expect((await ask(relay, pathOf(snapshot.url))).status).toBe(200);
    await expectRefused(await confirm(relay, ['a0000001']), 503, 'SERVICE_UNAVAILABLE');
    expect(events).toContainEqual({ type: 'upstream-error', route: 'confirm', code: 'NETWORK', pauseMs: 1_000 });
  });

  test('gets no request while the key function has none to give', async () => {
    const { server } = await upstreamOf();
    let next: () => unknown = () => Promise.reject(new Error(`no ${key}`));
    const { relay, clock, events } = relayOf(server.origin, { apiKey: () => next() as string, timeoutMs: 200 });
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
});

describe('artifacts', () => {
  test.each<[string, Answer, string]>([
    ['a page', { body: '<html></html>', headers: { 'content-type': 'text/html; charset=utf-8' } }, 'INVALID_RESPONSE'],
    [
      'a page that says it is none',
      { body: '\n <!DOCTYPE html>', headers: { 'content-type': 'text/plain' } },
      'INVALID_RESPONSE',
    ],
    ['nothing', { body: '' }, 'INVALID_RESPONSE'],
    ['more than its count can be', { body: Buffer.alloc(65 * 1024 + 64 * 2) }, 'LIMIT_EXCEEDED'],
    ['bytes for ever', { fault: 'endless' }, 'LIMIT_EXCEEDED'],
    ['half of it', { fault: 'cut', body: recentBytes }, 'NETWORK'],
    ['nothing but silence', { fault: 'stall', body: recentBytes }, 'TIMEOUT'],
    ['a reset', { fault: 'reset' }, 'NETWORK'],
    ['403', { status: 403, body: 'expired' }, 'FORBIDDEN'],
    ['206', { status: 206, body: recentBytes }, 'UNEXPECTED_STATUS'],
    ['a redirect to plain http', { status: 302, headers: { location: 'http://files.example/x' } }, 'REDIRECTED'],
    ['a redirect to a user', { status: 302, headers: { location: 'https://u:p@files.example/x' } }, 'REDIRECTED'],
    ['a redirect to a file', { status: 302, headers: { location: 'file:///etc/passwd' } }, 'REDIRECTED'],
    ['a redirect to nowhere', { status: 302, headers: { location: 'http://[' } }, 'REDIRECTED'],
    ['a redirect in circles', { status: 302, headers: { location: '/files/recent' } }, 'REDIRECTED'],
    ['a redirect without a target', { status: 302 }, 'REDIRECTED'],
  ])('that come as %s are refused, not kept, and tried again after a pause', async (_, bad, code) => {
    const { server, answers, asked } = await upstreamOf();
    const { relay, clock, events } = relayOf(server.origin, { artifactTimeoutMs: 200 });
    const { recent, snapshot } = await versionFrom(relay);
    answers.set('/files/recent', bad);
    for (let at = 0; at < 3; at++) {
      const answer = await ask(relay, pathOf(recent.url));
      expect([502, 503]).toContain(answer.status);
      expect(answer.headers.get('retry-after')).toBe('1');
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(Object.keys((await answer.json()) as object)).toEqual(['message', 'code']);
    }
    expect(events).toContainEqual(expect.objectContaining({ type: 'upstream-error', route: 'artifact', code, pauseMs: 1_000 }));
    expect(asked('/files/recent').length).toBe(bad.headers?.['location'] === '/files/recent' ? 4 : 1);
    // The other file is not affected.
    expect((await ask(relay, pathOf(snapshot.url))).status).toBe(200);
    answers.delete('/files/recent');
    clock.nowMs += 1_000;
    expect(Buffer.from(await (await ask(relay, pathOf(recent.url))).arrayBuffer())).toEqual(recentBytes);
  });

  test('are followed over three redirects, each of them judged, without the key', async () => {
    const { server, answers } = await upstreamOf();
    const other = await serve([{ body: recentBytes }]);
    answers.set('/files/recent', { status: 301, headers: { location: '/files/1' } });
    answers.set('/files/1', { status: 307, headers: { location: `${server.origin}/files/2` } });
    answers.set('/files/2', { status: 302, headers: { location: `${other.origin}/3` } });
    const { relay } = relayOf(server.origin);
    const { recent } = await versionFrom(relay);
    expect(Buffer.from(await (await ask(relay, pathOf(recent.url))).arrayBuffer())).toEqual(recentBytes);
    for (const { url, headers } of [...server.requests.slice(1), ...other.requests])
      expect(headers['x-api-key'], url).toBeUndefined();
  });

  test('of an API elsewhere come neither from this machine nor over plain http', async () => {
    const urls = [
      'http://127.0.0.1:6379/x',
      'https://localhost/x',
      'http://[::1]/x',
      'https://127.1/x',
      'http://api.example/x',
      'http://169.254.169.254/x',
    ];
    for (const url of urls) {
      const asked: string[] = [];
      const fetch = async (at: string): Promise<Response> => {
        asked.push(at);
        if (at.endsWith(versionPath))
          return Response.json(versionOf('https://files.example', url === urls[0] ? { snapshot: { url } } : {}));
        return new Response(null, { status: 302, headers: { location: url } });
      };
      const { relay } = relayOf('https://api.example', { fetch });
      const answer = await ask(relay, versionPath);
      if (url === urls[0]) expect(answer.status).toBe(502);
      else await expectRefused(await ask(relay, pathOf(readVersion(await answer.json()).snapshot.url)), 502, 'BAD_GATEWAY');
      expect(asked.filter((at) => !/^https:\/\/(api|files)\.example\//.test(at))).toEqual([]);
    }
  });

  test('are the ones announced, where the service gives their SHA-256, and then for ever', async () => {
    const { server, answers, asked } = await upstreamOf();
    const sum = { snapshot: { sha256: sha256(snapshotBytes) }, recent: { sha256: sha256('another') } };
    answers.set(`/v2${versionPath}`, { body: versionOf(server.origin, sum) });
    const { relay, clock, events } = relayOf(server.origin, { versionTtlMs: 86_400_000 });
    const { snapshot, recent } = await versionFrom(relay);
    expect([snapshot.sha256, recent.sha256]).toEqual([sum.snapshot.sha256, sum.recent.sha256]);
    expect((await ask(relay, pathOf(snapshot.url))).headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    await expectRefused(await ask(relay, pathOf(recent.url)), 502, 'BAD_GATEWAY');
    expect(events).toContainEqual({ type: 'upstream-error', route: 'artifact', code: 'INVALID_RESPONSE', pauseMs: 1_000 });
    clock.nowMs += 7_200_000;
    await ask(relay, pathOf(snapshot.url));
    expect(asked('/files/snapshot')).toHaveLength(1);
  });

  test.each([
    [60_000, 60],
    [7_200_000, 3_600],
  ])('that nothing proves are kept as long as a version, and an hour at most: %i', async (versionTtlMs, seconds) => {
    const { server, answers, asked } = await upstreamOf();
    const { relay, clock } = relayOf(server.origin, { versionTtlMs });
    const { recent } = await versionFrom(relay);
    answers.set('/files/recent', { body: 'damaged' });
    await ask(relay, pathOf(recent.url));
    answers.delete('/files/recent');
    clock.nowMs += 500 * seconds;
    const answer = await ask(relay, pathOf(recent.url));
    expect([answer.headers.get('cache-control'), answer.headers.get('age')]).toEqual([
      `public, max-age=${seconds}`,
      `${seconds / 2}`,
    ]);
    expect(await answer.text()).toBe('damaged');
    clock.nowMs += 500 * seconds;
    const again = await ask(relay, pathOf(recent.url));
    expect(Buffer.from(await again.arrayBuffer())).toEqual(recentBytes);
    expect(asked('/files/recent')).toHaveLength(2);
  });

  test('that nothing proves are still given while they cannot be fetched again, as long as versions are', async () => {
    const { server, answers } = await upstreamOf();
    const { relay, clock } = relayOf(server.origin, { staleMaxMs: 600_000 });
    const { recent } = await versionFrom(relay);
    await ask(relay, pathOf(recent.url));
    answers.set('/files/recent', { status: 500 });
    clock.nowMs += 659_000;
    await versionFrom(relay);
    const answer = await ask(relay, pathOf(recent.url));
    expect([answer.status, answer.headers.get('age')]).toEqual([200, '659']);
    clock.nowMs += 1_000;
    await expectRefused(await ask(relay, pathOf(recent.url)), 503, 'SERVICE_UNAVAILABLE');
  });

  test.each(['portcullis', 'portcullis-rice'] as const)(
    'of our own kinds are read before they are given: %s',
    async (encoding) => {
      const { server, answers, asked } = await upstreamOf();
      for (const set of [PrefixSet.from([1, 2, 0xa0000001]), HashSet.from(['a', 'b', 'c'].map(hashOf))]) {
        const whole = Buffer.from(encodeArtifact(set, { encoding }));
        const { relay, clock } = relayOf(server.origin, { versionTtlMs: 86_400_000 });
        answers.set(`/v2${versionPath}`, { body: versionOf(server.origin, { recent: { count: 3 } }) });
        const { recent } = await versionFrom(relay);
        const damaged = Buffer.from(whole);
        damaged[whole.length - 1]! ^= 1;
        const other = Buffer.from(encodeArtifact(PrefixSet.from([1, 2]), { encoding }));
        for (const body of [damaged, other, whole.subarray(0, -1), whole.subarray(0, 12)]) {
          answers.set('/files/recent', { body });
          await expectRefused(await ask(relay, pathOf(recent.url)), 502, 'BAD_GATEWAY');
          clock.nowMs += 60_000;
        }
        answers.set('/files/recent', { body: whole });
        const answer = await ask(relay, pathOf(recent.url));
        expect(answer.headers.get('cache-control')).toBe('public, max-age=3600, immutable');
        expect(Buffer.from(await answer.arrayBuffer())).toEqual(whole);
        const before = asked('/files/recent').length;
        clock.nowMs += 3_599_000;
        await ask(relay, pathOf(recent.url));
        expect(asked('/files/recent').length).toBe(before);
        clock.nowMs += 1_000;
        await ask(relay, pathOf(recent.url));
        expect(asked('/files/recent').length).toBe(before + 1);
      }
    },
  );

  test('stay within the memory given, the one used longest ago goes', async () => {
    const { server, answers, asked } = await upstreamOf();
    const { relay, clock, events } = relayOf(server.origin, { cacheBytesMax: 100_000 });
    const body = Buffer.alloc(35_000, 1);
    answers.set('/files/recent', { body });
    const paths: string[] = [];
    for (let round = 0; round < 4; round++) {
      const proven = { snapshot: { sha256: sha256(snapshotBytes) }, recent: { token: `r${round}`, sha256: sha256(body) } };
      answers.set(`/v2${versionPath}`, { body: versionOf(server.origin, proven) });
      clock.nowMs += 61_000;
      const { snapshot, recent } = await versionFrom(relay);
      paths.push(pathOf(recent.url));
      for (const { url } of [recent, snapshot]) expect((await ask(relay, pathOf(url))).status).toBe(200);
    }
    clock.nowMs += 61_000;
    await versionFrom(relay);
    expect(events.at(-1)).toMatchObject({ type: 'memory', artifacts: 2, artifactBytes: 75_000 });
    expect(asked('/files/snapshot')).toHaveLength(1);
    const before = asked('/files/recent').length;
    await ask(relay, paths[3]!);
    expect(asked('/files/recent').length).toBe(before);
    await ask(relay, paths[0]!);
    expect(asked('/files/recent').length).toBe(before + 1);
  });

  test('larger than the memory given are refused', async () => {
    const { server } = await upstreamOf();
    const { relay, events } = relayOf(server.origin, { cacheBytesMax: 39_999 });
    const { snapshot } = await versionFrom(relay);
    await expectRefused(await ask(relay, pathOf(snapshot.url)), 502, 'BAD_GATEWAY');
    expect(events.at(-1)).toMatchObject({ code: 'LIMIT_EXCEEDED' });
    const enough = relayOf(server.origin, { cacheBytesMax: 40_000 });
    expect((await ask(enough.relay, pathOf((await versionFrom(enough.relay)).snapshot.url))).status).toBe(200);
  });

  test('survive a client that goes away, and one that changes what it got', async () => {
    const { server, answers, asked } = await upstreamOf();
    const large = Buffer.alloc(600_000, 7);
    answers.set('/files/snapshot', { body: large, delayMs: 100 });
    const { relay } = relayOf(server.origin);
    const origin = await listen(relay);
    const path = pathOf((await versionFrom(relay)).snapshot.url);
    // One before the answer, one in the middle of it.
    const early = new AbortController();
    const gone = fetch(origin + path, { signal: early.signal }).catch((error: Error) => error.name);
    const staying = get(origin, path);
    await sleep(30);
    early.abort();
    expect(await gone).toBe('AbortError');
    expect((await staying).body.equals(large)).toBe(true);
    const half = await fetch(origin + path);
    await half.body?.cancel();
    const reader = (await ask(relay, path)).body!.getReader();
    (await reader.read()).value?.fill(0);
    await reader.cancel();
    expect((await get(origin, path)).body.equals(large)).toBe(true);
    expect(asked('/files/snapshot')).toHaveLength(1);
  });

  test('are not copied whole for each client', async () => {
    const { server } = await upstreamOf();
    const { relay } = relayOf(server.origin);
    const { snapshot } = await versionFrom(relay);
    const reader = (await ask(relay, pathOf(snapshot.url))).body!.getReader();
    const { value } = await reader.read();
    expect(value!.byteLength).toBeLessThanOrEqual(64 * 1024);
    expect(value!.buffer.byteLength).toBeLessThanOrEqual(64 * 1024);
    await reader.cancel();
  });
});

describe('caches in between', () => {
  test('need no second body where nothing changed', async () => {
    const { server } = await upstreamOf();
    const { relay } = relayOf(server.origin);
    const { snapshot } = await versionFrom(relay);
    for (const path of [versionPath, pathOf(snapshot.url)]) {
      const etag = (await ask(relay, path)).headers.get('etag')!;
      expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
      for (const header of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
        const answer = await ask(relay, path, { headers: { 'if-none-match': header } });
        expect([answer.status, await answer.text(), answer.headers.get('etag')], header).toEqual([304, '', etag]);
        expect(answer.headers.get('cache-control')).toMatch(/^public, max-age=/);
        expect(answer.headers.get('content-length')).toBeNull();
      }
      for (const header of ['"x"', '', etag.slice(1), etag.toUpperCase().replace(/"0*\d*/, '"Z')]) {
        expect((await ask(relay, path, { headers: { 'if-none-match': header } })).status, header).toBe(200);
      }
    }
  });

  test('get another tag when the list changes, and the same from every instance', async () => {
    const { server, answers } = await upstreamOf();
    const [one, other] = [relayOf(server.origin), relayOf(server.origin)];
    const tag = async ({ relay }: Running): Promise<string | null> => (await ask(relay, versionPath)).headers.get('etag');
    const first = await tag(one);
    expect(await tag(other)).toBe(first);
    answers.set(`/v2${versionPath}`, { body: versionOf(server.origin, { recent: { count: 3 } }) });
    one.clock.nowMs += 61_000;
    expect(await tag(one)).not.toBe(first);
  });
});

describe('pages of other origins', () => {
  test('may read everything, because nothing depends on who asks', async () => {
    const { server } = await upstreamOf();
    const { relay } = relayOf(server.origin);
    for (const answer of [
      await ask(relay, versionPath),
      await ask(relay, '/none'),
      await confirm(relay, []),
      await confirm(relay, ['a0000001']),
    ]) {
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(answer.headers.get('access-control-expose-headers')).toBe('ETag, Age, Retry-After');
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
      expect([answer.headers.get('x-content-type-options'), answer.headers.get('referrer-policy')]).toEqual([
        'nosniff',
        'no-referrer',
      ]);
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
  });

  test('ask first, and cost the service nothing', async () => {
    const { server } = await upstreamOf();
    const origin = await listen(relayOf(server.origin).relay);
    const preflight = await get(origin, confirmPath, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://wallet.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    });
    expect([preflight.status, preflight.body.length]).toEqual([204, 0]);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type, if-none-match',
      'access-control-max-age': '86400',
    });
    expect((await get(origin, versionPath, { method: 'OPTIONS' })).headers['access-control-allow-methods']).toBe('GET, HEAD');
    expect(server.requests).toEqual([]);
  });

  test('are told apart where the operator names them', async () => {
    const { server } = await upstreamOf();
    const { relay } = relayOf(server.origin, { origins: ['https://Wallet.example', 'chrome-extension://abcdef'] });
    const allowed = async (origin?: string): Promise<(string | null)[]> => {
      const { headers } = await ask(relay, versionPath, origin === undefined ? {} : { headers: { origin } });
      return [headers.get('access-control-allow-origin'), headers.get('vary')];
    };
    expect(await allowed('https://wallet.example')).toEqual(['https://wallet.example', 'Origin']);
    expect(await allowed('chrome-extension://abcdef')).toEqual(['chrome-extension://abcdef', 'Origin']);
    for (const origin of [
      undefined,
      'https://evil.example',
      'https://wallet.example.evil.example',
      'null',
      'https://WALLET.example',
    ]) {
      expect(await allowed(origin)).toEqual([null, 'Origin']);
    }
  });
});

describe('a share of requests', () => {
  test('is each client’s own, grows back, and says how long to wait', async () => {
    const { server } = await upstreamOf();
    const { relay, clock, events } = relayOf(server.origin, { clientPerMinute: 3 });
    const from = (address: string): Promise<Response> => ask(relay, versionPath, {}, { address });
    for (let at = 0; at < 3; at++) expect((await from('192.0.2.1')).status).toBe(200);
    const refused = await from('192.0.2.1');
    expect(refused.headers.get('retry-after')).toBe('20');
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
    await expectRefused(refused, 429, 'TOO_MANY_REQUESTS');
    expect((await from('192.0.2.2')).status).toBe(200);
    clock.nowMs += 20_000;
    expect([(await from('192.0.2.1')).status, (await from('192.0.2.1')).status]).toEqual([200, 429]);
    for (let at = 0; at < 5; at++) await from('192.0.2.1');
    clock.nowMs += 60_000;
    for (let at = 0; at < 4; at++) await from('192.0.2.1');
    expect(events.filter(({ type }) => type === 'rate-limited')).toEqual([
      { type: 'rate-limited', scope: 'client', count: 1 },
      { type: 'rate-limited', scope: 'client', count: 7 },
    ]);
    expect(JSON.stringify(events)).not.toContain('192.0.2');
  });

  test('is shared by all who cannot be told apart; a header alone tells nothing', async () => {
    const { server } = await upstreamOf();
    const { relay } = relayOf(server.origin, { sharedPerMinute: 5, clientPerMinute: 1 });
    const from = (at: number): Promise<Response> =>
      ask(relay, versionPath, { headers: { 'x-forwarded-for': `192.0.2.${at}`, 'x-real-ip': `${at}`, forwarded: `for=${at}` } });
    const statuses: number[] = [];
    for (let at = 0; at < 7; at++) statuses.push((await from(at)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
  });

  test('follows the entry that the operator’s own proxies wrote', async () => {
    const { server } = await upstreamOf();
    const { relay } = relayOf(server.origin, { trustForwardedFor: 2, clientPerMinute: 1, sharedPerMinute: 2 });
    const from = async (header?: string): Promise<number> =>
      (
        await ask(relay, versionPath, header === undefined ? {} : { headers: { 'x-forwarded-for': header } }, {
          address: '127.0.0.1',
        })
      ).status;
    expect(await from('192.0.2.1, 10.0.0.1')).toBe(200);
    // What a client writes itself stands further left, and makes no new client.
    for (const made of ['6.6.6.6', '7.7.7.7, 8.8.8.8']) expect(await from(`${made}, 192.0.2.1, 10.0.0.2`)).toBe(429);
    expect(await from('192.0.2.2, 10.0.0.1')).toBe(200);
    // Too short, or absent: not through the proxies.
    expect([await from('192.0.2.9'), await from(), await from('192.0.2.9')]).toEqual([200, 200, 429]);
  });

  test('may be counted by whatever the operator knows', async () => {
    const { server } = await upstreamOf();
    const clientOf = ({ headers }: Request): string | null => {
      const name = headers.get('x-installation');
      if (name === 'throws') throw new Error(name);
      return name;
    };
    const { relay } = relayOf(server.origin, { clientOf, clientPerMinute: 1, sharedPerMinute: 2 });
    const from = async (name: string): Promise<number> =>
      (await ask(relay, versionPath, { headers: { 'x-installation': name } })).status;
    expect([await from('a'), await from('b'), await from('a')]).toEqual([200, 200, 429]);
    expect([await from('throws'), await from(''), await from('throws')]).toEqual([200, 200, 429]);
  });

  test('counts a confirmation by its prefixes', async () => {
    const { server, asked } = await upstreamOf();
    const { relay } = relayOf(server.origin, { clientPerMinute: 10 });
    const many = Array.from({ length: 90 }, (_, at) => `b00000${String(at).padStart(2, '0')}`);
    expect((await confirm(relay, many, 3, { address: '192.0.2.1' })).status).toBe(200);
    expect((await confirm(relay, many.slice(0, 11), 3, { address: '192.0.2.1' })).status).toBe(429);
    expect((await confirm(relay, many.slice(0, 11), 3, { address: '192.0.2.2' })).status).toBe(200);
    expect(asked(`/v2${confirmPath}`)).toHaveLength(1);
  });

  test('smaller than a question is paid by all of it', async () => {
    const { server } = await upstreamOf();
    const many = Array.from({ length: 1_000 }, (_, at) => at.toString(16).padStart(8, '0'));
    for (const clientPerMinute of [1, 2, 50]) {
      const { relay, clock } = relayOf(server.origin, { clientPerMinute });
      const from = async (prefixes: readonly string[]): Promise<number> =>
        (await confirm(relay, prefixes, 3, { address: '192.0.2.1' })).status;
      expect([await from(many), await from(many.slice(0, 1))]).toEqual([200, 429]);
      clock.nowMs += 60_000;
      expect(await from(many.slice(0, 20))).toBe(200);
    }
  });

  test('is remembered for so many clients and no more', async () => {
    const { server } = await upstreamOf();
    const { relay, clock, events } = relayOf(server.origin, { clientPerMinute: 1 });
    for (let at = 0; at < 10_050; at++)
      await ask(relay, versionPath, {}, { address: `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}` });
    clock.nowMs += 61_000;
    await versionFrom(relay);
    expect(events.at(-1)).toMatchObject({ type: 'memory', clients: 10_000 });
  });

  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:5678', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:0db8:0000:0000:1:2:3:4', '2001:db8:0:0::/64'],
    ['[2001:DB8::5]:443', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8:0:1::', '2001:db8:0:1::/64'],
    ['', ''],
    ['unknown', 'unknown'],
  ])('of %j is counted for %j', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  test('is also the service’s: beyond it confirmations wait, and none reads as clear', async () => {
    const { server, asked } = await upstreamOf();
    const { relay, events } = relayOf(server.origin, { upstreamPerMinute: 2 });
    for (const prefix of ['a0000001', 'a0000002']) expect((await confirm(relay, [prefix])).status).toBe(200);
    const refused = await confirm(relay, ['a0000003']);
    expect(refused.headers.get('retry-after')).toBe('30');
    await expectRefused(refused, 503, 'SERVICE_UNAVAILABLE');
    // What is known is still given.
    expect((await confirm(relay, ['a0000001', 'a0000002'])).status).toBe(200);
    expect(asked(`/v2${confirmPath}`)).toHaveLength(2);
    expect(events).toContainEqual({ type: 'rate-limited', scope: 'upstream', count: 1 });
  });
});

describe('a confirmation', () => {
  const prefixesOf = ({ body }: Recorded): string[] => (JSON.parse(body.toString()) as { prefixes: string[] }).prefixes;

  test('asks only for what is not known, positive or negative', async () => {
    const { server, answers, asked } = await upstreamOf();
    const { relay, clock } = relayOf(server.origin);
    answers.set(`/v2${versionPath}`, { body: versionOf(server.origin, { algoVersion: 4 }) });
    await versionFrom(relay);
    answers.delete(`/v2${versionPath}`);
    clock.nowMs += 61_000;
    await versionFrom(relay);
    await confirm(relay, ['a0000001', 'b0000001']);
    const answer = await confirm(relay, ['a0000001', 'b0000001', 'a0000002', 'A0000002', 'b0000003']);
    expect(await answer.json()).toEqual({
      hashes: { a0000001: [hashFor('a0000001')], b0000001: [], a0000002: [hashFor('a0000002')], b0000003: [] },
    });
    expect(asked(`/v2${confirmPath}`).map(prefixesOf)).toEqual([
      ['a0000001', 'b0000001'],
      ['a0000002', 'b0000003'],
    ]);
    // Another algorithm is another question.
    await confirm(relay, ['a0000001'], 4);
    expect(asked(`/v2${confirmPath}`)).toHaveLength(3);
    clock.nowMs += 60_000;
    await confirm(relay, ['a0000001', 'b0000001']);
    expect(asked(`/v2${confirmPath}`)).toHaveLength(4);
  });

  test('is not denied by what was known before the list changed', async () => {
    const { server, answers } = await upstreamOf();
    const { relay, clock } = relayOf(server.origin, { confirmTtlMs: 3_600_000 });
    await versionFrom(relay);
    expect(await (await confirm(relay, ['b0000001'])).json()).toEqual({ hashes: { b0000001: [] } });
    answers.set(`/v2${confirmPath}`, { body: { hashes: { b0000001: [hashFor('b0000001')] } } });
    expect(await (await confirm(relay, ['b0000001'])).json()).toEqual({ hashes: { b0000001: [] } });
    answers.set(`/v2${versionPath}`, { body: versionOf(server.origin, { recent: { token: 'r2' } }) });
    clock.nowMs += 61_000;
    await versionFrom(relay);
    expect(await (await confirm(relay, ['b0000001'])).json()).toEqual({ hashes: { b0000001: [hashFor('b0000001')] } });
  });

  test('is not denied for more than five seconds where another instance has given out a newer list', async () => {
    const { server, answers, asked } = await upstreamOf();
    const [mine, other] = [relayOf(server.origin), relayOf(server.origin)];
    await versionFrom(mine.relay);
    expect(await (await confirm(mine.relay, ['a0000001', 'b0000001'])).json()).toMatchObject({ hashes: { b0000001: [] } });
    answers.set(`/v2${versionPath}`, { body: versionOf(server.origin, { recent: { token: 'r2' } }) });
    answers.set(`/v2${confirmPath}`, { body: { hashes: { b0000001: [hashFor('b0000001')] } } });
    // The client has the new list from there, and asks here.
    await versionFrom(other.relay);
    mine.clock.nowMs += 4_999;
    expect(await (await confirm(mine.relay, ['b0000001'])).json()).toEqual({ hashes: { b0000001: [] } });
    mine.clock.nowMs += 1;
    expect(await (await confirm(mine.relay, ['a0000001', 'b0000001'])).json()).toEqual({
      hashes: { a0000001: [hashFor('a0000001')], b0000001: [hashFor('b0000001')] },
    });
    expect(asked(`/v2${confirmPath}`).map(prefixesOf)).toEqual([['a0000001', 'b0000001'], ['b0000001']]);
  });

  test('for an algorithm that no list has is refused, and takes nothing of what all clients share', async () => {
    const { server, asked } = await upstreamOf();
    const { relay } = relayOf(server.origin, { upstreamPerMinute: 2 });
    await confirm(relay, ['a0000001']);
    for (const made of ['4', 4, 'other', 3.5, '3 ', '__proto__']) {
      await expectRefused(await confirm(relay, ['a0000001'], made), 400, 'BAD_REQUEST');
    }
    expect((await confirm(relay, ['a0000002'], '3')).status).toBe(200);
    expect(asked(`/v2${confirmPath}`)).toHaveLength(2);
    expect(asked(`/v2${versionPath}`)).toHaveLength(1);
  });

  test('for an algorithm that another instance has given out is answered once this one has looked', async () => {
    const { server, answers, asked } = await upstreamOf();
    const { relay, clock } = relayOf(server.origin);
    await versionFrom(relay);
    answers.set(`/v2${versionPath}`, { body: versionOf(server.origin, { algoVersion: 4 }) });
    clock.nowMs += 9_999;
    await expectRefused(await confirm(relay, ['a0000001'], 4), 400, 'BAD_REQUEST');
    clock.nowMs += 1;
    expect((await confirm(relay, ['a0000001'], 4)).status).toBe(200);
    expect(asked(`/v2${versionPath}`)).toHaveLength(2);
  });

  test('for an algorithm that the list had is answered however often the list changes', async () => {
    const { server, answers } = await upstreamOf();
    const { relay, clock } = relayOf(server.origin);
    await versionFrom(relay);
    for (let at = 0; at < 10; at++) {
      answers.set(`/v2${versionPath}`, { body: versionOf(server.origin, { algoVersion: 4, recent: { token: `r${at}` } }) });
      clock.nowMs += 61_000;
      await versionFrom(relay);
    }
    expect((await confirm(relay, ['a0000001'], 3)).status).toBe(200);
  });

  test('joins questions that overlap while they are under way', async () => {
    const { server, answers, asked } = await upstreamOf();
    answers.set(`/v2${confirmPath}`, (request) => ({ body: confirmationOf(request), delayMs: 100 }));
    const { relay } = relayOf(server.origin);
    const questions = [['a0000001', 'b0000001'], ['a0000001', 'a0000002'], ['b0000001'], ['a0000002', 'a0000001']];
    const found = await Promise.all(questions.map(async (prefixes) => (await confirm(relay, prefixes)).json()));
    questions.forEach((prefixes, at) => {
      const confirmed = readConfirm(
        found[at],
        prefixes.map((prefix) => Number.parseInt(prefix, 16)),
      );
      for (const prefix of prefixes)
        expect(confirmed.get(Number.parseInt(prefix, 16))).toHaveLength(prefix.startsWith('a') ? 1 : 0);
    });
    const sent = asked(`/v2${confirmPath}`).flatMap(prefixesOf);
    expect(sent.sort()).toEqual(['a0000001', 'a0000002', 'b0000001']);
  });

  test.each([400, 413])('is split where the service answers %i, and the size is remembered', async (status) => {
    const { server, answers, asked } = await upstreamOf();
    answers.set(`/v2${confirmPath}`, (request) =>
      prefixesOf(request).length > 30
        ? { status, body: { message: 'too many', code: 'BAD_REQUEST' } }
        : { body: confirmationOf(request) },
    );
    const { relay, events } = relayOf(server.origin);
    const prefixes = Array.from({ length: 100 }, (_, at) => `a00000${String(at).padStart(2, '0')}`);
    const answer = await confirm(relay, prefixes);
    const { hashes } = (await answer.json()) as { hashes: Record<string, string[]> };
    expect(Object.keys(hashes)).toEqual(prefixes);
    expect(Object.values(hashes).every((group) => group.length === 1)).toBe(true);
    const sizes = asked(`/v2${confirmPath}`).map((request) => prefixesOf(request).length);
    expect(sizes).toEqual([100, 50, 25, 25, 50, 25, 25]);
    await confirm(
      relay,
      prefixes.map((prefix) => prefix.replace('a', 'b')),
    );
    expect(
      asked(`/v2${confirmPath}`)
        .slice(7)
        .map((request) => prefixesOf(request).length),
    ).toEqual([25, 25, 25, 25]);
    expect(events.filter(({ type }) => type === 'upstream-error')).toEqual([]);
  });

  test('that the service does not take at any size is refused after a few requests', async () => {
    const { server, answers, asked } = await upstreamOf();
    answers.set(`/v2${confirmPath}`, { status: 400, body: { message: `unknown algoVersion, ${key}`, code: 'BAD_REQUEST' } });
    const { relay, events } = relayOf(server.origin);
    const prefixes = Array.from({ length: 1_000 }, (_, at) => at.toString(16).padStart(8, '0'));
    const answer = await confirm(relay, prefixes);
    await expectRefused(answer, 400, 'BAD_REQUEST');
    expect(asked(`/v2${confirmPath}`)).toHaveLength(10);
    expect(events.slice(1)).toEqual([{ type: 'upstream-error', route: 'confirm', code: 'BAD_REQUEST', status: 400, pauseMs: 0 }]);
    // One client's question closes nothing for the others.
    answers.delete(`/v2${confirmPath}`);
    expect((await confirm(relay, prefixes)).status).toBe(200);
    expect(asked(`/v2${confirmPath}`)).toHaveLength(11);
  });

  test('for a service that takes few at once ends after so many requests', async () => {
    const { server, answers, asked } = await upstreamOf();
    answers.set(`/v2${confirmPath}`, (request) =>
      prefixesOf(request).length > 1 ? { status: 413 } : { body: confirmationOf(request) },
    );
    const { relay } = relayOf(server.origin);
    const prefixes = Array.from({ length: 1_000 }, (_, at) => at.toString(16).padStart(8, '0'));
    await expectRefused(await confirm(relay, prefixes), 502, 'BAD_GATEWAY');
    expect(asked(`/v2${confirmPath}`).length).toBeLessThanOrEqual(32);
  });

  test.each<[string, Answer]>([
    ['a page', { body: '<html></html>', headers: { 'content-type': 'text/html' } }],
    ['an empty object', { body: {} }],
    ['an empty body', { body: '' }],
    ['null', { body: 'null' }],
    ['another object', { body: { ok: true, message: 'fine' } }],
    ['an error that says 200', { body: { message: 'no', code: 'INTERNAL_SERVER_ERROR' } }],
    ['204', { status: 204 }],
    ['500', { status: 500, body: { message: 'no', code: 'INTERNAL_SERVER_ERROR' } }],
    ['401', { status: 401, body: { message: `no ${key}`, code: 'UNAUTHORIZED' } }],
    ['404', { status: 404, body: { message: 'no', code: 'NOT_FOUND' } }],
    ['429', { status: 429, body: {} }],
    ['a redirect', { status: 302, headers: { location: '/elsewhere' } }],
    ['half of it', { fault: 'cut', body: { hashes: {} } }],
    ['more than it may', { body: { hashes: { a0000001: ['x'.repeat(2 * 1024 * 1024)] } } }],
  ])('that ends in %s is an error and never "not listed"', async (_, bad) => {
    const { server, answers } = await upstreamOf();
    const { relay, clock, events } = relayOf(server.origin);
    answers.set(`/v2${confirmPath}`, bad);
    // One is known: still no answer of which a part would be missing.
    const answer = await confirm(relay, ['a0000001', 'b0000001']);
    expect([502, 503]).toContain(answer.status);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    const envelope = await answer.json();
    expect(envelope).toEqual({ message: expect.any(String), code: expect.stringMatching(/^(BAD_GATEWAY|SERVICE_UNAVAILABLE)$/) });
    expect(() => readConfirm(envelope, [0xa0000001])).toThrow();
    expect(JSON.stringify([envelope, events])).not.toContain(key);
    answers.delete(`/v2${confirmPath}`);
    clock.nowMs += 1_000;
    expect(await (await confirm(relay, ['a0000001', 'b0000001'])).json()).toEqual({
      hashes: { a0000001: [hashFor('a0000001')], b0000001: [] },
    });
  });

  test('has only hashes that were asked for and are whole', async () => {
    const { server, answers } = await upstreamOf();
    const { relay } = relayOf(server.origin);
    const body = {
      matches: [
        { prefix: 'A0000001', hashes: [hashFor('a0000001'), hashFor('a0000002'), 'a0000001', 7, `<script>${key}`] },
        { prefix: 'c0000001', hashes: [hashFor('c0000001')] },
      ],
    };
    answers.set(`/v2${confirmPath}`, { body: JSON.stringify(body).replace(key, '') });
    expect(await (await confirm(relay, ['a0000001'])).json()).toEqual({ hashes: { a0000001: [hashFor('a0000001')] } });
  });

  test.each<[string, BodyInit | null, number]>([
    ['nothing', null, 400],
    ['no JSON', '{', 400],
    ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 400],
    ['null', 'null', 400],
    ['a list', '[]', 400],
    ['no algoVersion', '{"prefixes":["a0000001"]}', 400],
    ['an empty algoVersion', '{"algoVersion":"","prefixes":["a0000001"]}', 400],
    ['a long algoVersion', JSON.stringify({ algoVersion: 'x'.repeat(65), prefixes: ['a0000001'] }), 400],
    ['an algoVersion with a line break', JSON.stringify({ algoVersion: 'a\nb', prefixes: ['a0000001'] }), 400],
    ['an object for an algoVersion', '{"algoVersion":{},"prefixes":["a0000001"]}', 400],
    ['no prefixes', '{"algoVersion":3}', 400],
    ['an empty list', '{"algoVersion":3,"prefixes":[]}', 400],
    ['a text for a list', '{"algoVersion":3,"prefixes":"a0000001"}', 400],
    ['a short prefix', '{"algoVersion":3,"prefixes":["a000001"]}', 400],
    ['a whole hash', JSON.stringify({ algoVersion: 3, prefixes: [hashFor('a0000001')] }), 400],
    ['no hex', '{"algoVersion":3,"prefixes":["a000000g"]}', 400],
    ['a prefix with a line break', JSON.stringify({ algoVersion: 3, prefixes: ['a0000001\n'] }), 400],
    ['a number', '{"algoVersion":3,"prefixes":[1]}', 400],
    ['one bad among good', '{"algoVersion":3,"prefixes":["a0000001",null]}', 400],
    ['too many', JSON.stringify({ algoVersion: 3, prefixes: Array(1_001).fill('a0000001') }), 413],
    ['too many bytes', ' '.repeat(32 * 1024 + 1), 413],
    ['too many bytes, bit by bit', new Blob([' '.repeat(32 * 1024 + 1)]).stream(), 413],
  ])('with %s never reaches the service', async (_, body, status) => {
    const { server } = await upstreamOf();
    const { relay } = relayOf(server.origin);
    const answer = await ask(relay, confirmPath, { method: 'POST', body, duplex: 'half' } as RequestInit);
    await expectRefused(answer, status, status === 400 ? 'BAD_REQUEST' : 'PAYLOAD_TOO_LARGE');
    expect(server.requests).toEqual([]);
  });

  test('that is far too large is refused before it is read', async () => {
    const { server } = await upstreamOf();
    const origin = await listen(relayOf(server.origin).relay);
    const answer = await get(origin, confirmPath, { method: 'POST', body: Buffer.alloc(5_000_000, 0x20) }).catch(
      (error: { code: string }) => error.code,
    );
    if (typeof answer === 'string') expect(['EPIPE', 'ECONNRESET']).toContain(answer);
    else expect(answer.status).toBe(413);
    expect((await get(origin, versionPath)).status).toBe(200);
  });

  test.each([
    ['that nobody reads', '/foo', 404],
    ['that is too large by its header', confirmPath, 413],
  ])('%s leaves its connection fit for the next request', async (_, path, status) => {
    const { server } = await upstreamOf();
    const origin = await listen(relayOf(server.origin).relay);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    for (let round = 0; round < 3; round++) {
      expect((await get(origin, path, { method: 'POST', body: Buffer.alloc(200_000, 0x20), agent })).status).toBe(status);
      expect((await get(origin, versionPath, { agent })).status).toBe(200);
    }
  });

  test('that is too large bit by bit leaves its connection fit for the next request', async () => {
    const { server } = await upstreamOf();
    const origin = await listen(relayOf(server.origin).relay);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const headers = { 'transfer-encoding': 'chunked' };
    for (let round = 0; round < 3; round++) {
      expect((await get(origin, confirmPath, { method: 'POST', body: Buffer.alloc(200_000, 0x20), headers, agent })).status).toBe(
        413,
      );
      expect((await get(origin, versionPath, { agent })).status).toBe(200);
    }
  });

  test('that comes a byte at a time for too long is refused', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    let cancelled = false;
    const body = new ReadableStream(
      {
        cancel: () => {
          cancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    const { relay } = relayOf('https://api.example');
    const answer = ask(relay, confirmPath, { method: 'POST', body, duplex: 'half' } as RequestInit);
    await vi.advanceTimersByTimeAsync(10_000);
    await expectRefused(await answer, 408, 'TIMEOUT');
    expect(cancelled).toBe(true);
  });

  test('finds so many others under way and no more', async () => {
    const { server, answers, asked } = await upstreamOf();
    answers.set(`/v2${confirmPath}`, (request) => ({ body: confirmationOf(request), delayMs: 500 }));
    const { relay, clock } = relayOf(server.origin, { prefixesMax: 2 });
    await versionFrom(relay);
    const many = (from: number): Promise<Response[]> =>
      Promise.all(
        Array.from({ length: 40 }, (_, at) =>
          confirm(
            relay,
            [0, 1].map((of) => (from + 2 * at + of).toString(16)),
          ),
        ),
      );
    const found = await many(0xa0000000);
    expect(found.filter(({ status }) => status === 200)).toHaveLength(32);
    expect(found.filter(({ status }) => status === 503)).toHaveLength(8);
    expect(asked(`/v2${confirmPath}`)).toHaveLength(32);
    // What never ends, as in a worker that ended with its request, keeps no place for ever.
    answers.set(`/v2${confirmPath}`, { fault: 'hang' });
    const lost = many(0xb0000000);
    await sleep(100);
    clock.nowMs += 10_000;
    answers.delete(`/v2${confirmPath}`);
    expect((await confirm(relay, ['a1000000'])).status).toBe(200);
    expect(new Set((await lost).map(({ status }) => status))).toEqual(new Set([503]));
  });

  test('of two hundred clients at once is asked for in a few requests, and fails for none', async () => {
    const warnings: string[] = [];
    const warn = (warning: Error): unknown => warnings.push(warning.name);
    process.on('warning', warn);
    onTestFinished(() => {
      process.off('warning', warn);
    });
    const { server, answers, asked } = await upstreamOf();
    answers.set(`/v2${confirmPath}`, (request) => ({ body: confirmationOf(request), delayMs: 200 }));
    const { relay } = relayOf(server.origin, { clientPerMinute: 1_000 });
    const origin = await listen(relay);
    const found = await Promise.all(
      Array.from({ length: 200 }, async (_, at) => {
        const prefix = (0xa0000000 + at).toString(16);
        const body = JSON.stringify({ algoVersion: 3, prefixes: [prefix] });
        const answer = await get(origin, confirmPath, { method: 'POST', body });
        return [answer.status, JSON.parse(answer.body.toString())] as const;
      }),
    );
    found.forEach(([status, answer], at) => {
      const prefix = (0xa0000000 + at).toString(16);
      expect([status, answer]).toEqual([200, { hashes: { [prefix]: [hashFor(prefix)] } }]);
    });
    expect(asked(`/v2${confirmPath}`).length).toBeLessThan(32);
    expect(asked(`/v2${confirmPath}`).flatMap(prefixesOf)).toHaveLength(200);
    expect(warnings).toEqual([]);
  });

  test('joins others up to the size of one request', async () => {
    const { server, asked } = await upstreamOf();
    const { relay } = relayOf(server.origin, { prefixesMax: 10 });
    await versionFrom(relay);
    const questions = [4, 4, 4, 10, 1].map((count, question) =>
      Array.from({ length: count }, (_, at) => (0xa0000000 + question * 16 + at).toString(16)),
    );
    const found = await Promise.all(questions.map((prefixes) => confirm(relay, prefixes)));
    for (const { status } of found) expect(status).toBe(200);
    expect(
      asked(`/v2${confirmPath}`)
        .map((request) => prefixesOf(request).length)
        .sort((a, b) => a - b),
    ).toEqual([1, 4, 8, 10]);
  });

  test.each([
    [400, 400, 'BAD_REQUEST'],
    [404, 502, 'BAD_GATEWAY'],
    [409, 502, 'BAD_GATEWAY'],
    [413, 502, 'BAD_GATEWAY'],
    [422, 400, 'BAD_REQUEST'],
  ])('that the service refuses with %i stops none of the others', async (refusal, status, code) => {
    const { server, answers } = await upstreamOf();
    const { relay } = relayOf(server.origin);
    answers.set(`/v2${confirmPath}`, (request) =>
      prefixesOf(request).includes('a0000666') ? { status: refusal, body: {} } : { body: confirmationOf(request) },
    );
    await expectRefused(await confirm(relay, ['a0000666']), status, code);
    expect((await confirm(relay, ['a0000001'])).status).toBe(200);
  });

  test('may have as many prefixes as the bound says', async () => {
    const { server, asked } = await upstreamOf();
    const prefixes = Array.from({ length: 2_000 }, (_, at) => at.toString(16).padStart(8, '0'));
    const { relay } = relayOf(server.origin, { prefixesMax: 2_000 });
    expect((await confirm(relay, prefixes)).status).toBe(200);
    expect(asked(`/v2${confirmPath}`)).toHaveLength(1);
  });

  test('carries nothing else to the service', async () => {
    const { server, asked } = await upstreamOf();
    const { relay } = relayOf(server.origin);
    const body = JSON.stringify({ algoVersion: 3, prefixes: ['A0000001'], url: 'https://visited.example/', __proto__: 1 });
    await ask(relay, confirmPath, {
      method: 'POST',
      body,
      headers: { referer: 'https://visited.example/', 'user-agent': 'visited', cookie: 'visited' },
    });
    const [{ headers, body: sent }] = asked(`/v2${confirmPath}`) as [Recorded];
    expect(sent.toString()).toBe('{"algoVersion":3,"prefixes":["a0000001"]}');
    expect(JSON.stringify(headers)).not.toContain('visited');
  });

  test('whose body breaks off or was read before is refused', async () => {
    const { server } = await upstreamOf();
    const { relay } = relayOf(server.origin);
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) });
    await expectRefused(
      await ask(relay, confirmPath, { method: 'POST', body: broken, duplex: 'half' } as RequestInit),
      400,
      'BAD_REQUEST',
    );
    const texts = new ReadableStream({ start: (controller) => controller.enqueue('text') });
    await expectRefused(
      await ask(relay, confirmPath, { method: 'POST', body: texts, duplex: 'half' } as RequestInit),
      400,
      'BAD_REQUEST',
    );
    const read = new Request(`http://relay${confirmPath}`, { method: 'POST', body: '{}' });
    await read.text();
    await expectRefused(await relay.fetch(read), 400, 'BAD_REQUEST');
  });

  test('survives the client that asked first', async () => {
    const { server, answers, asked } = await upstreamOf();
    answers.set(`/v2${confirmPath}`, (request) => ({ body: confirmationOf(request), delayMs: 150 }));
    const { relay } = relayOf(server.origin);
    const origin = await listen(relay);
    const body = JSON.stringify({ algoVersion: 3, prefixes: ['a0000001'] });
    const first = new AbortController();
    const gone = fetch(origin + confirmPath, { method: 'POST', body, signal: first.signal }).catch((error: Error) => error.name);
    await sleep(50);
    const second = get(origin, confirmPath, { method: 'POST', body });
    await sleep(20);
    first.abort();
    expect(await gone).toBe('AbortError');
    expect((await second).status).toBe(200);
    expect(asked(`/v2${confirmPath}`)).toHaveLength(1);
  });

  test('is remembered for so many prefixes and no more', async () => {
    const { server } = await upstreamOf();
    const { relay, clock, events } = relayOf(server.origin);
    for (let round = 0; round < 21; round++) {
      const prefixes = Array.from({ length: 1_000 }, (_, at) => (0xa0000000 + round * 1_000 + at).toString(16));
      expect((await confirm(relay, prefixes)).status).toBe(200);
    }
    clock.nowMs += 61_000;
    await versionFrom(relay);
    // Each with one hash.
    expect(events.at(-1)).toMatchObject({ type: 'memory', confirmations: 10_000 });
  });
});

describe('a worker', () => {
  test('is kept alive until the work that others joined is done', async () => {
    const { server, answers } = await upstreamOf();
    answers.set(`/v2${versionPath}`, () => ({ body: versionOf(server.origin), delayMs: 50 }));
    const { relay } = relayOf(server.origin);
    const kept: Promise<unknown>[] = [];
    await ask(relay, versionPath, {}, { waitUntil: (work) => kept.push(work) });
    expect(kept).toHaveLength(1);
    await kept[0];
    // Other things that platforms hand over are left alone.
    for (const other of [null, 7, 'x', { waitUntil: 1, address: {} }])
      expect((await ask(relay, versionPath, {}, other as never)).status).toBe(200);
  });

  test('that will not wait gets its answer all the same', async () => {
    const { server } = await upstreamOf();
    const { relay } = relayOf(server.origin);
    const waitUntil = (): void => {
      throw new Error('the request has ended');
    };
    expect((await ask(relay, versionPath, {}, { waitUntil })).status).toBe(200);
  });

  test('that loses shared work begins it anew', async () => {
    const { server } = await upstreamOf();
    let lost = true;
    const fetch = (url: string, init?: unknown): Promise<Response> =>
      lost ? new Promise(() => {}) : globalThis.fetch(url, init as RequestInit);
    const { relay, clock } = relayOf(server.origin, { fetch: fetch as never, timeoutMs: 100 });
    await expectRefused(await ask(relay, versionPath), 503, 'SERVICE_UNAVAILABLE');
    lost = false;
    clock.nowMs += 60_000;
    await versionFrom(relay);
  });

  test('does not join work that should have ended long ago', async () => {
    let nowMs = 0;
    const underWay = new Set<Promise<unknown>>();
    const flights = createFlights<number>(1_000, () => nowMs, underWay);
    let runs = 0;
    const lost = (): Promise<number> => {
      runs++;
      return new Promise(() => {});
    };
    void flights.join('a', lost);
    nowMs = 999;
    void flights.join('a', lost);
    expect([runs, underWay.size]).toEqual([1, 1]);
    nowMs = 1_000;
    expect(flights.underWay('a')).toBeUndefined();
    expect(await flights.join('a', async () => 7)).toBe(7);
    expect([runs, underWay.size]).toEqual([1, 1]);
  });

  test('calls the fetch that is there at the time', async () => {
    const { fetch } = globalThis;
    onTestFinished(() => {
      globalThis.fetch = fetch;
    });
    const { relay } = relayOf('https://api.example');
    globalThis.fetch = async () => Response.json(versionOf('https://files.example'));
    await versionFrom(relay);
  });
});

describe('the end', () => {
  test('ends what is under way and answers 503', async () => {
    const { server, answers, asked } = await upstreamOf();
    answers.set(`/v2${versionPath}`, { fault: 'hang' });
    const { relay, events } = relayOf(server.origin, { timeoutMs: 60_000 });
    const waiting = ask(relay, versionPath);
    while (asked(`/v2${versionPath}`).length === 0) await sleep(5);
    await relay.close();
    await expectRefused(await waiting, 503, 'SERVICE_UNAVAILABLE');
    await expectRefused(await ask(relay, versionPath), 503, 'SERVICE_UNAVAILABLE');
    expect(asked(`/v2${versionPath}`)).toHaveLength(1);
    expect(events).toEqual([]);
    await relay.close();
  });

  test('waits for no key that never comes', async () => {
    const { relay } = relayOf('https://api.example', { apiKey: () => new Promise(() => {}), timeoutMs: 60_000 });
    const waiting = ask(relay, versionPath);
    await sleep(20);
    await relay.close();
    await expectRefused(await waiting, 503, 'SERVICE_UNAVAILABLE');
  });
});

describe('options', () => {
  const good: RelayOptions = { baseUrl: 'https://api.example/v2', apiKey: key, publicUrl };
  const codeOf = (options: unknown): string => {
    try {
      createRelay(options as RelayOptions);
      return 'none';
    } catch (error) {
      expect(String(error)).not.toContain(key);
      if (isPortcullisError(error)) return error.code;
      expect(error).toBeInstanceOf(TypeError);
      return 'TypeError';
    }
  };

  test.each([
    [{ baseUrl: 'http://localhost:1/' }],
    [{ publicUrl: 'http://127.0.0.1:1/list/' }],
    [{ publicUrl: 'HTTPS://Relay.example:8443/Some/v1.0/List' }],
    [{ baseUrl: 'http://api.internal', allowInsecureHttp: true }],
    [{ origins: [] }],
    [{ staleMaxMs: 0, confirmTtlMs: 0 }],
    [{ trustForwardedFor: 1, onEvent: undefined, fetch: undefined }],
  ])('%j are taken', (options) => {
    expect(codeOf({ ...good, ...options })).toBe('none');
  });

  test.each<[object, string]>([
    [{ baseUrl: undefined }, 'TypeError'],
    [{ publicUrl: undefined }, 'TypeError'],
    [{ apiKey: undefined }, 'TypeError'],
    [{ apiKey: 7 }, 'TypeError'],
    [{ origins: 'https://a.example' }, 'TypeError'],
    [{ origins: [7] }, 'TypeError'],
    [{ clientOf: 'ip' }, 'TypeError'],
    [{ fetch: 1 }, 'TypeError'],
    [{ now: 1 }, 'TypeError'],
    [{ onEvent: {} }, 'TypeError'],
    [{ versionTtlMs: '60000' }, 'TypeError'],
    [{ trustForwardedFor: true }, 'TypeError'],
    [{ baseUrl: 'api.example' }, 'INVALID_INPUT'],
    [{ baseUrl: 'http://api.example' }, 'INVALID_INPUT'],
    [{ baseUrl: `https://${key}@api.example` }, 'INVALID_INPUT'],
    [{ baseUrl: `https://api.example/?key=${key}` }, 'INVALID_INPUT'],
    [{ publicUrl: 'http://relay.example' }, 'INVALID_INPUT'],
    [{ publicUrl: '/list' }, 'INVALID_INPUT'],
    [{ publicUrl: 'https://relay.example/my%20list' }, 'INVALID_INPUT'],
    [{ publicUrl: 'https://relay.example//x' }, 'INVALID_INPUT'],
    [{ publicUrl: 'https://relay.example/a/../b' }, 'INVALID_INPUT'],
    [{ publicUrl: 'https://relay.example/#a' }, 'INVALID_INPUT'],
    [{ apiKey: '' }, 'INVALID_INPUT'],
    [{ apiKey: `${key}\n` }, 'INVALID_INPUT'],
    [{ origins: ['*'] }, 'INVALID_INPUT'],
    [{ origins: ['null'] }, 'INVALID_INPUT'],
    [{ origins: ['https://a.example/'] }, 'INVALID_INPUT'],
    [{ versionTtlMs: 999 }, 'INVALID_INPUT'],
    [{ versionTtlMs: Number.NaN }, 'INVALID_INPUT'],
    [{ staleMaxMs: 86_400_001 }, 'INVALID_INPUT'],
    [{ confirmTtlMs: -1 }, 'INVALID_INPUT'],
    [{ timeoutMs: 0 }, 'INVALID_INPUT'],
    [{ artifactTimeoutMs: 2 ** 31 }, 'INVALID_INPUT'],
    [{ cacheBytesMax: 0 }, 'INVALID_INPUT'],
    [{ prefixesMax: 2_001 }, 'INVALID_INPUT'],
    [{ clientPerMinute: 0 }, 'INVALID_INPUT'],
    [{ trustForwardedFor: 0 }, 'INVALID_INPUT'],
    [{ trustForwardedFor: 1.5 }, 'INVALID_INPUT'],
    [{ trustForwardedFor: 11 }, 'INVALID_INPUT'],
  ])('%j are refused with %s', (options, code) => {
    expect(codeOf({ ...good, ...options })).toBe(code);
  });

  test('that are none are refused', () => {
    for (const none of [undefined, null, 7]) expect(codeOf(none)).toBe('TypeError');
  });

  test('may have a listener that throws', async () => {
    const { server } = await upstreamOf();
    const { relay } = relayOf(server.origin, {
      onEvent: () => {
        throw new Error('listener');
      },
    });
    await versionFrom(relay);
  });
});

describe('whatever comes', () => {
  const segments = fc.constantFrom(
    'asset',
    'blocklist',
    'version',
    'confirm',
    'artifact',
    '..',
    '.',
    '%2e%2e',
    '%2F',
    '',
    'a',
    'v2',
    'list',
    '?x',
    '#',
    '0'.repeat(32),
  );
  const path = fc.oneof(
    fc.array(segments, { maxLength: 6 }).map((parts) => `/${parts.join('/')}`),
    fc.constantFrom(versionPath, confirmPath, `/m${versionPath}`, `/artifact/${'a'.repeat(32)}`),
    fc.webPath(),
  );
  const body = fc.oneof(
    fc.string(),
    fc.json(),
    fc.record({ algoVersion: fc.oneof(fc.string(), fc.integer(), fc.anything()), prefixes: fc.anything() }).map((value) => {
      try {
        return JSON.stringify(value) ?? '';
      } catch {
        return '';
      }
    }),
    fc
      .record({
        algoVersion: fc.oneof(fc.constant(3), fc.integer(), fc.string({ minLength: 1 })),
        prefixes: fc.array(fc.stringMatching(/^[0-9a-f]{7,9}$/), { maxLength: 4 }),
      })
      .map((value) => JSON.stringify(value)),
  );
  const header = fc.constantFrom(
    'host',
    'x-forwarded-host',
    'x-forwarded-for',
    'if-none-match',
    'origin',
    'x-api-key',
    'content-type',
    'range',
    'cookie',
  );

  test('is answered with what is ours, and reaches the service only as one of its two questions', async () => {
    const { server } = await upstreamOf();
    const { relay, events } = relayOf(server.origin, { sharedPerMinute: 1e9, upstreamPerMinute: 1e9 });
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(
        path,
        fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'OPTIONS', 'DELETE'),
        body,
        fc.dictionary(header, fc.stringMatching(/^[ -~]{0,20}$/), { maxKeys: 3 }),
        async (at, method, sent, headers) => {
          const before = server.requests.length;
          const hasBody = method !== 'GET' && method !== 'HEAD';
          const answer = await relay.fetch(
            new Request(`http://evil.example${at}`, { method, headers, ...(hasBody && { body: sent }) }),
          );
          seen.add(answer.status);
          expect([200, 204, 304, 400, 404, 405, 413]).toContain(answer.status);
          const text = await answer.text();
          if (answer.status >= 400 && method !== 'HEAD') {
            const envelope = JSON.parse(text) as object;
            expect(Object.keys(envelope)).toEqual(['message', 'code']);
          }
          if (answer.status === 200 && text !== '') JSON.parse(text);
          const said = JSON.stringify([text, [...answer.headers]]);
          expect(said).not.toContain(key);
          expect(text).not.toContain('evil.example');
          for (const request of server.requests.slice(before)) {
            if (request.method === 'GET') expect(request.url).toBe(`/v2${versionPath}`);
            else {
              expect([request.method, request.url]).toEqual(['POST', `/v2${confirmPath}`]);
              const { prefixes } = JSON.parse(request.body.toString()) as { prefixes: string[] };
              expect(prefixes.every((prefix) => /^[0-9a-f]{8}$/.test(prefix))).toBe(true);
              expect(answer.status).toBe(200);
            }
          }
        },
      ),
    );
    expect(JSON.stringify(events)).not.toContain(key);
    expect([...seen].filter((status) => [200, 204, 400, 404, 405].includes(status)).length).toBeGreaterThanOrEqual(4);
  });

  test('a service says, the key is in no answer and no event, and an error is never a list', async () => {
    const { server, answers } = await upstreamOf();
    const anyAnswer = fc.oneof(
      fc.record({
        status: fc.constantFrom(200, 201, 400, 401, 403, 404, 409, 413, 422, 429, 500, 503),
        body: fc.oneof(
          fc.constant({ message: `the key ${key} is bad`, code: key }),
          fc.constant({ hashes: { [key]: [key] } }),
          fc.json().map((text) => text as unknown),
          fc.constant(`<html>${key}`),
        ),
      }),
      fc.record({
        status: fc.constantFrom(301, 302, 307, 308),
        headers: fc.constantFrom({ location: `/x?key=${key}` }, { location: `https://evil.example/${key}` }),
      }),
      fc.constant({ fault: 'reset' } as const),
    );
    await fc.assert(
      fc.asyncProperty(anyAnswer, fc.constantFrom('version', 'confirm', 'file'), async (bad, route) => {
        answers.clear();
        const { relay, events } = relayOf(server.origin);
        const paths = { version: `/v2${versionPath}`, confirm: `/v2${confirmPath}`, file: '/files/recent' };
        answers.set(paths[route], bad as Answer);
        const version = await ask(relay, versionPath);
        const text = await version.text();
        const got = [version];
        const said = [text];
        if (version.status === 200) got.push(await ask(relay, pathOf(readVersion(JSON.parse(text)).recent.url)));
        got.push(await confirm(relay, ['a0000001']));
        for (const answer of got.slice(1))
          if (!answer.bodyUsed && answer.headers.get('content-type') === 'application/json') said.push(await answer.text());
        for (const answer of got) said.push(JSON.stringify([...answer.headers]));
        expect(JSON.stringify([said, events])).not.toContain(key);
        for (const answer of got) expect([200, 400, 502, 503]).toContain(answer.status);
        expect(events.filter(({ type }) => type === 'internal-error')).toEqual([]);
        await relay.close();
      }),
    );
  });
});

test('a bundle has nothing of the client, of zod, of undici or of a platform', async () => {
  const { metafile, outputFiles } = await build({
    entryPoints: ['src/entry/relay.ts'],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    metafile: true,
    write: false,
  });
  const parts = new Set(Object.keys(metafile.inputs).map((path) => /^src\/([\w-]+)/.exec(path)?.[1] ?? path));
  const own = [...parts].filter((part) => !/^node_modules\/@(?:noble\/hashes|scure\/base)\//.test(part)).sort();
  expect(own).toEqual([
    'algorithms',
    'assets',
    'bytes',
    'entry',
    'errors',
    'formats',
    'generation',
    'hashing',
    'http',
    'limits',
    'prefixes',
    'relay',
    'slices',
    'sources',
    'sync',
  ]);
  expect(outputFiles[0]?.text).not.toMatch(/console\.|process\.|require\(/);
});
