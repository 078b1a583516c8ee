import { fromBase64, toBase64 } from '../../core/base64.js';
import { fromUtf8, utf8 } from '../../core/bytes.js';
import { known, PortcullisError, refuse, type SignalLike } from '../../core/errors.js';
import { fileUrl, isSameOrigin } from '../../core/http/address.js';
import { maxTimerMs } from '../../core/http/bounded.js';
import { type FetchInit, type FetchLike, type FetchResponse, globals } from '../../core/http/fetch.js';
import { plainInit } from '../../core/http/follow.js';
import { unusable } from '../../core/http/http-api.js';
import { mediaTypeOf } from '../../core/http/media-type.js';
import { retryAfterMs } from '../../core/http/retry.js';
import { type HttpAnswer, send } from '../../core/http/send.js';
import {
  type BinaryRequest,
  type BinaryResponse,
  decodeResponse,
  encodeRequest,
  fieldOf,
  minRequestBytes,
  padded,
} from '../../core/ohttp/binary-http.js';
import { type GatewayKey, keyList, mediaTypes, problemTypes, readKeyList } from '../../core/ohttp/key-list.js';
import { type Kem, responseOverhead, type SealedRequest, sealRequest } from '../../core/ohttp/sealing.js';
import {
  boolean,
  clock,
  type Filled,
  func,
  type KindsOf,
  number,
  optional,
  readOptions,
} from '../../core/options/read-options.js';
import { maxConfirmBytes } from '../formats/confirm-answer.js';
import type { ConfirmCall } from '../model/source.js';
import type { Oblivious } from './source-options.js';

/** Options of `oblivious`. */
export interface ObliviousOptions {
  /** The URL of the relay, which somebody else runs than the gateway: it sees who asks, and the gateway sees what. */
  readonly relay: string;
  /**
   * The keys of the gateway: the bytes of its `application/ohttp-keys`, or base64 of them. Required for sources of a service or a relay.
   * @default those that the signed list names
   */
  readonly keys?: Uint8Array | string | undefined;
  /**
   * The key exchange, where the platform's Web Crypto has no X25519: `KEM_DHKEM_X25519_HKDF_SHA256` of `@panva/hpke-noble`.
   * @default that of Web Crypto
   */
  readonly kem?: Kem | undefined;
  /** Longest wait for a complete answer, in milliseconds. @default 10_000 */
  readonly timeoutMs?: number | undefined;
  /** Allow plain `http:` to another machine. What is sealed stays so; the network sees which relay is used. @default false */
  readonly allowInsecureHttp?: boolean | undefined;
  /** Sends the requests to the relay. @default the platform's `fetch`, looked up at each request */
  readonly fetch?: FetchLike | undefined;
  /** The clock, in epoch milliseconds. @default Date.now */
  readonly now?: (() => number) | undefined;
}

export const obliviousKinds = (): KindsOf<Filled<ObliviousOptions, 'keys' | 'kem' | 'fetch'>> => ({
  relay: fileUrl,
  keys: optional(keyList),
  kem: optional(func),
  timeoutMs: optional(number(1, maxTimerMs), 10_000),
  allowInsecureHttp: optional(boolean, false),
  fetch: optional(func),
  now: clock,
});

/** Bytes of a sealed answer: the longest confirmation, which has more bytes than a shard; `padded` makes it at most four times as long. */
const maxAnswerBytes = 4 * maxConfirmBytes + responseOverhead;

/** A gateway keeps its older keys for a week. Whoever got hold of one that was replaced long ago must not read questions. */
const keysOutliveMs = 7 * 86_400_000;

/** Bytes of a problem document that are read. */
const maxProblemBytes = 4_096;

/**
 * Confirms hits through Oblivious HTTP (RFC 9458), for the option `ohttp` of a source: each request is sealed to the gateway's key and sent to
 * a relay. The relay sees an address and bytes of one size; the gateway sees a question and the relay's address. Nothing is sent in another way when
 * that fails: the hit stays unconfirmed. Needs the package `hpke`.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function oblivious(options: ObliviousOptions): Oblivious {
  const settings = readOptions('oblivious', obliviousKinds(), options);
  const { relay, kem, timeoutMs, fetch, now } = settings;
  const pinned = settings.keys as Uint8Array | undefined;
  /** Nothing that tells one client from another. */
  const post: FetchLike = (url, init) => {
    const plain = { ...plainInit({ ...init, cache: 'no-store' }), referrerPolicy: 'no-referrer' };
    return fetch === undefined ? (globals as unknown as { fetch: FetchLike }).fetch(url, plain) : fetch(url, plain);
  };
  return {
    confirmWith(url, create, isSigned = false) {
      if (isSameOrigin(url, relay))
        refuse('ohttp needs a relay that somebody else runs: this one has the origin of the list or service');
      if (pinned === undefined && !isSigned)
        refuse('ohttp needs keys in oblivious, or a published list with publicKeys, which may name them');
      /** That of the last question, which all that run may use: their lists named it. */
      let key: GatewayKey;
      const { confirm } = create(async (target, init) => {
        const message = padded(encodeRequest(requestOf(target, init)), minRequestBytes);
        const { sealed, open } = await seal(key, message, kem);
        const headers = { 'content-type': mediaTypes.request };
        const answer = await send(
          { method: 'POST', url: relay, headers, body: sealed },
          { fetch: post, timeoutMs, maxBytes: maxAnswerBytes, signal: init?.signal as SignalLike | undefined },
        );
        requireSealed(answer, now());
        const opened = await open(answer.bytes);
        if (opened === null) throw unusable('was not sealed by the gateway for this request');
        const response = decodeResponse(opened);
        if (response === null) throw unusable('holds no message of binary HTTP');
        return responseOf(response);
      });
      return async (prefixes, call) => {
        key = keyOf(pinned, isSigned ? call : {}, now());
        return confirm!(prefixes, call);
      };
    },
  };
}

/** The first supported key in the list's order: another rule would tell clients apart. */
function keyOf(
  pinned: Uint8Array | undefined,
  { ohttpKeys: named, expiresAtMs }: Pick<ConfirmCall, 'ohttpKeys' | 'expiresAtMs'>,
  nowMs: number,
): GatewayKey {
  if (pinned !== undefined && named !== undefined && named !== toBase64(pinned))
    throw unknownKey('the keys given to oblivious are not those that the signed list names; give it the new ones, or none');
  if (pinned === undefined && named === undefined)
    throw unknownKey('no signed list that names the keys of a gateway was fetched yet');
  if (pinned === undefined && nowMs > (expiresAtMs ?? Number.POSITIVE_INFINITY) + keysOutliveMs)
    throw unknownKey('the list that names the keys expired more than a week ago, by the clock of this device; sync the list');
  const keys = readKeyList(pinned ?? (typeof named === 'string' ? fromBase64(named) : null) ?? new Uint8Array());
  if (keys === null) throw unreadableKeys('malformed');
  if (keys.length === 0) throw unreadableKeys('of other algorithms than X25519, HKDF-SHA256 and AES-128-GCM');
  return keys[0]!;
}

async function seal(key: GatewayKey, message: Uint8Array, kem: Kem | undefined): Promise<SealedRequest> {
  try {
    return await sealRequest(key, message, kem);
  } catch (cause) {
    throw new PortcullisError(
      'PEER_MISSING',
      'this platform has no X25519, or the key of the gateway is no point of it; pass kem: KEM_DHKEM_X25519_HKDF_SHA256 of @panva/hpke-noble',
      { cause },
    );
  }
}

function requestOf(url: string, init: FetchInit = {}): BinaryRequest {
  const [, scheme = '', authority = '', path = ''] = /^(https?):\/\/([^/?#]*)([^#]*)/i.exec(url) ?? [];
  const { method = 'GET', body } = init;
  const fields = Object.entries((init.headers ?? {}) as Readonly<Record<string, string>>);
  return {
    method,
    scheme: scheme.toLowerCase(),
    authority,
    path: path.startsWith('/') ? path : `/${path}`,
    fields: fields.map(([name, value]) => [name.toLowerCase(), value] as const).filter(([name]) => name !== 'if-none-match'),
    content: typeof body === 'string' ? utf8(body) : ((body as Uint8Array | undefined) ?? new Uint8Array()),
  };
}

/**
 * Anything that is not sealed may come from the relay. So its errors have no status: a source that rejects a question is asked again in parts, and
 * one whose file is missing for another version.
 *
 * @throws unless it is what a gateway sealed
 */
function requireSealed({ status, headers, bytes }: HttpAnswer, nowMs: number): void {
  const type = headers.get('content-type');
  if (status === 422 || (status === 400 && isProblem(type, bytes, problemTypes.key)))
    throw unknownKey(
      'the gateway does not have the key any more; the next version of the list, or its operator, names the new ones',
    );
  if (status !== 200) {
    const code = status === 429 ? 'TOO_MANY_REQUESTS' : status >= 500 ? 'INTERNAL_SERVER_ERROR' : 'UNEXPECTED_STATUS';
    const details = known({ retryAfterMs: retryAfterMs(headers.get('retry-after'), nowMs) });
    throw new PortcullisError(code, `the relay, or the gateway behind it, answered ${status}`, details);
  }
  if (mediaTypeOf(type) !== mediaTypes.response) throw unusable('of the relay is not message/ohttp-res');
}

/** @throws `REDIRECTED`, because the server would choose where to ask next, and `BAD_REQUEST` */
function responseOf(response: BinaryResponse): FetchResponse {
  const { status, content } = response;
  const fields = response.fields.filter(([name]) => name !== 'etag');
  if (status >= 300 && status < 400)
    throw new PortcullisError('REDIRECTED', 'the response behind the gateway is a redirect', { status });
  if (status === 400 && isProblem(fieldOf(response, 'content-type'), content, problemTypes.date))
    throw new PortcullisError(
      'BAD_REQUEST',
      'the gateway refused the time of the request, which has none; its operator must not check `Date`, or set its clock',
    );
  return {
    status,
    headers: {
      get: (name) => fieldOf({ fields }, name.toLowerCase()),
      forEach: (use) => {
        for (const [name, value] of fields) use(value, name);
      },
    },
    arrayBuffer: async () => content.slice().buffer as ArrayBuffer,
  };
}

/** RFC 9457. */
function isProblem(type: string | null, bytes: Uint8Array, problem: string): boolean {
  if (mediaTypeOf(type) !== 'application/problem+json' || bytes.length > maxProblemBytes) return false;
  try {
    return Object(JSON.parse(fromUtf8(bytes) ?? '')).type === problem;
  } catch {
    return false;
  }
}

/** Keys that the app pins were read before. */
function unreadableKeys(what: string): PortcullisError {
  return new PortcullisError('INVALID_RESPONSE', `the signed list names keys of a gateway that are ${what}`);
}

function unknownKey(what: string): PortcullisError {
  return new PortcullisError('GATEWAY_KEY_UNKNOWN', what);
}
