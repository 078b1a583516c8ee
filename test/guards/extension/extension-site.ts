import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildList } from 'portcullis/publish';
import { expect } from 'vitest';

/** Serves the list, and every host of the tests. It counts what the hosts receive. */
export interface ExtensionSite {
  readonly port: number;
  readonly listUrl: string;
  /** What the hosts received, except icons. */
  readonly requests: IncomingMessage[];
  seen(): string[];
  /** What a host received after its first requests, and over how many milliseconds. */
  received(host: string, skip?: number): { readonly count: number; readonly ms: number };
  /** How often a worker that says so has started. */
  workerStarts(): number;
  /** Connections on which a browser spoke TLS, which fails. */
  tlsCount(): number;
  publish(entries: readonly string[]): Promise<void>;
  /** The host of the list fails from now on. */
  loseList(): void;
  close(): void;
}

/** First byte of a TLS connection. */
const tlsHandshake = 0x16;

export async function startSite(): Promise<ExtensionSite> {
  const requests: IncomingMessage[] = [];
  let workerStarts = 0;
  const arrivals = new Map<string, number[]>();
  let files = new Map<string, Uint8Array>();

  /** Chromium maps hosts to this port; Firefox uses it as a proxy, and sends whole addresses. */
  function answer(request: IncomingMessage, response: ServerResponse): void {
    const { host = '' } = request.headers;
    const path = (request.url ?? '/').replace(/^http:\/\/[^/]+/, '');
    if (host.startsWith('127.0.0.1')) {
      if (path === '/started') workerStarts++;
      const bytes = files.get(path.slice(1));
      response.writeHead(bytes === undefined ? 404 : 200, {
        'access-control-allow-origin': '*',
        'cache-control': 'no-store',
      });
      response.end(bytes);
    } else if (!/\.example(\.com)?$/.test(host) || path === '/favicon.ico') response.writeHead(404).end();
    else {
      requests.push(request);
      arrivals.set(host, [...(arrivals.get(host) ?? []), performance.now()]);
      if (path === '/slow') {
        response.setHeader('cache-control', 'no-store');
        setTimeout(answerPage, 1_500, request, response, host, path);
      } else answerPage(request, response, host, path);
    }
  }
  const server = createServer(answer);
  let tlsCount = 0;
  server.on('clientError', (error: Error & { rawPacket?: Buffer }, socket) => {
    if (error.rawPacket?.[0] === tlsHandshake) tlsCount++;
    socket.destroy();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    listUrl: `http://127.0.0.1:${port}`,
    requests,
    seen: () => requests.map(({ method, headers, url = '' }) => `${method} ${headers.host}${url.replace(/^http:\/\/[^/]+/, '')}`),
    received(host, skip = 0) {
      const times = (arrivals.get(host) ?? []).slice(skip);
      return { count: times.length, ms: Math.round((times.at(-1) ?? 0) - (times[0] ?? 0)) };
    },
    workerStarts: () => workerStarts,
    tlsCount: () => tlsCount,
    async publish(entries) {
      const list = await buildList(entries, { isPublicSuffix: () => false });
      files = new Map([...list.files].map(({ name, bytes }) => [name, bytes]));
    },
    loseList() {
      files = new Map();
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A listed page that sends requests for as long as it is open. */
const polls = 'setInterval(() => fetch("/beat"), 20)';

/** Answers the pages of its site without a request, with a page that sends one. */
const siteWorker = `addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => {
  if (event.request.mode !== 'navigate') return;
  const page = '<title>from the worker</title><script>fetch("/beat")</script>';
  event.respondWith(new Response(page, { headers: { 'content-type': 'text/html' } }));
});`;

function answerPage(request: IncomingMessage, response: ServerResponse, host: string, path: string): void {
  const { pathname, searchParams } = new URL(path, 'http://any.example');
  const to = searchParams.get('to');
  const by = searchParams.get('by') ?? '302';
  if (host.startsWith('poll') || pathname === '/polls') {
    const title = `<!doctype html><title>${host}</title>`;
    response.writeHead(200, { 'content-type': 'text/html' }).end(`${title}<script>${polls}</script>`);
    return;
  }
  if (host.startsWith('writes')) {
    const writes = 'location = URL.createObjectURL(new Blob(["<title>written</title>"], { type: "text/html" }))';
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<!doctype html><title>${host}</title><script>${writes}</script>`);
    return;
  }
  // Each hop is another host.
  if (path === '/loop') response.writeHead(302, { location: `http://a${host.slice(-60)}/loop` });
  else if (to !== null && /^30/.test(by)) response.writeHead(Number(by), { location: to });
  else if (to !== null) {
    const header = by === 'header' ? { refresh: `0; url=${to}` } : {};
    const body = {
      meta: `<meta http-equiv="refresh" content="0; url=${to}">`,
      script: `<script>location.replace(${JSON.stringify(to)})</script>`,
    };
    response
      .writeHead(200, { 'content-type': 'text/html', ...header })
      .end(`<!doctype html>${body[by as 'meta' | 'script'] ?? ''}`);
    return;
  } else if (path === '/none') response.writeHead(204);
  else if (path === '/sw.js') {
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(siteWorker);
    return;
  } else if (path === '/file') response.setHeader('content-disposition', 'attachment; filename=file.txt');
  else {
    response.writeHead(200, {
      'content-type': 'text/html',
      'set-cookie': ['strict=1; SameSite=Strict', 'lax=1; SameSite=Lax'],
    });
  }
  const { cookie = '', referer = '' } = request.headers;
  response.end(`<!doctype html><title>${host}${path}</title><p id="cookie">${cookie}</p><p id="referer">${referer}</p>
    <form method="post" action="http://scam.example/post"><button>post</button></form>
    <a href="http://scam.example/">scam</a> <a target="_blank" rel="opener" href="http://next.example/">next</a>
    <a id="tab" target="_blank" href="http://scam.example/tab">tab</a>
    <form method="post" target="_blank" action="http://scam.example/tab"><button id="tab-post">tab</button></form>`);
}

type Build = (listUrl: string, browser: 'chromium' | 'firefox', outdir: string, more: object) => Promise<void>;

/** Builds the example against the sources. */
export async function buildExample(listUrl: string, browser: 'chromium' | 'firefox', outdir: string): Promise<void> {
  const script = pathToFileURL(resolve('examples/extension/build.mjs')).href;
  const { buildExtension } = (await import(/* @vite-ignore */ script)) as { buildExtension: Build };
  await buildExtension(listUrl, browser, outdir, { tsconfig: join(resolve('.'), 'tsconfig.tools.json') });
}

export const blockedTitle = 'This page is a known scam';

/** The gate aborts or replaces navigations, so only the page in the end counts. */
export async function shows(page: { title(): Promise<string> }, title: string, timeout = 20_000): Promise<void> {
  await expect.poll(() => page.title().catch(() => ''), { timeout }).toBe(title);
}

/** A page that is left, most of all for one in the back-forward cache, may be gone before it answers that it leaves. */
export async function leaves(answer: Promise<void>): Promise<void> {
  await answer.catch((error: unknown) => {
    if (!/context was destroyed/i.test(String(error))) throw error;
  });
}
