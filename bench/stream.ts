/**
 * Screens a stream of ten million assets with the consumer of `examples/stream`, against the same consumer without screening.
 * It needs redis-server. Not a question of `run.ts`, because it takes minutes.
 *
 *   npm run bench:stream -- [assets] [listed]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { startRedis } from '../test/support/redis-server.js';
import { buildStream } from '../tools/build-stream.js';
import { countName } from './question.js';

const [assetCount = 10_000_000, listedCount = 1_000_000] = process.argv.slice(2).map(Number);
const assetsPerMessage = 200;
/** One asset in this many is listed. */
const hitEvery = 1_000;
/** The producer waits when so many messages are left, which bounds the memory of Redis. */
const maxMessagesLeft = 2_000;

const folder = mkdtempSync(join(tmpdir(), 'bench-stream-'));
const list = join(folder, 'list.txt');
writeFileSync(list, Array.from({ length: listedCount }, (_, at) => `listed-${at}.example\n`).join(''));
const parsing = join(folder, 'parsing.ts');
writeFileSync(
  parsing,
  `export class PoisonedMessage extends Error {}
  export const screenMessage = async (_, text) => ({ count: JSON.parse(text).length, blocked: [] });`,
);

interface Figures {
  readonly perSecond: number;
  readonly blocked: number;
  /** If memory is bounded, the first tenth reaches the most. */
  readonly consumerMb: { readonly start: number; readonly mostInFirstTenth: number; readonly most: number };
  readonly mostRedisMb: number;
}

async function run(script: string): Promise<Figures> {
  const server = await startRedis();
  const redis = new Redis(server.socket);
  const child = spawn(process.execPath, [script, server.socket, list], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await ready(child);
    child.stdout.resume();
    const start = residentMb(child.pid!);
    const consumerMb = { start, mostInFirstTenth: start, most: start };
    let mostRedisMb = 0;
    let share = 0;
    const look = setInterval(() => {
      consumerMb.most = Math.max(consumerMb.most, residentMb(child.pid!));
      if (share <= 0.1) consumerMb.mostInFirstTenth = consumerMb.most;
      mostRedisMb = Math.max(mostRedisMb, residentMb(server.process.pid!));
    }, 100);
    const startedMs = performance.now();
    const blocked = await produceAndCollect(redis, (done) => {
      share = done;
    });
    const seconds = (performance.now() - startedMs) / 1_000;
    clearInterval(look);
    child.kill('SIGTERM');
    await once(child, 'exit');
    return { perSecond: Math.round(assetCount / seconds), blocked, consumerMb, mostRedisMb };
  } finally {
    child.kill('SIGKILL');
    redis.disconnect();
    await server.end();
  }
}

/** Reads the results too, as a consumer of them would, and checks that every asset was screened once. */
async function produceAndCollect(redis: Redis, onProgress: (share: number) => void): Promise<number> {
  let [sent, counted, blocked] = [0, 0, 0];
  while (counted < assetCount) {
    const left = await redis.xlen('assets');
    if (sent < assetCount && left < maxMessagesLeft) {
      const batch = redis.pipeline();
      for (let each = 0; each < 100 && sent < assetCount; each++) {
        batch.xadd('assets', '*', 'assets', JSON.stringify(assetsFrom(sent)));
        sent += assetsPerMessage;
      }
      await batch.exec();
    } else await sleep(1);
    const results = (await redis.xrange('assets:results', '-', '+', 'COUNT', 500)) as [string, string[]][];
    for (const [, fields] of results) {
      counted += Number(fields[fields.indexOf('count') + 1]);
      blocked += (JSON.parse(fields[fields.indexOf('blocked') + 1]!) as unknown[]).length;
    }
    onProgress(counted / assetCount);
    if (results.length > 0) await redis.xdel('assets:results', ...results.map(([id]) => id));
  }
  if (counted !== assetCount) throw new Error(`${counted} assets were screened, of ${assetCount}`);
  return blocked;
}

function assetsFrom(first: number): string[] {
  return Array.from({ length: Math.min(assetsPerMessage, assetCount - first) }, (_, place) => {
    const at = first + place;
    return at % hitEvery === 0
      ? `https://listed-${at % listedCount}.example/claim?from=${at}`
      : `https://host-${at}.example/some/path?id=${at}`;
  });
}

async function ready(child: ChildProcess): Promise<void> {
  for (;;) {
    const [chunk] = (await once(child.stdout!, 'data')) as [Buffer];
    if (String(chunk).includes('ready')) return;
  }
}

function residentMb(pid: number): number {
  return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024);
}

try {
  const [screening, reading] = [join(folder, 'screening.mjs'), join(folder, 'reading.mjs')];
  await buildStream(screening);
  await buildStream(reading, [
    {
      name: 'parses only',
      setup: (builder) => builder.onResolve({ filter: /^\.\/screen-message\.js$/ }, () => ({ path: parsing })),
    },
  ]);
  console.log(`${countName(assetCount)} assets, ${countName(listedCount)} listed, ${assetsPerMessage} assets a message`);
  const rival = await run(reading);
  console.log('the same consumer, which only parses', rival);
  const ours = await run(screening);
  console.log('screening', ours);
  const expected = Math.ceil(assetCount / hitEvery);
  if (ours.blocked !== expected) throw new Error(`${ours.blocked} assets were blocked, of ${expected}`);
  console.log(`time: ${(rival.perSecond / ours.perSecond).toFixed(2)} × the consumer that only parses`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
