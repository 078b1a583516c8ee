import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Context as HonoContext } from 'hono';
import { timedAsync } from './measure.js';
import { compared, type Figures, type Group, type Question, type Results, type Row, type Settings } from './question.js';

/** What does the middleware add to a request of a server, over loopback? The rivals are the same servers without it. */
export const middleware: Question = {
  name: 'middleware',
  title: 'One request through the middleware, over loopback',
  groups,
  rows,
};

const batch = 200;
/** Of each server alike. In 300 ms the slower one would have answered fewer, and more of its code would still be compiled while it is timed. */
const warmBatches = 40;
const bare = 'without it';
const screenBudget = { [bare]: { ratio: 1.4, limit: '≤ 1.4 ×' } };
const adapterBudget = { [bare]: { ratio: 2, limit: '≤ 2 ×' } };

type Servers = Record<string, Record<string, () => Promise<RequestListener>>>;

/** What each framework does with a message of one link. */
const screens: Servers = {
  'a message in Express, screened': {
    expressScreen: async () => {
      const { expressScreen } = await import('portcullis/middleware');
      const { default: express } = await import('express');
      const screen = expressScreen(await openBlocklist(), (request: { body: { text: string } }) => ({
        texts: [request.body.text],
      }));
      const app = express();
      app.post('/', express.json(), screen, (_, response) => void response.json({ length: 1 }));
      return app;
    },
    [bare]: async () => {
      const { default: express } = await import('express');
      const app = express();
      app.post('/', express.json(), (_, response) => void response.json({ length: 1 }));
      return app;
    },
  },
  'a message in Fastify, screened': {
    fastifyScreen: async () => {
      const { fastifyScreen } = await import('portcullis/middleware');
      const { default: fastify } = await import('fastify');
      const screen = fastifyScreen(await openBlocklist(), (request: { raw: IncomingMessage; body: unknown }) => ({
        texts: [(request.body as { text: string }).text],
      }));
      const app = fastify();
      app.post('/', { preHandler: screen }, async () => ({ length: 1 }));
      await app.ready();
      return app.routing;
    },
    [bare]: async () => {
      const { default: fastify } = await import('fastify');
      const app = fastify();
      app.post('/', async () => ({ length: 1 }));
      await app.ready();
      return app.routing;
    },
  },
  // Without a screen, the handler reads the body as well: it would be a request of another kind.
  'a message in Hono, screened': {
    honoScreen: async () => {
      const { honoScreen } = await import('portcullis/middleware');
      const { Hono } = await import('hono');
      const { getRequestListener } = await import('@hono/node-server');
      const screen = honoScreen(await openBlocklist(), async (context: HonoContext) => ({
        texts: [(await context.req.json<{ text: string }>()).text],
      }));
      const app = new Hono();
      app.post('/', screen, async (context) => {
        const { text } = await context.req.json<{ text: string }>();
        return context.json({ length: Number(text !== '') });
      });
      return getRequestListener(app.fetch) as RequestListener;
    },
    [bare]: async () => {
      const { Hono } = await import('hono');
      const { getRequestListener } = await import('@hono/node-server');
      const app = new Hono();
      app.post('/', async (context) => {
        const { text } = await context.req.json<{ text: string }>();
        return context.json({ length: Number(text !== '') });
      });
      return getRequestListener(app.fetch) as RequestListener;
    },
  },
};

/** The same fetch handler, and what a server without one does. */
const adapters: Servers = {
  'a JSON body both ways, by a fetch handler': {
    toNodeHandler: async () => {
      const { toNodeHandler } = await import('portcullis/middleware');
      return toNodeHandler(async (request) => {
        const { text } = (await request.json()) as { text: string };
        return Response.json({ length: Number(text !== '') });
      });
    },
    [bare]: async () => async (incoming, outgoing) => {
      const parts: Buffer[] = [];
      for await (const part of incoming) parts.push(part as Buffer);
      const { text } = JSON.parse(Buffer.concat(parts).toString()) as { text: string };
      outgoing.setHeader('content-type', 'application/json').end(JSON.stringify({ length: Number(text !== '') }));
    },
    '@hono/node-server': async () => {
      const { getRequestListener } = await import('@hono/node-server');
      return getRequestListener(async (request) => {
        const { text } = (await request.json()) as { text: string };
        return Response.json({ length: Number(text !== '') });
      }) as RequestListener;
    },
  },
};

function groups(settings: Settings): Group[] {
  return [...groupsOf(screens, settings), ...groupsOf(adapters, settings)];
}

function rows(results: Results, settings: Settings): Row[] {
  return [
    ...groupsOf(screens, settings).flatMap((group) => compared(results, group, 'ns', 'ns', screenBudget)),
    ...groupsOf(adapters, settings).flatMap((group) => compared(results, group, 'ns', 'ns', adapterBudget)),
  ];
}

function groupsOf(servers: Servers, settings: Settings): Group[] {
  return Object.entries(servers).map(([name, variants]) => ({
    name,
    sameAnswer: true,
    variants: Object.entries(variants).map(([variant, make]) => ({
      name: variant,
      measure: async () => timeRequests(await make(), settings),
    })),
  }));
}

async function timeRequests(listener: RequestListener, settings: Settings): Promise<Figures> {
  const { Agent, request } = await import('undici');
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const dispatcher = new Agent({ connections: 1 });
  const send = async (text: string): Promise<number> => {
    const headers = { 'content-type': 'application/json' };
    const { body } = await request(origin, { dispatcher, method: 'POST', headers, body: JSON.stringify({ text }) });
    return ((await body.json()) as { length: number }).length;
  };
  const run = async (texts: readonly string[]): Promise<number> => {
    let sum = 0;
    for (const text of texts) sum += await send(text);
    return sum;
  };
  try {
    const texts = Array.from({ length: batch }, (_, at) => `look at https://host-${at}.example/path, it is new`);
    for (let count = 0; count < warmBatches && !settings.quick; count++) await run(texts);
    const { ms = Number.NaN, answer = 0 } = await timedAsync(() => texts, run, settings);
    return { ns: (ms * 1e6) / batch, answer };
  } finally {
    await dispatcher.close();
    server.close();
    server.closeAllConnections();
  }
}

async function openBlocklist(): Promise<import('portcullis').Blocklist> {
  const { createBlocklist } = await import('portcullis');
  const { textSource } = await import('portcullis/sources');
  const text = Array.from({ length: 10_000 }, (_, at) => `listed-${at}.example`).join('\n');
  const blocklist = createBlocklist({ sources: [textSource({ id: 'mine', text })], pollMs: 0 });
  await blocklist.ready();
  return blocklist;
}
