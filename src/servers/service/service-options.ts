import { sharedHostSet } from '../../blocklist/lists/list-rules.js';
import { SHARED_HOSTS } from '../../blocklist/lists/shared-hosts.js';
import { allAlgorithms } from '../../core/algorithms/all-algorithms.js';
import { algorithmIn } from '../../core/algorithms/registry.js';
import { allFamilies } from '../../core/assets/all-families.js';
import { refuse } from '../../core/errors.js';
import { isLoopback } from '../../core/http/address.js';
import type { ArtifactEncoding } from '../../core/prefixes/artifact.js';
import type { FetchDocument } from '../oauth/oauth-clients.js';
import type { Post } from './delivery/deliveries.js';
import type { Context, Settings } from './handlers/handler-context.js';
import { algorithm } from './records/service-lists.js';
import { newOrganization, sampleKeys } from './state/sample.js';
import type { Organization } from './state/state-tables.js';

/** Options of a service. */
export interface ServiceOptions {
  /** An integer. The same seed gives the same secrets and tokens. @default 1 */
  readonly seed?: number;
  /** @default Date.now */
  readonly now?: () => number;
  /** Replaces the seeded random numbers; returns numbers from 0 up to but not including 1. */
  readonly random?: () => number;
  /** `empty` has only organizations, a user and keys. @default 'sample' */
  readonly data?: 'sample' | 'empty';
  /** More keys than those of the sample data: each with the slugs of the organizations it can access. */
  readonly keys?: Readonly<Record<string, readonly string[]>>;
  /** The Discord servers and Telegram groups of organizations, by slug, for reports that name one. Organizations that do not exist are added. */
  readonly chats?: Readonly<Record<string, Chats>>;
  readonly limits?: Partial<ServiceLimits>;
  /** The service's own name among the sources of a check. @default 'portcullis' */
  readonly source?: string;
  /** The encoding of artifacts. @default 'portcullis-rice' */
  readonly encoding?: ArtifactEncoding;
  /** Sends webhooks and callbacks. @default `fetch`; on Node to a pinned address */
  readonly post?: Post;
  /**
   * Whether a host belongs to many owners, so that it is blocked but never listed. Hosts of shared sites such as `github.io` are known.
   * @default true for top-level domains and for second levels such as `co.uk`
   */
  readonly isPublicSuffix?: (host: string) => boolean;
  /** Allows webhooks, callbacks and descriptions of applications at private addresses, such as this machine. @default false */
  readonly allowPrivateTargets?: boolean;
  /**
   * Lets users sign in to applications (OAuth 2.1). `true` serves clients on this machine; others need the origin that they use. Sign-ins
   * are kept in memory. @default false
   */
  readonly oauth?: boolean | OAuthOptions;
}

/** Options of the sign-in. */
export interface OAuthOptions {
  /** The origin that clients use: `https://service.example`. */
  readonly issuer: string;
  /** Fetches the descriptions of applications. @default `fetch`; on Node from a pinned address */
  readonly fetchDocument?: FetchDocument;
}

/** The chats of an organization, by the ids that Discord and Telegram give them. */
export interface Chats {
  readonly discordGuildIds?: readonly string[];
  readonly telegramGroupIds?: readonly string[];
}

/** Limits of a service. */
export interface ServiceLimits {
  /** Reviews of one organization within 24 hours. @default 10 */
  readonly reviewsPerDay: number;
  /** How many of the latest requests `requests()` returns. @default 1_000 */
  readonly requestsKept: number;
}

/** The encodings of artifacts. */
export const encodings: readonly ArtifactEncoding[] = ['raw', 'hex', 'json', 'portcullis', 'portcullis-rice'];

/** Checked options with defaults. */
export interface Checked extends Required<Pick<ServiceOptions, 'seed' | 'now' | 'data' | 'keys' | 'chats'>> {
  readonly random: (() => number) | undefined;
  readonly post: Post | undefined;
  readonly oauth: Partial<OAuthOptions> | undefined;
  readonly requestsKept: number;
  readonly settings: Settings;
}

/**
 * Checks the options when the service is created. No message contains a key.
 * @throws TypeError, INVALID_INPUT
 */
export function checked(options: ServiceOptions): Checked {
  requireObject(options, 'options');
  for (const [name, type] of Object.entries(types)) {
    const value = options[name as keyof ServiceOptions];
    if (value !== undefined && typeof value !== type) throw new TypeError(`${name} must be a ${type}`);
  }
  const { seed = 1, now = Date.now, data = 'sample', keys = {}, chats = {}, limits = {}, source = 'portcullis' } = options;
  const { encoding = 'portcullis-rice', allowPrivateTargets = false, isPublicSuffix = isCommonSuffix } = options;
  if (!Number.isSafeInteger(seed)) refuse('seed must be an integer');
  if (!['sample', 'empty'].includes(data)) refuse("data must be 'sample' or 'empty'");
  if (source === '') refuse('source must not be empty');
  if (!encodings.includes(encoding)) refuse(`encoding must be one of ${encodings.join(', ')}`);
  requireObject(limits, 'limits');
  requireKeys(keys);
  requireChats(chats);
  return {
    seed,
    now,
    data,
    keys,
    chats,
    random: options.random && chanceOf(options.random),
    post: options.post,
    oauth: oauthOf(options.oauth),
    requestsKept: countOf(limits, 'requestsKept', 1_000),
    settings: {
      source,
      reviewsPerDay: countOf(limits, 'reviewsPerDay', 10),
      allowPrivateTargets,
      encoding,
      rules: {
        algorithm: algorithmIn(allAlgorithms, algorithm),
        families: allFamilies,
        sharedHosts: sharedHostSet(SHARED_HOSTS),
        isPublicSuffix,
      },
    },
  };
}

function oauthOf(oauth: ServiceOptions['oauth']): Partial<OAuthOptions> | undefined {
  if (oauth === undefined || typeof oauth === 'boolean') return oauth ? {} : undefined;
  if (typeof oauth !== 'object' || oauth === null) throw new TypeError('oauth must be a boolean or an object');
  const { issuer, fetchDocument, ...others } = oauth;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) refuse(`unknown field ${unknown} in oauth; its fields are issuer, fetchDocument`);
  if (typeof issuer !== 'string') throw new TypeError('oauth.issuer must be a string');
  if (!URL.canParse(issuer) || new URL(issuer).origin !== issuer) refuse("oauth.issuer must look like 'https://service.example'");
  const { protocol, host } = new URL(issuer);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(host)))
    refuse('oauth.issuer must use https, except on this machine');
  if (fetchDocument !== undefined && typeof fetchDocument !== 'function')
    throw new TypeError('oauth.fetchDocument must be a function');
  return oauth;
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

/** Top-level domains, and the second levels that most countries use. */
function isCommonSuffix(host: string): boolean {
  return /^([^.]+|(ac|co|com|edu|gov|ne|net|or|org)\.[a-z]{2})$/.test(host);
}

function chanceOf(random: () => number): () => number {
  return () => {
    const number = random();
    if (!(number >= 0 && number < 1)) throw new TypeError('random must return numbers from 0 up to but not including 1');
    return number;
  };
}

function requireObject(value: unknown, name: string): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError(`${name} must be an object`);
}

function countOf(limits: Partial<ServiceLimits>, name: keyof ServiceLimits, defaultCount: number): number {
  const value: unknown = limits[name] ?? defaultCount;
  if (typeof value !== 'number') throw new TypeError(`limits.${name} must be a number`);
  if (!Number.isSafeInteger(value) || value < 0) refuse(`limits.${name} must be an integer of at least 0`);
  return value;
}

function requireKeys(keys: NonNullable<ServiceOptions['keys']>): void {
  requireObject(keys, 'keys');
  for (const [value, slugs] of Object.entries(keys)) {
    if (!/^[\x21-\x7e]+$/.test(value)) refuse('a key in keys is empty, or contains characters that a header cannot have');
    if (Object.values<string>(sampleKeys).includes(value)) refuse('a key in keys is already in the sample data');
    if (!Array.isArray(slugs) || !slugs.every((slug) => typeof slug === 'string'))
      throw new TypeError('each key in keys must have an array of slugs');
    if (slugs.includes('')) refuse('keys contains an empty slug');
  }
}

function requireChats(chats: NonNullable<ServiceOptions['chats']>): void {
  requireObject(chats, 'chats');
  if (Object.hasOwn(chats, '')) refuse('chats contains an empty slug');
  const seen = new Set<string>();
  for (const of of Object.values(chats)) {
    requireObject(of, 'each organization in chats');
    const { discordGuildIds = [], telegramGroupIds = [], ...others } = of;
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) refuse(`unknown field ${unknown} in chats; its fields are discordGuildIds, telegramGroupIds`);
    for (const [name, ids] of Object.entries({ discordGuildIds, telegramGroupIds })) {
      if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string'))
        throw new TypeError(`${name} in chats must be an array of strings`);
      for (const id of ids) {
        if (id === '') refuse(`${name} in chats contains an empty id`);
        if (seen.has(`${name} ${id}`)) refuse(`${name} in chats contains ${id} twice`);
        seen.add(`${name} ${id}`);
      }
    }
  }
}

type Given = Required<Pick<ServiceOptions, 'keys' | 'chats'>>;

/**
 * Sets the keys to those of the sample data and the options, and the chats that the options name, whatever a stored state has: keys that
 * are no longer in the options become invalid. Organizations that an option names and that do not exist are added.
 */
export function setOptions(context: Context, { keys, chats }: Given): void {
  const { state } = context;
  const ofSample = Object.values<string>(sampleKeys);
  for (const { id, value } of state.all('keys'))
    if (!ofSample.includes(value) && !Object.hasOwn(keys, value)) state.remove('keys', id);
  for (const [value, slugs] of Object.entries(keys)) {
    const organizationIds = [...new Set(slugs)].map((slug) => organizationWith(context, slug).id);
    const known = state.all('keys').find((key) => key.value === value);
    if (known === undefined) state.add('keys', { value, organizationIds, userId: null });
    else if (known.organizationIds.join() !== organizationIds.join()) state.change('keys', known.id, { organizationIds });
  }
  for (const [slug, ids] of Object.entries(chats)) {
    const { id, ...organization } = organizationWith(context, slug);
    const { discordGuildIds, telegramGroupIds } = { ...organization, ...ids };
    state.change('organizations', id, { discordGuildIds, telegramGroupIds });
  }
}

function organizationWith({ state, clock }: Context, slug: string): Organization {
  const organization = state.all('organizations').find((one) => one.slug === slug);
  return organization ?? state.add('organizations', newOrganization(slug, clock.now()));
}
