import type { IncomingMessage } from 'node:http';
import { PortcullisError } from '../../core/errors.js';
import { HttpRefusal, wrongMethod } from '../../core/http/http-refusal.js';
import { connectionHeaders } from './connection-headers.js';
import { badRequest } from './refusal-response.js';

export interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly maxBodyMs: number;
}

/** Methods that `Request` cannot represent. */
const impossibleMethods: ReadonlySet<string> = new Set(['TRACE', 'TRACK', 'CONNECT']);

/** Methods for requests with another one. */
export const allowedMethods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** A host with or without a port, and no other part of a URL. */
export function isHost(named: string): boolean {
  return /^(\[[^\s/?#@\\[\]]+\]|[^\s/?#@\\[\]:]+)(:\d*)?$/.test(named) && URL.canParse(`http://${named}`);
}

/** The URL of a request, or the reason why it has none. */
export function urlOf(incoming: IncomingMessage, origin: string | undefined): string | HttpRefusal {
  const { host = '' } = incoming.headers;
  if (host !== '' && !isHost(host)) return badRequest('the Host header is malformed');
  if (host === '' && origin === undefined) return badRequest('the Host header is missing');
  const path = pathOf(incoming.url ?? '/', incoming.method);
  if (path === null) return badRequest('the URL is malformed');
  const isSecure = (incoming.socket as { encrypted?: boolean }).encrypted === true;
  const url = `${origin ?? `${isSecure ? 'https' : 'http'}://${host}`}${path}`;
  return URL.canParse(url) ? url : badRequest('the URL is malformed');
}

/** The four forms of a request target (RFC 9112 §3.2), without the authority form of CONNECT. A host in it is ignored. */
function pathOf(target: string, method: string | undefined): string | null {
  if (target.startsWith('/')) return target;
  if (target === '*' && method === 'OPTIONS') return '/';
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return null;
  const { pathname, search } = new URL(target);
  return pathname + search;
}

/** Rejects what can be seen in the headers. */
export function refusalOfHead({ method = 'GET', headers }: IncomingMessage, limits: BodyLimits): HttpRefusal | null {
  if (impossibleMethods.has(method)) {
    return wrongMethod(...allowedMethods);
  }
  return Number(headers['content-length'] ?? 0) > limits.maxBodyBytes ? tooLarge(limits) : null;
}

const tooLarge = ({ maxBodyBytes }: BodyLimits): HttpRefusal =>
  new HttpRefusal(413, 'PAYLOAD_TOO_LARGE', `the body is larger than ${maxBodyBytes} bytes`);

const tooSlow: HttpRefusal = /* @__PURE__ */ new HttpRefusal(408, 'TIMEOUT', 'the body did not arrive in time');

/** Whether a body follows the head, with any method. */
export function sendsBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** A `Request` with one of these methods cannot have a body. */
const bodilessMethods: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

/** A request's body, and why reading it failed. */
export interface NodeBody {
  /** The bytes if all of them have arrived. */
  readonly content: Uint8Array | ReadableStream<Uint8Array> | null;
  /** Set once a limit has ended the body. */
  refusal(): HttpRefusal | null;
  /** Gives up what has not been read. */
  end(): void;
}

const settled = { refusal: () => null, end: () => {} };

export const noBody: NodeBody = { content: null, ...settled };

/** @throws TypeError if another reader has taken the body */
export async function bodyOf(incoming: IncomingMessage, limits: BodyLimits): Promise<NodeBody> {
  if (!sendsBody(incoming) || bodilessMethods.has(incoming.method)) return noBody;
  if (incoming.readableDidRead && incoming.readableEnded) throw new TypeError(readAdvice);
  // Another listener takes the bytes as they come.
  if (incoming.readableFlowing !== null || incoming.readableEncoding !== null) return bodyStreamOf(incoming, limits);
  incoming.pause();
  // Node parses a body that came with its headers after it has emitted the request.
  await null;
  if (incoming.readableDidRead) throw new TypeError(readAdvice);
  // A stream of our own costs four listeners, a timer and a turn of the event loop.
  const isWhole = incoming.readableLength === Number(incoming.headers['content-length']);
  return isWhole ? { content: incoming.read() as Buffer, ...settled } : bodyStreamOf(incoming, limits);
}

const readAdvice = 'the body was already read; mount this handler before the middleware that parses bodies';

function bodyStreamOf(incoming: IncomingMessage, limits: BodyLimits): NodeBody {
  let refusal: HttpRefusal | null = null;
  let end = (): void => {};
  let abandon = (): void => {};
  let isOpen = false;
  // Not `Readable.toWeb`, which has no limits and reads ahead.
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let length = 0;
        const fail = (error: PortcullisError, why: HttpRefusal | null): void => {
          refusal = why;
          end();
          controller.error(error);
        };
        isOpen = true;
        const onData = (chunk: Buffer): void => {
          length += chunk.length;
          if (length > limits.maxBodyBytes) {
            const why = tooLarge(limits);
            fail(new PortcullisError('LIMIT_EXCEEDED', why.message), why);
            return;
          }
          controller.enqueue(new Uint8Array(chunk.buffer as ArrayBuffer, chunk.byteOffset, chunk.byteLength));
          incoming.pause();
        };
        const onEnd = (): void => {
          end();
          controller.close();
        };
        const onClose = (): void => fail(new PortcullisError('NETWORK', 'the client left before its request had arrived'), null);
        const isLimited = Number.isFinite(limits.maxBodyMs);
        const timer = isLimited
          ? setTimeout(() => fail(new PortcullisError('TIMEOUT', tooSlow.message), tooSlow), limits.maxBodyMs)
          : undefined;
        end = () => {
          isOpen = false;
          clearTimeout(timer);
          incoming.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
          incoming.pause();
        };
        abandon = () => {
          if (isOpen) fail(new PortcullisError('ABORTED', 'the request was answered before its body was read'), refusal);
        };
        incoming.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
        incoming.pause();
      },
      pull: () => void incoming.resume(),
      cancel: () => end(),
    },
    { highWaterMark: 0 },
  );
  return { content: stream, refusal: () => refusal, end: () => abandon() };
}

export function requestOf(
  { method = 'GET', headers }: IncomingMessage,
  url: string,
  { content: body }: NodeBody,
  signal: AbortSignal,
): Request {
  const own: [string, string][] = [];
  const dropped = connectionHeaders(headers.connection);
  for (const name of Object.keys(headers)) {
    if (dropped.has(name)) continue;
    const value = headers[name];
    if (Array.isArray(value)) for (const text of value) own.push([name, text]);
    else own.push([name, value ?? '']);
  }
  return new Request(url, { method, headers: own, signal, body, duplex: 'half' } as RequestInit);
}
