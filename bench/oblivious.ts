import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ObliviousGateway } from 'portcullis/ohttp';
import { timedAsync } from './measure.js';
import { compared, type Figures, type Group, type Question, type Results, type Row, type Settings } from './question.js';

/**
 * What does a confirmation cost that is sealed and goes through a relay? Client, relay and gateway share one thread over loopback, so that the
 * time is the work of all three, without the way from one to the next.
 */
export const oblivious: Question = {
  name: 'oblivious',
  title: 'One confirmation through Oblivious HTTP, and one asked directly',
  groups,
  rows,
};

const sealed = 'sealed, through a relay';
const direct = 'asked directly';
const opened = 'opened, answered, sealed';
const bare = 'answered';
const batch = 100;

const whole = 'one confirmation, over loopback';
const alone = 'the gateway alone, without HTTP';

function groups(settings: Settings): Group[] {
  return [
    {
      name: whole,
      sameAnswer: true,
      variants: [
        { name: sealed, measure: () => timeConfirmations(true, settings) },
        { name: direct, measure: () => timeConfirmations(false, settings) },
      ],
    },
    {
      name: alone,
      sameAnswer: true,
      variants: [
        { name: opened, measure: () => timeGateway(true, settings) },
        { name: bare, measure: () => timeGateway(false, settings) },
      ],
    },
  ];
}

function rows(results: Results, settings: Settings): Row[] {
  const [first, second] = groups(settings) as [Group, Group];
  const row = (variant: string, figure: string, unit: Row['unit'], what: string): Row => ({
    what: `${variant}: ${what}`,
    unit,
    value: results.spread(whole, variant, figure),
  });
  return [
    ...compared(results, first, 'ns', 'ns'),
    ...[sealed, direct].flatMap((variant) => [
      row(variant, 'processorNs', 'ns', 'time of the processor'),
      row(variant, 'sentBytes', 'B', 'bytes the client sends, with headers'),
      row(variant, 'receivedBytes', 'B', 'bytes the client receives, with headers'),
    ]),
    ...compared(results, second, 'ns', 'ns'),
  ];
}

const prefixes: readonly number[] = Array.from({ length: batch }, (_, at) => Math.imul(at + 1, 0x9e37_79b1) >>> 0);

/** A relay of portcullis answers like this, with one hash for each prefix. */
async function answer(request: Request): Promise<Response> {
  const { prefixes } = (await request.json()) as { prefixes: string[] };
  return Response.json({ hashes: Object.fromEntries(prefixes.map((prefix) => [prefix, [prefix + 'e'.repeat(56)]])) });
}

async function makeGateway(): Promise<ObliviousGateway> {
  const { generateGatewayKeys, obliviousGateway } = await import('portcullis/ohttp');
  return obliviousGateway({ keys: (await generateGatewayKeys()).keys, perMinute: 1e9 });
}

interface Server {
  readonly url: string;
  /** Bytes of all connections so far: of the clients, and to them. */
  bytes(): { readonly sent: number; readonly received: number };
  close(): void;
}

async function startServer(listener: RequestListener): Promise<Server> {
  const server = createServer(listener);
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sum = (name: 'bytesRead' | 'bytesWritten'): number => sockets.reduce((total, socket) => total + socket[name], 0);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bytes: () => ({ sent: sum('bytesRead'), received: sum('bytesWritten') }),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function timeConfirmations(isSealed: boolean, settings: Settings): Promise<Figures> {
  const { toNodeHandler } = await import('portcullis/middleware');
  const { oblivious } = await import('portcullis/ohttp');
  const { serviceSource } = await import('portcullis/sources');
  const script = pathToFileURL(resolve('examples/ohttp-relay/relay.mjs')).href;
  const { relay } = (await import(script)) as { relay: (request: Request, gatewayUrl: string) => Promise<Response> };
  const gateway = await makeGateway();
  const target = await startServer(toNodeHandler(gateway.wrap(answer)));
  const between = await startServer(toNodeHandler((request) => relay(request, `${target.url}/ohttp`)));
  const ohttp = oblivious({ relay: `${between.url}/`, keys: gateway.keyList() });
  const source = serviceSource({ baseUrl: target.url, ...(isSealed && { ohttp }) });
  let count = 0;
  const run = async (asked: readonly number[]): Promise<number> => {
    let found = 0;
    for (const prefix of asked) {
      const { hashes } = await source.confirm!([prefix], { algoVersion: 'portcullis-1' });
      found += hashes.get(prefix)?.length ?? 0;
      count++;
    }
    return found;
  };
  try {
    // Of each variant alike, as in `middleware`.
    for (let warm = 0; warm < 10 && !settings.quick; warm++) await run(prefixes);
    const client = isSealed ? between : target;
    count = 0;
    const before = { ...client.bytes(), processor: process.cpuUsage() };
    const { ms = Number.NaN, answer = 0 } = await timedAsync(() => prefixes, run, settings);
    const { user, system } = process.cpuUsage(before.processor);
    const after = client.bytes();
    return {
      ns: (ms * 1e6) / batch,
      processorNs: ((user + system) * 1_000) / count,
      sentBytes: (after.sent - before.sent) / count,
      receivedBytes: (after.received - before.received) / count,
      answer,
    };
  } finally {
    between.close();
    target.close();
  }
}

/** What limits how many questions a gateway answers a second. */
async function timeGateway(isSealed: boolean, settings: Settings): Promise<Figures> {
  const { serviceSource } = await import('portcullis/sources');
  const { oblivious } = await import('portcullis/ohttp');
  const gateway = await makeGateway();
  /** What clients send, made beforehand: the gateway answers a repeated request like any other. */
  const requests: (() => Request)[] = [];
  const keep = async (url: string, { method, headers, body }: RequestInit = {}): Promise<Response> => {
    requests.push(() => new Request(url, { method, headers, body } as RequestInit));
    return new Response(null, { status: 400 });
  };
  const ohttp = oblivious({ relay: 'http://127.0.0.1/ohttp', keys: gateway.keyList(), fetch: keep });
  const source = serviceSource({ baseUrl: 'http://127.0.0.1', ...(isSealed ? { ohttp } : { fetch: keep }) });
  for (const prefix of prefixes) await source.confirm!([prefix], { algoVersion: 'portcullis-1' }).catch(() => {});
  if (requests.length !== batch) throw new Error(`${requests.length} requests instead of ${batch}`);
  const run = async (): Promise<number> => {
    let answered = 0;
    for (const make of requests) {
      const response = await (isSealed ? gateway.answer(make(), answer) : answer(make()));
      answered += Number(response.status === 200 && (await response.arrayBuffer()).byteLength > 0);
    }
    return answered;
  };
  const { ms = Number.NaN, answer: answered = 0 } = await timedAsync(() => undefined, run, settings);
  return { ns: (ms * 1e6) / batch, answer: answered };
}
