import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { createBlocklist, type Verdict } from 'portcullis';
import { createClient } from 'portcullis/client';
import { buildList } from 'portcullis/publish';
import { publishedSource, type Source, serviceSource } from 'portcullis/sources';
import { expect, onTestFinished, test } from 'vitest';
import { originOf } from '../../support/listen.js';
import { readOpenMetrics } from '../../support/open-metrics-reader.js';
import { runProcess, serveHere, startServer } from './harness.js';
import { run, temporaryFolder } from './in-process.js';

/** The verdict of a client of that list. */
async function verdictOf(source: Source, input: string): Promise<Verdict> {
  const blocklist = createBlocklist({ sources: [source], pollMs: 0, deadlineMs: 60_000 });
  onTestFinished(() => blocklist.close());
  await blocklist.ready();
  return blocklist.check(input);
}

test('serve offers the API, a relay and the page, and Ctrl-C ends it with 0', async () => {
  const served = await startServer(['serve', '--port', '0']);
  const client = createClient({ baseUrl: served.url, apiKey: served.key! });
  onTestFinished(() => client.close());
  expect((await client.assets.check({ content: 'scam-mint.example' })).status).toBe('BLOCKED');
  const verdict = await verdictOf(serviceSource({ baseUrl: served.relay! }), 'https://login.scam-mint.example/');
  expect(verdict).toMatchObject({ status: 'blocked', reason: 'confirmed' });
  expect((await fetch(served.url, { redirect: 'manual' })).headers.get('location')).toBe('/playground/');
  const config = await (await fetch(`${served.page}config.json`)).json();
  expect(config).toMatchObject({ kind: 'relay', canAct: true });
  expect((await fetch(`${served.url}/playgroundx`)).status).toBe(404);
  expect((await fetch(`${served.url}/playground`)).status).toBe(200);

  const { code, stderr } = await runProcess(['serve', '--port', new URL(served.url).port]);
  expect([code, stderr]).toEqual([8, expect.stringMatching(/cannot listen on .*\n.*the port is in use.*--port/)]);
  expect(await served.interrupt()).toBe(0);
});

test('serve --state survives a kill', async () => {
  const state = join(temporaryFolder(), 'state');
  const first = await startServer(['serve', '--port', '0', '--state', state]);
  const client = createClient({ baseUrl: first.url, apiKey: first.key! });
  const { id } = await client.reports.create({ assets: [{ content: 'https://kept.example/' }], title: 'kept' });
  await client.close();
  await first.kill();
  const second = await serveHere(['--port', '0', '--state', state]);
  const again = createClient({ baseUrl: second.url, apiKey: second.key! });
  onTestFinished(() => again.close());
  expect((await again.reports.list({ limit: 1 })).reports[0]?.id).toBe(id);
});

test('serve --published serves every file of a list, and no other file of its folder', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'confirm'));
  const names = Array.from({ length: 600 }, (_, at) => `n${at}.example`);
  const previous = await buildList(names);
  const files = [...(await buildList([...names, 'evil.example'], { previous, snapshot: 'new' })).files];
  expect(files.some(({ name }) => name.startsWith('difference-'))).toBe(true);
  for (const { name, bytes } of files) writeFileSync(join(folder, name), bytes);
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  const { url, page } = await serveHere(['--port', '0', '--published', folder]);
  expect(await verdictOf(publishedSource({ url }), 'https://a.evil.example/')).toMatchObject({ status: 'blocked' });
  for (const { name, bytes, isImmutable } of files) {
    const response = await fetch(`${url}/${name}`);
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes), name).toBe(true);
    expect(response.headers.get('cache-control')?.endsWith('immutable'), name).toBe(isImmutable);
  }
  for (const path of ['secret.txt', '..%2fpackage.json', 'confirm/', 'confirm/fff.bin/..', 'version.json%00']) {
    expect((await fetch(`${url}/${path}`)).status, path).toBe(404);
  }
  expect((await fetch(`${url}/version.json`, { method: 'POST' })).status).toBe(405);
  expect(await (await fetch(`${page}config.json`)).json()).toMatchObject({ kind: 'published', url: '../' });
});

test('publish --page adds a page that reads the folder above it', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'mine.txt'), 'evil.example\n');
  const args = [join(folder, 'mine.txt'), '--out', join(folder, 'public'), '--page'];
  expect((await run(['publish', ...args])).code).toBe(0);
  const page = join(folder, 'public/playground');
  const publisher = ['publish-worker.js', 'publish.html', 'publish.js', 'third-party.txt'];
  expect(readdirSync(page).sort()).toEqual(['config.json', 'index.html', 'page.css', 'page.js', ...publisher]);
  const config = JSON.parse(readFileSync(join(page, 'config.json'), 'utf8'));
  expect(config).toEqual({ kind: 'published', url: '../', examples: [] });
});

test('clients of serve --relay need no key', async () => {
  const upstream = await serveHere(['--port', '0']);
  const relay = await serveHere(['--port', '0', '--relay', '--url', upstream.url], {
    env: { PORTCULLIS_API_KEY: upstream.key! },
  });
  const verdict = await verdictOf(serviceSource({ baseUrl: relay.relay! }), 'scam-mint.example');
  expect(verdict).toMatchObject({ status: 'blocked', reason: 'confirmed' });
  expect(relay.output()).not.toContain(upstream.key);
});

test('serve --relay limits each client by its address, which only trusted proxies may name', async () => {
  // The rate is charged before the service is asked, so none is needed.
  // Each second of the test pays for two more than the 120.
  const args = ['--port', '0', '--relay', '--url', 'http://127.0.0.1:9'];
  const env = { PORTCULLIS_API_KEY: 'a-valid-key' };
  const statusesOf = async (relay: string, client: (at: number) => string): Promise<(boolean | string)[]> => {
    const ask = async (at: number): Promise<boolean> => {
      const headers = { 'x-forwarded-for': client(at) };
      return (await fetch(`${relay}/asset/blocklist/version`, { headers })).status === 429;
    };
    return Promise.all(Array.from({ length: 180 }, (_, at) => ask(at)));
  };
  const bare = await serveHere(args, { env });
  expect((await statusesOf(bare.relay!, (at) => `192.0.2.${at}`)).filter(Boolean).length).toBeGreaterThan(2);
  const proxied = await serveHere([...args, '--trust-forwarded-for', '1'], { env });
  expect((await statusesOf(proxied.relay!, (at) => `192.0.2.${at}`)).filter(Boolean)).toEqual([]);
  const forged = (at: number): string => `192.0.2.${at}, 198.51.100.1`;
  expect((await statusesOf(proxied.relay!, forged)).filter(Boolean).length).toBeGreaterThan(2);
  expect((await statusesOf(proxied.relay!, () => '')).filter(Boolean).length).toBeGreaterThan(2);
});

test('serve answers /healthz and /metrics for the service, a relay and lists, without a key in them', async () => {
  const upstream = await serveHere(['--port', '0']);
  const env = { PORTCULLIS_API_KEY: upstream.key! };
  const relay = await serveHere(['--port', '0', '--relay', '--url', upstream.url], { env });
  const list = join(temporaryFolder(), 'list.txt');
  writeFileSync(list, 'evil.example\nbad.example\n');
  const listed = await serveHere(['--port', '0', '--list', list]);
  for (const { url } of [upstream, relay, listed]) {
    const health = await fetch(`${url}/healthz`);
    expect([health.status, await health.json()]).toMatchObject([200, { ready: true, status: 'ready' }]);
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(readOpenMetrics(text).get('portcullis_process_memory_bytes')?.samples).toHaveLength(1);
    expect(text).not.toContain(upstream.key);
    for (const path of ['/healthz', '/metrics']) {
      const head = await fetch(url + path, { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([200, '']);
      expect((await fetch(url + path, { method: 'POST' })).status).toBe(405);
    }
    if (url === listed.url) expect(text).toContain('portcullis_list_entries 2\n');
  }
});

/** A proxy in front of a server. @param host What it sends as the Host header */
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
  return (await originOf(proxy)).replace('127.0.0.1', 'localhost');
}

test('page and list work behind a proxy that passes on or rewrites the Host header', async () => {
  let port = 0;
  let rewrites = false;
  const url = await proxyTo(
    () => port,
    (asked) => (rewrites ? `127.0.0.1:${port}` : asked),
  );
  const served = await serveHere(['--port', '0', '--public-url', url]);
  port = Number(new URL(served.listening).port);
  expect([served.url, served.page]).toEqual([url, `${url}/playground/`]);
  for (rewrites of [false, true]) {
    expect((await fetch(served.page, { redirect: 'manual' })).status).toBe(200);
    const verdict = await verdictOf(serviceSource({ baseUrl: served.relay! }), 'scam-mint.example');
    expect(verdict).toMatchObject({ status: 'blocked' });
  }
});

// Any page that was open in a browser could use the sample key.
test('rejects API calls from pages of other origins, unless --cors allows them', async () => {
  const call = (url: string, key: string, origin: string): Promise<Response> =>
    fetch(`${url}/asset/check`, {
      method: 'POST',
      headers: { origin, 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ content: 'example.com' }),
    });
  const closed = await serveHere(['--port', '0']);
  const refused = await call(closed.url, closed.key!, 'https://elsewhere.example');
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  expect((await call(closed.url, closed.key!, closed.url)).status).toBe(200);
  const open = await serveHere(['--port', '0', '--cors']);
  expect((await call(open.url, open.key!, 'https://elsewhere.example')).status).toBe(200);
});

async function askForTools(served: { readonly listening: string; readonly key?: string }, headers: Record<string, string> = {}) {
  const response = await fetch(`${served.listening}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  });
  const { result, error } = (await response.json()) as { result?: { tools: { name: string }[] }; error?: { message: string } };
  return {
    status: response.status,
    headers: response.headers,
    names: result?.tools.map(({ name }) => name),
    message: error?.message,
  };
}

test('--mcp where tokens would travel in the clear warns, and names no sign-in that is not there', async () => {
  const served = await serveHere(['--mcp', '--port', '0', '--public-url', 'http://tools.example']);
  expect(served.output()).toContain('warning: the sign-in is off');
  const { status, headers, message } = await askForTools(served);
  expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  expect(message).not.toContain('token');
  expect((await askForTools(served, { authorization: `Bearer ${served.key}` })).status).toBe(200);
  expect((await fetch(`${served.listening}/.well-known/oauth-authorization-server`)).status).toBe(404);
  const here = await serveHere(['--mcp', '--port', '0']);
  expect(here.output()).not.toContain('warning');
  expect((await askForTools(here)).headers.get('www-authenticate')).toContain('resource_metadata=');
});

test('--mcp offers the tools of --tools, PORTCULLIS_MCP_TOOLS and --read-only', async () => {
  const flag = await serveHere(['--mcp', '--port', '0', '--tools', 'user_orgs,report_create', '--read-only']);
  expect((await askForTools(flag, { 'x-api-key': flag.key! })).names).toEqual(['user_orgs']);
  const env = { PORTCULLIS_MCP_TOOLS: 'local_status' };
  const variable = await serveHere(['--mcp', '--port', '0'], { env });
  expect((await askForTools(variable, { 'x-api-key': variable.key! })).names).toEqual(['local_status']);
  const unknown = await run(['serve', '--mcp', '--port', '0', '--tools', 'no_such_tool']);
  expect([unknown.code, unknown.stderr]).toEqual([3, expect.stringContaining('no_such_tool')]);
  const alone = await run(['serve', '--tools', 'local']);
  expect([alone.code, alone.stderr]).toEqual([3, expect.stringContaining('--tools needs --mcp')]);
});

test('--trust-forwarded-for is refused where it would have no effect', async () => {
  const local = await run(['serve', '--mcp', '--trust-forwarded-for', '1']);
  expect([local.code, local.stderr]).toEqual([3, expect.stringContaining('needs --relay, or --mcp with --public-url')]);
});

test('--cors lets pages call the tools', async () => {
  const page = 'https://elsewhere.example';
  const closed = await serveHere(['--mcp', '--port', '0']);
  const open = await serveHere(['--mcp', '--port', '0', '--cors']);
  for (const [served, status, allowed] of [
    [closed, 403, null],
    [open, 200, page],
  ] as const) {
    const { headers, ...answer } = await askForTools(served, { 'x-api-key': served.key!, origin: page });
    expect([answer.status, headers.get('access-control-allow-origin')]).toEqual([status, allowed]);
  }
  const preflight = await fetch(`${open.url}/mcp`, { method: 'OPTIONS', headers: { origin: page } });
  expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization');
});
