import { sharedHostSet } from '../../blocklist/lists/list-rules.js';
import { SHARED_HOSTS } from '../../blocklist/lists/shared-hosts.js';
import { allAlgorithms } from '../../core/algorithms/all-algorithms.js';
import { algorithmIn } from '../../core/algorithms/registry.js';
import { refuse } from '../../core/errors.js';
import type { ArtifactEncoding } from '../../core/prefixes/artifact.js';
import type { Post } from './delivery/deliveries.js';
import type { Settings } from './handlers/handler-context.js';
import { algorithm } from './records/service-lists.js';
import { sampleKeys } from './state/sample.js';

/** What a service begins with. */
export interface ServiceOptions {
  /** Another whole number gives other secrets and tokens; the same one the same. @default 1 */
  readonly seed?: number;
  /** @default Date.now */
  readonly now?: () => number;
  /** 0 to 1 without 1, in place of the seeded one. */
  readonly random?: () => number;
  /** `empty`: no data but organizations and keys. @default 'sample' */
  readonly data?: 'sample' | 'empty';
  /** Keys beside those of the sample data, by their value: the slugs of the organizations each reaches. */
  readonly keys?: Readonly<Record<string, readonly string[]>>;
  readonly limits?: Partial<ServiceLimits>;
  /** The service's own name among the sources of a check. @default 'portcullis' */
  readonly source?: string;
  /** How artifacts are written. @default 'portcullis-rice' */
  readonly encoding?: ArtifactEncoding;
  /** Sends webhooks and callbacks. @default by `fetch`, and on Node to a pinned address */
  readonly post?: Post;
  /** Hosts that are never listed, because they hold others' sites. @default on Node the public suffix list, elsewhere none */
  readonly isPublicSuffix?: (host: string) => boolean;
  /** Webhooks and callbacks may go to private addresses, such as the machine itself. @default false */
  readonly allowPrivateTargets?: boolean;
}

/** How much is allowed, and how much is remembered. */
export interface ServiceLimits {
  /** Reviews of one organization within 24 hours. @default 10 */
  readonly reviewsPerDay: number;
  /** Requests that are kept for `requests()`, the oldest forgotten first. @default 1_000 */
  readonly requestsKept: number;
}

/** How an artifact can be written. */
export const encodings: readonly ArtifactEncoding[] = ['raw', 'hex', 'json', 'portcullis', 'portcullis-rice'];

/** Options with their defaults, checked. */
export interface Checked extends Required<Pick<ServiceOptions, 'seed' | 'now' | 'data' | 'keys'>> {
  readonly random: (() => number) | undefined;
  readonly post: Post | undefined;
  readonly requestsKept: number;
  readonly settings: Settings;
}

/**
 * Checks options once, when the service is made. No message repeats a key.
 * @throws TypeError, INVALID_INPUT
 */
export function checked(options: ServiceOptions): Checked {
  requireObject(options, 'options');
  for (const [name, type] of Object.entries(types)) {
    const value = options[name as keyof ServiceOptions];
    if (value !== undefined && typeof value !== type) throw new TypeError(`${name} must be a ${type}`);
  }
  const { seed = 1, now = Date.now, data = 'sample', keys = {}, limits = {}, source = 'portcullis' } = options;
  const { encoding = 'portcullis-rice', allowPrivateTargets = false, isPublicSuffix } = options;
  if (!Number.isSafeInteger(seed)) refuse('seed must be a whole number');
  if (!['sample', 'empty'].includes(data)) refuse("data must be 'sample' or 'empty'");
  if (source === '') refuse('source must not be empty');
  if (!encodings.includes(encoding)) refuse(`encoding must be one of ${encodings.join(', ')}`);
  requireObject(limits, 'limits');
  requireKeys(keys);
  return {
    seed,
    now,
    data,
    keys,
    random: options.random && chanceOf(options.random),
    post: options.post,
    requestsKept: countOf(limits, 'requestsKept', 1_000),
    settings: {
      source,
      reviewsPerDay: countOf(limits, 'reviewsPerDay', 10),
      allowPrivateTargets,
      encoding,
      rules: { algorithm: algorithmIn(allAlgorithms, algorithm), sharedHosts: sharedHostSet(SHARED_HOSTS), isPublicSuffix },
    },
  };
}

const types: { readonly [Name in keyof ServiceOptions]: 'number' | 'string' | 'boolean' | 'function' } = {
  seed: 'number',
  now: 'function',
  random: 'function',
  data: 'string',
  source: 'string',
  encoding: 'string',
  post: 'function',
  isPublicSuffix: 'function',
  allowPrivateTargets: 'boolean',
};

/** Its numbers become secrets and tokens, which are as good as they are. */
function chanceOf(random: () => number): () => number {
  return () => {
    const number = random();
    if (!(number >= 0 && number < 1)) throw new TypeError('random must give numbers from 0 to 1, without 1');
    return number;
  };
}

function requireObject(value: unknown, name: string): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError(`${name} must be an object`);
}

function countOf(limits: Partial<ServiceLimits>, name: keyof ServiceLimits, usual: number): number {
  const value: unknown = limits[name] ?? usual;
  if (typeof value !== 'number') throw new TypeError(`limits.${name} must be a number`);
  if (!Number.isSafeInteger(value) || value < 0) refuse(`limits.${name} must be a whole number, and not negative`);
  return value;
}

function requireKeys(keys: NonNullable<ServiceOptions['keys']>): void {
  requireObject(keys, 'keys');
  for (const [value, slugs] of Object.entries(keys)) {
    if (!/^[\x21-\x7e]+$/.test(value)) refuse('keys has one that is empty, or cannot stand in a header');
    if (Object.values<string>(sampleKeys).includes(value)) refuse('keys has one that the sample data has already');
    if (!Array.isArray(slugs) || !slugs.every((slug) => typeof slug === 'string'))
      throw new TypeError('every key must have an array of slugs');
    if (slugs.includes('')) refuse('keys has an organization whose slug is empty');
  }
}
