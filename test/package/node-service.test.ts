import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { build } from 'esbuild';
import { createClient } from 'portcullis/client';
import { createService, type ServedService } from 'portcullis/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { serviceActions } from '../../apps/cli/playground/actions.js';
import { readOpenMetrics } from '../support/open-metrics-reader.js';

/** Drives examples/node-service as its operator and its clients would: a process, HTTP, signals. */
let folder: string;
beforeAll(async () => {
  const cache = resolve('node_modules/.cache/portcullis');
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, 'node-service-'));
  await build({
    entryPoints: ['examples/node-service/chat-service.ts'],
    outfile: join(folder, 'chat-service.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    tsconfig: 'tsconfig.tools.json',
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const secret = 'the-secret';

interface Chat {
  readonly child: ChildProcess;
  readonly port: number;
  readonly origin: string;
  readonly lines: readonly string[];
}

async function startChat(environment: Record<string, string | undefined>): Promise<Chat> {
  const child = spawn(process.execPath, [join(folder, 'chat-service.mjs')], {
    env: { PATH: process.env['PATH'], WEBHOOK_SECRET: secret, PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  createInterface({ input: child.stdout! }).on('line', (line) => lines.push(line));
  await expect.poll(() => lines[0], { timeout: 30_000 }).toMatch(/^listening \d+$/);
  const port = Number(lines[0]!.split(' ')[1]);
  return { child, port, origin: `http://127.0.0.1:${port}`, lines };
}

async function startBoth(): Promise<{ service: ServedService; chat: Chat }> {
  const service = createService();
  onTestFinished(() => service.close());
  const { url } = await service.listen();
  const chat = await startChat({ BLOCKLIST_URL: url, BLOCKLIST_KEY: service.key });
  await expect.poll(async () => (await fetch(`${chat.origin}/healthz`)).status, { timeout: 30_000 }).toBe(200);
  return { service, chat };
}

const send = async ({ origin }: Chat, message: string): Promise<string> => {
  const answer = await fetch(`${origin}/messages`, { method: 'POST', body: JSON.stringify({ text: message }) });
  return `${answer.status} ${((await answer.json()) as { status?: string }).status}`;
};
const shown = async ({ origin }: Chat, path: string): Promise<unknown> => (await fetch(origin + path)).json();

test('delivers what is clean, quarantines what is listed, and reports both', async () => {
  const { chat } = await startBoth();
  expect(await send(chat, 'lunch? https://good.example/menu')).toBe('202 delivered');
  expect(await send(chat, 'claim at hxxps://scam-mint[.]example/ now')).toBe('202 quarantined');
  expect(await shown(chat, '/messages')).toMatchObject([{ text: expect.stringContaining('lunch') }]);
  expect(await shown(chat, '/quarantine')).toMatchObject([{ reason: 'listed' }]);
  const answer = await fetch(`${chat.origin}/metrics`);
  const checks = readOpenMetrics(await answer.text()).get('portcullis_checks')?.samples;
  expect(checks?.find(({ labels }) => labels['verdict'] === 'blocked')?.value).toBe(1);
  for (const [body, status] of [
    ['{}', 400],
    ['null', 400],
    ['5', 400],
    ['[]', 400],
    ['{"text":{"texts":[]}}', 400],
    ['', 400],
    ['nonsense', 400],
    ['x'.repeat(70_000), 413],
  ] as const)
    expect((await fetch(`${chat.origin}/messages`, { method: 'POST', body })).status).toBe(status);
  expect((await fetch(`${chat.origin}/nowhere`)).status).toBe(404);
});

test('a webhook makes a new block count at once, also for what was delivered', async () => {
  const { service, chat } = await startBoth();
  const link = 'https://fresh-scam.example/';
  expect(await send(chat, `look: ${link}`)).toBe('202 delivered');
  // The service lists it, which the chat would only learn in minutes.
  const client = createClient({
    baseUrl: 'http://localhost',
    apiKey: service.key,
    allowInsecureHttp: true,
    fetch: service.fetch,
  });
  onTestFinished(() => client.close());
  await serviceActions({ client, publish: () => service.publish() }).block(link);
  expect(await shown(chat, '/quarantine')).toEqual([]);
  const body = JSON.stringify({
    type: 'asset.status-updated',
    created_at: '2026-03-01T12:00:00Z',
    data: { asset_id: 7, type: 'URL', content: link, status: 'BLOCKED' },
  });
  const deliver = (signature: string) =>
    fetch(`${chat.origin}/hooks/blocklist`, { method: 'POST', body, headers: { 'x-service-signature': `sha256=${signature}` } });
  expect((await deliver('0'.repeat(64))).status).toBe(401);
  expect((await deliver(createHmac('sha256', secret).update(body).digest('hex'))).status).toBe(204);
  await expect.poll(() => shown(chat, '/quarantine')).toMatchObject([{ text: `look: ${link}`, reason: 'listed' }]);
  expect(await shown(chat, '/messages')).toEqual([]);
  expect(await send(chat, link)).toBe('202 quarantined');
});

test('many changes of the list during slow checks: every message stays, once', async () => {
  const { service, chat } = await startBoth();
  const client = createClient({
    baseUrl: 'http://localhost',
    apiKey: service.key,
    allowInsecureHttp: true,
    fetch: service.fetch,
  });
  onTestFinished(() => client.close());
  const actions = serviceActions({ client, publish: () => service.publish() });
  const link = (at: number): string => `https://later-${at}.example/`;
  const count = 12;
  for (let at = 0; at < count; at++) expect(await send(chat, link(at))).toBe('202 delivered');
  service.faults.add({ kind: 'delay', on: '/asset/blocklist/confirm', delayMs: 300, times: 1_000 });
  const body = (asset: number): string =>
    JSON.stringify({
      type: 'asset.status-updated',
      created_at: '2026-03-01T12:00:00Z',
      data: { asset_id: asset, type: 'URL', content: link(asset), status: 'BLOCKED' },
    });
  // Each makes the chat check all messages again, while the runs before wait for answers and while messages arrive.
  const sent: Promise<string>[] = [];
  for (let at = 0; at < count / 2; at++) {
    await actions.block(link(at));
    const signature = createHmac('sha256', secret).update(body(at)).digest('hex');
    const headers = { 'x-service-signature': `sha256=${signature}` };
    const delivery = fetch(`${chat.origin}/hooks/blocklist`, { method: 'POST', body: body(at), headers });
    sent.push(
      delivery.then(({ status }) => String(status)),
      send(chat, `again: ${link(at)}`),
      send(chat, `a text ${at}`),
    );
  }
  await Promise.all(sent);
  const all = async () =>
    (await Promise.all(['/messages', '/quarantine'].map((path) => shown(chat, path)))) as [
      { id: number; text: string }[],
      { id: number; text: string; reason: string }[],
    ];
  const isListed = (text: string): boolean =>
    Array.from({ length: count / 2 }, (_, at) => link(at)).some((one) => text.includes(one));
  // Repeated until the last run has ended.
  await expect
    .poll(
      async () => {
        const [delivered, quarantined] = await all();
        return [delivered.filter(({ text }) => isListed(text)), quarantined.filter(({ reason }) => reason !== 'listed')];
      },
      { timeout: 60_000 },
    )
    .toEqual([[], []]);
  const [delivered, quarantined] = await all();
  const ids = [...delivered, ...quarantined].map(({ id }) => id).sort((a, b) => a - b);
  expect(ids).toEqual(Array.from({ length: 2 * count }, (_, at) => at + 1));
  expect(quarantined.map(({ text }) => isListed(text))).toEqual(quarantined.map(() => true));
});

test('without a secret there is no webhook', async () => {
  const chat = await startChat({ BLOCKLIST_URL: 'http://127.0.0.1:9', BLOCKLIST_KEY: 'k', WEBHOOK_SECRET: undefined });
  expect((await fetch(`${chat.origin}/hooks/blocklist`, { method: 'POST', body: '{}' })).status).toBe(404);
});

test('without a list links wait in quarantine, and the load balancer learns why', async () => {
  const chat = await startChat({ BLOCKLIST_URL: 'http://127.0.0.1:9', BLOCKLIST_KEY: 'k' });
  expect(await send(chat, 'a text without links')).toBe('202 delivered');
  expect(await send(chat, 'https://good.example/')).toBe('202 quarantined');
  expect(await shown(chat, '/quarantine')).toMatchObject([{ reason: 'undecided' }]);
  const health = await fetch(`${chat.origin}/healthz`);
  expect([health.status, await health.json()]).toMatchObject([503, { ready: false }]);
});

test('SIGTERM during a check and during a body: both are answered, new connections are refused, and the process ends with 0', async () => {
  const { service, chat } = await startBoth();
  service.faults.add({ kind: 'delay', delayMs: 700 });
  const checking = send(chat, 'https://scam-mint.example/');
  const slow = connect(chat.port, '127.0.0.1');
  await once(slow, 'connect');
  const message = JSON.stringify({ text: 'slow' });
  slow.write(`POST /messages HTTP/1.1\r\nHost: chat\r\nContent-Length: ${message.length}\r\n\r\n${message.slice(0, 5)}`);
  const idle = connect(chat.port, '127.0.0.1');
  await once(idle, 'connect');
  const ended = once(idle.resume(), 'close');
  await new Promise((later) => setTimeout(later, 200));
  const exit = once(chat.child, 'exit');
  chat.child.kill('SIGTERM');
  await ended;
  await expect(fetch(`${chat.origin}/healthz`)).rejects.toThrow('fetch failed');
  slow.write(message.slice(5));
  expect(await text(slow)).toMatch(/^HTTP\/1\.1 202 /);
  expect(await checking).toBe('202 quarantined');
  expect(await exit).toEqual([0, null]);
  expect(chat.lines.at(-1)).toBe('stopped');
});

test('a second signal ends the process at once', async () => {
  const { chat } = await startBoth();
  const hanging = connect(chat.port, '127.0.0.1');
  hanging.on('error', () => {});
  await once(hanging, 'connect');
  hanging.write('POST /messages HTTP/1.1\r\nHost: chat\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n');
  await once(hanging, 'data');
  const exit = once(chat.child, 'exit');
  chat.child.kill('SIGTERM');
  await expect.poll(() => fetch(chat.origin).catch((error: Error) => error.message)).toBe('fetch failed');
  expect(chat.child.exitCode).toBe(null);
  chat.child.kill('SIGINT');
  expect(await exit).toEqual([1, null]);
});
