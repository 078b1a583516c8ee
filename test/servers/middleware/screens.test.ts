import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import express from 'express';
import express4 from 'express4';
import fastify from 'fastify';
import { type Blocklist, createBlocklist } from 'portcullis';
import {
  expressScreen,
  fastifyScreen,
  type Picked,
  type Screening,
  type ScreeningOptions,
  screeningOf,
} from 'portcullis/middleware';
import { serviceSource, textSource } from 'portcullis/sources';
import { Agent, fetch as patientFetch } from 'undici';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { originOf } from '../../support/listen.js';
import { serve } from '../../support/scripted-server.js';
import { frameworkRoutes, postJson as send } from './framework-routes.js';

const listed = 'https://evil.example/claim';
const address = '0xbad0000000000000000000000000000000000bad';

let blocklist: Blocklist;
beforeAll(async () => {
  blocklist = createBlocklist({ sources: [textSource({ id: 'mine', text: `evil.example\n${address}\n` })], pollMs: 0 });
  await blocklist.ready();
});
afterAll(() => blocklist.close());

/** As a server would do it that trusts its clients: what they send is not looked at. */
const pickOf = (body: unknown): Picked => {
  const { text, links } = (body ?? {}) as { text: string; links?: string[] };
  return links === undefined ? text : { assets: links };
};

const frameworks = Object.fromEntries(
  Object.entries(frameworkRoutes).map(([name, start]) => [
    name,
    (list: Blocklist, options?: ScreeningOptions) => start(list, pickOf, options),
  ]),
);

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

  test('is undecided after its deadline, even if the source of the list never answers', async () => {
    const loading = createBlocklist({ sources: [textSource({ id: 'hangs', read: () => new Promise(() => {}) })], pollMs: 0 });
    onTestFinished(() => loading.close());
    const answer = await send(await start(loading, { deadlineMs: 50 }), { text: listed });
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([503, 'CONTENT_UNDECIDED']);
  });
});

test('an unconfirmed hit is undecided while the service is down, whatever the policy of the blocklist says', async () => {
  const { createService } = await import('portcullis/testing');
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

test('300 parallel requests each get their own answer', async () => {
  // A busy machine takes longer than the usual ten seconds to connect them all.
  const dispatcher = new Agent({ connect: { timeout: 100_000 } });
  onTestFinished(() => dispatcher.destroy());
  const origin = await frameworks['Fastify']!(blocklist);
  const statuses = await Promise.all(
    Array.from({ length: 300 }, async (_, at) => {
      const body = JSON.stringify({ text: at % 2 === 0 ? listed : `https://good-${at}.example` });
      const headers = { 'content-type': 'application/json' };
      const answer = await patientFetch(`${origin}/messages`, { method: 'POST', headers, body, dispatcher });
      await answer.arrayBuffer();
      return answer.status;
    }),
  );
  expect(statuses).toEqual(Array.from({ length: 300 }, (_, at) => (at % 2 === 0 ? 422 : 200)));
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

describe('a client cannot make undecided what a server lets pass then:', () => {
  const options: ScreeningOptions = { policy: { undecided: 'pass' }, deadlineMs: 200 };
  const codeOf = async (answer: Response) => ((await answer.json()) as { code?: string }).code;

  test.each([{ type: 'bogus' }, { type: 5 }, { type: ['URL'] }, { chain: 5 }, { chain: {} }])(
    'with the hint %j',
    async (hint) => {
      const origin = await frameworks['Express 5']!(blocklist, options);
      const links = [listed, { content: 'https://good.example', ...hint }];
      expect(await codeOf(await send(origin, { links }))).toBe('CONTENT_UNREADABLE');
    },
  );

  test('with a body that arrives after the deadline', async () => {
    const origin = await frameworks['Hono']!(blocklist, options);
    const body = JSON.stringify({ text: listed });
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(
      `POST /messages HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body.slice(0, 5)}`,
    );
    socket.on('data', () => socket.write(body.slice(5)));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(String(answer)).toMatch(/^HTTP\/1\.1 422 [\s\S]*CONTENT_UNREADABLE/);
  });
});

test.each(['FACEBOOK', 'NPM', 'DISCORD_USER', 'TIKTOK'])('the hint %s does not make a listed host clear', async (type) => {
  const origin = await frameworks['Express 5']!(blocklist, { policy: { listed: 'pass' } });
  const answer = await send(origin, { links: [{ content: 'evil.example', type }] });
  expect(await answer.json()).toMatchObject({ status: 'listed', found: [{ content: 'evil.example' }] });
});

test('a hint that fits is read with it, and reported once', async () => {
  const origin = await frameworks['Express 5']!(blocklist, { policy: { listed: 'pass' } });
  const of = async (link: object) => (await (await send(origin, { links: [link] })).json()) as Screening;
  expect(await of({ content: 'someone', type: 'INSTAGRAM' })).toEqual({ status: 'clear', statuses: [], found: [] });
  expect((await of({ content: listed, type: 'URL' })).found).toHaveLength(1);
});

test('several screens of one request: the worst counts, whichever came last', async () => {
  const pass = { policy: { listed: 'pass', unreadable: 'pass' } } as const;
  const app = express();
  const screens = [listed, 'nothing', 5 as never, 'https://good.example'].map((content) =>
    expressScreen(blocklist, () => content, pass),
  );
  app.get('/', ...screens, (request, response) => void response.json(screeningOf(request)));
  const answer = await fetch(await originOf(createServer(app)));
  expect(await answer.json()).toMatchObject({
    status: 'listed',
    statuses: ['listed', 'unreadable'],
    found: [{ content: listed }],
  });
});

describe('a response that another middleware has sent meanwhile', () => {
  const later = async (content: string): Promise<string> => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return content;
  };

  test.each(['Express 4', 'Express 5'])('%s: neither the handler runs nor the process ends', async (version) => {
    const rejections: unknown[] = [];
    const onRejection = (reason: unknown): void => void rejections.push(reason);
    process.on('unhandledRejection', onRejection);
    onTestFinished(() => void process.off('unhandledRejection', onRejection));
    let handled = 0;
    const app = version === 'Express 4' ? express4() : express();
    app.use((_request: express.Request, response: express.Response, next: express.NextFunction) => {
      setTimeout(() => response.status(503).end('timeout'), 10);
      next();
    });
    for (const [path, content] of [
      ['/listed', listed],
      ['/clear', 'clear'],
    ] as const) {
      app.get(
        path,
        expressScreen(blocklist, () => later(content)),
        () => void handled++,
      );
    }
    const origin = await originOf(createServer(app as unknown as RequestListener));
    for (const path of ['/listed', '/clear']) {
      const answer = await fetch(origin + path);
      expect([answer.status, await answer.text()]).toEqual([503, 'timeout']);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect([rejections, handled]).toEqual([[], 0]);
  });

  test.each(['Express 4', 'Express 5'])(
    '%s: one that has begun is broken off, and the error handler learns why',
    async (version) => {
      const errors: unknown[] = [];
      const app = version === 'Express 4' ? express4() : express();
      app.use((_request: express.Request, response: express.Response, next: express.NextFunction) => {
        response.write('begun');
        next();
      });
      app.get(
        '/listed',
        expressScreen(blocklist, () => listed),
      );
      app.get(
        '/clear',
        expressScreen(blocklist, () => 'clear'),
        (_request: express.Request, response: express.Response) => void response.end(' and done'),
      );
      app.use((error: unknown, _request: express.Request, _response: express.Response, next: express.NextFunction) => {
        errors.push(error);
        next(error);
      });
      // Express would print it.
      app.set('env', 'test');
      const origin = await originOf(createServer(app as unknown as RequestListener));
      expect(await (await fetch(`${origin}/clear`)).text()).toBe('begun and done');
      await expect(fetch(`${origin}/listed`).then((answer) => answer.text())).rejects.toThrow(/terminated|fetch failed/);
      expect(String(errors)).toMatch(/mount the screen before/);
    },
  );

  test('Fastify: the handler does not run', async () => {
    let handled = 0;
    const app = fastify();
    onTestFinished(() => app.close());
    app.addHook('onRequest', async (_request, reply) => {
      setTimeout(() => void reply.code(503).send('timeout'), 10);
    });
    for (const [path, content] of [
      ['/listed', listed],
      ['/clear', 'clear'],
    ] as const) {
      const preHandler = fastifyScreen(blocklist, () => later(content));
      app.get(path, { preHandler }, async () => handled++);
    }
    const origin = await app.listen({ port: 0, host: '127.0.0.1' });
    for (const path of ['/listed', '/clear']) {
      const answer = await fetch(origin + path);
      expect([answer.status, await answer.text()]).toEqual([503, 'timeout']);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(handled).toBe(0);
  });
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
