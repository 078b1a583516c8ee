/**
 * A consumer group over Redis Streams: the main thread keeps the list, and a worker for each core screens messages over the shared set.
 * Start it on as many machines as you like. `npm run example:stream -- redis://127.0.0.1:6379 list.txt`
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, type MessagePort, parentPort, threadId, Worker, workerData } from 'node:worker_threads';
import { Redis } from 'ioredis';
import { type Blocklist, createBlocklist } from 'portcullis';
import { textSource } from 'portcullis/sources';
import { redisStore } from 'portcullis/stores';
import { attachBlocklist, shareBlocklist } from 'portcullis/threads';
import { finishMessage, requireRedis7 } from './redis-server.js';
import { PoisonedMessage, screenMessage } from './screen-message.js';

const [stream, results, deadLetters, group] = ['assets', 'assets:results', 'assets:dead', 'screeners'] as const;

/** Messages that one worker takes at a time, and that are screened again after a crash. */
const batchSize = 16;

/** A message that was not acknowledged for this time is taken over. Longer than any batch takes. */
const takeOverMs = Number(process.env['TAKE_OVER_MS'] ?? 30_000);

/** The pause before messages that could not be written are tried again. */
const retryMs = 1_000;

/** When SIGTERM does not end the process by itself in this time, as without Redis, it ends at once. Supervisors wait for 30 seconds. */
const drainMs = Number(process.env['DRAIN_MS'] ?? 20_000);

/** A message that this many workers left unfinished goes to the dead letters, because it may be what ends them. */
const maxAttempts = 5;

const [redisUrl = 'redis://127.0.0.1:6379', listFile] = process.argv.slice(2);

type Entry = [id: string, fields: string[]];

interface Message {
  readonly id: string;
  readonly text: string;
  /** 1: no worker had it before. */
  readonly attempt: number;
}

function connect(): Redis {
  return new Redis(redisUrl, { maxRetriesPerRequest: null }).on('error', (error: Error) => console.error(error.message));
}

async function work(port: MessagePort): Promise<void> {
  const blocklist = await attachBlocklist(port);
  const redis = connect();
  const consumer = `${process.pid}-${threadId}`;
  let isDraining = false;
  parentPort!.once('message', () => {
    isDraining = true;
  });

  let cursor = '0-0';

  /** First what dead workers left, then new messages. */
  async function take(): Promise<Message[]> {
    // One at a time, so that a message that ends its worker takes no other with it.
    const [next, left] = (await redis.xautoclaim(stream, group, consumer, takeOverMs, cursor, 'COUNT', 1)) as [string, Entry[]];
    cursor = next;
    const [entry] = left;
    if (entry !== undefined) {
      const [pending] = (await redis.xpending(stream, group, entry[0], entry[0], 1)) as [string, string, number, number][];
      // The worker that had it was only slow, and finished it now.
      return pending === undefined ? [] : [messageOf(entry, pending[3])];
    }
    const read = await redis.xreadgroup('GROUP', group, consumer, 'COUNT', batchSize, 'BLOCK', 200, 'STREAMS', stream, '>');
    const entries = (read as [string, Entry[]][] | null)?.[0]?.[1] ?? [];
    return entries.map((each) => messageOf(each, 1));
  }

  async function handle({ id, text, attempt }: Message): Promise<void> {
    const from = { stream, group, id };
    try {
      if (attempt > maxAttempts) throw new PoisonedMessage(`${maxAttempts} workers took the message, and none finished it`);
      const { count, blocked } = await screenMessage(blocklist, text);
      await finishMessage(redis, from, results, { id, attempt, count, blocked: JSON.stringify(blocked) });
    } catch (error) {
      if (!(error instanceof PoisonedMessage)) throw error;
      await finishMessage(redis, from, deadLetters, { id, reason: error.message, text });
    }
  }

  let unfinished: readonly Message[] = [];
  while (!isDraining) {
    try {
      const messages = unfinished.length > 0 ? unfinished : await take();
      const outcomes = await Promise.allSettled(messages.map(handle));
      unfinished = messages.filter((_, at) => outcomes[at]!.status === 'rejected');
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    } catch (error) {
      // The messages stay pending. This worker tries them again; if it ends before, another takes them over.
      console.error(error instanceof Error ? error.message : error);
      await sleep(retryMs);
      // Claimed anew without an attempt more: what fails is not the fault of the message.
      const ids = unfinished.map(({ id }) => id);
      if (ids.length > 0) await redis.xclaim(stream, group, consumer, 0, ...ids, 'JUSTID').catch(() => {});
    }
  }
  blocklist.close();
  redis.disconnect();
}

const messageOf = ([id, fields]: Entry, attempt: number): Message => ({ id, text: fields[1] ?? '', attempt });

async function keepList(): Promise<void> {
  const redis = connect();
  requireRedis7(await redis.info('server'));
  await redis.xgroup('CREATE', stream, group, '0', 'MKSTREAM').catch((error: Error) => {
    if (!error.message.startsWith('BUSYGROUP')) throw error;
  });
  // Instead of a file, `baseUrl` of a relay or the source of a published list.
  const text = listFile === undefined ? 'scam-mint.example\n' : readFileSync(listFile, 'utf8');
  const source = textSource({ id: 'mine', text });
  const blocklist: Blocklist = createBlocklist({ sources: [source], store: redisStore({ client: redis }) });
  blocklist.on('error', ({ where, error }) => console.error(where, error.code));
  await blocklist.ready();
  const shared = shareBlocklist(blocklist);
  const workers = Array.from({ length: availableParallelism() }, () => {
    const port = shared.port<MessagePort>();
    return new Worker(new URL(import.meta.url), { workerData: { port }, transferList: [port], argv: process.argv.slice(2) });
  });
  const exits = workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve)));

  let isDraining = false;
  const report = async (): Promise<void> => {
    while (!isDraining) {
      console.log(await backlog(redis).catch(() => 'lag unknown, pending unknown'));
      await sleep(1_000, undefined, { ref: false });
    }
  };

  // Each worker finishes its batch; what it has not taken stays in the stream.
  process.once('SIGTERM', async () => {
    isDraining = true;
    setTimeout(() => {
      console.error(`not drained within ${drainMs} ms; another process takes over the messages of this one`);
      process.exit(1);
    }, drainMs).unref();
    for (const worker of workers) worker.postMessage('drain');
    await Promise.all(exits);
    shared.close();
    await blocklist.close();
    redis.disconnect();
    console.log('drained');
  });
  void report();
  console.log('ready');
}

/** Redis does not know the lag after some deletions. All handled messages are deleted, so those that are left were not taken, or are pending. */
async function backlog(redis: Redis): Promise<string> {
  const [[fields = []], length] = (await Promise.all([redis.xinfo('GROUPS', stream), redis.xlen(stream)])) as [
    unknown[][],
    number,
  ];
  const at = (name: string): unknown => fields[fields.indexOf(name) + 1];
  const pending = Number(at('pending'));
  return `lag ${at('lag') ?? Math.max(0, length - pending)}, pending ${pending}`;
}

if (isMainThread) {
  await keepList().catch((error: Error) => {
    console.error(error.message);
    process.exit(1);
  });
} else await work((workerData as { port: MessagePort }).port);
