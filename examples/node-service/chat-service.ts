/**
 * A chat back end: every message is checked, and what is listed or not known goes to a quarantine that moderators read. A webhook of the
 * service makes new blocks count at once. SIGTERM lets requests finish. `npm run example:node-service`
 *
 * | | |
 * |---|---|
 * | `BLOCKLIST_URL`, `BLOCKLIST_KEY` | the service; without a key, a relay |
 * | `WEBHOOK_SECRET` | of the webhook; without it there is none |
 * | `PORT` | 0 for any free one |
 */
import { createServer } from 'node:http';
import { type Blocklist, checkText, createBlocklist, isPortcullisError } from 'portcullis';
import { blocklistMetrics, drainable, type FetchHandler, readiness, toNodeHandler, webhookReceiver } from 'portcullis/middleware';

interface Message {
  readonly id: number;
  readonly text: string;
  /** Why it is in quarantine. */
  readonly reason?: 'listed' | 'undecided' | undefined;
}

const { BLOCKLIST_URL = 'http://127.0.0.1:4040', BLOCKLIST_KEY, WEBHOOK_SECRET, PORT = '0' } = process.env;

const blocklist = createBlocklist({ baseUrl: BLOCKLIST_URL, ...(BLOCKLIST_KEY !== undefined && { apiKey: BLOCKLIST_KEY }) });
let isStopping = false;

/** In place of your database: the last thousand of each. */
const maxMessages = 1_000;
const delivered: Message[] = [];
const quarantined: Message[] = [];
let lastId = 0;
/** How often the list has changed. */
let changes = 0;

/** By status: unless everything is known to be fine, the message waits. */
async function judge(list: Blocklist, text: string, signal?: AbortSignal): Promise<Exclude<Message['reason'], undefined> | null> {
  const { pieces } = await checkText(list, text, { deadlineMs: 2_000, ...(signal !== undefined && { signal }) });
  const statuses = pieces.map(({ verdict }) => verdict.status);
  if (statuses.includes('blocked')) return 'listed';
  return statuses.some((status) => status === 'unknown' || status === 'unconfirmed') ? 'undecided' : null;
}

function keep(messages: Message[], message: Message): void {
  messages.push(message);
  if (messages.length > maxMessages) messages.shift();
}

async function post(request: Request): Promise<Response> {
  const body = (await request.json().catch(() => null)) as { text?: unknown } | null;
  const text = body?.text;
  if (typeof text !== 'string') return Response.json({ message: 'send { "text": … }', code: 'BAD_REQUEST' }, { status: 400 });
  let reason: Exclude<Message['reason'], undefined> | null;
  const before = changes;
  try {
    reason = await judge(blocklist, text, request.signal);
  } catch (error) {
    if (!isPortcullisError(error) || error.code !== 'LIMIT_EXCEEDED') throw error;
    return Response.json({ message: 'the message is too long', code: error.code }, { status: 413 });
  }
  const id = ++lastId;
  if (reason === null) keep(delivered, { id, text });
  else keep(quarantined, { id, text, reason });
  // A run that the change has started may have missed this message.
  if (changes !== before) void reviewAll();
  return Response.json({ id, status: reason === null ? 'delivered' : 'quarantined' }, { status: 202 });
}

/** A new list may decide what waits, and may list what was delivered. */
async function reviewOnce(): Promise<void> {
  for (const message of [...quarantined, ...delivered]) {
    const before = message.reason ?? null;
    const reason = before === 'listed' ? before : await judge(blocklist, message.text);
    if (reason === before) continue;
    const from = before === null ? delivered : quarantined;
    const at = from.indexOf(message);
    // Newer messages have pushed it out meanwhile.
    if (at < 0) continue;
    from.splice(at, 1);
    const { id, text } = message;
    if (reason === null) keep(delivered, { id, text });
    else keep(quarantined, { id, text, reason });
  }
}

let isReviewing = false;
let isReviewDue = false;

/** One run at a time: two would move the same message twice. */
async function reviewAll(): Promise<void> {
  isReviewDue = true;
  if (isReviewing) return;
  isReviewing = true;
  while (isReviewDue) {
    isReviewDue = false;
    // The list may be closed; the next change starts another run.
    await reviewOnce().catch(() => {});
  }
  isReviewing = false;
}
blocklist.on('changed', () => {
  changes++;
  void reviewAll();
});

const routes: Record<string, FetchHandler> = {
  'POST /messages': post,
  'GET /messages': () => Response.json(delivered),
  // Only for moderators: in production behind your sign-in.
  'GET /quarantine': () => Response.json(quarantined),
  ...(WEBHOOK_SECRET !== undefined && { 'POST /hooks/blocklist': webhookReceiver(blocklist, { secrets: WEBHOOK_SECRET }) }),
  'GET /healthz': readiness(blocklist, { isStopping: () => isStopping }),
  'GET /metrics': blocklistMetrics(blocklist),
};

const answer: FetchHandler = (request, context) => {
  const route = routes[`${request.method} ${new URL(request.url).pathname}`];
  return route?.(request, context) ?? Response.json({ message: 'not found', code: 'NOT_FOUND' }, { status: 404 });
};

const server = createServer(toNodeHandler(answer, { maxBodyBytes: 64 * 1024, onError: (error) => console.error(error) }));
const drain = drainable(server);

async function stop(): Promise<void> {
  // The second signal does not wait.
  if (isStopping) process.exit(1);
  isStopping = true;
  await drain({ graceMs: 10_000 });
  await blocklist.close();
  console.log('stopped');
}
process.on('SIGTERM', () => void stop());
process.on('SIGINT', () => void stop());

// Listens first, so that a load balancer learns that the list is still loading.
server.listen(Number(PORT), '127.0.0.1', () => console.log(`listening ${(server.address() as { port: number }).port}`));
await blocklist.ready();
