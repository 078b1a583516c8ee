import type { IncomingMessage, ServerResponse } from 'node:http';
import { maxTimerMs } from '../../core/http/bounded.js';
import type { HttpRefusal } from '../../core/http/http-refusal.js';
import { type Filled, func, type KindsOf, number, optional, readOptions, that } from '../../core/options/read-options.js';
import type { FetchHandler, FetchService } from './fetch-handler.js';
import { type BodyLimits, bodyOf, noBody, refusalOfHead, requestOf, urlOf } from './node-request.js';
import { sendResponse } from './node-response.js';
import { quietly } from './quiet-listener.js';
import { failed, refusalResponse } from './refusal-response.js';

/** Options of `toNodeHandler`. */
export interface NodeHandlerOptions {
  /** A larger body is answered with 413. Handlers of this package have smaller limits of their own. @default 16_777_216, 16 MiB */
  readonly maxBodyBytes?: number | undefined;
  /** How long a body may take to arrive, in milliseconds; then the answer is 408. @default 30_000 */
  readonly maxBodyMs?: number | undefined;
  /** The origin of `request.url`, behind a proxy that changes it: `https://chat.example`. @default the one in the request's Host header */
  readonly origin?: string | undefined;
  /** Receives what the handler throws; the client gets a 500 that says nothing. Errors it throws are ignored. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A listener of Node's server, and a middleware of Express. */
export type NodeHandler = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** An upload of 16 MiB takes 30 seconds over 4.5 Mbit/s. */
const defaultMaxBodyBytes: number = 16 * 1024 * 1024;
const defaultMaxBodyMs = 30_000;

export const nodeHandlerKinds = (): KindsOf<Filled<NodeHandlerOptions, 'origin' | 'onError'>> => ({
  maxBodyBytes: optional(number(0, Number.MAX_SAFE_INTEGER), defaultMaxBodyBytes),
  maxBodyMs: optional(number(1, maxTimerMs), defaultMaxBodyMs),
  origin: optional(
    that(
      'an origin such as https://chat.example',
      (value: unknown) => typeof value === 'string' && URL.canParse(value) && new URL(value).origin === value,
    ),
  ),
  onError: optional(func),
});

/**
 * Lets Node's HTTP server, or a framework based on it, serve a fetch handler: a relay, a tool server, an embedded service, a webhook
 * receiver. Bodies stream in both directions at the slower end's pace, and the request's signal is aborted when the client leaves.
 *
 * @throws TypeError for another handler, PortcullisError `INVALID_INPUT`
 */
export function toNodeHandler(handler: FetchHandler | FetchService, options?: NodeHandlerOptions): NodeHandler {
  const answer: FetchHandler = typeof handler === 'function' ? handler : (request, context) => handler.fetch(request, context);
  if (typeof handler !== 'function' && typeof handler?.fetch !== 'function') {
    throw new TypeError('handler must be a function or have the method fetch');
  }
  const settings = readOptions('toNodeHandler', nodeHandlerKinds(), options);
  const serving: NodeServing = { ...settings, answer, refusal: refusalResponse };
  return (incoming, outgoing) => void serveNode(incoming, outgoing, serving);
}

export interface NodeServing extends BodyLimits {
  readonly answer: FetchHandler;
  readonly origin?: string | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Writes a rejection in the format of the server. */
  readonly refusal: (refusal: HttpRefusal) => Response;
  /** Rejects requests that must not reach the handler. */
  readonly guard?: ((incoming: IncomingMessage) => HttpRefusal | null) | undefined;
}

/** Answers one request; never rejects. */
export async function serveNode(incoming: IncomingMessage, outgoing: ServerResponse, serving: NodeServing): Promise<void> {
  const leave = new AbortController();
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) leave.abort();
  });
  // Without a listener a broken connection would end the process.
  outgoing.on('error', () => {});
  let body = noBody;
  const send = (response: Response): Promise<void> => sendResponse(response, incoming, outgoing, body);
  const report = quietly(serving.onError);
  try {
    const url = urlOf(incoming, serving.origin);
    const refused = serving.guard?.(incoming) ?? (typeof url === 'string' ? refusalOfHead(incoming, serving) : url);
    if (refused !== null) return await send(serving.refusal(refused));
    body = await bodyOf(incoming, serving);
    const waitUntil = (work: Promise<unknown>): void => void Promise.resolve(work).catch(report);
    const context = { address: incoming.socket.remoteAddress, waitUntil };
    await send(await serving.answer(requestOf(incoming, url as string, body, leave.signal), context));
  } catch (error) {
    if (leave.signal.aborted || outgoing.destroyed) return;
    const refused = body.refusal();
    if (refused === null) report(error);
    if (outgoing.headersSent) outgoing.destroy();
    else await send(serving.refusal(refused ?? failed)).catch(() => outgoing.destroy());
  } finally {
    body.end();
    // What is left of a request that has arrived would block the next one on its connection.
    incoming.resume();
  }
}
