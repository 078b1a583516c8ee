import { Agent } from 'node:http';
import { ReadableStream } from 'node:stream/web';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Recorded } from '../../support/scripted-server.js';
import {
  ask,
  confirm,
  confirmPath,
  expectRefused,
  get,
  hashFor,
  listening,
  relayed,
  relayOf,
  v2Confirm,
  versionPath,
} from './relay-harness.js';

test.each<[string, BodyInit | null, number]>([
  ['no body', null, 400],
  ['malformed JSON', '{', 400],
  ['invalid UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 400],
  ['null', 'null', 400],
  ['an array', '[]', 400],
  ['no algoVersion', '{"prefixes":["a0000001"]}', 400],
  ['an empty algoVersion', '{"algoVersion":"","prefixes":["a0000001"]}', 400],
  ['a long algoVersion', JSON.stringify({ algoVersion: 'x'.repeat(65), prefixes: ['a0000001'] }), 400],
  ['an algoVersion with a line break', JSON.stringify({ algoVersion: 'a\nb', prefixes: ['a0000001'] }), 400],
  ['an object as algoVersion', '{"algoVersion":{},"prefixes":["a0000001"]}', 400],
  ['no prefixes', '{"algoVersion":3}', 400],
  ['empty prefixes', '{"algoVersion":3,"prefixes":[]}', 400],
  ['a string as prefixes', '{"algoVersion":3,"prefixes":"a0000001"}', 400],
  ['a short prefix', '{"algoVersion":3,"prefixes":["a000001"]}', 400],
  ['a whole hash', JSON.stringify({ algoVersion: 3, prefixes: [hashFor('a0000001')] }), 400],
  ['a prefix that is not hex', '{"algoVersion":3,"prefixes":["a000000g"]}', 400],
  ['a prefix with a line break', JSON.stringify({ algoVersion: 3, prefixes: ['a0000001\n'] }), 400],
  ['a number as prefix', '{"algoVersion":3,"prefixes":[1]}', 400],
  ['one malformed prefix among valid ones', '{"algoVersion":3,"prefixes":["a0000001",null]}', 400],
  ['too many prefixes', JSON.stringify({ algoVersion: 3, prefixes: Array(1_001).fill('a0000001') }), 413],
  ['too many bytes', ' '.repeat(32 * 1024 + 1), 413],
  ['too many bytes in chunks', new Blob([' '.repeat(32 * 1024 + 1)]).stream(), 413],
  ['a body that fails', new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) }) as BodyInit, 400],
  ['chunks that are not bytes', new ReadableStream({ start: (controller) => controller.enqueue('text') }) as BodyInit, 400],
])('rejects %s without asking the service', async (_, body, status) => {
  const { server, relay } = await relayed();
  const answer = await ask(relay, confirmPath, { method: 'POST', body, duplex: 'half' } as RequestInit);
  await expectRefused(answer, status, status === 400 ? 'BAD_REQUEST' : 'PAYLOAD_TOO_LARGE');
  expect(server.requests).toEqual([]);
});

test.each([
  ['of an unknown path', '/foo', 404, {}],
  ['with a Content-Length that is too large', confirmPath, 413, {}],
  ['that is too large in chunks', confirmPath, 413, { 'transfer-encoding': 'chunked' }],
])('a body %s leaves its connection usable', async (_, path, status, headers) => {
  const { origin } = await listening();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  for (let round = 0; round < 3; round++) {
    const body = Buffer.alloc(200_000, 0x20);
    expect((await get(origin, path, { method: 'POST', body, headers: { ...headers }, agent })).status).toBe(status);
    expect((await get(origin, versionPath, { agent })).status).toBe(200);
  }
});

test('rejects a body that arrives too slowly', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const cancel = vi.fn<() => void>();
  const body = new ReadableStream({ cancel }, { highWaterMark: 0 });
  const { relay } = relayOf('https://api.example');
  const answer = ask(relay, confirmPath, { method: 'POST', body, duplex: 'half' } as RequestInit);
  await vi.advanceTimersByTimeAsync(10_000);
  await expectRefused(await answer, 408, 'TIMEOUT');
  expect(cancel).toHaveBeenCalled();
});

test('accepts maxPrefixes prefixes', async () => {
  const { asked, relay } = await relayed({ maxPrefixes: 2_000 });
  const prefixes = Array.from({ length: 2_000 }, (_, at) => at.toString(16).padStart(8, '0'));
  expect((await confirm(relay, prefixes)).status).toBe(200);
  expect(asked(v2Confirm)).toHaveLength(1);
});

test("sends nothing else of the client's request to the service", async () => {
  const { asked, relay } = await relayed();
  const body = JSON.stringify({ algoVersion: 3, prefixes: ['A0000001'], url: 'https://visited.example/', __proto__: 1 });
  await ask(relay, confirmPath, {
    method: 'POST',
    body,
    headers: { referer: 'https://visited.example/', 'user-agent': 'visited', cookie: 'visited' },
  });
  const [{ headers, body: sent }] = asked(v2Confirm) as [Recorded];
  expect(sent.toString()).toBe('{"algoVersion":3,"prefixes":["a0000001"]}');
  expect(JSON.stringify(headers)).not.toContain('visited');
});

test('rejects a body that was read before', async () => {
  const { relay } = await relayed();
  const read = new Request(`http://relay${confirmPath}`, { method: 'POST', body: '{}' });
  await read.text();
  await expectRefused(await relay.fetch(read), 400, 'BAD_REQUEST');
});
