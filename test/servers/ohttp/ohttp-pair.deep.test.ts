import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { chromium } from 'playwright';
import { oblivious } from 'portcullis/ohttp';
import { serviceSource } from 'portcullis/sources';
import { createService } from 'portcullis/testing';
import { expect, onTestFinished, test } from 'vitest';
import { findChromium } from '../../../tools/find-chromium.js';
import { startServer } from '../../apps/cli/harness.js';
import { runJson, temporaryFolder } from '../../apps/cli/in-process.js';
import { listen } from '../../support/listen.js';
import { serve } from '../../support/scripted-server.js';
import { startExampleRelay } from './example-relay.js';

interface Tap {
  readonly url: string;
  /** Where to send what arrives. */
  port: number;
  /** What came from each address, and what it was sent, in the order in which it passed. */
  readonly from: ReadonlyMap<string, readonly Buffer[]>;
  /** Everything that passed. */
  bytes(): Buffer;
}

/** Records what a process receives and sends: all that it could log. */
async function startTap(): Promise<Tap> {
  const from = new Map<string, Buffer[]>();
  const server = createServer((client) => {
    const chunks = from.get(client.remoteAddress!) ?? [];
    from.set(client.remoteAddress!, chunks);
    const record = (chunk: Buffer): void => void chunks.push(chunk);
    const to = connect(tap.port, '127.0.0.1');
    for (const stream of [client, to]) stream.on('data', record);
    pipeline(client, to, client, () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const tap: Tap = { url: `http://127.0.0.1:${port}`, port: 0, from, bytes: () => Buffer.concat([...from.values()].flat()) };
  return tap;
}

const clients = 1_000;
const hexOf = (client: number): string => prefixOf(client).toString(16).padStart(8, '0');
/** Each has an address of its own, as far as relay and gateway can see. */
const addressOf = (client: number): string => `127.77.${client >> 8}.${client & 0xff}`;
const prefixOf = (client: number): number => Math.imul(client + 1, 0x9e37_79b1) >>> 0;

test('of 1,000 clients the relay sees addresses and no prefix, the gateway prefixes and no address', async () => {
  const [atRelay, atGateway, atService] = [await startTap(), await startTap(), await startTap()];
  const file = join(temporaryFolder(), 'gateway.key');
  const { value } = await runJson(['keygen', '--ohttp', file]);
  const service = createService();
  onTestFinished(() => service.close());
  atService.port = Number(new URL(await listen(service)).port);
  const env = { HOME: temporaryFolder(), PORTCULLIS_API_KEY: service.key };
  const args = ['serve', '--relay', '--url', atService.url, '--ohttp', file, '--port', '0', '--public-url', atGateway.url];
  const relay = await startExampleRelay(`${atGateway.url}/ohttp`);
  atRelay.port = Number(new URL(relay.url).port);

  /** Of questions and answers. */
  const lengths = new Set<string>();
  /** As a browser would, which names itself. */
  const sendFrom =
    (client: number) =>
    async (url: string, init?: RequestInit): Promise<Response> => {
      const naming = { 'user-agent': `client-${client};`, cookie: `client=${client};` };
      const headers = { ...(init!.headers as Record<string, string>), ...naming };
      const options = { method: 'POST', localAddress: addressOf(client), agent: new Agent(), headers };
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        httpRequest(url, options, resolve)
          .on('error', reject)
          .end(Buffer.from(init!.body as Uint8Array));
      });
      const bytes = new Uint8Array(await buffer(answer));
      lengths.add(`${(init!.body as Uint8Array).length} ${bytes.length}`);
      const sealed = { 'content-type': answer.headers['content-type']! };
      return new Response(bytes, { status: answer.statusCode!, headers: sealed });
    };
  const ask = async (client: number, algoVersion: string): Promise<void> => {
    const ohttp = oblivious({ relay: atRelay.url, keys: value.keyList, fetch: sendFrom(client) });
    const fetch = () => expect.unreachable('asked directly');
    const source = serviceSource({ baseUrl: 'https://blocklist.example', ohttp, fetch });
    const { hashes } = await source.confirm!([prefixOf(client)], { algoVersion });
    expect([...hashes]).toEqual([[prefixOf(client), []]]);
  };
  const printed: string[] = [];
  // A gateway asks the service at most 600 times a minute, so it is restarted after half of them.
  for (let client = 0; client < clients; ) {
    const gateway = await startServer(args, { env });
    atGateway.port = Number(new URL(gateway.listening).port);
    const version = await fetch(`${gateway.listening}/playground/blocklist/asset/blocklist/version`);
    const { algoVersion } = (await version.json()) as { algoVersion: string };
    for (const end = client + clients / 2; client < end; client += 50)
      await Promise.all(Array.from({ length: 50 }, (_, at) => ask(client + at, algoVersion)));
    const metrics = await (await fetch(`${gateway.listening}/metrics`)).text();
    expect(metrics).toContain(`portcullis_ohttp_responses_total{sealed="yes",status="200"} ${clients / 2}\n`);
    await gateway.interrupt();
    printed.push(metrics, gateway.output());
  }

  const byRelay = Buffer.concat([atRelay.bytes(), Buffer.from(relay.output())]);
  const byService = atService.bytes();
  const byGateway = Buffer.concat([atGateway.bytes(), byService, Buffer.from(printed.join('\n'))]);
  expect(atRelay.from.size).toBe(clients);
  for (let client = 0; client < clients; client++) {
    const own = Buffer.concat(atRelay.from.get(addressOf(client))!);
    const hex = hexOf(client);
    expect(byRelay.includes(hex)).toBe(false);
    // The four bytes themselves are in five thousand random bytes once in 800,000 times.
    expect(own.includes(Buffer.from(hex, 'hex'))).toBe(false);
    expect(own.includes(`client-${client};`)).toBe(true);
    // The gateway asks the service about the prefix.
    expect(byService.includes(`"${hex}"`)).toBe(true);
  }
  expect(byGateway.toString('latin1')).not.toMatch(/127\.77\.|client[-=]/);
  expect([...lengths]).toEqual(['1079 4128']);
  // What the processes print: where they listen, and neither a prefix nor an address.
  expect(relay.output()).toMatch(/^listening \d+\n$/);
  for (const text of printed) expect(text).not.toMatch(/127\.77\.|confirm\b.*[\da-f]{8}/);
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
