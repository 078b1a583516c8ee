import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { PortcullisError, refuse } from '../../../core/errors.js';
import { socketFaultOf } from '../faults/fault-answers.js';
import { Problem } from './problem.js';
import { failure, refusal } from './service-answer.js';

/** Where a server listens. */
export interface ListenOptions {
  /** @default 0, any free port */
  readonly port?: number;
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** More values of the `Host` header to accept on a loopback address, for a proxy that passes the header on. */
  readonly names?: readonly string[];
  /** How long a request may take to arrive, in milliseconds; a slower one is answered with 408 and loses its connection. @default 30_000 */
  readonly maxRequestMs?: number;
}

/** What the server knows about a request beyond the `Request`. A relay takes it as it is. */
export interface ListenContext {
  /** The address of the other end of the connection: the client, or the last proxy. */
  readonly address?: string | undefined;
}

/** An upload of 4 MiB over 1.2 Mbit/s. Node would wait five minutes for a body that never comes. */
const defaultMaxRequestMs = 30_000;

/** Slow headers are never a slow line: Node allows 16 KiB of them. */
const maxHeadersMs = 10_000;

/** A running server. */
export interface Listening {
  /** `http://127.0.0.1:port`: the `baseUrl` for a client. */
  readonly url: string;
  /** Ends the server; the service stays usable in this process. */
  close(): Promise<void>;
}

/**
 * Serves a fetch handler over HTTP, on Node: a relay, a webhook receiver, several handlers behind one port. On the default host it
 * answers only under the names of this machine.
 *
 * @throws PortcullisError `INVALID_INPUT`; `NETWORK` when the port cannot be opened
 */
export async function listenWith(
  answer: (request: Request, context: ListenContext) => Promise<Response>,
  { port = 0, host = '127.0.0.1', names = [], maxRequestMs = defaultMaxRequestMs }: ListenOptions = {},
): Promise<Listening> {
  if (!Number.isInteger(port) || port < 0 || port > 65_535) refuse(`port must be an integer from 0 to 65535, not ${port}`);
  if (!Number.isInteger(maxRequestMs) || maxRequestMs < 1) refuse('maxRequestMs must be an integer of at least 1');
  const limits = {
    requestTimeout: maxRequestMs,
    headersTimeout: Math.min(maxRequestMs, maxHeadersMs),
    connectionsCheckingInterval: Math.min(maxRequestMs, 1_000),
  };
  const server = createServer(limits, (incoming, outgoing) => {
    void serve(incoming, outgoing, { server, host, names, answer });
  });
  // Node would drop the connection without a response.
  server.on('connect', (_incoming, socket) => {
    socket.on('error', () => {});
    socket.end(`HTTP/1.1 405 Method Not Allowed\r\nAllow: ${allow}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`, () =>
      socket.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(new PortcullisError('NETWORK', `cannot listen on ${host}:${port}`, { cause })));
    server.listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    close: () => {
      closing ??= new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      return closing;
    },
  };
}

/** All methods of the service, for requests with one that `Request` cannot represent. */
const allow = 'GET, HEAD, POST, PATCH, DELETE, OPTIONS';

interface Serving {
  readonly server: Server;
  readonly host: string;
  readonly names: readonly string[];
  readonly answer: (request: Request, context: ListenContext) => Promise<Response>;
}

async function serve(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { server, host, names, answer }: Serving,
): Promise<void> {
  const leave = new AbortController();
  outgoing.on('close', () => leave.abort());
  outgoing.on('error', () => {});
  try {
    const { port } = server.address() as AddressInfo;
    const named = incoming.headers.host ?? '';
    const response =
      refusalOf(incoming.method, named, names.includes(named.toLowerCase()) || isOurs(named, host, port)) ??
      (await answer(requestOf(incoming, `http://${named}`, leave.signal), { address: incoming.socket.remoteAddress }));
    // The unread rest of a rejected request must not be taken for the next one.
    if (!incoming.complete) outgoing.setHeader('connection', 'close');
    await send(response, outgoing, incoming.method === 'HEAD');
  } catch {
    if (!leave.signal.aborted && !outgoing.headersSent) {
      await send(failure(false), outgoing, incoming.method === 'HEAD').catch(() => {});
    } else outgoing.destroy();
  }
}

/** The response to a request that must not reach the handler. */
function refusalOf(method: string | undefined, named: string, isOwn: boolean): Response | null {
  if (named !== '' && !isHost(named)) return refusal(new Problem(400, 'The Host header is malformed.'), false);
  if (!isOwn) return refusal(new Problem(403, 'The Host header does not name this service.'), false);
  if (named === '') return refusal(new Problem(400, 'The Host header is missing.'), false);
  if (method === 'TRACE') return refusal(new Problem(405, `Use one of ${allow}.`), false, { allow });
  return null;
}

/** A host with or without a port, and no other part of a URL. */
function isHost(named: string): boolean {
  return /^(\[[^\s/?#@\\[\]]+\]|[^\s/?#@\\[\]:]+)(:\d*)?$/.test(named) && URL.canParse(`http://${named}`);
}

/** On a loopback address only its own names are accepted, against pages that resolve their name to this machine (DNS rebinding). */
export function isOurs(named: string, host: string, port: number): boolean {
  if (!/^(127\.|localhost$|::1$)/.test(host)) return true;
  // Clients omit the default port.
  const asked = port === 80 && !/:\d+$/.test(named) ? `${named}:80` : named;
  return ['127.0.0.1', 'localhost', '[::1]', host].some((name) => asked.toLowerCase() === `${name}:${port}`);
}

function requestOf(incoming: IncomingMessage, origin: string, signal: AbortSignal): Request {
  const { method = 'GET', url = '/' } = incoming;
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    for (const text of Array.isArray(value) ? value : [value ?? '']) headers.append(name, text);
  }
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const body = hasBody ? { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' as const } : {};
  return new Request(origin + (url.startsWith('/') ? url : '/'), { method, headers, signal, ...body } as RequestInit);
}

async function send(response: Response, outgoing: ServerResponse, isHead: boolean): Promise<void> {
  const fault = socketFaultOf(response);
  if (fault === 'reset') {
    outgoing.socket?.destroy();
    return;
  }
  const headers: Record<string, string> = {};
  response.headers.forEach((value, name) => {
    headers[name] = value;
  });
  if (fault === 'cut') {
    const bytes = new Uint8Array(await new Response(response.body).arrayBuffer());
    outgoing.writeHead(response.status, {
      ...headers,
      'content-length': String(Math.max(bytes.length + 1, Number(headers['content-length'] ?? 0))),
    });
    outgoing.write(bytes, () => outgoing.socket?.destroy());
    return;
  }
  outgoing.writeHead(response.status, headers);
  if (isHead) {
    await response.body?.cancel();
    outgoing.end();
    return;
  }
  const reader = response.body?.getReader();
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    if (!outgoing.write(value)) await new Promise<void>((resolve) => outgoing.once('drain', resolve).once('close', resolve));
    if (outgoing.destroyed) {
      await reader.cancel();
      return;
    }
  }
  outgoing.end();
}
