import { isCommonSuffix } from '../../blocklist/lists/common-suffix.js';
import { builtInHostSet } from '../../blocklist/lists/covering-set.js';
import { allAlgorithms } from '../../core/algorithms/all-algorithms.js';
import { algorithmIn } from '../../core/algorithms/registry.js';
import { allFamilies } from '../../core/assets/all-families.js';
import { known, refuse } from '../../core/errors.js';
import { isThisMachine } from '../../core/http/address.js';
import { isKey } from '../../core/http/api-key.js';
import {
  boolean,
  clock,
  type Filled,
  func,
  type Kind,
  type KindsOf,
  listOf,
  nested,
  oneOf,
  optional,
  recordOf,
  text,
  whole,
} from '../../core/options/read-options.js';
import { type ArtifactEncoding, encodings } from '../../core/prefixes/artifact.js';
import { maxProxies } from '../http/forwarded-for.js';
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
  /** The clock. `service.clock.advance(ms)` moves it forward and runs everything that becomes due. @default Date.now */
  readonly now?: () => number;
  /** Replaces the seeded random numbers; returns numbers from 0 up to but not including 1. */
  readonly random?: () => number;
  /** `empty` has only organizations, a user and keys. @default 'sample' */
  readonly data?: 'sample' | 'empty';
  /**
   * More keys than those of the sample data, each with the slugs of the organizations it can access: `{ 'my-key': ['my-organization'] }`.
   * They replace the keys of a stored state.
   */
  readonly keys?: Readonly<Record<string, readonly string[]>>;
  /** The Discord servers and Telegram groups of organizations, by slug, for reports that name one. Organizations that do not exist are added. @default those of the sample data */
  readonly chats?: Readonly<Record<string, Chats>>;
  readonly limits?: Partial<ServiceLimits>;
  /** The service's own name among the sources of a check. @default 'portcullis' */
  readonly source?: string;
  /**
   * Nests every error below `/organization/`, except those of reviews, under `error`, as the service's public pages show them; its
   * specification shows that for no page but the list of reports.
   * @default false
   */
  readonly nestedErrors?: boolean;
  /** Which page sizes the list of reports takes, and the deprecated one, as the option `limits` of a client. @default 'schema' */
  readonly pageLimits?: 'schema' | 'prose';
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
  /**
   * Number of your own proxies in front, each of which appends to `X-Forwarded-For`. The limits go by the client that the outermost one wrote;
   * without this, by the other end of the connection, which all clients share behind a proxy.
   */
  readonly trustForwardedFor?: number;
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

/** Checked options with their defaults. */
export type ServiceValues = Omit<Filled<ServiceOptions, 'random' | 'post'>, 'limits' | 'oauth'> & {
  readonly limits: ServiceLimits;
  readonly oauth: Partial<OAuthOptions> | undefined;
};

export const serviceKinds = (): KindsOf<ServiceValues> => ({
  seed: optional(whole(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER), 1),
  now: clock,
  random: (value, path) => (value === undefined ? value : chanceOf(func(value, path))),
  data: optional(oneOf<'sample' | 'empty'>('sample', 'empty'), 'sample'),
  keys: optional(keys, {}),
  chats: optional(chats, {}),
  limits: nested<ServiceLimits>({
    reviewsPerDay: optional(whole(0, Number.MAX_SAFE_INTEGER), 10),
    requestsKept: optional(whole(0, Number.MAX_SAFE_INTEGER), 1_000),
  }),
  source: optional(text('a string that is not empty', /./s), 'portcullis'),
  nestedErrors: optional(boolean, false),
  pageLimits: optional(oneOf<'schema' | 'prose'>('schema', 'prose'), 'schema'),
  encoding: optional(oneOf(...encodings), 'portcullis-rice'),
  post: optional(func),
  isPublicSuffix: optional(func, isCommonSuffix),
  allowPrivateTargets: optional(boolean, false),
  oauth(value = false, path) {
    if (typeof value === 'boolean') return value ? {} : undefined;
    if (typeof value !== 'object') refuse(`${path} must be true, false or an object`);
    return nested<Filled<OAuthOptions, 'fetchDocument' | 'trustForwardedFor'>>({
      issuer,
      fetchDocument: optional(func),
      trustForwardedFor: optional(whole(1, maxProxies)),
    })(value, path) as OAuthOptions;
  },
});

const issuer: Kind<string> = (value, path) => {
  if (typeof value !== 'string' || !URL.canParse(value) || new URL(value).origin !== value)
    refuse(`${path} must look like 'https://service.example'`);
  const { protocol, hostname } = new URL(value);
  if (protocol !== 'https:' && !(protocol === 'http:' && isThisMachine(hostname)))
    refuse(`${path} must use https, except on this machine`);
  return value;
};

export function settingsOf({ limits, isPublicSuffix, ...values }: ServiceValues): Settings {
  return {
    ...values,
    reviewsPerDay: limits.reviewsPerDay,
    rules: {
      algorithm: algorithmIn(allAlgorithms, algorithm),
      families: allFamilies,
      sharedHosts: builtInHostSet([]),
      isPublicSuffix,
    },
  };
}

function chanceOf(random: () => number): () => number {
  return () => {
    const number = random();
    if (!(number >= 0 && number < 1)) throw new TypeError('random must return numbers from 0 up to but not including 1');
    return number;
  };
}

const filled = text('a string that is not empty', /./s);

const keys: Kind<ServiceValues['keys']> = (value, path) => {
  const all = recordOf(listOf(filled))(value, path);
  for (const key of Object.keys(all)) {
    if (!isKey(key)) refuse(`${path} must have keys of visible ASCII only`);
    if (Object.values<string>(sampleKeys).includes(key)) refuse(`${path} must not have a key of the sample data`);
  }
  return all;
};

const chats: Kind<ServiceValues['chats']> = (value, path) => {
  const ids = { discordGuildIds: optional(listOf(filled)), telegramGroupIds: optional(listOf(filled)) };
  const all = recordOf((one, at) => known(nested<Filled<Chats, keyof Chats>>(ids)(one, at)) as Chats)(value, path);
  if (Object.hasOwn(all, '')) refuse(`${path} must not have an empty slug`);
  for (const name of ['discordGuildIds', 'telegramGroupIds'] as const) {
    const given = Object.values(all).flatMap((one) => one[name] ?? []);
    if (new Set(given).size < given.length) refuse(`${path} must have each of ${name} once`);
  }
  return all;
};

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
