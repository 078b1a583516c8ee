import { setTimeout as sleep } from 'node:timers/promises';
import { encodeArtifact, HashSet, hashOf, PrefixSet } from 'portcullis/assets';
import { expect, test } from 'vitest';
import { readVersion } from '../../../src/blocklist/formats/version-document.js';
import { listen } from '../../support/listen.js';
import { type Answer, serve } from '../../support/scripted-server.js';
import {
  ask,
  expectRefused,
  fileOf,
  get,
  pathOf,
  recentBytes,
  relayed,
  relayOf,
  sha256,
  snapshotBytes,
  upstreamOf,
  versionFrom,
  versionOf,
  versionPath,
} from './relay-harness.js';

test.each<[string, Answer, string]>([
  ['an HTML page', { body: '<html></html>', headers: { 'content-type': 'text/html; charset=utf-8' } }, 'INVALID_RESPONSE'],
  ['an HTML page as text', { body: '\n <!DOCTYPE html>', headers: { 'content-type': 'text/plain' } }, 'INVALID_RESPONSE'],
  ['an empty body', { body: '' }, 'INVALID_RESPONSE'],
  ['more bytes than its count allows', { body: Buffer.alloc(65 * 1024 + 64 * 2) }, 'LIMIT_EXCEEDED'],
  ['endless bytes', { fault: 'endless' }, 'LIMIT_EXCEEDED'],
  ['a truncated body', { fault: 'cut', body: recentBytes }, 'NETWORK'],
  ['a stalled body', { fault: 'stall', body: recentBytes }, 'TIMEOUT'],
  ['a connection reset', { fault: 'reset' }, 'NETWORK'],
  ['403', { status: 403, body: 'expired' }, 'FORBIDDEN'],
  ['206', { status: 206, body: recentBytes }, 'UNEXPECTED_STATUS'],
  ['a redirect to plain http', { status: 302, headers: { location: 'http://files.example/x' } }, 'REDIRECTED'],
  ['a redirect with userinfo', { status: 302, headers: { location: 'https://u:p@files.example/x' } }, 'REDIRECTED'],
  ['a redirect to a file URL', { status: 302, headers: { location: 'file:///etc/passwd' } }, 'REDIRECTED'],
  ['a redirect to a malformed URL', { status: 302, headers: { location: 'http://[' } }, 'REDIRECTED'],
  ['a redirect loop', { status: 302, headers: { location: '/files/recent' } }, 'REDIRECTED'],
  ['a redirect without a target', { status: 302 }, 'REDIRECTED'],
])('rejects an artifact with %s, does not cache it, and retries after a pause', async (_, bad, code) => {
  const { answers, asked, relay, clock, events } = await relayed(bad.fault === 'stall' ? { artifactTimeoutMs: 1_000 } : {});
  const { recent, snapshot } = await versionFrom(relay);
  answers.set('/files/recent', bad);
  for (let at = 0; at < 3; at++) {
    const answer = await ask(relay, recent.url);
    expect([502, 503]).toContain(answer.status);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(Object.keys((await answer.json()) as object)).toEqual(['message', 'code']);
  }
  expect(events).toContainEqual(expect.objectContaining({ type: 'upstream-error', route: 'artifact', code, pauseMs: 1_000 }));
  expect(asked('/files/recent').length).toBe(bad.headers?.['location'] === '/files/recent' ? 4 : 1);
  // The other file is not affected.
  expect((await ask(relay, snapshot.url)).status).toBe(200);
  answers.delete('/files/recent');
  clock.nowMs += 1_000;
  expect(await fileOf(relay, recent.url)).toEqual(recentBytes);
});

test('follows three redirects without the key, and checks each target', async () => {
  const { server, answers, relay } = await relayed();
  const other = await serve([{ body: recentBytes }]);
  answers.set('/files/recent', { status: 301, headers: { location: '/files/1' } });
  answers.set('/files/1', { status: 307, headers: { location: `${server.origin}/files/2` } });
  answers.set('/files/2', { status: 302, headers: { location: `${other.origin}/3` } });
  const { recent } = await versionFrom(relay);
  expect(await fileOf(relay, recent.url)).toEqual(recentBytes);
  for (const { url, headers } of [...server.requests.slice(1), ...other.requests])
    expect(headers['x-api-key'], url).toBeUndefined();
});

test('fetches no artifact of a remote API from this machine or over plain http', async () => {
  const urls = 'http://127.0.0.1:6379/x https://localhost/x http://[::1]/x https://127.1/x http://api.example/x'.split(' ');
  for (const url of [...urls, 'http://169.254.169.254/x']) {
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

test('verifies an announced SHA-256, and caches the artifact for a year', async () => {
  const { asked, relay, clock, events, publish } = await relayed({ versionTtlMs: 86_400_000 });
  const sum = { snapshot: { sha256: sha256(snapshotBytes) }, recent: { sha256: sha256('another') } };
  publish(sum);
  const { snapshot, recent } = await versionFrom(relay);
  expect([snapshot.sha256, recent.sha256]).toEqual([sum.snapshot.sha256, sum.recent.sha256]);
  expect((await ask(relay, snapshot.url)).headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  await expectRefused(await ask(relay, recent.url), 502, 'BAD_GATEWAY');
  expect(events).toContainEqual({ type: 'upstream-error', route: 'artifact', code: 'INVALID_RESPONSE', pauseMs: 1_000 });
  clock.nowMs += 7_200_000;
  await ask(relay, snapshot.url);
  expect(asked('/files/snapshot')).toHaveLength(1);
});

test.each([
  [60_000, 60],
  [7_200_000, 3_600],
])('caches an unproven artifact as long as a version, at most an hour: %i', async (versionTtlMs, seconds) => {
  const { answers, asked, relay, clock } = await relayed({ versionTtlMs });
  const { recent } = await versionFrom(relay);
  answers.set('/files/recent', { body: 'damaged' });
  await ask(relay, recent.url);
  answers.delete('/files/recent');
  clock.nowMs += 500 * seconds;
  const answer = await ask(relay, recent.url);
  expect([answer.headers.get('cache-control'), answer.headers.get('age')]).toEqual([
    `public, max-age=${seconds}`,
    `${seconds / 2}`,
  ]);
  expect(await answer.text()).toBe('damaged');
  clock.nowMs += 500 * seconds;
  const again = await ask(relay, recent.url);
  expect(Buffer.from(await again.arrayBuffer())).toEqual(recentBytes);
  expect(asked('/files/recent')).toHaveLength(2);
});

test('serves an old unproven artifact while it cannot be fetched again, until maxStaleMs', async () => {
  const { answers, relay, clock } = await relayed({ maxStaleMs: 600_000 });
  const { recent } = await versionFrom(relay);
  await ask(relay, recent.url);
  answers.set('/files/recent', { status: 500 });
  clock.nowMs += 659_000;
  await versionFrom(relay);
  const answer = await ask(relay, recent.url);
  expect([answer.status, answer.headers.get('age')]).toEqual([200, '659']);
  clock.nowMs += 1_000;
  await expectRefused(await ask(relay, recent.url), 503, 'SERVICE_UNAVAILABLE');
});

test.each(['portcullis', 'portcullis-rice'] as const)('verifies containers before it serves them: %s', async (encoding) => {
  const { server, answers, asked, publish } = await upstreamOf();
  for (const set of [PrefixSet.from([1, 2, 0xa0000001]), HashSet.from(['a', 'b', 'c'].map(hashOf))]) {
    const whole = Buffer.from(encodeArtifact(set, { encoding }));
    const { relay, clock } = relayOf(server.origin, { versionTtlMs: 86_400_000 });
    publish({ recent: { count: 3 } });
    const { recent } = await versionFrom(relay);
    const damaged = Buffer.from(whole);
    damaged[whole.length - 1]! ^= 1;
    const other = Buffer.from(encodeArtifact(PrefixSet.from([1, 2]), { encoding }));
    for (const body of [damaged, other, whole.subarray(0, -1), whole.subarray(0, 12)]) {
      answers.set('/files/recent', { body });
      await expectRefused(await ask(relay, recent.url), 502, 'BAD_GATEWAY');
      clock.nowMs += 60_000;
    }
    answers.set('/files/recent', { body: whole });
    const answer = await ask(relay, recent.url);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=3600, immutable');
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(whole);
    const before = asked('/files/recent').length;
    clock.nowMs += 3_599_000;
    await ask(relay, recent.url);
    expect(asked('/files/recent').length).toBe(before);
    clock.nowMs += 1_000;
    await ask(relay, recent.url);
    expect(asked('/files/recent').length).toBe(before + 1);
  }
});

test('evicts the least recently used artifact beyond maxCacheBytes', async () => {
  const { answers, asked, relay, clock, events, publish } = await relayed({ maxCacheBytes: 100_000 });
  const body = Buffer.alloc(35_000, 1);
  answers.set('/files/recent', { body });
  const paths: string[] = [];
  for (let round = 0; round < 4; round++) {
    const proven = { snapshot: { sha256: sha256(snapshotBytes) }, recent: { token: `r${round}`, sha256: sha256(body) } };
    publish(proven);
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

test('rejects an artifact larger than maxCacheBytes', async () => {
  const { server } = await upstreamOf();
  const { relay, events } = relayOf(server.origin, { maxCacheBytes: 39_999 });
  const { snapshot } = await versionFrom(relay);
  await expectRefused(await ask(relay, snapshot.url), 502, 'BAD_GATEWAY');
  expect(events.at(-1)).toMatchObject({ code: 'LIMIT_EXCEEDED' });
  const enough = relayOf(server.origin, { maxCacheBytes: 40_000 });
  expect((await ask(enough.relay, pathOf((await versionFrom(enough.relay)).snapshot.url))).status).toBe(200);
});

test('keeps an artifact intact when a client disconnects or modifies its copy', async () => {
  const { answers, asked, relay } = await relayed();
  const large = Buffer.alloc(600_000, 7);
  answers.set('/files/snapshot', { body: large, delayMs: 100 });
  const origin = await listen(relay);
  const path = pathOf((await versionFrom(relay)).snapshot.url);
  // One client disconnects before the response, another one in the middle of it.
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

test('copies an artifact for a client in small chunks', async () => {
  const { relay } = await relayed();
  const { snapshot } = await versionFrom(relay);
  const reader = (await ask(relay, snapshot.url)).body!.getReader();
  const { value } = await reader.read();
  expect(value!.byteLength).toBeLessThanOrEqual(64 * 1024);
  expect(value!.buffer.byteLength).toBeLessThanOrEqual(64 * 1024);
  await reader.cancel();
});
