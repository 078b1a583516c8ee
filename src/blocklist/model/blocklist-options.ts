import type { Algorithm } from '../../core/algorithms/algorithm.js';
import type { Assets } from '../../core/algorithms/create-assets.js';
import { refuse, type SignalLike } from '../../core/errors.js';
import {
  boolean,
  chance,
  clock,
  type Filled,
  having,
  type Kind,
  type KindsOf,
  listOf,
  nested,
  number,
  oneOf,
  optional,
  readOptions,
  signal,
  text,
  whole,
} from '../../core/options/read-options.js';
import type { SureMiss } from '../../core/sure-miss/sure-miss.js';
import { type Source, sourceId } from './source.js';
import type { Store } from './store.js';
import { type Policy, policy } from './verdict.js';

/** How to ask a source about hits, and how long its answers count. */
export interface ConfirmOptions {
  /** How long a block counts without asking again, if the source does not say, in milliseconds. @default 300_000 */
  readonly positiveMs?: number | undefined;
  /** How long a disproved hit is clear without asking again, if the source does not say, in milliseconds. @default 1_800_000 */
  readonly negativeMs?: number | undefined;
  /** How long a confirmed block still blocks at once, while the source is asked again, in milliseconds. @default 604_800_000 */
  readonly earlierMs?: number | undefined;
  /** Number of remembered prefixes. @default 10_000 */
  readonly maxCount?: number | undefined;
  /** Longest time for one request, in milliseconds. @default 5_000 */
  readonly timeoutMs?: number | undefined;
  /** Prefixes per request. @default 100 */
  readonly maxPrefixes?: number | undefined;
  /** Prefixes per minute. `screen` has as many again, and waits for them. @default 600 */
  readonly prefixesPerMinute?: number | undefined;
  /**
   * Other prefixes of the list sent with each prefix, to hide which one was hit. They are the same each time, or repeated requests
   * would reveal the real one. @default 0
   */
  readonly decoys?: number | undefined;
}

/** Enough for the hits of a page, and accepted by every service. */
export const defaultMaxPrefixes = 100;

/** What is being loaded. */
export interface LoadingOptions {
  /** A source may list something only for frames: `frame` if the link is loaded inside a page. @default 'page' */
  readonly loading?: 'page' | 'frame' | undefined;
  /**
   * Whether the input may have what people paste around a link: brackets, quotes, Markdown, a defanged host. `false` for the address of a
   * page or a link, as a browser has it. @default true
   */
  readonly isPasted?: boolean | undefined;
}

/** Options of one check. */
export interface CheckOptions extends LoadingOptions {
  /** Aborts this check. Its request to the source continues for other checks. */
  readonly signal?: SignalLike | undefined;
  /** Longest wait for the answer about a hit, in milliseconds. @default the blocklist's `deadlineMs` */
  readonly deadlineMs?: number | undefined;
}

/** Options of a call that waits for a round. */
export interface SyncOptions {
  /** Aborts this wait. The round continues. */
  readonly signal?: SignalLike | undefined;
}

/** The options of every blocklist, except its sources. Times are in milliseconds. */
export interface CommonOptions {
  /**
   * Hosts that no list may block as a whole, at most 1,000: entries for them and for domains above them have no effect. Entries for their
   * pages and subdomains have, and so do overrides. @default none
   */
  readonly neverBlock?: readonly string[] | undefined;
  /** Keeps lists across restarts. Without a store each start fetches them again. @default memory */
  readonly store?: Store | undefined;
  /** The action for verdicts that lists do not decide. */
  readonly policy?: Policy | undefined;
  /**
   * Polling interval, varied by up to a fifth. With 0 no timer polls: let an alarm call `syncDue()` at `nextSyncAtMs`, which then comes
   * every five minutes. @default 300_000
   */
  readonly pollMs?: number | undefined;
  /** Age of a list beyond which a miss no longer means `clear`. @default 86_400_000 */
  readonly maxAgeMs?: number | undefined;
  /** Age at which a snapshot is fetched again even if its token is the same. @default 604_800_000 */
  readonly maxSnapshotAgeMs?: number | undefined;
  /** Time without a changed token after which the event `frozen` is emitted. @default 86_400_000 */
  readonly frozenMs?: number | undefined;
  /** Number of recent entries beyond which the snapshot is fetched again. No entry is dropped. @default 100_000 */
  readonly maxRecentCount?: number | undefined;
  /** Longest time for one round of one source: three files over a slow network. @default 900_000 */
  readonly roundTimeoutMs?: number | undefined;
  /** Longest time a check waits: for the stored list or the first one, if neither is there yet, and for the answer about a hit. @default 1_500 */
  readonly deadlineMs?: number | undefined;
  readonly confirm?: ConfirmOptions | undefined;
  /** The clock, in epoch milliseconds. @default Date.now */
  readonly now?: (() => number) | undefined;
  /** Returns a number from 0 to 1. @default Math.random */
  readonly random?: (() => number) | undefined;
}

export interface SourcesOptions extends CommonOptions {
  /** One to 16 sources, some of which may come in an array. An input is blocked if any of them blocks it. */
  readonly sources: readonly (Source | readonly Source[])[];
}

/** Overrides are stored under its expressions, and an input it cannot read is unreadable. */
export const ownAlgorithm = 'portcullis-1';

/** What a blocklist is built from, besides its options. */
export interface Parts {
  readonly assets: Assets;
  readonly algorithms: ReadonlyMap<string, Algorithm>;
  /** Of the same families as `assets`. */
  readonly isSureMiss: SureMiss;
}

/** The options of a blocklist with their defaults. */
export interface Settings extends Filled<CommonOptions, 'store'> {
  readonly sources: readonly Source[];
}

const dayMs = 86_400_000;

/** The interval of rounds, even if an alarm polls instead of a timer. */
export const defaultPollMs = 300_000;

/** Of options that a light list does not have, but rounds need. */
export const roundDefaults: {
  readonly maxSnapshotAgeMs: number;
  readonly maxRecentCount: number;
  readonly roundTimeoutMs: number;
} = {
  maxSnapshotAgeMs: 7 * dayMs,
  maxRecentCount: 100_000,
  roundTimeoutMs: 900_000,
};

/** The options that a light list has as well. The upper limits exceed every reasonable value, and catch a wrong unit. */
export const sharedKinds = (): KindsOf<Filled<Pick<CommonOptions, SharedOption>>> => ({
  policy: policy(),
  // A shorter interval is one in seconds, which would exhaust a quota.
  pollMs: optional(number(1_000, 7 * dayMs, 0), defaultPollMs),
  maxAgeMs: optional(number(60_000, 365 * dayMs), dayMs),
  deadlineMs: optional(deadline(), 1_500),
  now: clock,
  random: chance,
});

type SharedOption = 'policy' | 'pollMs' | 'maxAgeMs' | 'deadlineMs' | 'now' | 'random';

export const deadline = (): Kind<number> => number(0, 600_000);

export const loadingKinds = (): KindsOf<Filled<LoadingOptions>> => ({
  loading: optional(oneOf<'page' | 'frame'>('page', 'frame'), 'page'),
  isPasted: optional(boolean, true),
});

export const syncKinds = (): KindsOf<Filled<SyncOptions, 'signal'>> => ({ signal: optional(signal) });

export const checkKinds = (): KindsOf<CheckValues> => ({
  ...loadingKinds(),
  ...syncKinds(),
  deadlineMs: optional(deadline()),
});

type CheckValues = Filled<CheckOptions, 'signal' | 'deadlineMs'>;

/**
 * The options of one check. Nearly every check has none, and reading them takes as long as the check.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function checkValuesOf(options: CheckOptions | undefined): CheckValues {
  if (options === undefined) return aCheck;
  kindsOfCheck ??= checkKinds();
  return readOptions('check', kindsOfCheck, options);
}

let kindsOfCheck: KindsOf<CheckValues> | undefined;

const aCheck: CheckValues = { loading: 'page', isPasted: true, signal: undefined, deadlineMs: undefined };

/** @throws PortcullisError `INVALID_INPUT` */
export function loadingOf(options: LoadingOptions | undefined): Filled<LoadingOptions> {
  return options === undefined ? aCheck : readOptions('test', loadingKinds(), options);
}

export const commonKinds = (): KindsOf<Filled<CommonOptions, 'store'>> => ({
  ...sharedKinds(),
  neverBlock: optional(listOf(text(), maxHosts), []),
  store: optional(having<Store>('a store, such as memoryStore()', 'heads', 'commit')),
  maxSnapshotAgeMs: optional(number(60_000, 365 * dayMs), roundDefaults.maxSnapshotAgeMs),
  frozenMs: optional(number(60_000, 365 * dayMs), dayMs),
  maxRecentCount: optional(whole(0, 10_000_000), roundDefaults.maxRecentCount),
  roundTimeoutMs: optional(number(100, dayMs), roundDefaults.roundTimeoutMs),
  confirm: nested<ConfirmOptions>({
    positiveMs: optional(number(0, 7 * dayMs)),
    negativeMs: optional(number(0, 7 * dayMs)),
    earlierMs: optional(number(0, 90 * dayMs)),
    maxCount: optional(whole(1, 1_000_000)),
    timeoutMs: optional(number(100, 600_000)),
    maxPrefixes: optional(whole(1, 10_000)),
    prefixesPerMinute: optional(whole(1, 1_000_000)),
    decoys(value, path, given) {
      const decoys = optional(whole(0, 100))(value, path);
      const { maxPrefixes = defaultMaxPrefixes } = given as ConfirmOptions;
      return (decoys ?? 0) < maxPrefixes ? decoys : refuse(`${path} must be fewer than maxPrefixes`);
    },
  }),
});

/** Their entries are looked up in each new list: a millisecond. */
const maxHosts = 1_000;

/** Each hit asks every source. */
const maxSources = 16;

/** Sources, some of which may come in an array. */
export const sources: Kind<readonly Source[]> = (value, path) => {
  const given = listOf<unknown>((one) => one)(value, path).flat();
  const all = listOf(
    having<Source>('a source, such as serviceSource({ baseUrl })', 'version', 'artifact'),
    maxSources,
    1,
  )(given, path);
  const ids = all.map(({ id }, at) => {
    return sourceId()(id, `${path}[${at}].id`);
  });
  if (ids.indexOf('overrides') >= 0) refuse(`${path} must not have the id "overrides"`);
  if (new Set(ids).size < ids.length) refuse(`${path} must have different ids`);
  return all;
};
