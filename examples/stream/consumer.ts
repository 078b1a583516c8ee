/**
 * A consumer group over Redis Streams: the main thread keeps the list, and a worker for each core screens messages over the shared set.
 * Start it on as many machines as you like. `npm run example:stream -- redis://127.0.0.1:6379 list.txt`
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { isMainThread, type MessagePort, parentPort, threadId, Worker, workerData } from 'node:worker_threads';
import { Redis } from 'ioredis';
import { type Blocklist, createBlocklist } from 'portcullis';
import { textSource } from 'portcullis/sources';
import { redisStore } from 'portcullis/stores/redis';
import { attachBlocklist, shareBlocklist } from 'portcullis/threads';
import { PoisonedMessage, screenMessage } from './screen-message.js';

const [stream, results, deadLetters, group] = ['assets', 'assets:results', 'assets:dead', 'screeners'] as const;

/** Messages that one worker takes at a time, and that are screened again after a crash. */
const batchSize = 16;

/** A message that was not acknowledged for this time is taken over. Longer than any batch takes. */
const takeOverMs = Number(process.env['TAKE_OVER_MS'] ?? 30_000);

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
      const [[, , , attempt]] = (await redis.xpending(stream, group, entry[0], entry[0], 1)) as [
        [string, string, number, number],
      ];
      return [messageOf(entry, attempt)];
    }
    const read = await redis.xreadgroup('GROUP', group, consumer, 'COUNT', batchSize, 'BLOCK', 200, 'STREAMS', stream, '>');
    const entries = (read as [string, Entry[]][] | null)?.[0]?.[1] ?? [];
    return entries.map((each) => messageOf(each, 1));
  }

  /** The results and the acknowledgements are one transaction, so a crash leaves both or none. */
  async function handle(messages: readonly Message[]): Promise<void> {
    const done = redis.multi();
    for (const { id, text, attempt } of messages) {
      try {
        if (attempt > maxAttempts) throw new PoisonedMessage(`${maxAttempts} workers took the message, and none finished it`);
        const { count, blocked } = await screenMessage(blocklist, text);
        // A consumer of the results sees by `attempt` what may have been screened before.
        done.xadd(results, '*', 'id', id, 'attempt', attempt, 'count', count, 'blocked', JSON.stringify(blocked));
      } catch (error) {
        if (!(error instanceof PoisonedMessage)) throw error;
        done.xadd(deadLetters, '*', 'id', id, 'reason', error.message, 'text', text);
      }
      // No other group reads the stream, so it holds only what is left to do.
      done.xack(stream, group, id).xdel(stream, id);
    }
    await done.exec();
  }

  while (!isDraining) {
    try {
      const messages = await take();
      if (messages.length > 0) await handle(messages);
    } catch (error) {
      // The messages stay pending, and are taken over.
      console.error(error instanceof Error ? error.message : error);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
  blocklist.close();
  redis.disconnect();
}

const messageOf = ([id, fields]: Entry, attempt: number): Message => ({ id, text: fields[1] ?? '', attempt });

async function keepList(): Promise<void> {
  const redis = connect();
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

  const timer = setInterval(async () => {
    const [fields] = (await redis.xinfo('GROUPS', stream).catch(() => [])) as unknown[][];
    const at = (name: string): unknown => fields?.[fields.indexOf(name) + 1];
    console.log(`lag ${at('lag')}, pending ${at('pending')}`);
  }, 1_000);

  // Each worker finishes its batch; what it has not taken stays in the stream.
  process.once('SIGTERM', async () => {
    for (const worker of workers) worker.postMessage('drain');
    await Promise.all(exits);
    clearInterval(timer);
    shared.close();
    await blocklist.close();
    redis.disconnect();
    console.log('drained');
  });
  console.log('ready');
}

if (isMainThread) await keepList();
else await work((workerData as { port: MessagePort }).port);
