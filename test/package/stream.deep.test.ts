import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { buildStream } from '../../tools/build-stream.js';
import { startRedis } from '../support/redis-server.js';

const folder = mkdtempSync(join(tmpdir(), 'stream-'));
const script = join(folder, 'consumer.mjs');
beforeAll(() => buildStream(script));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fieldsOf = ([, fields]: [string, string[]]): Record<string, string> =>
  Object.fromEntries(fields.flatMap((value, at) => (at % 2 === 1 ? [[fields[at - 1]!, value]] : [])));

/** A Redis with an empty stream, and a way to start consumers of it. */
async function startStream(takeOverMs: number, file = script) {
  const server = await startRedis();
  const redis = new Redis(server.socket);
  const children: ChildProcess[] = [];
  onTestFinished(async () => {
    for (const child of children) child.kill('SIGKILL');
    redis.disconnect();
    await server.end();
  });
  async function start(): Promise<ChildProcess> {
    const env = { ...process.env, TAKE_OVER_MS: String(takeOverMs) };
    const child = spawn(process.execPath, [file, server.socket], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    for await (const [chunk] of onData(child)) if (String(chunk).includes('ready')) break;
    child.stdout!.resume();
    return child;
  }
  return { redis, start };
}

test('processes that are killed lose no message, results that may be doubled are marked, and SIGTERM drains', async () => {
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
  const seen = new Set<string>();
  for (const { id = '', attempt, count, blocked = '' } of results) {
    if (seen.has(id)) expect(Number(attempt), 'a doubled result is marked').toBeGreaterThan(1);
    seen.add(id);
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

test('a message that ends its process takes no other message to the dead letters', async () => {
  const screen = join(folder, 'fatal.ts');
  const real = fileURLToPath(new URL('../../examples/stream/screen-message.ts', import.meta.url));
  writeFileSync(
    screen,
    `import { screenMessage as screen } from ${JSON.stringify(real)};
    export { PoisonedMessage } from ${JSON.stringify(real)};
    export const screenMessage = (blocklist, text) =>
      text.includes('fatal') ? process.kill(process.pid, 'SIGKILL') : screen(blocklist, text);`,
  );
  const fatalScript = join(folder, 'fatal.mjs');
  await buildStream(fatalScript, [
    {
      name: 'a message that ends the process',
      setup: (builder) => builder.onResolve({ filter: /^\.\/screen-message\.js$/ }, () => ({ path: screen })),
    },
  ]);
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
