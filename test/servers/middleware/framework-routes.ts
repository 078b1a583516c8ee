import { createServer, type RequestListener } from 'node:http';
import { serve as serveHono } from '@hono/node-server';
import express from 'express';
import express4 from 'express4';
import fastify, { type FastifyRequest } from 'fastify';
import { type Context, Hono } from 'hono';
import type { Blocklist } from 'portcullis';
import { expressScreen, fastifyScreen, honoScreen, type Picked, type ScreeningOptions, screeningOf } from 'portcullis/middleware';
import { onTestFinished } from 'vitest';
import { originOf } from '../../support/listen.js';

/** Serves `POST /messages`, which answers what the screen found, until the test ends. Returns the origin. */
export type StartRoute = (list: Blocklist, pick: (body: unknown) => Picked, options?: ScreeningOptions) => Promise<string>;

/** The same route with each framework. */
export const frameworkRoutes: Readonly<Record<string, StartRoute>> = {
  'Express 5': async (list, pick, options) => {
    const app = express();
    app.use(express.json());
    app.post(
      '/messages',
      expressScreen(list, (request: express.Request) => pick(request.body), options),
      (request, response) => void response.json(screeningOf(request)),
    );
    return originOf(createServer(app));
  },
  'Express 4': async (list, pick, options) => {
    const app = express4();
    app.use(express4.json());
    app.post(
      '/messages',
      expressScreen(list, (request: express.Request) => pick(request.body), options),
      (request, response) => void response.json(screeningOf(request)),
    );
    return originOf(createServer(app as unknown as RequestListener));
  },
  Fastify: async (list, pick, options) => {
    const app = fastify();
    const screen = fastifyScreen(list, (request: FastifyRequest) => pick(request.body), options);
    app.post('/messages', { preHandler: screen }, async (request) => screeningOf(request));
    onTestFinished(() => app.close());
    return app.listen({ port: 0, host: '127.0.0.1' });
  },
  Hono: async (list, pick, options) => {
    const app = new Hono();
    app.use(
      '/messages',
      honoScreen(list, async (context: Context) => pick(await context.req.json()), options),
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

export const postJson = (origin: string, body: unknown): Promise<Response> =>
  fetch(`${origin}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
