import { refuse, requireNumber } from '../../core/errors.js';
import { type ConfirmOptions, defaultMaxPrefixes } from '../confirm/confirmer.js';
import type { Source } from '../source.js';
import type { Store } from '../store.js';
import type { Policy, VerdictAction } from '../verdict.js';

/** Everything about a blocklist but where its lists come from. Times are in milliseconds. */
export interface CommonOptions {
  /** Where lists outlive the process. Without one each start fetches them anew. @default memory */
  readonly store?: Store | undefined;
  /** What is done where a list does not decide. */
  readonly policy?: Policy | undefined;
  /**
   * Between two polls, a fifth earlier or later. 0: no timer polls; `nextSyncAtMs` says what an alarm calls `syncDue()` for, every five
   * minutes. @default 300_000
   */
  readonly pollMs?: number | undefined;
  /** A list older than this says nothing about what is not on it. @default 86_400_000 */
  readonly maxAgeMs?: number | undefined;
  /** A snapshot is fetched again after this time though its token is the same. @default 604_800_000 */
  readonly maxSnapshotAgeMs?: number | undefined;
  /** Without a token that moved for so long, the event `frozen` is told. @default 86_400_000 */
  readonly frozenMs?: number | undefined;
  /** Recents kept beside a snapshot before it is fetched again; none is dropped. @default 100_000 */
  readonly maxRecentCount?: number | undefined;
  /** Longest time of one round of one source: three files over a slow network. @default 900_000 */
  readonly roundTimeoutMs?: number | undefined;
  /** Longest time a check waits for the answer about a hit. @default 1_500 */
  readonly deadlineMs?: number | undefined;
  /** Longest time a check waits for the store at the start; it never waits for the network. @default 500 */
  readonly loadWaitMs?: number | undefined;
  readonly confirm?: ConfirmOptions | undefined;
  /** @default Date.now */
  readonly now?: (() => number) | undefined;
  /** 0 to 1. @default Math.random */
  readonly random?: (() => number) | undefined;
}

export interface SourcesOptions extends CommonOptions {
  /** At least one. What one of them blocks is blocked. */
  readonly sources: readonly Source[];
}

type Chosen = { readonly [Name in keyof CommonOptions]-?: NonNullable<CommonOptions[Name]> };

export interface Settings extends Omit<Chosen, 'store'> {
  readonly sources: readonly Source[];
  readonly store: Store | undefined;
}

const dayMs = 86_400_000;

/** How often a list is due, also where an alarm polls instead of a timer. */
export const defaultPollMs = 300_000;

/** What a number may be: a week or a year are beyond every use, and keep a slip of units from passing. */
const ranges = {
  pollMs: [0, 7 * dayMs, defaultPollMs],
  maxAgeMs: [60_000, 365 * dayMs, dayMs],
  maxSnapshotAgeMs: [60_000, 365 * dayMs, 7 * dayMs],
  frozenMs: [60_000, 365 * dayMs, dayMs],
  maxRecentCount: [0, 10_000_000, 100_000],
  roundTimeoutMs: [100, dayMs, 900_000],
  deadlineMs: [0, 600_000, 1_500],
  loadWaitMs: [0, 600_000, 500],
} as const satisfies Partial<Record<keyof CommonOptions, readonly [least: number, most: number, byDefault: number]>>;

const confirmRanges = {
  positiveMs: [0, 7 * dayMs],
  negativeMs: [0, 7 * dayMs],
  earlierMs: [0, 90 * dayMs],
  maxCount: [1, 1_000_000],
  timeoutMs: [100, 600_000],
  maxPrefixes: [1, 10_000],
  prefixesPerMinute: [1, 1_000_000],
  decoys: [0, 100],
} as const satisfies Record<keyof ConfirmOptions, readonly [least: number, most: number]>;

/** A polled source is asked at least this far apart, so that a slip of units does not drain a quota. */
const minPollMs = 1_000;

/** @throws TypeError, PortcullisError `INVALID_INPUT` */
export function settingsOf(options: SourcesOptions): Settings {
  if (typeof options !== 'object' || options === null) throw new TypeError('options must be an object');
  const { sources, store, policy = {}, confirm = {}, now = Date.now, random = Math.random } = options;
  requireSources(sources);
  if (store !== undefined && typeof store?.commit !== 'function') throw new TypeError('store must be a store');
  if (typeof now !== 'function' || typeof random !== 'function') throw new TypeError('now and random must be functions');
  requirePolicy(policy);
  if (typeof confirm !== 'object' || confirm === null) throw new TypeError('confirm must be an object');
  for (const [name, [least, most]] of Object.entries(confirmRanges)) {
    const value = requireNumber(confirm[name as keyof ConfirmOptions] ?? least, `confirm.${name}`, least, most);
    if (!/Ms$/.test(name) && !Number.isInteger(value)) refuse(`confirm.${name} must be a whole number`);
  }
  for (const name of Object.keys(confirm)) if (!(name in confirmRanges)) refuse(`confirm.${name} is no option`);
  if ((confirm.decoys ?? 0) >= (confirm.maxPrefixes ?? defaultMaxPrefixes))
    refuse('confirm.decoys must be fewer than confirm.maxPrefixes');
  const numbers = Object.entries(ranges).map(([name, [least, most, byDefault]]) => {
    return [name, requireNumber(options[name as keyof typeof ranges] ?? byDefault, name, least, most)] as const;
  });
  const settings = { sources, store, policy, confirm, now, random, ...Object.fromEntries(numbers) } as Settings;
  if (settings.pollMs > 0 && settings.pollMs < minPollMs) refuse(`pollMs must be 0, or ${minPollMs} or more`);
  return settings;
}

function requireSources(sources: unknown): asserts sources is readonly Source[] {
  if (!Array.isArray(sources)) throw new TypeError('sources must be an array');
  if (sources.length === 0 || sources.length > maxSources) refuse(`there must be 1 to ${maxSources} sources`);
  for (const source of sources) {
    const { id, version, artifact } = Object(source) as Partial<Source>;
    if (typeof id !== 'string' || typeof version !== 'function' || typeof artifact !== 'function') {
      throw new TypeError('each source must have an id and the functions version and artifact');
    }
    if (!/^[a-z0-9][a-z0-9._-]{0,63}$/.test(id) || id === 'overrides') {
      refuse('the id of a source must be 1 to 64 of a-z, 0-9, dot, hyphen and underscore, and not overrides');
    }
  }
  if (new Set(sources.map(({ id }: Source) => id)).size < sources.length) refuse('two sources have the same id');
}

/** Each hit asks each of them. */
const maxSources = 16;

const actions: readonly VerdictAction[] = ['allow', 'warn', 'block'];

function requirePolicy(policy: unknown): void {
  if (typeof policy !== 'object' || policy === null) throw new TypeError('policy must be an object');
  for (const [status, action] of Object.entries(policy)) {
    if (status !== 'unconfirmed' && status !== 'unknown') refuse('policy is about unconfirmed and unknown');
    if (action !== undefined && actions.indexOf(action as VerdictAction) < 0) refuse('an action is allow, warn or block');
  }
}

/** @throws TypeError, PortcullisError `INVALID_INPUT` */
export function requireDeadline(deadlineMs: unknown): number {
  return requireNumber(deadlineMs, 'deadlineMs', ranges.deadlineMs[0], ranges.deadlineMs[1]);
}
