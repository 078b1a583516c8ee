import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createBlocklist } from 'portcullis';
import { createClient } from 'portcullis/client';
import { buildList } from 'portcullis/publish';
import { publishedSource } from 'portcullis/sources';
import { expect, onTestFinished, test } from 'vitest';
import { run, runInTerminal, type Served, startServer, temporaryFolder } from './harness.js';

const submitted = 'https://kept.example/';

test('serve gives the API, a relay and the page, and Ctrl-C ends it with 0', async () => {
  const served = await startServer(['serve', '--port', '0']);
  const client = createClient({ baseUrl: served.url, apiKey: served.key! });
  onTestFinished(() => client.close());
  expect((await client.assets.check({ content: 'scam-mint.example' })).status).toBe('BLOCKED');
  const blocklist = createBlocklist({ baseUrl: served.relay!, pollMs: 0 });
  onTestFinished(() => blocklist.close());
  await blocklist.ready();
  expect(await blocklist.check('https://login.scam-mint.example/')).toMatchObject({ status: 'blocked', reason: 'confirmed' });
  expect((await fetch(served.url, { redirect: 'manual' })).headers.get('location')).toBe('/playground/');
  const config = await (await fetch(`${served.page}config.json`)).json();
  expect(config).toMatchObject({ kind: 'relay', canAct: true });
  expect(await served.interrupt()).toBe(0);
});

test('serve keeps its state in a file, also when it is killed', async () => {
  const state = join(temporaryFolder(), 'state');
  const first = await startServer(['serve', '--port', '0', '--state', state]);
  const client = createClient({ baseUrl: first.url, apiKey: first.key! });
  const { id } = await client.reports.create({ assets: [{ content: submitted }], title: 'kept' });
  await client.close();
  await first.kill();
  const second = await startServer(['serve', '--port', '0', '--state', state]);
  const again = createClient({ baseUrl: second.url, apiKey: second.key! });
  onTestFinished(() => again.close());
  expect((await again.reports.list({ limit: 1 })).reports[0]?.id).toBe(id);
});

test('serve gives out a published list, and nothing else of its folder', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'confirm'));
  for (const { name, bytes } of (await buildList(['evil.example'])).files) writeFileSync(join(folder, name), bytes);
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  const { url, page } = await startServer(['serve', '--port', '0', '--published', folder]);
  const blocklist = createBlocklist({ sources: [publishedSource({ url })], pollMs: 0 });
  onTestFinished(() => blocklist.close());
  await blocklist.ready();
  expect(await blocklist.check('https://a.evil.example/')).toMatchObject({ status: 'blocked' });
  for (const path of ['secret.txt', '..%2fpackage.json', 'confirm/', 'confirm/fff.bin/..', 'version.json%00']) {
    expect((await fetch(`${url}/${path}`)).status, path).toBe(404);
  }
  expect((await fetch(`${url}/version.json`, { method: 'POST' })).status).toBe(405);
  expect(await (await fetch(`${page}config.json`)).json()).toMatchObject({ kind: 'published', url: '../' });
});

test('serve --relay needs no key of its clients', async () => {
  const upstream: Served = await startServer(['serve', '--port', '0']);
  const relay = await startServer(['serve', '--port', '0', '--relay', '--url', upstream.url], {
    env: { PORTCULLIS_API_KEY: upstream.key! },
  });
  const blocklist = createBlocklist({ baseUrl: relay.relay!, pollMs: 0 });
  onTestFinished(() => blocklist.close());
  await blocklist.ready();
  expect(await blocklist.check('scam-mint.example')).toMatchObject({ status: 'blocked', reason: 'confirmed' });
  expect(relay.output()).not.toContain(upstream.key);
});

/** In front of a server, as it is for others: `host` is what it hands on. */
async function proxyTo(port: () => number, host: (asked: string) => string): Promise<string> {
  const proxy = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const onward = request({ port: port(), method, path, headers: { ...headers, host: host(headers.host ?? '') } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return `http://localhost:${(proxy.address() as AddressInfo).port}`;
}

test.each(['hands on', 'rewrites'])('behind a proxy that %s the host the page and the list are found', async (what) => {
  let port = 0;
  const url = await proxyTo(
    () => port,
    (asked) => (what === 'rewrites' ? `127.0.0.1:${port}` : asked),
  );
  const served = await startServer(['serve', '--port', '0', '--public-url', url]);
  port = Number(new URL(served.listening).port);
  expect([served.url, served.page]).toEqual([url, `${url}/playground/`]);
  expect((await fetch(served.page, { redirect: 'manual' })).status).toBe(200);
  const blocklist = createBlocklist({ baseUrl: served.relay!, pollMs: 0 });
  onTestFinished(() => blocklist.close());
  await blocklist.ready();
  expect(await blocklist.check('scam-mint.example')).toMatchObject({ status: 'blocked' });
});

// Once: any page that was open in a browser could report with the sample key.
test('a page of another origin may not call the API, unless that is wanted', async () => {
  const call = (url: string, key: string, origin: string): Promise<Response> =>
    fetch(`${url}/asset/check`, {
      method: 'POST',
      headers: { origin, 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ content: 'example.com' }),
    });
  const closed = await startServer(['serve', '--port', '0']);
  const refused = await call(closed.url, closed.key!, 'https://elsewhere.example');
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  expect((await call(closed.url, closed.key!, closed.url)).status).toBe(200);
  const open = await startServer(['serve', '--port', '0', '--cors']);
  expect((await call(open.url, open.key!, 'https://elsewhere.example')).status).toBe(200);
});

test.each([
  [['serve', '--host', '0.0.0.0'], 3, 'needs --public-url'],
  [['serve', '--cors', '--published', '.'], 3, '--cors belongs to'],
  [['serve', '--relay', '--url', 'https://api.example'], 2, 'a relay needs a key'],
  [['serve', '--relay', '--published', '.'], 3, 'contradict'],
  [['serve', '--published', '/nowhere'], 3, 'there is no version.json'],
  [['serve', '--port', '70000'], 3, '--port must be a whole number from 0 to 65535'],
  [['serve', '--public-url', 'https://a.example/b'], 3, '--public-url must be like'],
  [['serve', '--state', '/'], 3, 'portcullis:'],
])('%j is refused', async (args, wanted, words) => {
  const { code, stderr } = await run(args);
  expect(stderr).toContain(words);
  expect(code).toBe(wanted);
});

test('a port that is taken is said', async () => {
  const { url } = await startServer(['serve', '--port', '0']);
  const { code, stderr } = await run(['serve', '--port', new URL(url).port]);
  expect(stderr).toContain('cannot listen on');
  expect(code).toBe(8);
});

test('a port that is in use is said to be, and a path that only begins like the page is not the page', async () => {
  const served = await startServer(['serve', '--port', '0']);
  const { code, stderr } = await run(['serve', '--port', new URL(served.url).port]);
  expect([code, stderr]).toEqual([8, expect.stringContaining('is in use')]);
  expect(stderr).toContain('--port');
  expect((await fetch(`${served.url}/playgroundx`)).status).toBe(404);
  expect((await fetch(`${served.url}/playground`)).status).toBe(200);
});

test('a hangup ends it cleanly', async () => {
  const terminal = await runInTerminal(['serve', '--port', '0']);
  await expect.poll(terminal.text, { timeout: 30_000 }).toContain('Ctrl-C ends it');
  terminal.kill('SIGHUP');
  expect(await terminal.ended).toBe(0);
});
