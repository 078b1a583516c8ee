import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import { serve as serveHono } from '@hono/node-server';
import express from 'express';
import express4 from 'express4';
import fastify, { type FastifyRequest } from 'fastify';
import { type Context, Hono } from 'hono';
import { type Blocklist, createBlocklist } from 'portcullis';
import {
  expressScreen,
  fastifyScreen,
  honoScreen,
  type Picked,
  type Screening,
  type ScreenOptions,
  screeningOf,
} from 'portcullis/middleware';
import { serviceSource, textSource } from 'portcullis/sources';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { originOf } from '../../support/listen.js';
import { serve } from '../../support/scripted-server.js';

const listed = 'https://evil.example/claim';
const address = '0xbad0000000000000000000000000000000000bad';

let blocklist: Blocklist;
beforeAll(async () => {
  blocklist = createBlocklist({ sources: [textSource({ id: 'mine', text: `evil.example\n${address}\n` })], pollMs: 0 });
  await blocklist.ready();
});
afterAll(() => blocklist.close());

type Body = { text?: unknown; links?: unknown };
const pickOf = (body: unknown): Picked | undefined => {
  const { text, links } = (body ?? {}) as Body;
  if (links !== undefined) return { assets: links as string[] };
  return text as Picked | undefined;
};

type Start = (list: Blocklist, options?: ScreenOptions) => Promise<string>;

/** The same route with each framework: it answers what the screen found. */
const frameworks: Record<string, Start> = {
  'Express 5': async (list, options) => {
    const app = express();
    app.use(express.json());
    app.post(
      '/messages',
      expressScreen(list, (request: express.Request) => pickOf(request.body), options),
      (request, response) => void response.json(screeningOf(request)),
    );
    return originOf(createServer(app));
  },
  'Express 4': async (list, options) => {
    const app = express4();
    app.use(express4.json());
    app.post(
      '/messages',
      expressScreen(list, (request: express.Request) => pickOf(request.body), options),
      (request, response) => void response.json(screeningOf(request)),
    );
    return originOf(createServer(app as unknown as RequestListener));
  },
  Fastify: async (list, options) => {
    const app = fastify();
    const screen = fastifyScreen(list, (request: FastifyRequest) => pickOf(request.body), options);
    app.post('/messages', { preHandler: screen }, async (request) => screeningOf(request));
    onTestFinished(() => app.close());
    return app.listen({ port: 0, host: '127.0.0.1' });
  },
  Hono: async (list, options) => {
    const app = new Hono();
    app.use(
      '/messages',
      honoScreen(list, async (context: Context) => pickOf(await context.req.json()), options),
    );
    app.post('/messages', (context) => context.json(screeningOf(context)));
    return new Promise((resolve) => {
      const server = serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
        resolve(`http://127.0.0.1:${port}`),
      );
      onTestFinished(() => void server.close());
    });
  },
};

const send = (origin: string, body: unknown): Promise<Response> =>
  fetch(`${origin}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

describe.each(Object.entries(frameworks))('%s', (_, start) => {
  test('lets a clean message pass, and one without links', async () => {
    const origin = await start(blocklist);
    for (const body of [{ text: 'see https://good.example' }, { text: '' }, { links: [] }, { links: ['https://good.example'] }]) {
      const answer = await send(origin, body);
      expect([answer.status, ((await answer.json()) as Screening).status]).toEqual([200, 'clear']);
    }
  });

  test.each([
    [{ text: `claim at hxxps://evil[.]example/claim now` }, 422, 'CONTENT_LISTED'],
    [{ links: ['https://good.example', listed] }, 422, 'CONTENT_LISTED'],
    [{ links: [address] }, 422, 'CONTENT_LISTED'],
    [{ links: ['no link at all'] }, 422, 'CONTENT_UNREADABLE'],
    [{ links: [5] }, 422, 'CONTENT_UNREADABLE'],
    [{ links: 'https://good.example' }, 422, 'CONTENT_UNREADABLE'],
    [{ text: 5 }, 422, 'CONTENT_UNREADABLE'],
    [{}, 422, 'CONTENT_UNREADABLE'],
  ])('answers %j with %i, and repeats nothing of it', async (body, status, code) => {
    const answer = await send(await start(blocklist), body);
    const text = await answer.text();
    expect([answer.status, JSON.parse(text).code]).toEqual([status, code]);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(text).not.toMatch(/evil|good|bad0|no link/);
  });

  test('passes on what the policy lets pass, with what was found', async () => {
    const origin = await start(blocklist, { policy: { listed: 'pass', unreadable: 'pass', undecided: 'pass' } });
    const answer = (await (await send(origin, { text: `x ${listed} y` })).json()) as Screening;
    expect(answer).toMatchObject({
      status: 'listed',
      statuses: ['listed'],
      found: [{ content: listed, verdict: { reason: 'listed' } }],
    });
    expect(await (await send(origin, {})).json()).toMatchObject({ status: 'unreadable', found: [] });
  });

  test('without a list a link is undecided, never clear, and the answer is a 503', async () => {
    const empty = createBlocklist({
      sources: [textSource({ id: 'gone', read: () => Promise.reject(new Error('gone')) })],
      pollMs: 0,
    });
    onTestFinished(() => empty.close());
    const origin = await start(empty);
    const answer = await send(origin, { text: 'https://good.example' });
    expect([answer.status, ((await answer.json()) as { code: string }).code, answer.headers.get('retry-after')]).toEqual([
      503,
      'CONTENT_UNDECIDED',
      '5',
    ]);
    expect((await send(origin, { text: 'nothing to check' })).status).toBe(200);
    await empty.close();
    expect((await send(origin, { text: 'https://good.example' })).status).toBe(503);
  });

  test('does not call the handler for a client that has left, and ends its check', async () => {
    let left: unknown = 'pending';
    let begun = (): void => {};
    const isBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const hanging = {
      checkMany: (_inputs: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise((_, reject) => {
          begun();
          signal.addEventListener('abort', () => {
            left = 'aborted';
            reject(left);
          });
        }),
    };
    const origin = await start(hanging as unknown as Blocklist, { deadlineMs: 60_000 });
    const body = JSON.stringify({ text: listed });
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.on('error', () => {});
    socket.write(
      `POST /messages HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await isBegun;
    socket.destroy();
    await expect.poll(() => left).toBe('aborted');
  });

  test('is undecided after its deadline, even if the list never answers', async () => {
    const never = { checkMany: () => new Promise(() => {}) };
    const answer = await send(await start(never as unknown as Blocklist, { deadlineMs: 50 }), { text: listed });
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([503, 'CONTENT_UNDECIDED']);
  });
});

test('an unconfirmed hit is undecided while the service is down, whatever the policy of the blocklist says', async () => {
  const { createService } = await import('portcullis/service');
  const service = createService();
  onTestFinished(() => service.close());
  const up = createBlocklist({
    sources: [serviceSource({ baseUrl: 'http://localhost', apiKey: service.key, fetch: service.fetch })],
    pollMs: 0,
    policy: { unconfirmed: 'allow', unknown: 'allow' },
  });
  onTestFinished(() => up.close());
  await up.ready();
  const origin = await frameworks['Express 5']!(up);
  service.faults.add({ kind: 'reset', times: 100 });
  const answer = await send(origin, { text: 'go to https://scam-mint.example/ please' });
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([503, 'CONTENT_UNDECIDED']);
});

test('1,000 parallel requests each get their own answer', async () => {
  const origin = await frameworks['Fastify']!(blocklist);
  const statuses = await Promise.all(
    Array.from({ length: 1_000 }, async (_, at) => {
      const answer = await send(origin, { text: at % 2 === 0 ? listed : `https://good-${at}.example` });
      await answer.arrayBuffer();
      return answer.status;
    }),
  );
  expect(statuses).toEqual(Array.from({ length: 1_000 }, (_, at) => (at % 2 === 0 ? 422 : 200)));
});

test('a secret is unreadable, and is not kept with what was found', async () => {
  const secret = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
  const origin = await frameworks['Hono']!(blocklist, { policy: { unreadable: 'pass' } });
  const answer = await send(origin, { links: [secret] });
  const text = await answer.text();
  expect(JSON.parse(text)).toMatchObject({ status: 'unreadable', found: [{ content: '', verdict: { reason: 'secret' } }] });
  expect(text).not.toContain('abandon');
});

test('too many links, and a text that is too long, are unreadable', async () => {
  const origin = await frameworks['Hono']!(blocklist);
  for (const body of [{ links: Array(1_001).fill('https://good.example') }, { text: 'x'.repeat(4_194_305) }]) {
    const answer = await send(origin, body);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([422, 'CONTENT_UNREADABLE']);
  }
});

test('a handler without a screen in front of it does not take its request for clear', () => {
  expect(() => screeningOf({})).toThrow(/no screen ran/);
});

test.each([{ policy: { listed: 'allow' } }, { policy: { undecided: null } }, { deadlineMs: 0 }, { deadlineMs: 1e9 }])(
  'the options %j are rejected',
  (options) => {
    expect(() => expressScreen(blocklist, () => '', options as never)).toThrow(/must be/);
  },
);

test('the source that fails is a real server', async () => {
  const down = await serve(() => ({ status: 500, body: {} }));
  const list = createBlocklist({ baseUrl: down.origin, apiKey: 'k', allowInsecureHttp: true, pollMs: 0 });
  onTestFinished(() => list.close());
  await list.ready();
  const answer = await send(await frameworks['Express 5']!(list), { text: listed });
  expect(answer.status).toBe(503);
});
