import { known, refuse } from '../../core/errors.js';
import { baseUrl } from '../../core/http/address.js';
import { apiKey } from '../../core/http/api-key.js';
import { maxTimerMs } from '../../core/http/bounded.js';
import { headers } from '../../core/http/checked-headers.js';
import type { RetryOptions } from '../../core/http/retry.js';
import {
  boolean,
  chance,
  clock,
  type Filled,
  func,
  having,
  type Kind,
  type KindsOf,
  nested,
  number,
  oneOf,
  optional,
  readOptions,
  record,
  recordOf,
  text,
  whole,
} from '../../core/options/read-options.js';
import { requireRoutes } from './client-request.js';
import type { AgentOptions, CallOptions, ClientOptions, RawOptions, WatchOptions } from './client-types.js';

type Kinds<Options> = KindsOf<Filled<Options, keyof Options>>;

const timer: Kind<number> = (value, path) => number(1, maxTimerMs)(value, path);

const retry: Kind<RetryOptions | false> = (value, path) => {
  if (value === false) return value;
  const kind = nested<Filled<RetryOptions, keyof RetryOptions>>({
    maxRetries: optional(whole(0, maxTimerMs)),
    delayMs: optional(number(0, maxTimerMs)),
    maxDelayMs: optional(number(0, maxTimerMs)),
  });
  return known(kind(value, path));
};

const agent: Kind<AgentOptions> = (value, path) => {
  const kind = nested<Filled<AgentOptions, keyof AgentOptions>>({
    maxConnections: optional(whole(1, maxTimerMs)),
    keepAliveMs: optional(number(1, maxTimerMs)),
    proxyFromEnvironment: optional(boolean),
  });
  return known(kind(value, path));
};

/** Undici, and a stream that is aborted, need the signal of the platform. */
const signal: Kind<AbortSignal> = (value, path) => having<AbortSignal>('an AbortSignal', 'addEventListener')(value, path);

const ofRequest = (): Kinds<Omit<CallOptions, 'slug' | 'extra'>> => ({
  timeoutMs: optional(timer),
  deadlineMs: optional(timer),
  retry: optional(retry),
  headers: optional(headers),
  signal: optional(signal),
  onResponse: optional(func),
});

export const rawKinds = (): Kinds<Omit<RawOptions, 'body'>> => ({ ...ofRequest(), query: optional(record) });

export const callKinds = (): Kinds<CallOptions> => ({ ...ofRequest(), slug: optional(text()), extra: optional(record) });

export const watchKinds = (): Kinds<WatchOptions> => ({
  ...callKinds(),
  pollMs: optional(timer),
  since: optional((value, path) => {
    const isTime = value instanceof Date || typeof value === 'string';
    return isTime && Number.isFinite(Number(new Date(value))) ? value : refuse(`${path} must be a Date or ISO 8601`);
  }),
});

type Open = 'apiKey' | 'slug' | 'fetch' | 'paths' | 'onEvent' | 'agent';

export const clientKinds = (): KindsOf<Filled<ClientOptions, Open>> => ({
  baseUrl,
  apiKey: optional(apiKey),
  slug: optional(text()),
  fetch: optional(func),
  timeoutMs: optional(timer, 30_000),
  deadlineMs: optional(timer, 120_000),
  retry: optional(retry, {}),
  headers,
  paths: optional(recordOf(text("a route like 'POST /path'"))),
  limits: optional(oneOf<'schema' | 'prose'>('schema', 'prose'), 'schema'),
  onEvent: optional(func),
  allowInsecureHttp: optional(boolean, false),
  agent: optional(agent),
  now: clock,
  random: chance,
});

/** Checked options, with their defaults. */
export interface ClientSettings extends ClientOptions {
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly retry: NonNullable<ClientOptions['retry']>;
  readonly now: () => number;
  readonly random: () => number;
}

/** Checks the options once, when the client is made, so that no call fails because of them later. */
export function clientSettingsOf(options: ClientOptions, rows: ReadonlyMap<string, unknown>): ClientSettings {
  const settings = readOptions('createClient', clientKinds(), options);
  requireRoutes('createClient', settings.paths, (name) => rows.has(name));
  return known(settings) as ClientSettings;
}

/** The options of one call, without those that were not given. */
export function callOptionsOf<Options>(caller: string, kinds: Kinds<Options>, options: unknown): Options {
  return known(readOptions(caller, kinds, options) as object) as Options;
}
