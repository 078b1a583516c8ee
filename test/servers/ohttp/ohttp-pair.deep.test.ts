import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { chromium } from 'playwright';
import { oblivious } from 'portcullis/ohttp';
import { serviceSource } from 'portcullis/sources';
import { expect, onTestFinished, test } from 'vitest';
import { findChromium } from '../../../tools/find-chromium.js';
import { runningService, startServer } from '../../apps/cli/harness.js';
import { runJson, temporaryFolder } from '../../apps/cli/in-process.js';
import { listen } from '../../support/listen.js';
import { serve } from '../../support/scripted-server.js';
import { startExampleRelay } from './example-relay.js';

interface Tap {
  readonly url: string;
  /** Where to send what arrives. */
  port: number;
  /** Everything that was sent to that port. */
  bytes(): Buffer;
}

/** Records what one process sends another. */
async function startTap(): Promise<Tap> {
  const chunks: Buffer[] = [];
  const server = createServer((from) => {
    const to = connect(tap.port, '127.0.0.1');
    from.on('data', (chunk: Buffer) => chunks.push(chunk));
    pipeline(from, to, from, () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const tap = { url: `http://127.0.0.1:${port}`, port: 0, bytes: () => Buffer.concat(chunks) };
  return tap;
}

const clients = 1_000;
const hexOf = (client: number): string => prefixOf(client).toString(16).padStart(8, '0');
/** Each has an address of its own, as far as relay and gateway can see. */
const addressOf = (client: number): string => `127.77.${client >> 8}.${client & 0xff}`;
const prefixOf = (client: number): number => Math.imul(client + 1, 0x9e37_79b1) >>> 0;

test('of 1,000 clients the relay sees addresses and no prefix, the gateway prefixes and no address', async () => {
  const tap = await startTap();
  const file = join(temporaryFolder(), 'gateway.key');
  const { value } = await runJson(['keygen', '--ohttp', file]);
  const { url, env } = await runningService();
  const args = ['serve', '--relay', '--url', url, '--ohttp', file, '--port', '0', '--public-url', tap.url];
  const gateway = await startServer(args, { env });
  tap.port = Number(new URL(gateway.listening).port);
  const relay = await startExampleRelay(`${tap.url}/ohttp`);
  const { algoVersion } = (await (await fetch(`${gateway.listening}/playground/blocklist/asset/blocklist/version`)).json()) as {
    algoVersion: string;
  };

  /** What the relay received from each client and sent back to it: all that it could log. */
  const seenByRelay: Buffer[] = [];
  const sendFrom =
    (client: number) =>
    async (url: string, init?: RequestInit): Promise<Response> => {
      const body = Buffer.from(init!.body as Uint8Array);
      const headers = {
        ...(init!.headers as Record<string, string>),
        'user-agent': `client-${client}`,
        cookie: `client=${client}`,
      };
      const options = { method: 'POST', localAddress: addressOf(client), agent: new Agent(), headers };
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        httpRequest(url, options, resolve).on('error', reject).end(body);
      });
      const bytes = await buffer(answer);
      seenByRelay.push(Buffer.from(JSON.stringify([addressOf(client), headers, answer.headers])), body, bytes);
      const sealed = { 'content-type': answer.headers['content-type']! };
      return new Response(new Uint8Array(bytes), { status: answer.statusCode!, headers: sealed });
    };
  for (let first = 0; first < clients; first += 50) {
    const some = Array.from({ length: 50 }, (_, at) => first + at);
    await Promise.all(
      some.map(async (client) => {
        const ohttp = oblivious({ relay: relay.url, keys: value.keyList, fetch: sendFrom(client) });
        const source = serviceSource({
          baseUrl: 'https://blocklist.example',
          ohttp,
          fetch: () => expect.unreachable('asked directly'),
        });
        const { hashes } = await source.confirm!([prefixOf(client)], { algoVersion });
        expect([...hashes]).toEqual([[prefixOf(client), []]]);
      }),
    );
  }
  const lengths = (at: number): Set<number> =>
    new Set(seenByRelay.filter((_, index) => index % 3 === at).map(({ length }) => length));
  expect([lengths(1), lengths(2)]).toEqual([new Set([1_079]), new Set([4_128])]);

  const byRelay = Buffer.concat(seenByRelay);
  const metrics = await (await fetch(`${gateway.listening}/metrics`)).text();
  const byGateway = Buffer.concat([tap.bytes(), Buffer.from(gateway.output() + metrics)]);
  for (let client = 0; client < clients; client++) {
    const own = seenByRelay.slice(3 * client, 3 * client + 3);
    expect(byRelay.includes(hexOf(client))).toBe(false);
    // The four bytes themselves are in a thousand random bytes once in four million times.
    expect(Buffer.concat(own).includes(Buffer.from(hexOf(client), 'hex'))).toBe(false);
    expect(byRelay.includes(`"${addressOf(client)}"`)).toBe(true);
    for (const telling of [addressOf(client), `client-${client}`, `client=${client}`])
      expect(byGateway.includes(telling), telling).toBe(false);
  }
  // What both print themselves: where they listen, and neither a prefix nor an address.
  expect(relay.output()).toMatch(/^listening \d+\n$/);
  expect(gateway.output() + metrics).not.toMatch(/127\.77\.|confirm\b.*[\da-f]{8}/);
  expect(metrics).toContain(`portcullis_ohttp_responses_total{sealed="yes",status="200"} ${clients}\n`);
});

test('Chromium asks the relay of another origin, which passes on nothing that tells about the browser', async () => {
  const gateway = await serve([{ headers: { 'content-type': 'message/ohttp-res' }, body: Buffer.alloc(4_128, 7) }]);
  const relay = await startExampleRelay(gateway.origin);
  const page = await listen({ fetch: () => new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } }) });
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath: findChromium() ?? 'chromium', args });
  onTestFinished(() => browser.close());
  const tab = await (await browser.newContext({ locale: 'de-CH' })).newPage();
  await tab.goto(page);
  const methods: string[] = [];
  tab.on('request', (request) => request.url() === relay.url && methods.push(request.method()));
  const got = await tab.evaluate(async (url) => {
    const headers = { 'content-type': 'message/ohttp-req' };
    const answer = await fetch(url, { method: 'POST', headers, body: new Uint8Array(1_079), credentials: 'omit' });
    return [answer.status, (await answer.arrayBuffer()).byteLength];
  }, relay.url);
  expect([got, methods]).toEqual([[200, 4_128], ['POST']]);
  const [request] = gateway.requests;
  expect(request!.body.length).toBe(1_079);
  expect(Object.entries(request!.headers).join()).not.toMatch(/origin|referer|sec-ch|chrome|mozilla|de-CH|cookie/i);
});
