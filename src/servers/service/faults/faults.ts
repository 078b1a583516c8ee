import { allOperations } from '../../../api/operations/all-operations.js';
import { refuse } from '../../../core/errors.js';
import { common, json } from '../http/service-answer.js';

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

/** Something that goes wrong on purpose. */
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

const fieldTypes: { readonly [Name in keyof Required<Fault>]: 'string' | 'number' } = {
  kind: 'string',
  on: 'string',
  times: 'number',
  delayMs: 'number',
  status: 'number',
  retryAfter: 'string',
  location: 'string',
};

/** The longest time a timer can count, in milliseconds; with a longer one it ends at once. */
const delayMsMax = 2 ** 31 - 1;

/** A fault that happens now. */
export interface Taken extends Fault {
  readonly moves: number;
  /** It is over, whether or not it had its time. */
  readonly ended: AbortSignal;
}

/** The faults that are planned; each request uses up at most one, the one that was added first. */
export class Faults {
  private planned: { readonly fault: Fault; left: number }[] = [];
  private taken = 0;
  private ending = new AbortController();

  add(fault: Fault): void {
    if (typeof fault !== 'object' || fault === null) throw new TypeError('a fault must be an object');
    const unknown = Object.keys(fault).find((name) => !Object.hasOwn(fieldTypes, name));
    if (unknown !== undefined) refuse(`a fault has no ${unknown}; it has ${Object.keys(fieldTypes).join(', ')}`);
    for (const [name, type] of Object.entries(fieldTypes)) {
      const value = fault[name as keyof Fault];
      if (value !== undefined && typeof value !== type) throw new TypeError(`${name} must be a ${type}`);
    }
    const { kind, on, times = 1, delayMs = 0, status = 503, location = '', retryAfter = '' } = fault;
    if (!kinds.has(kind)) refuse(`there is no fault of that kind; there are ${[...kinds].join(', ')}`);
    if (on !== undefined && !on.startsWith('/') && !names.has(on)) refuse('on is no operation and no path');
    if (!Number.isInteger(times) || times < 0) refuse('times must be a whole number');
    if (!(delayMs >= 0 && delayMs <= delayMsMax)) refuse(`delayMs must be from 0 to ${delayMsMax}`);
    if (!Number.isInteger(status) || status < 200 || status > 599 || [204, 205, 304].includes(status))
      refuse('status must be one that has a body');
    if (/[^\x20-\x7e]/.test(location + retryAfter)) refuse('a header cannot have that value');
    if (times > 0) this.planned.push({ fault, left: times });
  }

  /** Forgets all that are planned; requests that hang or wait lose their connection. */
  clear(): void {
    this.planned = [];
    this.ending.abort();
    this.ending = new AbortController();
  }

  /** The fault of a request, which is counted. */
  take(operation: string | undefined, path: string): Taken | undefined {
    const found = this.planned.find(
      ({ fault: { on } }) => on === undefined || on === operation || (on.startsWith('/') && path.startsWith(on)),
    );
    if (found === undefined) return undefined;
    found.left--;
    this.taken++;
    this.planned = this.planned.filter(({ left }) => left > 0);
    return { ...found.fault, moves: this.taken, ended: this.ending.signal };
  }
}

const names: ReadonlySet<string> = new Set(allOperations.map(({ name }) => name));

/** What a socket must do where a `Response` cannot say it. */
export type SocketFault = 'reset' | 'cut';

const onSockets = new WeakMap<Response, SocketFault>();

export function socketFaultOf(response: Response): SocketFault | undefined {
  return onSockets.get(response);
}

/** The answer to a request that goes wrong; `honest` gives the answer it would have had. */
export async function faulty(fault: Taken, request: Request, honest: () => Promise<Response>): Promise<Response> {
  switch (fault.kind) {
    case 'delay':
      return (await passed(fault.delayMs ?? 1_000, request.signal, fault.ended)) ? honest() : reset();
    case 'hang':
      await passed(Number.POSITIVE_INFINITY, request.signal, fault.ended);
      return reset();
    case 'reset':
      return reset();
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
      return new Response(bomb(), { headers: { ...common, 'content-type': 'application/json', 'content-encoding': 'gzip' } });
    case 'status':
      return json({ message: 'Planned to fail.', code: 'INTERNAL_SERVER_ERROR' }, fault.status ?? 503);
    case 'rate-limit': {
      const headers = fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter };
      return json({ message: 'Planned to be too often.', code: 'TOO_MANY_REQUESTS' }, 429, headers);
    }
    case 'redirect':
      return new Response(null, {
        status: 302,
        headers: { ...common, location: fault.location ?? 'https://elsewhere.invalid/' },
      });
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
      return changedVersion(fault.kind, await honest(), fault.moves);
    case 'captive-portal':
      return new Response('<!doctype html><title>Welcome</title><p>Please log in to use this network.', {
        headers: { ...common, 'content-type': 'text/html' },
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

function reset(): Response {
  const response = new Response(null, { status: 500 });
  onSockets.set(response, 'reset');
  return response;
}

/** Whether the time passed, or the fault ended before it. Rejects where the caller leaves. */
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
