/**
 * A consumer group over Redis Streams: one process keeps the list, and a worker for each core screens messages over the shared set.
 * Start it on as many machines as you like. `npm run example:stream -- redis://127.0.0.1:6379`
 */
import { availableParallelism } from 'node:os';
import { isMainThread, type MessagePort, parentPort, threadId, Worker, workerData } from 'node:worker_threads';
import { Redis } from 'ioredis';
import { type Blocklist, createBlocklist } from 'portcullis';
import { textSource } from 'portcullis/sources';
import { redisStore } from 'portcullis/stores/redis';
import { attachBlocklist, shareBlocklist } from 'portcullis/threads';
import { PoisonedMessage, screenMessage } from './screen-message.js';

const [stream, results, deadLetters, group] = ['assets', 'assets:results', 'assets:dead', 'screeners'] as const;

/** Messages that one worker takes at a time, and may have to screen again after a crash. */
const batchSize = 16;

/** A message whose worker was silent for so long is taken over. Longer than any batch takes. */
const takeOverMs = Number(process.env['TAKE_OVER_MS'] ?? 30_000);

/** A message that ended this many workers goes to the dead letters. */
const maxAttempts = 5;

const redisUrl = process.argv[2] ?? 'redis://127.0.0.1:6379';

type Message = [id: string, fields: string[]];

function connect(): Redis {
  return new Redis(redisUrl, { maxRetriesPerRequest: null }).on('error', (error: Error) => console.error(error.message));
}

async function work(port: MessagePort): Promise<void> {
  const blocklist = await attachBlocklist(port as never);
  const redis = connect();
  const consumer = `${process.pid}-${threadId}`;
  let isDraining = false;
  parentPort!.once('message', () => {
    isDraining = true;
  });

  /** First what dead workers left, then new messages. */
  async function take(): Promise<Message[]> {
    const [, left] = (await redis.xautoclaim(stream, group, consumer, takeOverMs, '0', 'COUNT', batchSize)) as [
      string,
      Message[],
    ];
    if (left.length > 0) return left;
    const read = await redis.xreadgroup('GROUP', group, consumer, 'COUNT', batchSize, 'BLOCK', 200, 'STREAMS', stream, '>');
    return (read as [string, Message[]][] | null)?.[0]?.[1] ?? [];
  }

  /** The result and the acknowledgement are one transaction, so a crash leaves both or none. */
  async function handle([id, fields]: Message): Promise<void> {
    const [[, , , attempt = 1] = []] = (await redis.xpending(stream, group, id, id, 1)) as [string, string, number, number][];
    const done = redis.multi();
    try {
      if (attempt > maxAttempts) throw new PoisonedMessage(`it was given to ${maxAttempts} workers, and none finished it`);
      const { count, blocked } = await screenMessage(blocklist, fields[1] ?? '');
      // A consumer of the results sees by `attempt` what may have been screened before.
      done.xadd(results, '*', 'id', id, 'attempt', attempt, 'count', count, 'blocked', JSON.stringify(blocked));
    } catch (error) {
      if (!(error instanceof PoisonedMessage)) throw error;
      done.xadd(deadLetters, '*', 'id', id, 'reason', error.message, 'text', fields[1] ?? '');
    }
    await done.xack(stream, group, id).exec();
  }

  while (!isDraining) {
    try {
      for (const message of await take()) await handle(message);
    } catch (error) {
      // The messages stay pending, and are taken over.
      console.error(error instanceof Error ? error.message : error);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
  blocklist.close();
  redis.disconnect();
}

async function keepList(): Promise<void> {
  const redis = connect();
  await redis.xgroup('CREATE', stream, group, '0', 'MKSTREAM').catch((error: Error) => {
    if (!error.message.startsWith('BUSYGROUP')) throw error;
  });
  // Your list comes from a relay or a published list.
  const source = textSource({ id: 'mine', text: 'scam-mint.example\n' });
  const blocklist: Blocklist = createBlocklist({ sources: [source], store: redisStore({ client: redis }) });
  blocklist.on('error', ({ where, error }) => console.error(where, error.code));
  await blocklist.ready();
  const shared = shareBlocklist(blocklist);
  const workers = Array.from({ length: availableParallelism() }, () => {
    const port = shared.port<MessagePort & { onmessage: null }>();
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
