import { serviceSource } from 'portcullis/sources';
import { createService } from 'portcullis/testing';
import { expect, onTestFinished, test } from 'vitest';
import { type FetchInit, type FetchLike, type FetchResponse, plainFetches } from '../../../src/core/http/fetch.js';

const base = 'http://localhost';

function opened(options: Parameters<typeof createService>[0] = {}) {
  const service = createService(options);
  onTestFinished(() => service.close());
  const plain = plainFetches.get(service.fetch as FetchLike)!;
  return { service, plain };
}

async function contentOf(response: FetchResponse) {
  const headers: Record<string, string> = {};
  response.headers.forEach!((value, name) => {
    headers[name] = value;
  });
  return { status: response.status, headers, bytes: new Uint8Array(await response.arrayBuffer()) };
}

test('answers in this process as `fetch` does, with and without a body, a key and a fault', async () => {
  const { service, plain } = opened();
  const key = { 'X-API-KEY': service.key };
  const version = await (await service.fetch(`${base}/asset/blocklist/version`, { headers: key })).json();
  const json = { ...key, 'Content-Type': 'application/json' };
  const calls: [path: string, init?: FetchInit][] = [
    ['/asset/blocklist/version', { headers: key }],
    ['/asset/blocklist/version'],
    ['/asset/blocklist/version', { headers: { 'x-api-key': 'wrong' } }],
    [new URL(version.snapshot.url, base).pathname, { headers: {} }],
    [new URL(version.snapshot.url, base).pathname, { method: 'POST', headers: key, body: '{}' }],
    ['/asset/check', { method: 'POST', headers: json, body: JSON.stringify({ type: 'URL', content: 'sc\u00e4m.example' }) }],
    ['/asset/check', { method: 'POST', headers: key, body: '{}' }],
    ['/asset/check', { method: 'POST', headers: json, body: 'no json' }],
    ['/no/such/path', { headers: key }],
    ['/asset/blocklist/version', { method: 'OPTIONS', headers: key }],
    ['/asset/blocklist/version', { method: 'HEAD', headers: key }],
  ];
  for (const [path, init] of calls) {
    const expected = await contentOf((await service.fetch(base + path, init as RequestInit)) as FetchResponse);
    expect(await contentOf(await plain(base + path, init)), path).toEqual(expected);
  }
  for (const kind of ['status', 'wrong-type'] as const) {
    service.faults.add({ kind, times: 2 });
    const expected = await contentOf((await service.fetch(base + calls[0]![0], calls[0]![1] as RequestInit)) as FetchResponse);
    expect(await contentOf(await plain(base + calls[0]![0], calls[0]![1])), kind).toEqual(expected);
  }
});

test('rejects as `fetch` does once it is aborted or the service is closed', async () => {
  const { service, plain } = opened();
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(plain(base, { signal })).rejects.toThrow('enough');
  await service.close();
  await expect(plain(base)).rejects.toMatchObject({ code: 'CLOSED' });
});

test('a source reads a list through it', async () => {
  const { service, plain } = opened();
  plainFetches.set(plain, plain);
  const source = serviceSource({ baseUrl: base, apiKey: service.key, fetch: plain });
  const version = await source.version({ signal: new AbortController().signal });
  expect(version.snapshot.token).toMatch(/^[0-9a-f]{16}-/);
});
