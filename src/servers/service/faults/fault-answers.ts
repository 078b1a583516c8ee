import { codeOf, nestedIf } from '../http/problem.js';
import { common, json } from '../http/service-answer.js';
import type { FaultKind } from './fault-kinds.js';
import type { Taken } from './faults.js';

/** Socket behavior that a `Response` cannot express. */
type SocketFault = 'reset' | 'cut';

const socketFaults = new WeakMap<Response, SocketFault>();

/** Makes a server carry out socket faults: it closes the connection for `Response.error()` and after a body that fails. */
export function asServerSendsIt(response: Response): Response {
  const fault = socketFaults.get(response);
  if (fault === undefined) return response;
  return fault === 'reset' ? Response.error() : cut(response);
}

/** Returns the response that the request would have had without the fault. */
type Honest = () => Promise<Response>;

export function faulty(fault: Taken, request: Request, honest: Honest, nested: boolean): Promise<Response> {
  return answers[fault.kind](fault, honest, request, nested);
}

type Answer = (fault: Taken, honest: Honest, request: Request, nested: boolean) => Promise<Response>;

const answers: { readonly [Kind in FaultKind]: Answer } = {
  delay: async ({ delayMs = 1_000, ended }, honest, { signal }) => ((await passed(delayMs, signal, ended)) ? honest() : reset()),
  async hang({ ended }, _, { signal }) {
    await passed(Number.POSITIVE_INFINITY, signal, ended);
    return reset();
  },
  reset: async () => reset(),
  async cut(_, honest) {
    const response = await rewritten(await honest(), (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2)));
    if (response.body !== null) socketFaults.set(response, 'cut');
    return response;
  },
  async 'wrong-length'(_, honest) {
    const response = await honest();
    if (response.body === null) return response;
    const bytes = new Uint8Array(await response.arrayBuffer());
    const headers = { ...headersOf(response), 'content-length': String(bytes.length + 7) };
    const broken = new Response(bytes, { status: response.status, headers });
    socketFaults.set(broken, 'cut');
    return broken;
  },
  'wrong-type': async (_, honest) => rewritten(await honest(), (bytes) => bytes, { 'content-type': 'text/html' }),
  'bad-gzip': async (_, honest) => rewritten(await honest(), (bytes) => bytes, { 'content-encoding': 'gzip' }),
  'gzip-bomb': async () =>
    new Response(bomb(), { headers: { ...common, 'content-type': 'application/json', 'content-encoding': 'gzip' } }),
  status: async ({ status = 503 }, _, __, nested) =>
    json(nestedIf(nested, { message: 'A planned failure.', code: codeOf(status) }), status),
  'rate-limit': async ({ retryAfter }, _, __, nested) =>
    json(
      nestedIf(nested, { message: 'A planned rate limit.', code: 'TOO_MANY_REQUESTS' }),
      429,
      retryAfter === undefined ? {} : { 'retry-after': retryAfter },
    ),
  redirect: async ({ location = 'https://elsewhere.invalid/' }) =>
    new Response(null, { status: 302, headers: { ...common, location } }),
  'captive-portal': async () =>
    new Response('<!doctype html><title>Welcome</title><p>Please log in to use this network.', {
      headers: { ...common, 'content-type': 'text/html' },
    }),
  flip: async (_, honest) =>
    rewritten(await honest(), (bytes) => {
      const flipped = bytes.slice();
      const at = Math.floor(flipped.length / 2);
      if (flipped.length > 0) flipped[at] = flipped[at]! ^ 1;
      return flipped;
    }),
  'stale-token': async (_, honest) => changedVersion(await honest(), (ref) => ({ ...ref, token: 'stale' })),
  'moving-token': async ({ count }, honest) =>
    changedVersion(await honest(), (ref) => ({ ...ref, token: `${String(ref['token'])}-${count}` })),
  'lying-count': async (_, honest) => changedVersion(await honest(), (ref) => ({ ...ref, count: Number(ref['count']) + 17 })),
};

/** Shows socket faults to callers in this process as `fetch` would. */
export function asFetchShowsIt(response: Response): Response {
  switch (socketFaults.get(response)) {
    case 'reset':
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }) });
    case 'cut':
      return cut(response);
    default:
      return unpacked(response);
  }
}

/** The response with its body followed by the error of a connection that breaks. */
function cut({ body: given, status, headers }: Response): Response {
  const reader = given?.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) controller.error(new TypeError('terminated', { cause: new Error('other side closed') }));
      else controller.enqueue(value);
    },
  });
  return new Response(body, { status, headers });
}

/** `fetch` unpacks a body while it is read, so a bad one fails then. */
function unpacked(response: Response): Response {
  if (response.headers.get('content-encoding') !== 'gzip' || response.body === null) return response;
  const body = response.body.pipeThrough(new DecompressionStream('gzip') as ReadableWritablePair<Uint8Array, Uint8Array>);
  const { 'content-encoding': _, ...headers } = headersOf(response);
  return new Response(body, { status: response.status, headers });
}

type Ref = Record<string, unknown>;

/** Changes both references of a version document; other responses stay as they are. */
async function changedVersion(response: Response, change: (ref: Ref) => Ref): Promise<Response> {
  const copy = response.clone();
  const version = (await copy.json().catch(() => null)) as Record<string, Ref> | null;
  if (version === null || typeof version['snapshot'] !== 'object') return response;
  for (const part of ['snapshot', 'recent']) if (version[part] !== undefined) version[part] = change(version[part]);
  return rewritten(response, () => new TextEncoder().encode(JSON.stringify(version)));
}

async function rewritten(
  response: Response,
  change: (bytes: Uint8Array) => Uint8Array,
  headers: Record<string, string> = {},
): Promise<Response> {
  // A response whose status allows no body has no body to break.
  if (response.body === null) return response;
  const bytes = change(new Uint8Array(await response.arrayBuffer()));
  return new Response(bytes as BodyInit, { status: response.status, headers: { ...headersOf(response), ...headers } });
}

function headersOf(response: Response): Record<string, string> {
  const { 'content-length': _, ...headers } = Object.fromEntries(response.headers);
  return headers;
}

/** 100 MiB of spaces, compressed while they are read. */
function bomb(): ReadableStream<Uint8Array> {
  let left = 100;
  const spaces = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (left-- === 0) controller.close();
      else controller.enqueue(new Uint8Array(1024 * 1024).fill(0x20));
    },
  });
  return spaces.pipeThrough(new CompressionStream('gzip'));
}

function reset(): Response {
  const response = new Response(null, { status: 500 });
  socketFaults.set(response, 'reset');
  return response;
}

/** Whether the time passed before the fault was cleared. Rejects if the caller disconnects. */
function passed(ms: number, left: AbortSignal, ended: AbortSignal): Promise<boolean> {
  return new Promise<boolean>((resolve, reject) => {
    const settle = (isOver: boolean): void => {
      clearTimeout(timer);
      for (const signal of [left, ended]) signal.removeEventListener('abort', end);
      if (left.aborted) reject(left.reason);
      else resolve(isOver);
    };
    const end = (): void => settle(false);
    const timer = ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(() => settle(true), ms);
    for (const signal of [left, ended]) signal.addEventListener('abort', end);
    if (left.aborted || ended.aborted) end();
  });
}
