import { Worker } from 'node:worker_threads';
import { compared, type Figures, type Group, type Question, type Results, type Row, type Settings } from './question.js';

/** What does the client add to a request? Measured with a check that is answered immediately, over loopback. */
export const call: Question = { name: 'call', title: 'One call of the client, asset check over loopback', groups, rows };

const ours = 'client.assets.check';
const bare = 'undici.request, JSON both ways';

type Call = (content: string) => Promise<number>;

/** How each variant makes a call. All of them read the answer, so that no variant can skip the body. */
const implementations: Record<string, (origin: string) => Promise<{ call: Call; close: () => Promise<void> }>> = {
  [ours]: async (origin) => {
    const { createClient } = await import('portcullis/client');
    const client = createClient({ baseUrl: `${origin}/v2`, apiKey: 'bench-key' });
    return { call: async (content) => (await client.assets.check({ content })).sources.length, close: () => client.close() };
  },
  [bare]: async (origin) => {
    const { Agent, request } = await import('undici');
    const dispatcher = new Agent({ connections: 16 });
    const headers = { 'x-api-key': 'bench-key', 'content-type': 'application/json', accept: 'application/json' };
    const send = async (content: string): Promise<number> => {
      const { body } = await request(`${origin}/v2/asset/check`, {
        dispatcher,
        method: 'POST',
        headers,
        body: JSON.stringify({ content }),
      });
      return ((await body.json()) as { sources: unknown[] }).sources.length;
    };
    return { call: send, close: () => dispatcher.close() };
  },
  "Node's fetch": async (origin) => {
    const headers = { 'x-api-key': 'bench-key', 'content-type': 'application/json', accept: 'application/json' };
    const send = async (content: string): Promise<number> => {
      const response = await fetch(`${origin}/v2/asset/check`, { method: 'POST', headers, body: JSON.stringify({ content }) });
      return ((await response.json()) as { sources: unknown[] }).sources.length;
    };
    return { call: send, close: async () => {} };
  },
};

/** Concurrent calls and the budget, by name of the group. */
const parallel: Record<string, { width: number; ratio: number }> = {
  'one after the other': { width: 1, ratio: 1.2 },
  '16 at once': { width: 16, ratio: 1.3 },
};

function groups(settings: Settings): Group[] {
  return Object.entries(parallel).map(([name, { width }]) => ({
    name,
    sameAnswer: true,
    variants: Object.entries(implementations).map(([variant, make]) => ({
      name: variant,
      measure: () => timeCalls(make, width, settings),
    })),
  }));
}

function rows(results: Results, settings: Settings): Row[] {
  return groups(settings).flatMap((group) => {
    const { ratio } = parallel[group.name]!;
    return compared(results, group, 'ns', 'ns', { [bare]: { ratio, limit: `≤ ${ratio} ×` } });
  });
}

async function timeCalls(make: (typeof implementations)[string], width: number, settings: Settings): Promise<Figures> {
  const server = await startServer();
  const { call, close } = await make(server.origin);
  const round = async (count: number): Promise<number> => {
    let next = 0;
    let answer = 0;
    const lane = async (): Promise<void> => {
      while (next++ < count) {
        const read = await call('https://login.scam-mint.example/claim');
        answer += read;
      }
    };
    await Promise.all(Array.from({ length: width }, lane));
    return answer;
  };
  const count = settings.quick ? 200 : 4_000;
  const answer = await round(count);
  const startedMs = performance.now();
  const again = await round(count);
  const ns = ((performance.now() - startedMs) * 1e6) / count;
  if (again !== answer) throw new Error('the second pass returned different answers');
  await close();
  await server.close();
  return { ns, answer };
}

/** In a separate thread, so that its work does not delay the measured event loop. */
async function startServer(): Promise<{ origin: string; close: () => Promise<unknown> }> {
  const worker = new Worker(serverThread, { eval: true });
  const port = await new Promise<number>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  return { origin: `http://127.0.0.1:${port}`, close: () => worker.terminate() };
}

/** As text, because the benchmark is one bundle, and a worker would run it from the start. */
const serverThread = `
  const { createServer } = require('node:http');
  const { parentPort } = require('node:worker_threads');
  const sources = [{ source: 'seal', status: 'BLOCKED' }, { source: 'phishfort', status: 'UNKNOWN' }];
  const answer = JSON.stringify({ status: 'BLOCKED', source: 'seal', sources, reason: 'parent-domain' });
  const head = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) };
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, head).end(answer));
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;
