import { networkOf } from '../../core/assets/web/network-of.js';
import { hasCode, refuse } from '../../core/errors.js';
import { bounded, maxTimerMs } from '../../core/http/bounded.js';
import { readBody } from '../../core/http/bounded-body.js';
import { HttpRefusal, wrongMethod } from '../../core/http/http-refusal.js';
import { mediaTypeOf } from '../../core/http/media-type.js';
import {
  type BinaryRequest,
  type BinaryResponse,
  decodeRequest,
  encodeResponse,
  fieldOf,
  minResponseBytes,
  padded,
} from '../../core/ohttp/binary-http.js';
import { mediaTypes, problemTypes, writeKeyList } from '../../core/ohttp/key-list.js';
import { type Kem, keyFor, nonceBytes, openRequest } from '../../core/ohttp/sealing.js';
import { clock, type Filled, func, type KindsOf, number, optional, readOptions, whole } from '../../core/options/read-options.js';
import { TokenBucket } from '../../core/token-bucket.js';
import { WeightedMap } from '../../core/weighted-map.js';
import type { FetchHandler } from '../http/fetch-handler.js';
import { counter, gauge, type Metric } from '../http/open-metrics.js';
import { quietly } from '../http/quiet-listener.js';
import { badRequest, failed, privateHeaders, refusalResponse } from '../http/refusal-response.js';
import { shortBody } from '../http/request-body.js';
import { type GatewayKeys, gatewayKeys, isOpen, type UsableKey, usableKeys } from './gateway-keys.js';

/** Options of `obliviousGateway`. */
export interface ObliviousGatewayOptions {
  /** What `generateGatewayKeys` returned as `keys`, or the text of their file. */
  readonly keys: GatewayKeys | string;
  /** Sealed requests per minute of one sender, also as one burst. A sender is a relay with all its clients. @default 12_000 */
  readonly perMinute?: number | undefined;
  /** Requests that are opened and answered at the same time; more are rejected until one ends. @default 256 */
  readonly maxConcurrent?: number | undefined;
  /** Longest wait for the handler of a request, in milliseconds. @default 10_000 */
  readonly timeoutMs?: number | undefined;
  /** The key exchange of a package such as `@panva/hpke-noble`, for a platform without X25519. @default the platform's own */
  readonly kem?: Kem | undefined;
  /** Receives operational events. They never contain anything of a request. Errors it throws are ignored. */
  readonly onEvent?: ((event: GatewayEvent) => void) | undefined;
  /** The clock, in epoch milliseconds. @default Date.now */
  readonly now?: (() => number) | undefined;
}

/** An event for the gateway's operator: the handler threw an error. The client received a 500. */
export interface GatewayEvent {
  readonly type: 'internal-error';
  readonly name: string;
}

/** Answers a request that was opened. It has no header that could name its client, and `oblivious.invalid` as its host. */
export type OpenedHandler = (request: Request) => Response | Promise<Response>;

/** Opens the requests that a relay passes on (RFC 9458), has a handler answer them, and seals the answers. */
export interface ObliviousGateway {
  /** The key that clients use, as `application/ohttp-keys`: for `oblivious({ keys })`, and for `ohttpKeys` of a signed list. */
  keyList(): Uint8Array;
  /**
   * Replaces the keys, after a rotation. If they cannot be used, the present ones stay.
   *
   * @throws PortcullisError `INVALID_INPUT`
   */
  update(keys: GatewayKeys | string): Promise<void>;
  /**
   * Answers a relay's request (`POST`), and one for the key list (`GET`). Never rejects.
   *
   * @param sender Who is charged for it: the network of the relay
   */
  answer(request: Request, handler: OpenedHandler, sender?: string): Promise<Response>;
  /**
   * A handler that answers requests to a path in this way, and leaves all others to the given one. The given one must not answer sealed
   * questions faster if it knows them, for example from a cache: the relay could tell by the time what was asked.
   *
   * @param path @default '/ohttp'
   */
  wrap(handler: FetchHandler, path?: string): FetchHandler;
  /** Counts of answers, for `openMetrics`. They say nothing about what was asked. */
  metrics(): readonly Metric[];
}

/** The largest question, of 2,000 prefixes, with its padding. */
const maxRequestBytes = 65 * 1024;

/** Twice the largest confirmation; with its fields it is padded to 4 MiB. Lists are fetched directly. */
const maxAnswerBytes = 4_000_000;

/** Relays with a remembered rate; also addresses that send something else. */
const maxSenders = 1_000;

const methods: readonly string[] = ['GET', 'HEAD', 'POST'];

/**
 * The others would identify a client, choose its rate, or have answers in many encodings and lengths. A tag of a document that a client
 * was given can be made for that client alone.
 */
const passedFields = ['accept', 'content-type'];
const answeredFields = ['content-type', 'retry-after'];

export const gatewayKinds = (): KindsOf<Filled<ObliviousGatewayOptions, 'kem' | 'onEvent'> & { keys: GatewayKeys }> => ({
  keys: gatewayKeys,
  perMinute: optional(number(1, 1e9), 12_000),
  maxConcurrent: optional(whole(1, 100_000), 256),
  timeoutMs: optional(number(1, maxTimerMs), 10_000),
  kem: optional(func),
  onEvent: optional(func),
  now: clock,
});

/**
 * Makes a gateway for Oblivious HTTP. Whoever runs the relay in front of it learns who asks, but not what; the gateway learns what is asked,
 * but not by whom. So they must not be run by the same people.
 *
 * ```
 *  relay ──►  type, size, rate, key id     unsealed 4xx; costs no operation with a key
 *             open                         unsealed 422 if the key is not the right one
 *             read, handle, pad, seal      200, whatever the answer inside is
 * ```
 *
 * A relay can send a request again. Each time costs one more question within the rate that all share, and each answer is sealed anew. But the
 * relay sees how long an answer takes, and it can ask questions of its own: if known questions were answered faster, it could find out which
 * of them a client has asked. So a handler must only read, and must take as long for a question that it has answered before. `createRelay`
 * does not use its cache for sealed confirmations.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export async function obliviousGateway(options: ObliviousGatewayOptions): Promise<ObliviousGateway> {
  const settings = readOptions('obliviousGateway', gatewayKinds(), options);
  const { perMinute, maxConcurrent, timeoutMs, now } = settings;
  const emit = quietly(settings.onEvent);
  const buckets = new WeightedMap<TokenBucket>(maxSenders);
  /** By two values of this package and of the handler, so that a client cannot add series. */
  const answers = new Map<string, { readonly labels: Readonly<Record<string, string>>; count: number }>();
  let keys = await openingKeys('obliviousGateway', settings.keys);
  let running = 0;

  function openingKeys(caller: string, given: GatewayKeys): Promise<UsableKey[]> {
    if (!given.keys.some((key) => isOpen(key, now()))) refuse(`${caller}: all keys have expired`);
    return usableKeys(given, settings.kem);
  }

  const openKeys = (): UsableKey[] => {
    const nowMs = now();
    return keys.filter((key) => isOpen(key, nowMs));
  };

  function count(sealed: 'yes' | 'no', { status }: { readonly status: number }): void {
    const key = `${sealed} ${status}`;
    const known = answers.get(key) ?? { labels: { sealed, status: String(status) }, count: 0 };
    known.count++;
    answers.set(key, known);
  }

  function charge(sender: string): void {
    const bucket = buckets.get(sender) ?? new TokenBucket(perMinute);
    buckets.set(sender, bucket);
    const waitMs = bucket.take(1, now());
    if (waitMs > 0) throw new HttpRefusal(429, 'TOO_MANY_REQUESTS', 'too many requests', { retryAfterMs: waitMs });
  }

  /** The answer inside, whatever the handler does. */
  async function handled(message: Uint8Array, handler: OpenedHandler): Promise<BinaryResponse> {
    try {
      const read = decodeRequest(message);
      if (read === null) throw badRequest('the binary HTTP request is malformed');
      const request = requestOf(read);
      const work = async (): Promise<BinaryResponse> => binaryOf(await handler(request), request);
      return await bounded(timeoutMs, undefined, work);
    } catch (error) {
      if (error instanceof HttpRefusal) return binaryOf(refusalResponse(error));
      if (hasCode(error, 'TIMEOUT')) return binaryOf(refusalResponse(tooSlow));
      // Reports only the name of the error, because the message may contain a prefix.
      emit({ type: 'internal-error', name: error instanceof Error ? error.name : typeof error });
      return binaryOf(refusalResponse(failed));
    }
  }

  async function sealedAnswer(request: Request, handler: OpenedHandler): Promise<Response> {
    const sealed = await shortBody(request, maxRequestBytes);
    const key = keyFor(sealed, openKeys());
    if (key === null) return keyUnknown();
    if (running >= maxConcurrent) throw new HttpRefusal(503, 'SERVICE_UNAVAILABLE', 'too many requests at once', busy);
    running++;
    try {
      const opened = await openRequest(sealed, key);
      if (opened === null) return keyUnknown();
      const inner = await handled(opened.message, handler);
      count('yes', inner);
      const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes));
      const body = await opened.seal(padded(encodeResponse(inner), minResponseBytes), nonce);
      return new Response(body as BodyInit, { headers: { ...privateHeaders, 'content-type': mediaTypes.response } });
    } finally {
      running--;
    }
  }

  function keyListAnswer(method: string): Response {
    const list = keyList();
    // Any page may read it: it is the same for everybody.
    const headers = { ...privateHeaders, 'content-type': mediaTypes.keys, 'access-control-allow-origin': '*' };
    return new Response(method === 'HEAD' ? null : (list as BodyInit), { headers });
  }

  function keyList(): Uint8Array {
    const [newest] = openKeys();
    if (newest === undefined) throw new HttpRefusal(503, 'SERVICE_UNAVAILABLE', 'all keys of the gateway have expired');
    return writeKeyList([newest]);
  }

  async function outerAnswer(request: Request, handler: OpenedHandler, sender: string): Promise<Response> {
    try {
      if (!methods.includes(request.method)) throw wrongMethod(...methods);
      if (request.method !== 'POST') return keyListAnswer(request.method);
      if (mediaTypeOf(request.headers.get('content-type')) !== mediaTypes.request)
        throw new HttpRefusal(415, 'UNSUPPORTED_MEDIA_TYPE', `the content type must be ${mediaTypes.request}`);
      // Only now: behind a proxy, anybody's requests for the list would use up the rate of the relay.
      charge(sender);
      return await sealedAnswer(request, handler);
    } catch (error) {
      if (error instanceof HttpRefusal) return refusalResponse(error);
      emit({ type: 'internal-error', name: error instanceof Error ? error.name : typeof error });
      return refusalResponse(failed);
    }
  }

  async function answer(request: Request, handler: OpenedHandler, sender = ''): Promise<Response> {
    const response = await outerAnswer(request, handler, sender);
    if (response.status !== 200) count('no', response);
    return response;
  }

  return {
    keyList,
    async update(given) {
      const { keys: read } = readOptions('update', { keys: gatewayKeys }, { keys: given });
      keys = await openingKeys('update', read);
    },
    answer,
    wrap(handler, path = '/ohttp') {
      return (request, context) => {
        if (new URL(request.url).pathname !== path) return handler(request, context);
        return answer(request, (opened) => handler(opened, {}), networkOf(context?.address ?? ''));
      };
    },
    metrics() {
      const [newest] = keys;
      const samples = [...answers.values()].map(({ labels, count }) => [labels, count] as const);
      return [
        counter('ohttp_responses', 'Answers of the gateway by status, and whether they were sealed.', samples),
        gauge('ohttp_requests_open', 'Requests that are being answered.', running),
        gauge('ohttp_key_age_seconds', 'Age of the newest key.', Math.max(0, (now() - newest!.createdAtMs) / 1_000), 'seconds'),
      ];
    },
  };
}

const tooSlow: HttpRefusal = /* @__PURE__ */ new HttpRefusal(504, 'GATEWAY_TIMEOUT', 'the answer took too long');

/** Soon enough for a client that waits, and long enough for a request to end. */
const busy = { retryAfterMs: 1_000 };

/** RFC 9458 §5.3. A relay that drops bodies still passes on the status, which has no other meaning here. */
function keyUnknown(): Response {
  const body = JSON.stringify({ type: problemTypes.key, title: 'the gateway does not have this key' });
  return new Response(body, { status: 422, headers: { ...privateHeaders, 'content-type': 'application/problem+json' } });
}

/** The authority is not looked at: the handler is the only target, and no connection is made. */
function requestOf(message: BinaryRequest): Request {
  const { method, path } = message;
  if (!methods.includes(method)) throw wrongMethod(...methods);
  if (fieldOf(message, 'expect') !== null) throw new HttpRefusal(417, 'EXPECTATION_FAILED', 'no expectation is supported');
  if (!/^\/[!"$-~]*$/.test(path)) throw badRequest('the path is malformed');
  const headers = passedFields.flatMap((name): [string, string][] => {
    const value = fieldOf(message, name);
    return value === null ? [] : [[name, value]];
  });
  const body = method === 'POST' ? (message.content as BodyInit) : null;
  return new Request(`http://oblivious.invalid${path}`, { method, headers, body });
}

async function binaryOf(response: Response, { method } = { method: 'GET' }): Promise<BinaryResponse> {
  const tooLarge = (): HttpRefusal => new HttpRefusal(502, 'BAD_GATEWAY', 'the answer is too large for this gateway');
  const content = method === 'HEAD' ? new Uint8Array() : await readBody(response, { maxBytes: maxAnswerBytes, tooLarge });
  const fields = answeredFields.flatMap((name): [string, string][] => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  return { status: response.status, fields, content };
}
