import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Answer, serve } from '../../support/scripted-server.js';
import { startExampleRelay } from './example-relay.js';

const sealed = { 'content-type': 'message/ohttp-res' };
const headers = { 'content-type': 'message/ohttp-req' };

const post = (url: string, body: BodyInit, more: Record<string, string> = {}): Promise<Response> =>
  fetch(url, { method: 'POST', headers: { ...headers, ...more }, body, duplex: 'half' } as RequestInit);

test('passes the body on to one gateway, and nothing that tells who sent it', async () => {
  const gateway = await serve([
    { headers: { ...sealed, 'set-cookie': 'id=1', server: 'gateway' }, body: Buffer.alloc(4_128, 7) },
  ]);
  const relay = await startExampleRelay(`${gateway.origin}/ohttp`);
  const telling = {
    origin: 'https://wallet.example',
    referer: 'https://wallet.example/page',
    cookie: 'session=secret',
    'user-agent': 'Wallet/1.2',
    'accept-language': 'de-CH',
    'sec-ch-ua-platform': 'Plan 9',
    'x-forwarded-for': '192.0.2.7',
    authorization: 'Bearer secret',
  };
  const answer = await post(`${relay.url}?who=me`, Buffer.alloc(1_079, 1), telling);
  expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
    200,
    'message/ohttp-res',
    'no-store',
  ]);
  expect((await answer.arrayBuffer()).byteLength).toBe(4_128);
  for (const name of ['set-cookie', 'server', 'via']) expect(answer.headers.get(name)).toBeNull();

  const [request] = gateway.requests;
  expect([request!.method, request!.url, request!.body.length]).toEqual(['POST', '/ohttp', 1_079]);
  // What its own fetch sends for everyone, and nothing else.
  const own = 'host connection content-type content-length accept accept-language accept-encoding sec-fetch-mode user-agent';
  expect(own.split(' ')).toEqual(expect.arrayContaining(Object.keys(request!.headers)));
  const { 'user-agent': agent, 'accept-language': language } = request!.headers;
  expect([agent, language]).toEqual(['node', '*']);
  expect(relay.output()).toMatch(/^listening \d+\n$/);
});

test('answers the preflight of browsers, and refuses all but sealed requests of a limited size', async () => {
  const gateway = await serve([{ headers: sealed, body: Buffer.alloc(33) }]);
  const { url } = await startExampleRelay(gateway.origin);
  const preflight = await fetch(url, { method: 'OPTIONS', headers: { origin: 'https://a.example' } });
  expect(preflight.status).toBe(204);
  expect(Object.fromEntries(preflight.headers)).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'content-type',
  });
  const statuses: number[] = [];
  for (const method of ['GET', 'PUT', 'DELETE']) statuses.push((await fetch(url, { method })).status);
  statuses.push((await post(url, '{}', { 'content-type': 'application/json' })).status);
  statuses.push((await post(url, Buffer.alloc(128 * 1024 + 1))).status);
  expect(statuses).toEqual([405, 405, 405, 415, 413]);
  expect(gateway.requests).toEqual([]);
  expect((await post(url, Buffer.alloc(128 * 1024))).status).toBe(200);
  let chunks = 0;
  // Without a length in front. It yields, because after a broken connection `fetch` goes on reading and would block everything else.
  const long = new ReadableStream({
    async pull(to) {
      await new Promise(setImmediate);
      if (chunks++ === 100) to.close();
      else to.enqueue(new Uint8Array(64 * 1024));
    },
  });
  // The connection may be closed before the client has read the answer.
  expect(
    await post(url, long).then(
      ({ status }) => status,
      () => 413,
    ),
  ).toBe(413);
  expect(gateway.requests.length).toBe(1);
});

test.each<[string, Answer, number]>([
  ['an unknown key', { status: 422, headers: { 'content-type': 'application/problem+json' }, body: '{"type":"x"}' }, 422],
  ['too many requests', { status: 429, headers: { 'retry-after': '7' }, body: { message: 'no' } }, 429],
  ['a page instead of a sealed answer', { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>' }, 502],
  ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 502],
  ['a connection that breaks', { headers: sealed, fault: 'reset' }, 502],
  ['an answer that is cut off', { headers: sealed, body: Buffer.alloc(100), fault: 'cut' }, 502],
  ['an answer without an end', { headers: sealed, fault: 'endless' }, 502],
])('asks the gateway once, and makes of %s an answer without its headers', async (_, answer, status) => {
  const gateway = await serve([{ ...answer, headers: { ...answer.headers, 'x-more': 'more' } }]);
  const { url } = await startExampleRelay(gateway.origin);
  const got = await post(url, Buffer.alloc(1_079));
  expect([got.status, got.headers.get('x-more'), got.headers.get('access-control-allow-origin')]).toEqual([status, null, '*']);
  expect(got.headers.get('retry-after')).toBe(status === 429 ? '7' : null);
  expect(await got.text()).toBe(status === 422 ? '{"type":"x"}' : '');
  expect(gateway.requests.length).toBe(1);
});

test('says that a gateway is gone, and goes on', async () => {
  const gateway = await serve([{}]);
  const { url } = await startExampleRelay(gateway.origin);
  await gateway.close();
  expect((await post(url, Buffer.alloc(10))).status).toBe(502);
  expect((await fetch(url, { method: 'OPTIONS' })).status).toBe(204);
});

test('has at most 80 lines', () => {
  expect(readFileSync('examples/ohttp-relay/relay.mjs', 'utf8').split('\n').length - 1).toBeLessThanOrEqual(80);
});
