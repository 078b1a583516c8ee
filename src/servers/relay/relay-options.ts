import { algorithmsOf } from '../../blocklist/sources/source-options.js';
import { refuse } from '../../core/errors.js';
import { baseAddress } from '../../core/http/address.js';
import { isKey } from '../../core/http/api-key.js';
import type { FetchLike } from '../../core/http/fetch.js';
import { targetOf, versionPath } from './relay-routes.js';

/** Where the service is, where the relay is, and how much it gives to whom. */
export interface RelayOptions {
  /** Where the service's API is, with its version if it has one. The key goes there and nowhere else. */
  readonly baseUrl: string;
  /** The key, or a function that gives it, asked for each request to the service. It appears in no answer and no event. */
  readonly apiKey: string | (() => string | Promise<string>);
  /** Where clients find this relay, with its mount path: `https://relay.example/blocklist`. Addresses of artifacts are made from it and never from a request. */
  readonly publicUrl: string;
  /**
   * Which algorithm of ours each `algoVersion` of the service means, as `serviceSource` takes it. A name of ours means itself. With it the
   * relay finds out for its clients whether that holds.
   */
  readonly algorithms?: Readonly<Record<string, string>>;
  /** Ask the service once for each snapshot whether known entries are in it, and tell clients. Costs the decoding of a snapshot. @default true */
  readonly calibrate?: boolean;
  /** Origins whose pages may read answers. No answer depends on who asks, so `'*'` gives nothing away. @default '*' */
  readonly origins?: '*' | readonly string[];
  /** Names the client a request comes from, for its share of the rate; `null`: nobody can tell. @default see `trustForwardedFor` */
  readonly clientOf?: (request: Request, context: RelayContext) => string | null;
  /**
   * How many proxies of your own stand in front, each of which appends to `X-Forwarded-For`. The client is then the entry the outermost of them wrote. Entries
   * before it are the client's own invention, so without this option the header is not read, and the client is `context.address`.
   */
  readonly trustForwardedFor?: number;
  /** Requests a minute of one client, which it may also make at once; a confirmation counts as one for each ten prefixes. @default 120 */
  readonly clientPerMinute?: number;
  /** The same for all requests together that come from nobody known. @default 12_000 */
  readonly sharedPerMinute?: number;
  /** Confirmations a minute the service is asked for, for all clients together. @default 600, what the service is said to take */
  readonly upstreamPerMinute?: number;
  /** How long a version answer is given without asking the service again, in milliseconds. @default 60_000 */
  readonly versionTtlMs?: number;
  /**
   * How old the last good version answer may become while the service fails, in milliseconds. Clients take what they are given for
   * new, so this adds to the age they allow a list. @default 3_600_000
   */
  readonly staleMaxMs?: number;
  /** How long a confirmation is given without asking again, in milliseconds; at most five seconds where there is nothing behind a prefix. @default 60_000 */
  readonly confirmTtlMs?: number;
  /** Longest wait for an answer of the service, in milliseconds. @default 10_000 */
  readonly timeoutMs?: number;
  /** Longest wait for an artifact, in milliseconds. @default 60_000 */
  readonly artifactTimeoutMs?: number;
  /** Memory for artifacts, in bytes; one that is larger is refused. A million entries are 2 to 11 MB. @default 67_108_864 */
  readonly cacheBytesMax?: number;
  /** Prefixes of one confirmation. @default 1_000 */
  readonly prefixesMax?: number;
  /** Send the key to, or be reached at, plain `http:` on another machine. @default false */
  readonly allowInsecureHttp?: boolean;
  /** Called with what an operator should know; never with a prefix, an address or a message of others. What it throws is dropped. */
  readonly onEvent?: (event: RelayEvent) => void;
  /** @default the platform's */
  readonly fetch?: FetchLike;
  /** @default Date.now */
  readonly now?: () => number;
}

/** What a platform knows of a request besides the request. */
export interface RelayContext {
  /** The other end of the connection. */
  readonly address?: string | undefined;
  /** Keeps a worker alive until the work is done. Work is shared between requests, so a worker that ends with its first client would end the others' work too. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
}

/** What a relay is asked for. */
export type RelayRoute = 'version' | 'artifact' | 'confirm';

/** What the operator of a relay should know. Nothing about prefixes is in it. */
export type RelayEvent =
  /** The service failed or gave what cannot be used; it is left alone for `pauseMs`. `code` is one of this package's error codes. */
  | {
      readonly type: 'upstream-error';
      readonly route: RelayRoute;
      readonly code: string;
      readonly status?: number;
      readonly pauseMs: number;
    }
  /** Requests refused since the last such event, which comes at most once a minute: `client`, past their own share; `upstream`, past `upstreamPerMinute`. */
  | { readonly type: 'rate-limited'; readonly scope: 'client' | 'upstream'; readonly count: number }
  /** What is held in memory, told after each version answer of the service. */
  | {
      readonly type: 'memory';
      readonly artifacts: number;
      readonly artifactBytes: number;
      readonly confirmations: number;
      readonly clients: number;
    }
  /** A mistake of this package. The client got a 500. */
  | { readonly type: 'internal-error'; readonly name: string };

type NumberOption =
  | 'versionTtlMs'
  | 'staleMaxMs'
  | 'confirmTtlMs'
  | 'timeoutMs'
  | 'artifactTimeoutMs'
  | 'cacheBytesMax'
  | 'prefixesMax'
  | 'clientPerMinute'
  | 'sharedPerMinute'
  | 'upstreamPerMinute';

/** Options with their defaults, checked. */
export type Settings = Readonly<Record<NumberOption, number>> &
  Pick<RelayOptions, 'apiKey' | 'clientOf' | 'trustForwardedFor'> & {
    readonly baseUrl: string;
    readonly publicUrl: string;
    readonly origins: '*' | readonly string[];
    readonly algorithms: Readonly<Record<string, string>>;
    readonly calibrate: boolean;
    readonly fetch: FetchLike;
    readonly now: () => number;
    readonly emit: (event: RelayEvent) => void;
  };

/** The longest time a timer can count. */
const timerMsMax = 2 ** 31 - 1;
const dayMs = 86_400_000;

/** Default, least and most. */
const numbers: Readonly<Record<NumberOption, readonly [usual: number, least: number, most: number]>> = {
  versionTtlMs: [60_000, 1_000, dayMs],
  // Past a day every client takes its list for stale whatever we say.
  staleMaxMs: [3_600_000, 0, dayMs],
  confirmTtlMs: [60_000, 0, 3_600_000],
  timeoutMs: [10_000, 1, timerMsMax / 2],
  artifactTimeoutMs: [60_000, 1, timerMsMax / 2],
  cacheBytesMax: [64 * 1024 * 1024, 1024, 2 ** 31],
  // At most what fits `confirmBodyBytesMax`.
  prefixesMax: [1_000, 1, 2_000],
  clientPerMinute: [120, 1, 1e9],
  sharedPerMinute: [12_000, 1, 1e9],
  upstreamPerMinute: [600, 1, 1e9],
};

/** Proxies in front: nobody has more, and a longer header is not read. */
const proxiesMax = 10;

/**
 * Checks options once, when the relay is made. No message repeats a value.
 * @throws TypeError, INVALID_INPUT
 */
export function settingsOf(options: RelayOptions): Settings {
  if (typeof options !== 'object' || options === null) throw new TypeError('options must be an object');
  const { apiKey, origins = '*', trustForwardedFor, now = Date.now, onEvent, allowInsecureHttp = false } = options;
  requireType(options, 'baseUrl', 'string', true);
  requireType(options, 'publicUrl', 'string', true);
  requireType(options, 'apiKey', typeof apiKey === 'function' ? 'function' : 'string', true);
  requireType(options, 'calibrate', 'boolean', false);
  for (const name of ['clientOf', 'fetch', 'now', 'onEvent'] as const) requireType(options, name, 'function', false);
  for (const name of [...(Object.keys(numbers) as NumberOption[]), 'trustForwardedFor'] as const) {
    requireType(options, name, 'number', false);
  }
  if (typeof apiKey === 'string' && !isKey(apiKey)) refuse('apiKey is empty, or cannot stand in a header');
  if (
    trustForwardedFor !== undefined &&
    !(Number.isInteger(trustForwardedFor) && trustForwardedFor >= 1 && trustForwardedFor <= proxiesMax)
  ) {
    refuse(`trustForwardedFor must be a whole number from 1 to ${proxiesMax}`);
  }
  const checked = Object.entries(numbers).map(([name, [usual, least, most]]) => {
    const value = options[name as NumberOption] ?? usual;
    if (!(value >= least && value <= most)) refuse(`${name} must be a number from ${least} to ${most}`);
    return [name, value];
  });
  return {
    ...(Object.fromEntries(checked) as Record<NumberOption, number>),
    apiKey,
    baseUrl: baseAddress('baseUrl', options.baseUrl, allowInsecureHttp),
    publicUrl: publicUrlOf(options.publicUrl, allowInsecureHttp),
    origins: originsOf(origins),
    algorithms: algorithmsOf(options.algorithms),
    calibrate: options.calibrate ?? true,
    ...(options.clientOf && { clientOf: options.clientOf }),
    ...(trustForwardedFor !== undefined && { trustForwardedFor }),
    // Looked up at each call, so that one that is replaced later, by a test or a monitor, is seen.
    fetch: options.fetch ?? ((url, init) => (globalThis as unknown as { fetch: FetchLike }).fetch(url, init)),
    now,
    emit: (event) => {
      try {
        onEvent?.(event);
      } catch {
        // A listener is not part of an answer.
      }
    },
  };
}

function requireType(options: RelayOptions, name: keyof RelayOptions, type: string, required: boolean): void {
  const value = options[name];
  if (typeof value !== type && (required || value !== undefined)) throw new TypeError(`${name} must be a ${type}`);
}

/** An address below which the relay finds its own paths. */
function publicUrlOf(publicUrl: string, allowInsecureHttp: boolean): string {
  const address = baseAddress('publicUrl', publicUrl, allowInsecureHttp);
  if (targetOf(address.toLowerCase() + versionPath) === null)
    refuse('publicUrl has an empty, dotted or escaped part, below which nothing is found');
  return address;
}

function originsOf(origins: unknown): '*' | readonly string[] {
  if (origins === '*') return origins;
  if (!Array.isArray(origins)) throw new TypeError("origins must be '*' or an array");
  for (const origin of origins) {
    if (typeof origin !== 'string') throw new TypeError('every origin must be a string');
    // Those of extensions too.
    if (!/^[a-z][a-z\d+.-]*:\/\/[^/\s?#@,*]+$/i.test(origin))
      refuse('every origin must be like https://host.example, without a path');
  }
  // Browsers write schemes and hosts in lower case.
  return origins.map((origin: string) => origin.toLowerCase());
}
