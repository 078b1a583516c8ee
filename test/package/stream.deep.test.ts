import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { sourceAlias } from '../../tools/source-alias.js';
import { startRedis } from '../support/redis-server.js';

const folder = mkdtempSync(join(tmpdir(), 'stream-'));
const script = join(folder, 'consumer.mjs');
beforeAll(() =>
  build({
    entryPoints: ['examples/stream/consumer.ts'],
    outfile: script,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    plugins: [
      {
        name: 'the package by its public names',
        setup(builder) {
          builder.onResolve({ filter: /^portcullis/ }, ({ path }) => {
            const { find, replacement } = sourceAlias.find((alias) => alias.find.test(path))!;
            return { path: path.replace(find, replacement) };
          });
        },
      },
    ],
  }),
);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fieldsOf = ([, fields]: [string, string[]]): Record<string, string> =>
  Object.fromEntries(fields.flatMap((value, at) => (at % 2 === 1 ? [[fields[at - 1]!, value]] : [])));

test('processes that are killed lose no message, results that may be doubled are marked, and SIGTERM drains', async () => {
  const server = await startRedis();
  const redis = new Redis(server.socket);
  const children: ChildProcess[] = [];
  onTestFinished(async () => {
    for (const child of children) child.kill('SIGKILL');
    redis.disconnect();
    await server.end();
  });
  const start = async (): Promise<ChildProcess> => {
    const env = { ...process.env, TAKE_OVER_MS: '1500' };
    const child = spawn(process.execPath, [script, server.socket], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    for await (const [chunk] of onData(child)) if (String(chunk).includes('ready')) break;
    child.stdout!.resume();
    return child;
  };

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
});

async function* onData(child: ChildProcess): AsyncIterableIterator<[Buffer]> {
  while (child.exitCode === null) yield (await once(child.stdout!, 'data')) as [Buffer];
}
