import type { Blocklist } from '../../blocklist/model/blocklist-interface.js';
import { hasCode, type SignalLike } from '../../core/errors.js';
import { createEnd } from '../../core/http/end-signal.js';
import type { HttpRefusal } from '../../core/http/http-refusal.js';
import { func, having, readOptions } from '../../core/options/read-options.js';
import { privateHeaders, refusalResponse } from '../http/refusal-response.js';
import {
  keepScreening,
  type Picked,
  refusalFor,
  type ScreeningOptions,
  type ScreenSettings,
  screenContent,
  screeningKinds,
} from './screen-content.js';

/**
 * Returns what to screen of a request: `{ texts: [request.body.text] }`. A list determines that only texts are let in, so that a client
 * cannot choose another shape. Everything but a `Picked` makes the request unreadable, `undefined` too: a body that was not parsed must not
 * pass unseen.
 */
export type PickContent<Incoming> = (request: Incoming) => Picked | null | undefined | Promise<Picked | null | undefined>;

/** The list that a screen asks. */
type Checking = { readonly checkMany: Blocklist['checkMany'] };

/** A promise of a blocklist, or none, would make every request unreadable, as if the client were to blame. */
function screenSettings(caller: string, blocklist: Checking, pick: unknown, options?: ScreeningOptions): ScreenSettings {
  having<Checking>('a blocklist, such as createBlocklist makes', 'checkMany')(blocklist, `${caller}: blocklist`);
  func(pick, `${caller}: pick`);
  return readOptions(caller, screeningKinds(), options);
}

/** The part of Node's response that a screen uses. */
export interface ScreenResponse {
  statusCode: number;
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  readonly writableFinished: boolean;
  /** Sets a header. */
  setHeader(name: string, value: string): unknown;
  /** Ends the response. */
  end(body: string): unknown;
  /** Adds a listener for the end of the response or of its connection. */
  once(event: 'close', listener: () => void): unknown;
  /** Removes it. */
  removeListener(event: 'close', listener: () => void): unknown;
}

/** Middleware of Express 4 and 5, and of whatever else calls `(request, response, next)`. */
export function expressScreen<Incoming extends object>(
  blocklist: Checking,
  pick: PickContent<Incoming>,
  options?: ScreeningOptions,
): (request: Incoming, response: ScreenResponse, next: (error?: unknown) => void) => Promise<void> {
  const settings = screenSettings('expressScreen', blocklist, pick, options);
  return async (request, response, next) => {
    let isPassed = false;
    // Express 4 does not wait for a middleware, so that an error it throws would end the process.
    try {
      const outcome = await screened(blocklist, request, pick, settings, leaving(response));
      // Another middleware may have answered meanwhile: that the time is up.
      if (outcome === 'left' || response.writableEnded) return;
      isPassed = outcome === null;
      if (outcome !== null) refuseExpress(response, outcome);
    } catch (error) {
      return next(error);
    }
    if (isPassed) next();
  };
}

function refuseExpress(response: ScreenResponse, refusal: HttpRefusal): void {
  if (response.headersSent)
    throw new TypeError('the response has begun before its request was screened; mount the screen before');
  response.statusCode = refusal.status;
  for (const [name, value] of Object.entries(headersOf(refusal))) response.setHeader(name, value);
  response.end(bodyOf(refusal));
}

/** The part of Fastify's request that a screen uses. */
export interface ScreenFastifyRequest {
  readonly raw: object;
}

/** The part of Fastify's reply that a screen uses. */
export interface ScreenFastifyReply {
  readonly raw: ScreenResponse;
  /** Sets the status. */
  code(status: number): unknown;
  /** Sets a header. */
  header(name: string, value: string): unknown;
  /** Sends the body. */
  send(body: string): unknown;
  /** Makes Fastify send nothing. */
  hijack(): unknown;
}

/** A `preHandler` hook of Fastify, for a route or for all. */
export function fastifyScreen<Incoming extends ScreenFastifyRequest>(
  blocklist: Checking,
  pick: PickContent<Incoming>,
  options?: ScreeningOptions,
): (request: Incoming, reply: ScreenFastifyReply) => Promise<unknown> {
  const settings = screenSettings('fastifyScreen', blocklist, pick, options);
  return async (request, reply) => {
    const outcome = await screened(blocklist, request, pick, settings, leaving(reply.raw));
    if (outcome === null) return undefined;
    if (outcome === 'left') reply.hijack();
    else {
      reply.code(outcome.status);
      for (const [name, value] of Object.entries(headersOf(outcome))) reply.header(name, value);
      reply.send(bodyOf(outcome));
    }
    return reply;
  };
}

/** The part of Hono's context that a screen uses. */
export interface ScreenContext {
  readonly req: { readonly raw: Request };
}

/** Middleware of Hono, on every runtime. */
export function honoScreen<Context extends ScreenContext>(
  blocklist: Checking,
  pick: PickContent<Context>,
  options?: ScreeningOptions,
): (context: Context, next: () => Promise<void>) => Promise<Response | undefined> {
  const settings = screenSettings('honoScreen', blocklist, pick, options);
  return async (context, next) => {
    const outcome = await screened(blocklist, context, pick, settings, abandoned(context.req.raw.signal));
    if (outcome === null) {
      await next();
      return undefined;
    }
    // No client reads this response, but Hono needs one.
    return outcome === 'left' ? new Response(null, { status: 408 }) : refusalResponse(outcome);
  };
}

interface Leaving {
  readonly signal: SignalLike;
  end(): void;
}

/** Aborts when the client leaves. */
function leaving(response: ScreenResponse): Leaving {
  const leave = createEnd();
  const onClose = (): void => {
    if (!response.writableFinished) leave.abort();
  };
  response.once('close', onClose);
  return { signal: leave.signal, end: () => void response.removeListener('close', onClose) };
}

/** One listener for a signal of the platform, on which each takes a microsecond. */
function abandoned(signal: AbortSignal): Leaving {
  if (signal.aborted) return { signal, end: () => {} };
  const leave = createEnd();
  const onAbort = (): void => leave.abort(signal.reason);
  signal.addEventListener('abort', onAbort);
  return { signal: leave.signal, end: () => signal.removeEventListener('abort', onAbort) };
}

/** The refusal, `null` for a request that passes, `left` if the client is gone. */
async function screened<Incoming extends object>(
  blocklist: Checking,
  request: Incoming,
  pick: PickContent<Incoming>,
  settings: ScreenSettings,
  { signal, end }: Leaving,
): Promise<HttpRefusal | 'left' | null> {
  try {
    const screening = await screenContent(blocklist, () => pick(request), settings, signal);
    keepScreening(request, screening);
    return refusalFor(screening, settings.policy);
  } catch (error) {
    if (hasCode(error, 'ABORTED')) return 'left';
    throw error;
  } finally {
    end();
  }
}

const bodyOf = ({ code, message }: HttpRefusal): string => JSON.stringify({ message, code });
const headersOf = ({ headers }: HttpRefusal): Record<string, string> => ({
  ...privateHeaders,
  'content-type': 'application/json',
  ...headers,
});
