import { PortcullisError } from '../errors.js';
import { allOperations } from '../operations/all.js';

/** What can go wrong on demand, so that one sees what one's own code makes of it. */
export type FaultKind =
  /** Answers later, by real time. */
  | 'delay'
  /** Never answers. */
  | 'hang'
  /** The connection breaks before an answer. */
  | 'reset'
  /** The connection breaks in the middle of the body. */
  | 'cut'
  /** The length that is announced is too large. */
  | 'wrong-length'
  /** JSON under the name of HTML. */
  | 'wrong-type'
  /** The body says it is gzip and is not. */
  | 'bad-gzip'
  /** A small body that unpacks to a hundred megabytes. */
  | 'gzip-bomb'
  /** An answer with `status`, 503 by default. */
  | 'status'
  /** 429, with `retryAfter` where it is given. */
  | 'rate-limit'
  /** A redirect to `location`, on another origin by default. */
  | 'redirect'
  /** One byte in the middle of the body is another one. */
  | 'flip'
  /** Version: a token of long ago, again and again. */
  | 'stale-token'
  /** Version: other tokens at every call. */
  | 'moving-token'
  /** Version: counts that are not those of the artifacts. */
  | 'lying-count'
  /** 200 and a page that wants a login, as in a hotel. */
  | 'captive-portal';

export interface Fault {
  readonly kind: FaultKind;
  /** An operation's name, or a path or its beginning; without it every request. */
  readonly on?: string;
  /** Requests it happens to. @default 1 */
  readonly times?: number;
  /** For `delay`. @default 1_000 */
  readonly delayMs?: number;
  /** For `status`. */
  readonly status?: number;
  /** For `rate-limit`: the header's value. */
  readonly retryAfter?: string;
  /** For `redirect`. @default 'https://elsewhere.invalid/' */
  readonly location?: string;
}

const kinds: ReadonlySet<string> = new Set<FaultKind>([
  'delay',
  'hang',
  'reset',
  'cut',
  'wrong-length',
  'wrong-type',
  'bad-gzip',
  'gzip-bomb',
  'status',
  'rate-limit',
  'redirect',
  'flip',
  'stale-token',
  'moving-token',
  'lying-count',
  'captive-portal',
]);

/** The faults that are planned; each request uses up at most one, the one that was added first. */
export class Faults {
  private planned: { readonly fault: Fault; left: number }[] = [];
  private taken = 0;

  add(fault: Fault): void {
    const { kind, on, times = 1, status = 503, location = '', retryAfter = '' } = fault;
    if (!kinds.has(kind)) refuse(`there is no fault of that kind; there are ${[...kinds].join(', ')}`);
    if (on !== undefined && !on.startsWith('/') && !names.has(on)) refuse('on is no operation and no path');
    if (!Number.isInteger(times) || times < 0) refuse('times must be a whole number');
    if (!Number.isInteger(status) || status < 200 || status > 599 || [204, 205, 304].includes(status))
      refuse('status must be one that has a body');
    if (/[^\x20-\x7e]/.test(location + retryAfter)) refuse('a header cannot have that value');
    if (times > 0) this.planned.push({ fault, left: times });
  }

  clear(): void {
    this.planned = [];
  }

  /** The fault of a request, which is counted. */
  take(operation: string | undefined, path: string): (Fault & { readonly moves: number }) | undefined {
    const found = this.planned.find(
      ({ fault: { on } }) => on === undefined || on === operation || (on.startsWith('/') && path.startsWith(on)),
    );
    if (found === undefined) return undefined;
    found.left--;
    this.taken++;
    this.planned = this.planned.filter(({ left }) => left > 0);
    return { ...found.fault, moves: this.taken };
  }
}

const names: ReadonlySet<string> = new Set(allOperations.map(({ name }) => name));

function refuse(what: string): never {
  throw new PortcullisError('INVALID_INPUT', what);
}

/** What a socket must do where a `Response` cannot say it. */
export type SocketFault = 'reset' | 'cut';

const onSockets = new WeakMap<Response, SocketFault>();

export function socketFaultOf(response: Response): SocketFault | undefined {
  return onSockets.get(response);
}

/** The answer to a request that goes wrong; `honest` gives the answer it would have had. */
export async function faulty(
  fault: Fault & { readonly moves?: number },
  request: Request,
  honest: () => Promise<Response>,
): Promise<Response> {
  switch (fault.kind) {
    case 'delay':
      await passed(fault.delayMs ?? 1_000, request.signal);
      return honest();
    case 'hang':
      return passed(Number.POSITIVE_INFINITY, request.signal) as Promise<never>;
    case 'reset': {
      const response = new Response(null, { status: 500 });
      onSockets.set(response, 'reset');
      return response;
    }
    case 'cut': {
      const response = await rewritten(await honest(), (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2)));
      if (response.body !== null) onSockets.set(response, 'cut');
      return response;
    }
    case 'wrong-length': {
      const response = await honest();
      if (response.body === null) return response;
      const bytes = new Uint8Array(await response.arrayBuffer());
      const broken = new Response(bytes, {
        status: response.status,
        headers: { ...headersOf(response), 'content-length': String(bytes.length + 7) },
      });
      onSockets.set(broken, 'cut');
      return broken;
    }
    case 'wrong-type':
      return rewritten(await honest(), (bytes) => bytes, { 'content-type': 'text/html' });
    case 'bad-gzip':
      return rewritten(await honest(), (bytes) => bytes, { 'content-encoding': 'gzip' });
    case 'gzip-bomb':
      return new Response(bomb(), { headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } });
    case 'status':
      return Response.json({ message: 'Planned to fail.', code: 'INTERNAL_SERVER_ERROR' }, { status: fault.status ?? 503 });
    case 'rate-limit':
      return Response.json(
        { message: 'Planned to be too often.', code: 'TOO_MANY_REQUESTS' },
        { status: 429, ...(fault.retryAfter !== undefined && { headers: { 'retry-after': fault.retryAfter } }) },
      );
    case 'redirect':
      return new Response(null, { status: 302, headers: { location: fault.location ?? 'https://elsewhere.invalid/' } });
    case 'flip':
      return rewritten(await honest(), (bytes) => {
        const flipped = bytes.slice();
        const at = Math.floor(flipped.length / 2);
        if (flipped.length > 0) flipped[at] = flipped[at]! ^ 1;
        return flipped;
      });
    case 'stale-token':
    case 'moving-token':
    case 'lying-count':
      return changedVersion(fault.kind, await honest(), fault.moves ?? 0);
    case 'captive-portal':
      return new Response('<!doctype html><title>Welcome</title><p>Please log in to use this network.', {
        headers: { 'content-type': 'text/html' },
      });
  }
}

/** In-process callers see a broken connection as `fetch` shows it. */
export function asFetchShowsIt(response: Response): Response {
  switch (socketFaultOf(response)) {
    case 'reset':
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }) });
    case 'cut': {
      const reader = response.body?.getReader();
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
          if (done) controller.error(new TypeError('terminated', { cause: new Error('other side closed') }));
          else controller.enqueue(value);
        },
      });
      return new Response(body, { status: response.status, headers: response.headers });
    }
    default:
      return unpacked(response);
  }
}

/** As `fetch` does it; what is no gzip breaks while it is read. */
function unpacked(response: Response): Response {
  if (response.headers.get('content-encoding') !== 'gzip' || response.body === null) return response;
  const body = response.body.pipeThrough(new DecompressionStream('gzip') as ReadableWritablePair<Uint8Array, Uint8Array>);
  const { 'content-encoding': _, ...headers } = headersOf(response);
  return new Response(body, { status: response.status, headers });
}

async function changedVersion(
  kind: 'stale-token' | 'moving-token' | 'lying-count',
  response: Response,
  moves: number,
): Promise<Response> {
  const version = (await response
    .clone()
    .json()
    .catch(() => null)) as Record<string, Record<string, unknown>> | null;
  if (version === null || typeof version['snapshot'] !== 'object') return response;
  for (const part of ['snapshot', 'recent']) {
    const ref = version[part];
    if (ref === undefined) continue;
    if (kind === 'lying-count') ref['count'] = Number(ref['count']) + 17;
    else if (kind === 'moving-token') ref['token'] = `${String(ref['token'])}-${moves}`;
    else ref['token'] = 'stale';
  }
  return rewritten(response, () => new TextEncoder().encode(JSON.stringify(version)));
}

async function rewritten(
  response: Response,
  change: (bytes: Uint8Array) => Uint8Array,
  headers: Record<string, string> = {},
): Promise<Response> {
  // Answers that may not have a body have nothing to be broken.
  if (response.body === null) return response;
  const bytes = change(new Uint8Array(await response.arrayBuffer()));
  return new Response(bytes as BodyInit, { status: response.status, headers: { ...headersOf(response), ...headers } });
}

function headersOf(response: Response): Record<string, string> {
  const headers: Record<string, string> = {};
  response.headers.forEach((value, name) => {
    if (name !== 'content-length') headers[name] = value;
  });
  return headers;
}

/** A hundred megabytes of spaces, packed as they are read. */
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

function passed(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(resolve, ms);
    const end = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
