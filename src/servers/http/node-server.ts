import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PortcullisError } from '../../core/errors.js';
import { isThisMachine } from '../../core/http/address.js';
import { HttpRefusal } from '../../core/http/http-refusal.js';
import { type Filled, type KindsOf, listOf, optional, readOptions, text, whole } from '../../core/options/read-options.js';
import { type DrainOptions, drainable, drainKinds } from './drain-server.js';
import { type NodeServing, serveNode } from './node-handler.js';
import { allowedMethods, isHost } from './node-request.js';

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

/** An upload of 4 MiB over 1.2 Mbit/s. Node would wait five minutes for a body that never comes. */
const defaultMaxRequestMs = 30_000;

/** Slow headers are never a slow line: Node allows 16 KiB of them. */
const maxHeadersMs = 10_000;

/** A running server. */
export interface Listening {
  /** `http://127.0.0.1:port`: the `baseUrl` for a client. */
  readonly url: string;
  /** Ends the server, and at once the requests under way, unless they get time to finish; the service stays usable in this process. */
  close(options?: DrainOptions): Promise<void>;
}

export const listenKinds = (): KindsOf<Filled<ListenOptions>> => ({
  port: optional(whole(0, 65_535), 0),
  host: optional(text(), '127.0.0.1'),
  names: optional(listOf(text()), []),
  maxRequestMs: optional(whole(1, Number.MAX_SAFE_INTEGER), defaultMaxRequestMs),
});

/** Serves on a port. On a loopback address it answers only under the names of this machine. */
export async function listenOn(serving: Pick<NodeServing, 'answer' | 'refusal'>, options?: ListenOptions): Promise<Listening> {
  const { port, host, names, maxRequestMs } = readOptions('listen', listenKinds(), options);
  const limits = {
    requestTimeout: maxRequestMs,
    headersTimeout: Math.min(maxRequestMs, maxHeadersMs),
    connectionsCheckingInterval: Math.min(maxRequestMs, 1_000),
  };
  const guard = ({ headers: { host: named = '' } }: IncomingMessage): HttpRefusal | null =>
    names.includes(named.toLowerCase()) || isOurs(named, host, portOf(server)) || isMalformed(named) ? null : foreign;
  // The server limits the time of a request, and the handler its bytes.
  const all = { ...serving, guard, maxBodyBytes: Number.POSITIVE_INFINITY, maxBodyMs: Number.POSITIVE_INFINITY };
  const server = createServer(limits, (incoming, outgoing) => void serveNode(incoming, outgoing, all));
  const drain = drainable(server);
  // Node would drop the connection without a response.
  server.on('connect', (_incoming, socket) => {
    socket.on('error', () => {});
    const head = `HTTP/1.1 405 Method Not Allowed\r\nAllow: ${allowedMethods.join(', ')}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
    socket.end(head, () => socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(new PortcullisError('NETWORK', `cannot listen on ${host}:${port}`, { cause })));
    server.listen(port, host, resolve);
  });
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${portOf(server)}`,
    close: async (options) => drain(readOptions('close', drainKinds(0), options)),
  };
}

/** Answered with 400 later on. */
const isMalformed = (named: string): boolean => named !== '' && !isHost(named);

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

const foreign: HttpRefusal = /* @__PURE__ */ new HttpRefusal(403, 'FORBIDDEN', 'the Host header does not name this service');

/** On a loopback address only its own names are accepted, against pages that resolve their name to this machine (DNS rebinding). */
export function isOurs(named: string, host: string, port: number): boolean {
  if (!isThisMachine(host)) return true;
  // Clients omit the default port.
  const asked = port === 80 && !/:\d+$/.test(named) ? `${named}:80` : named;
  return ['127.0.0.1', 'localhost', '[::1]', host].some((name) => asked.toLowerCase() === `${name}:${port}`);
}
