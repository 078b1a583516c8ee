import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { requireNumber } from '../../core/errors.js';
import { refusalResponse } from './http-refusal.js';
import { toNodeHandler } from './node-handler.js';

/** Options of `drainServer`. */
export interface DrainOptions {
  /** How long requests may take to finish, in milliseconds; then their connections are closed. @default 10_000 */
  readonly graceMs?: number | undefined;
}

/** How often connections that have become idle are closed. */
const idleMs = 50;

/**
 * Stops a server: no new connections, 503 for new requests on old ones, and the requests under way finish. Resolves when every connection
 * is closed. Call it on SIGTERM, before you close what the handlers use.
 */
export async function drainServer(server: Server, { graceMs = 10_000 }: DrainOptions = {}): Promise<void> {
  requireNumber(graceMs, 'graceMs', 0, 2 ** 31 - 1);
  // A framework has its own listener here, so no request reaches it any more.
  server.removeAllListeners('request');
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    outgoing.setHeader('connection', 'close');
    stopping(incoming, outgoing);
  });
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const idle = setInterval(() => server.closeIdleConnections(), idleMs);
  const grace = setTimeout(() => server.closeAllConnections(), graceMs);
  server.closeIdleConnections();
  await closed;
  clearInterval(idle);
  clearTimeout(grace);
}

const stopping = /* @__PURE__ */ toNodeHandler(() =>
  refusalResponse({
    status: 503,
    code: 'SERVICE_UNAVAILABLE',
    message: 'This server is stopping.',
    headers: { 'retry-after': '1' },
  }),
);
