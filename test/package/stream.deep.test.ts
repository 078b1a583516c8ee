import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { requireRedis7 } from '../../examples/stream/redis-server.js';
import { buildStream } from '../../tools/build-stream.js';
import { startRedis } from '../support/redis-server.js';

const folder = mkdtempSync(join(tmpdir(), 'stream-'));
const script = join(folder, 'consumer.mjs');
beforeAll(() => buildStream(script));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fieldsOf = ([, fields]: [string, string[]]): Record<string, string> =>
  Object.fromEntries(fields.flatMap((value, at) => (at % 2 === 1 ? [[fields[at - 1]!, value]] : [])));

/** A Redis with an empty stream, and a way to start consumers of it. */
async function startStream(takeOverMs: number, file = script, drainMs = 60_000) {
  const server = await startRedis();
  // A test may end the server.
  const redis = new Redis(server.socket).on('error', () => {});
  const children: ChildProcess[] = [];
  onTestFinished(async () => {
    for (const child of children) child.kill('SIGKILL');
    redis.disconnect();
    await server.end();
  });
  async function start(more: NodeJS.ProcessEnv = {}): Promise<ChildProcess> {
    const env = { ...process.env, TAKE_OVER_MS: String(takeOverMs), DRAIN_MS: String(drainMs), ...more };
    const child = spawn(process.execPath, [file, server.socket], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    for await (const [chunk] of onData(child)) if (String(chunk).includes('ready')) break;
    child.stdout!.resume();
    return child;
  }
  return { redis, start, server };
}

test('processes that are killed lose no message, no result is doubled, and SIGTERM drains', async () => {
  const { redis, start } = await startStream(1_500);

  const total = 3_000;
  const ids: string[] = [];
  for (let at = 0; at < total; at++) {
    const assets = Array.from({ length: 40 }, (_, place) => `https://clear-${at}-${place}.example/`);
    ids.push((await redis.xadd('assets', '*', 'assets', JSON.stringify([...assets, 'https://scam-mint.example/'])))!);
  }
  const poison = [
    await redis.xadd('assets', '*', 'assets', '{ not JSON'),
    await redis.xadd('assets', '*', 'assets', '{"an": "object"}'),
  ];

  const counted = (): Promise<number> => redis.xlen('assets:results');
  let deaths = 0;
  for (const wanted of [200, 900, 1_800]) {
    const child = await start();
    while ((await counted()) < wanted) await sleep(2);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await counted(), 'killed in the middle').toBeLessThan(total);
    deaths++;
  }
  expect((await redis.xpending('assets', 'screeners'))[0], 'messages that dead workers held').toBeGreaterThan(0);

  const survivors = [await start(), await start()];
  const isDone = async (): Promise<boolean> => {
    const [pending] = await redis.xpending('assets', 'screeners');
    return pending === 0 && (await redis.xlen('assets:dead')) >= poison.length && (await counted()) >= total;
  };
  for (const endMs = Date.now() + 120_000; !(await isDone()); await sleep(50)) expect(Date.now()).toBeLessThan(endMs);

  const results = ((await redis.xrange('assets:results', '-', '+')) as [string, string[]][]).map(fieldsOf);
  expect(new Set(results.map(({ id }) => id)), 'every message was screened').toEqual(new Set(ids));
  expect(results.length, 'no result was written twice').toBe(ids.length);
  for (const { count, blocked = '' } of results) {
    expect(count).toBe('41');
    expect(JSON.parse(blocked)).toMatchObject([{ asset: 'https://scam-mint.example/', verdict: { action: 'block' } }]);
  }
  expect(results.filter(({ attempt }) => Number(attempt) > 1).length, 'messages that were taken over').toBeGreaterThan(0);
  const dead = ((await redis.xrange('assets:dead', '-', '+')) as [string, string[]][]).map(fieldsOf);
  expect(dead.map(({ id }) => id)).toEqual(poison);
  console.log('stream', { deaths, results: results.length, again: results.filter(({ attempt }) => Number(attempt) > 1).length });

  // Messages arrive while it drains: those taken are finished, the others stay in the stream.
  for (let at = 0; at < 500; at++) await redis.xadd('assets', '*', 'assets', '["https://scam-mint.example/"]');
  const exits = survivors.map((child) => once(child, 'exit'));
  for (const child of survivors) child.kill('SIGTERM');
  expect(await Promise.all(exits)).toEqual([
    [0, null],
    [0, null],
  ]);
  expect((await redis.xpending('assets', 'screeners'))[0]).toBe(0);
  expect(await redis.xlen('assets'), 'handled messages are removed').toBe(3_500 - (await redis.xlen('assets:results')));
});

test('a message that five workers left unfinished goes to the dead letters, one that four left is screened', async () => {
  const { redis, start } = await startStream(200);
  await redis.xgroup('CREATE', 'assets', 'screeners', '0', 'MKSTREAM');
  const text = '["https://scam-mint.example/"]';
  const add = async (): Promise<string> => (await redis.xadd('assets', '*', 'assets', text))!;
  const [fatal, unlucky] = [await add(), await add()];
  // Workers that take a message and are never heard of again.
  await redis.xreadgroup('GROUP', 'screeners', 'lost-1', 'STREAMS', 'assets', '>');
  for (let worker = 2; worker <= 5; worker++) {
    const ids = worker === 5 ? [fatal] : [fatal, unlucky];
    await redis.xclaim('assets', 'screeners', `lost-${worker}`, 0, ...ids);
  }

  await start();
  for (const endMs = Date.now() + 60_000; (await redis.xlen('assets')) > 0; await sleep(20))
    expect(Date.now()).toBeLessThan(endMs);
  const dead = ((await redis.xrange('assets:dead', '-', '+')) as [string, string[]][]).map(fieldsOf);
  expect(dead).toEqual([{ id: fatal, reason: '5 workers took the message, and none finished it', text }]);
  const results = ((await redis.xrange('assets:results', '-', '+')) as [string, string[]][]).map(fieldsOf);
  expect(results).toMatchObject([{ id: unlucky, attempt: '5', count: '1' }]);
  expect((await redis.xpending('assets', 'screeners'))[0]).toBe(0);
});

/** A consumer with another `screenMessage`, which may call the real one by the name `screen`. */
async function withScreening(name: string, body: string): Promise<string> {
  const screening = join(folder, `${name}.ts`);
  const real = fileURLToPath(new URL('../../examples/stream/screen-message.ts', import.meta.url));
  writeFileSync(
    screening,
    `import { screenMessage as screen } from ${JSON.stringify(real)};
    export { PoisonedMessage } from ${JSON.stringify(real)};
    export const screenMessage = async (blocklist, text) => { ${body} };`,
  );
  const file = join(folder, `${name}.mjs`);
  await buildStream(file, [
    { name, setup: (builder) => builder.onResolve({ filter: /^\.\/screen-message\.js$/ }, () => ({ path: screening })) },
  ]);
  return file;
}

const resultsOf = async (redis: Redis): Promise<Record<string, string>[]> =>
  ((await redis.xrange('assets:results', '-', '+')) as [string, string[]][]).map(fieldsOf);

test('a worker that was slow writes no second result after its message was taken over', async () => {
  const slow =
    "if (process.env['SLOW']) await new Promise((resolve) => setTimeout(resolve, 4_000)); return screen(blocklist, text);";
  const { redis, start } = await startStream(200, await withScreening('slow', slow));
  const first = await start({ SLOW: '1' });
  const id = await redis.xadd('assets', '*', 'assets', '["https://scam-mint.example/"]');
  await vi.waitFor(async () => expect((await redis.xpending('assets', 'screeners'))[0]).toBe(1), 20_000);
  // Its own idle threads would take the message over too, and be as slow.
  first.kill('SIGSTOP');
  await start();
  await vi.waitFor(async () => expect(await resultsOf(redis)).toMatchObject([{ id, count: '1' }]), 30_000);
  first.kill('SIGCONT');
  await sleep(6_000);
  expect(await resultsOf(redis)).toHaveLength(1);
});

test('a message whose result cannot be written is kept and tried again, without an attempt more', async () => {
  const { redis, start } = await startStream(2_500);
  await redis.set('assets:results', 'not a stream');
  await start();
  const id = await redis.xadd('assets', '*', 'assets', '["https://scam-mint.example/"]');
  await sleep(6_000);
  expect(await redis.xlen('assets')).toBe(1);
  expect((await redis.xpending('assets', 'screeners'))[0]).toBe(1);
  await redis.del('assets:results');
  await vi.waitFor(async () => expect(await resultsOf(redis)).toMatchObject([{ id, attempt: '1', count: '1' }]), 20_000);
  expect(await redis.xlen('assets')).toBe(0);
  expect(await redis.xlen('assets:dead')).toBe(0);
});

test('SIGTERM ends the process with code 1 if it cannot drain, as when Redis is gone', async () => {
  const { start, server } = await startStream(30_000, script, 500);
  const child = await start();
  await server.kill();
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await exit).toEqual([1, null]);
});

test('the lag is a number where Redis does not know it', async () => {
  const { redis, start } = await startStream(30_000, await withScreening('endless', 'await new Promise(() => {});'));
  await redis.xgroup('CREATE', 'assets', 'screeners', '0', 'MKSTREAM');
  const ids: string[] = [];
  for (let at = 0; at < 200; at++) ids.push((await redis.xadd('assets', '*', 'assets', '[]'))!);
  await redis.xdel('assets', ids[150]!);
  await redis.xreadgroup('GROUP', 'screeners', 'lost', 'COUNT', 10, 'STREAMS', 'assets', '>');
  const [fields] = (await redis.xinfo('GROUPS', 'assets')) as unknown[][];
  expect(fields![fields!.indexOf('lag') + 1], 'Redis does not know it').toBeNull();
  const child = await start();
  let printed = '';
  child.stdout!.on('data', (chunk) => {
    printed += chunk;
  });
  await vi.waitFor(() => expect(printed).toMatch(/^lag \d+, pending [1-9]\d*$/m), 20_000);
  for (const [, lag, pending] of printed.matchAll(/^lag (.+), pending (.+)$/gm)) expect(Number(lag) + Number(pending)).toBe(199);
});

test.each([
  ['redis_version:6.2.14\r\nredis_mode:standalone\r\n', '6.2.14'],
  ['redis_version:5.0.3\n', '5.0.3'],
  ['server_name:other\n', 'unknown'],
])('a server with %j is refused', (info, version) => {
  expect(() => requireRedis7(`# Server\r\n${info}`)).toThrow(
    new Error(`the example needs Redis 7 or Valkey; this server is Redis ${version}`),
  );
});

test.each(['7.0.15', '7.2.4', '8.0.0', '10.1.0'])('a server that is compatible with Redis %s is accepted', (version) => {
  requireRedis7(`# Server\r\nredis_version:${version}\r\n`);
});

test('a message that ends its process takes no other message to the dead letters', async () => {
  const fatalScript = await withScreening(
    'fatal',
    "return text.includes('fatal') ? process.kill(process.pid, 'SIGKILL') : screen(blocklist, text);",
  );
  const { redis, start } = await startStream(300, fatalScript);
  const ids: string[] = [];
  for (let at = 0; at < 16; at++) {
    const host = at === 7 ? 'fatal' : `good-${at}`;
    ids.push((await redis.xadd('assets', '*', 'assets', `["https://${host}.example/"]`))!);
  }

  let deaths = 0;
  for (;;) {
    const child = await start();
    while (child.signalCode === null && (await redis.xlen('assets')) > 0) await sleep(20);
    if (child.signalCode === null) break;
    expect(++deaths).toBeLessThanOrEqual(5);
  }
  expect(deaths).toBe(5);
  const dead = ((await redis.xrange('assets:dead', '-', '+')) as [string, string[]][]).map(fieldsOf);
  expect(dead.map(({ id }) => id)).toEqual([ids[7]]);
  const results = ((await redis.xrange('assets:results', '-', '+')) as [string, string[]][]).map(fieldsOf);
  expect(results.map(({ id }) => id).sort()).toEqual(ids.filter((_, at) => at !== 7).sort());
});

async function* onData(child: ChildProcess): AsyncIterableIterator<[Buffer]> {
  while (child.exitCode === null) yield (await once(child.stdout!, 'data')) as [Buffer];
}
