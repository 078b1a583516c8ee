import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { maxTimerMs } from '../../core/http/bounded.js';
import { HttpRefusal } from '../../core/http/http-refusal.js';
import { type Filled, having, type KindsOf, number, optional, readOptions } from '../../core/options/read-options.js';
import { toNodeHandler } from './node-handler.js';
import { refusalResponse } from './refusal-response.js';

/** Options of the function that `drainable` returns. */
export interface DrainOptions {
  /** How long requests may take to finish, in milliseconds; then their connections are closed. @default 10_000 */
  readonly graceMs?: number | undefined;
}

export const drainKinds = (graceMs: number): KindsOf<Filled<DrainOptions>> => ({
  graceMs: optional(number(0, maxTimerMs), graceMs),
});

/**
 * Prepares a server for a graceful stop. Call it before the server listens, and the function it returns on SIGTERM, before you close what
 * the handlers use: no new connections, 503 for new requests on old ones, and the requests under way finish. It resolves when every
 * connection is closed. Node's own `close` waits for connections that have sent nothing.
 */
export function drainable(server: Server): (options?: DrainOptions) => Promise<void> {
  having<Server>('a server of node:http or node:https', 'on')(server, 'drainable: server');
  /** Requests under way by connection. */
  const busy = new Map<Socket, number>();
  let draining: Promise<void> | undefined;
  const add = (socket: Socket, change: number): void => {
    if (!busy.has(socket)) return;
    const count = busy.get(socket)! + change;
    busy.set(socket, count);
    if (count === 0 && draining !== undefined) socket.destroySoon();
  };
  // A request of a TLS server has another socket than the connection below it.
  server.on('setSecureContext' in server ? 'secureConnection' : 'connection', (socket: Socket) => {
    busy.set(socket, 0);
    socket.once('close', () => busy.delete(socket));
  });
  server.prependListener('request', ({ socket }: IncomingMessage, outgoing: ServerResponse) => {
    add(socket, 1);
    outgoing.once('close', () => add(socket, -1));
  });
  const drain = async (graceMs: number): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    const grace = setTimeout(() => server.closeAllConnections(), graceMs);
    // A framework has its own listener here, so no new request reaches it any more.
    server.removeAllListeners('request');
    server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
      outgoing.setHeader('connection', 'close');
      stopping(incoming, outgoing);
    });
    for (const [socket, count] of busy) if (count === 0) socket.destroySoon();
    await closed;
    clearTimeout(grace);
  };
  return (options) => {
    const { graceMs } = readOptions('drain', drainKinds(10_000), options);
    draining ??= drain(graceMs);
    return draining;
  };
}

const stopping = /* @__PURE__ */ toNodeHandler(() =>
  refusalResponse(new HttpRefusal(503, 'SERVICE_UNAVAILABLE', 'this server is stopping', { headers: { 'retry-after': '1' } })),
);
