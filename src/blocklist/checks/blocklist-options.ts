import type { Algorithm } from '../../core/algorithms/algorithm.js';
import type { Assets } from '../../core/algorithms/create-assets.js';
import { refuse, requireNumber, requireObject } from '../../core/errors.js';
import { type ConfirmOptions, defaultMaxPrefixes } from '../ask/confirmer.js';
import type { Source } from '../source.js';
import type { Store } from '../store.js';
import type { Policy, VerdictAction } from '../verdict.js';

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
  /** Longest time a check waits: for the store, if it has not been read yet, and for the answer about a hit. @default 1_500 */
  readonly deadlineMs?: number | undefined;
  readonly confirm?: ConfirmOptions | undefined;
  /** @default Date.now */
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
}

type Chosen = { readonly [Name in keyof CommonOptions]-?: NonNullable<CommonOptions[Name]> };

export interface Settings extends Omit<Chosen, 'store'> {
  readonly sources: readonly Source[];
  readonly store: Store | undefined;
}

const dayMs = 86_400_000;

/** The interval of rounds, even if an alarm polls instead of a timer. */
export const defaultPollMs = 300_000;

/** The upper limits exceed every reasonable value, and catch a wrong unit. */
const ranges = {
  pollMs: [0, 7 * dayMs, defaultPollMs],
  maxAgeMs: [60_000, 365 * dayMs, dayMs],
  maxSnapshotAgeMs: [60_000, 365 * dayMs, 7 * dayMs],
  frozenMs: [60_000, 365 * dayMs, dayMs],
  maxRecentCount: [0, 10_000_000, 100_000],
  roundTimeoutMs: [100, dayMs, 900_000],
  deadlineMs: [0, 600_000, 1_500],
} as const satisfies Partial<Record<keyof CommonOptions, readonly [min: number, max: number, byDefault: number]>>;

const confirmRanges = {
  positiveMs: [0, 7 * dayMs],
  negativeMs: [0, 7 * dayMs],
  earlierMs: [0, 90 * dayMs],
  maxCount: [1, 1_000_000],
  timeoutMs: [100, 600_000],
  maxPrefixes: [1, 10_000],
  prefixesPerMinute: [1, 1_000_000],
  decoys: [0, 100],
} as const satisfies Record<keyof ConfirmOptions, readonly [min: number, max: number]>;

/** Catches an interval in seconds, which would exhaust a quota. */
const minPollMs = 1_000;

/** @throws TypeError, PortcullisError `INVALID_INPUT` */
export function blocklistSettingsOf(options: SourcesOptions): Settings {
  requireObject(options, 'options');
  const { store, policy = {}, confirm = {}, now = Date.now, random = Math.random, neverBlock = [] } = options;
  const sources = sourcesIn(options.sources);
  if (store !== undefined && typeof store?.commit !== 'function') throw new TypeError('store must have the methods of Store');
  if (typeof now !== 'function' || typeof random !== 'function') throw new TypeError('now and random must be functions');
  requirePolicy(policy);
  requireObject(confirm, 'confirm');
  for (const [name, [min, max]] of Object.entries(confirmRanges)) {
    const value = requireNumber(confirm[name as keyof ConfirmOptions] ?? min, `confirm.${name}`, min, max);
    if (!/Ms$/.test(name) && !Number.isInteger(value)) refuse(`confirm.${name} must be a whole number`);
  }
  for (const name of Object.keys(confirm)) if (!(name in confirmRanges)) refuse(`unknown option confirm.${name}`);
  if ((confirm.decoys ?? 0) >= (confirm.maxPrefixes ?? defaultMaxPrefixes))
    refuse('confirm.decoys must be fewer than confirm.maxPrefixes');
  const numbers = Object.entries(ranges).map(([name, [min, max, byDefault]]) => {
    return [name, requireNumber(options[name as keyof typeof ranges] ?? byDefault, name, min, max)] as const;
  });
  const settings = { sources, neverBlock, store, policy, confirm, now, random, ...Object.fromEntries(numbers) } as Settings;
  if (settings.pollMs > 0 && settings.pollMs < minPollMs) refuse(`pollMs must be 0, or ${minPollMs} or more`);
  return settings;
}

function sourcesIn(given: unknown): readonly Source[] {
  if (!Array.isArray(given)) throw new TypeError('sources must be an array');
  const sources: unknown[] = given.flat();
  if (sources.length === 0 || sources.length > maxSources) refuse(`there must be 1 to ${maxSources} sources`);
  for (const source of sources) {
    const { id, version, artifact } = Object(source) as Partial<Source>;
    if (typeof id !== 'string' || typeof version !== 'function' || typeof artifact !== 'function') {
      throw new TypeError('each source must have an id and the functions version and artifact');
    }
    if (!/^[a-z0-9][a-z0-9._-]{0,63}$/.test(id) || id === 'overrides') {
      refuse('a source id must be 1 to 64 characters from a-z, 0-9, dot, hyphen and underscore, and not "overrides"');
    }
  }
  if (new Set((sources as Source[]).map(({ id }) => id)).size < sources.length) refuse('two sources have the same id');
  return sources as Source[];
}

/** Each hit asks every source. */
const maxSources = 16;

const actions: readonly VerdictAction[] = ['allow', 'warn', 'block'];

function requirePolicy(policy: unknown): void {
  requireObject(policy, 'policy');
  for (const [status, action] of Object.entries(policy)) {
    if (status !== 'unconfirmed' && status !== 'unknown' && status !== 'loading')
      refuse('a policy may contain only unconfirmed, unknown and loading');
    if (action !== undefined && actions.indexOf(action as VerdictAction) < 0) refuse('an action must be allow, warn or block');
  }
}

/** @throws TypeError, PortcullisError `INVALID_INPUT` */
export function requireDeadline(deadlineMs: unknown): number {
  return requireNumber(deadlineMs, 'deadlineMs', ranges.deadlineMs[0], ranges.deadlineMs[1]);
}
