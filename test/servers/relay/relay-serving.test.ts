import { createClient } from 'portcullis/client';
import { expect, onTestFinished, test } from 'vitest';
import { readVersion } from '../../../src/blocklist/formats/version-document.js';
import { targetOf } from '../../../src/servers/relay/relay-routes.js';
import { listen } from '../../support/listen.js';
import {
  ask,
  confirm,
  confirmPath,
  expectRefused,
  get,
  hashFor,
  key,
  listening,
  pathOf,
  publicUrl,
  type Running,
  recentBytes,
  relayed,
  relayOf,
  sha256,
  snapshotBytes,
  upstreamOf,
  v2Confirm,
  v2Version,
  versionFrom,
  versionPath,
} from './relay-harness.js';

test('a client without a key gets version, artifacts and confirmations over real connections', async () => {
  const { origin } = await listening();

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

test('serves a client made by createClient without a key', async () => {
  const { origin } = await listening();
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

test('sends the key to the API only, and neither key nor cookies to the files', async () => {
  const { server, asked, relay } = await relayed();
  const { snapshot } = await versionFrom(relay);
  await ask(relay, pathOf(snapshot.url), { headers: { cookie: 'session=1', authorization: 'Bearer x', 'x-api-key': 'mine' } });
  await confirm(relay, ['a0000001']);
  const keys = server.requests.map(({ url, headers }) => [url.replace(/\?.*$/, ''), headers['x-api-key']]);
  expect(keys).toEqual([
    [v2Version, key],
    ['/files/snapshot', undefined],
    [v2Confirm, key],
  ]);
  for (const { headers } of asked('/files/snapshot'))
    expect([headers.cookie, headers.authorization]).toEqual([undefined, undefined]);
});

test('sends algoVersion to the service with the type that the service uses', async () => {
  const { server, answers, asked } = await upstreamOf();
  const { relay } = relayOf(server.origin);
  // The instance starts with a confirmation, before it knows any version.
  await confirm(relay, ['a0000001'], '3');
  answers.set(v2Version, { status: 500 });
  await confirm(relayOf(server.origin).relay, ['a0000003'], 3);
  await confirm(relayOf(server.origin).relay, ['a0000004'], '3');
  const sent = asked(v2Confirm).map(({ body }) => (JSON.parse(body.toString()) as { algoVersion: unknown }).algoVersion);
  expect(sent).toEqual([3, 3, '3']);
});

test('answers below any mount path, and rejects every other path', async () => {
  const { server, relay } = await relayed();
  const { pathname } = new URL((await versionFrom(relay)).snapshot.url);
  const id = pathname.slice(pathname.lastIndexOf('/') + 1);
  const artifact = (name: string): string => `/artifact/${name}`;
  const before = server.requests.length;
  for (const path of [versionPath, `/a${versionPath}`, `/a/b-c/v1.0${versionPath}`])
    expect((await ask(relay, path)).status, path).toBe(200);
  const [start, end] = ['/asset/blocklist', '/version'];
  const none = [
    ...`/ ${start} /${versionPath} /a/${versionPath} /a//b${versionPath} ${versionPath}/ ${versionPath}?a=1 ${versionPath}?`.split(
      ' ',
    ),
    ...`${versionPath}x /x${versionPath.slice(1)} /asset%2Fblocklist${end} ${start}%2fversion /%61sset/blocklist${end}`.split(
      ' ',
    ),
    ...`/%2e%2e%2f${versionPath} /a%20b${versionPath} /ASSET/blocklist${end} ${start}/versions /asset/check /asset/list`.split(
      ' ',
    ),
    ...[`${id}/`, id.toUpperCase().replace(/^\d*/, 'A'), `${id}0`, id.slice(1), '', `../${id}`, '0'.repeat(32)].map(artifact),
    ...['https://evil.example/', encodeURIComponent(`${server.origin}/files/snapshot`)].map(artifact),
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

test('dots in a path reach no other file', async () => {
  const { asked, origin } = await listening();
  const paths =
    '/artifact/../../files/snapshot /asset/blocklist/../list /../../etc/passwd /artifact/..%2f..%2fv2 //files/snapshot';
  for (const path of paths.split(' ')) expect((await get(origin, path)).status, path).toBe(404);
  // The platform resolves plain dots before the relay sees the path.
  expect((await get(origin, `/a/..${versionPath}`)).status).toBe(200);
  expect(asked('/files/snapshot')).toEqual([]);
});

test('rejects dots that the platform has not resolved', () => {
  expect(targetOf(`http://relay/a${versionPath}`)).toEqual({ route: 'version', id: '' });
  for (const dots of ['.', '..']) expect(targetOf(`http://relay/a/${dots}${versionPath}`)).toBeNull();
});

test('lists the allowed methods in a 405', async () => {
  const { server, relay } = await relayed();
  for (const [path, methods, allowed] of [
    [versionPath, ['POST', 'PUT', 'DELETE', 'PATCH'], 'GET, HEAD, OPTIONS'],
    [confirmPath, ['GET', 'PUT'], 'POST, OPTIONS'],
  ] as const)
    for (const method of methods) {
      const answer = await ask(relay, path, { method });
      expect(answer.headers.get('allow')).toBe(allowed);
      await expectRefused(answer, 405, 'METHOD_NOT_ALLOWED');
    }
  expect(server.requests).toEqual([]);
});

test('answers HEAD without a body', async () => {
  const { relay } = await relayed();
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

test.each([
  ['Host', { host: 'evil.example' }],
  ['X-Forwarded-Host', { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http', 'x-forwarded-prefix': '/evil' }],
  ['X-Forwarded-For', { 'x-forwarded-for': '6.6.6.6' }],
  ['Forwarded', { forwarded: 'host=evil.example;proto=http' }],
  ['X-Original-URL', { 'x-original-url': '/evil', 'x-rewrite-url': '/evil', 'x-original-host': 'evil.example' }],
])('builds artifact URLs from publicUrl, whatever %s says', async (_, headers) => {
  const { server, origin } = await listening();
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

test('builds artifact URLs from publicUrl, whatever the request URL is', async () => {
  const { relay } = await relayed();
  const answer = await relay.fetch(new Request(`https://evil.example:8443/evil${versionPath}`));
  expect(await answer.text()).not.toContain('evil');
  const origin = await listen(relay);
  const proxied = await get(origin, `http://evil.example${versionPath}`);
  expect(proxied.body.toString()).toContain(publicUrl);
  expect(proxied.body.toString()).not.toContain('evil');
});

test('serves only artifacts that a version response names', async () => {
  const { server, asked, relay } = await relayed();
  for (const url of ['/files/other', '/files/snapshot', '/v2/asset/list']) {
    await expectRefused(await ask(relay, `/artifact/${sha256(server.origin + url).slice(0, 32)}`), 404, 'NOT_FOUND');
  }
  expect(server.requests.map(({ url }) => url)).toEqual([v2Version]);
  expect(asked('/files/other')).toEqual([]);
});

test('keeps artifact URLs while the service changes its signatures, and fetches the newest URL', async () => {
  const { server, asked, relay, clock, publish } = await relayed();
  const first = await versionFrom(relay);
  publish({ snapshot: { url: `${server.origin}/files/snapshot?signature=new` } });
  clock.nowMs += 61_000;
  expect(await versionFrom(relay)).toEqual(first);
  await ask(relay, first.snapshot.url);
  expect(asked('/files/snapshot').map(({ url }) => url)).toEqual(['/files/snapshot?signature=new']);
});

test('serves an artifact id that another instance issued', async () => {
  const { server, asked, publish } = await upstreamOf();
  const [one, other] = [relayOf(server.origin), relayOf(server.origin)];
  const { snapshot } = await versionFrom(one.relay);
  expect((await ask(other.relay, snapshot.url)).status).toBe(200);

  publish({ recent: { token: 'r2' } });
  one.clock.nowMs += 61_000;
  other.clock.nowMs += 11_000;
  const { recent } = await versionFrom(one.relay);
  expect((await ask(other.relay, recent.url)).status).toBe(200);
  // Even before minWaitMs is over: this instance's clients have no other source.
  publish({ recent: { token: 'r3' }, minWaitMs: 86_400_000 });
  for (const { clock } of [one, other]) clock.nowMs += 61_000;
  await versionFrom(one.relay);
  await versionFrom(other.relay);
  publish({ recent: { token: 'r4' }, minWaitMs: 86_400_000 });
  const third = relayOf(server.origin);
  const { recent: newest } = await versionFrom(third.relay);
  other.clock.nowMs += 11_000;
  expect((await ask(other.relay, newest.url)).status).toBe(200);
  // Unknown ids must not make the relay send a request each.
  const before = asked(v2Version).length;
  for (let i = 0; i < 20; i++) expect((await ask(other.relay, `/artifact/${sha256(`${i}`).slice(0, 32)}`)).status).toBe(404);
  expect(asked(v2Version).length).toBe(before);
});

test('serves artifacts of the last eight versions', async () => {
  const { relay, clock, events, publish } = await relayed();
  const { recent } = await versionFrom(relay);
  for (let round = 2; round <= 12; round++) {
    publish({ recent: { token: `r${round}` } });
    clock.nowMs += 61_000;
    const current = await versionFrom(relay);
    expect((await ask(relay, current.recent.url)).status).toBe(200);
    expect((await ask(relay, recent.url)).status, `round ${round}`).toBe(round <= 8 ? 200 : 404);
  }
  for (const event of events) if (event.type === 'memory') expect(event.artifacts).toBeLessThanOrEqual(16);
  expect(events.filter(({ type }) => type === 'memory')).toHaveLength(12);
});

test('answers 304 to a matching If-None-Match', async () => {
  const { relay } = await relayed();
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

test('changes the ETag with the list, equally in every instance', async () => {
  const { server, publish } = await upstreamOf();
  const [one, other] = [relayOf(server.origin), relayOf(server.origin)];
  const tag = async ({ relay }: Running): Promise<string | null> => (await ask(relay, versionPath)).headers.get('etag');
  const first = await tag(one);
  expect(await tag(other)).toBe(first);
  publish({ recent: { count: 3 } });
  one.clock.nowMs += 61_000;
  expect(await tag(one)).not.toBe(first);
});

test('lets pages of any origin read every response', async () => {
  const { relay } = await relayed();
  for (const answer of [
    await ask(relay, versionPath),
    await ask(relay, '/none'),
    await confirm(relay, []),
    await confirm(relay, ['a0000001']),
  ]) {
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-expose-headers')).toBe('ETag, Age, Retry-After');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('set-cookie')).toBeNull();
  }
});

test('answers preflights without asking the service', async () => {
  const { server, origin } = await listening();
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

test('allows only the configured origins', async () => {
  const { relay } = await relayed({ origins: ['https://Wallet.example', 'chrome-extension://abcdef'] });
  const allowed = async (origin?: string): Promise<(string | null)[]> => {
    const { headers } = await ask(relay, versionPath, origin === undefined ? {} : { headers: { origin } });
    return [headers.get('access-control-allow-origin'), headers.get('vary')];
  };
  expect(await allowed('https://wallet.example')).toEqual(['https://wallet.example', 'Origin']);
  expect(await allowed('chrome-extension://abcdef')).toEqual(['chrome-extension://abcdef', 'Origin']);
  const others = 'https://evil.example https://wallet.example.evil.example null https://WALLET.example'.split(' ');
  for (const origin of [undefined, ...others]) expect(await allowed(origin)).toEqual([null, 'Origin']);
});
