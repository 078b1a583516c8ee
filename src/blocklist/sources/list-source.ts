import { ASSET_TYPES, type AssetType } from '../../core/assets/asset-types.js';
import { toHex } from '../../core/bytes.js';
import { PortcullisError } from '../../core/errors.js';
import { hashOf } from '../../core/hashing/sha256.js';
import { bounded, maxTimerMs, sleep as realSleep } from '../../core/http/bounded.js';
import { createApi, unusable } from '../../core/http/http-api.js';
import { withRetries } from '../../core/http/retry.js';
import type { HttpAnswer } from '../../core/http/send.js';
import {
  type Filled,
  func,
  type KindsOf,
  listOf,
  number,
  oneOf,
  optional,
  readOptions,
  whole,
} from '../../core/options/read-options.js';
import { runInSlices } from '../../core/slices.js';
import { allReaders } from '../lists/all-readers.js';
import { type ListRules, listRulesOf, type RuleOptions, ruleKinds } from '../lists/list-rules.js';
import { type Artifact, type ArtifactCall, type ListVersion, type Source, type SourceCall, sourceId } from '../model/source.js';
import { AssetSorter, type AssetStatus, type SkipReason, type SortedAssets, tokenOf } from './asset-sorter.js';
import { type AssetsPage, dayOf, readAssets } from './assets-page.js';
import {
  type ApiSettings,
  type ApiSourceOptions,
  apiKinds,
  notify,
  refuseForeignVersion,
  type Signal,
  transportOf,
} from './source-options.js';

export interface ListSourceOptions extends ApiSourceOptions {
  /** Names the source in verdicts, events and stores. @default 'list' */
  readonly id?: string | undefined;
  /** Asset types to read; each costs extra requests, and only types with a rule become entries. @default ['URL', 'PAGE', 'ADDRESS'] */
  readonly types?: readonly AssetType[] | undefined;
  /** Longest wait for one page, which can have megabytes, and for the key, in milliseconds. @default 30_000 */
  readonly timeoutMs?: number | undefined;
  /** Assets per page, 1 to 10,000. @default 10_000 */
  readonly pageSize?: number | undefined;
  /** Requests per second, at most; the service's announced limit is 5. @default 5 */
  readonly maxCallsPerSecond?: number | undefined;
  /** Pages of one reading, for all types and statuses together; a longer list is rejected. @default 2_000 */
  readonly maxPages?: number | undefined;
  /** Whether a host is a public suffix (`co.uk`), which must not be listed as a whole. @default no host is checked */
  readonly isPublicSuffix?: ((host: string) => boolean) | undefined;
  /** Hosts on which anyone can publish a page, which must not be listed as a whole. @default SHARED_HOSTS and the hosts of the families */
  readonly sharedHosts?: Iterable<string> | undefined;
  /** Called after each reading, with counts only. Errors it throws are ignored. */
  readonly onReport?: ((report: ListSourceReport) => void) | undefined;
  /** Waits between requests; replaceable for tests. @default a timer */
  readonly sleep?: Sleep | undefined;
}

/** The result of one reading. */
export interface ListSourceReport {
  readonly part: 'snapshot' | 'recent';
  readonly calls: number;
  /** Entries that are listed, allowed and removed. */
  readonly listed: number;
  readonly allowed: number;
  readonly removed: number;
  /** Assets without an entry, by reason. Their text is not kept. */
  readonly skippedBy: Readonly<Partial<Record<SkipReason, number>>>;
}

const dayMs = 86_400_000;

/** Bytes of one page: ten times the size of ten thousand typical assets. */
const maxPageBytes = 32 * 1024 * 1024;

/** How long the last version is reused after its artifact was fetched, in milliseconds: little can have changed in that time. */
const repeatMs = 60_000;

/** Earlier than any asset. */
const firstDay = '2000-01-01';

/**
 * The service's assets, hashed on the device into entries of 8 bytes. This needs no confirmation and includes removals and the allowlist,
 * but costs many requests with a key.
 *
 * The snapshot is the whole list, read anew each UTC day; its token is that day. The recent feed is everything that changed since the day
 * before, so the newest feed alone updates any snapshot of that day; its token is derived from its content.
 *
 *     version   ─ all changes since yesterday    ─► entries, remove, allow ─► tokens
 *     snapshot  ─ all blocked and allowed assets ─► entries, allow
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function listSource(options: ListSourceOptions): Source {
  const settings = listSettingsOf(options);
  const { now, rules, types, baseUrl } = settings;
  const read = createReader(settings);
  /** The recent feed that was read for each version. */
  const readings = new WeakMap<object, Reading>();
  /** The last version, until the next poll. */
  let repeatable: { readonly version: ListVersion; readonly readMs: number } | undefined;

  // Different options make a different list.
  const name = toHex(hashOf(JSON.stringify([baseUrl, types, [...rules.sharedHosts]]))).slice(0, 8);

  async function version({ signal }: SourceCall): Promise<ListVersion> {
    const nowMs = now();
    const token = `${dayOf(nowMs)}-${name}`;
    const last = repeatable;
    repeatable = undefined;
    if (last?.version.snapshot.token === token && Math.abs(nowMs - last.readMs) < repeatMs) return last.version;
    // Overlaps with the snapshot by a day: the service filters by days, reading took time, and clocks differ.
    const startDate = dayOf(nowMs - dayMs);
    const reading = await read('recent', { statuses: ['BLOCKED', 'ALLOWED', 'UNKNOWN'], startDate }, { signal });
    const listed: ListVersion = {
      algoVersion: rules.algorithm.name,
      snapshot: { token },
      recent: { token: tokenOf(reading), count: reading.entries.size },
    };
    readings.set(listed, reading);
    return listed;
  }

  return {
    id: settings.id,
    origin: name,
    version,
    async artifact(part, listed, call): Promise<Artifact> {
      const reading = readings.get(listed);
      if (reading === undefined) refuseForeignVersion();
      if (part === 'recent') {
        repeatable = { version: listed, readMs: reading.readMs };
        const { entries, remove, allow } = reading;
        return { entries, remove, allow, isProven: false };
      }
      const { entries, allow } = await read('snapshot', { statuses: ['BLOCKED', 'ALLOWED'], startDate: firstDay }, call);
      return { entries, allow, isProven: false };
    },
  };
}

interface Query {
  readonly statuses: readonly AssetStatus[];
  readonly startDate: string;
}

interface Reading extends SortedAssets {
  readonly readMs: number;
}

/** Reads all pages of a query. */
function createReader(settings: Settings) {
  const { types, maxPages, pageSize, rules, onReport, now, sleep } = settings;
  const api = createApi(settings);
  const pace = new Pace(1_000 / settings.maxCallsPerSecond, now, sleep);

  /** Retries, so that one failing page among hundreds does not discard the others. */
  function pageOf(filter: object, signal: Signal, onAnswer: (answer: HttpAnswer) => void): Promise<AssetsPage> {
    const request = { method: 'POST', path: '/asset/list', body: { ...filter, per_page: pageSize } } as const;
    const attempt = (): Promise<AssetsPage> =>
      pace.run(async () => readAssets(await api(request, { maxBytes: maxPageBytes, signal, onAnswer })), signal);
    return withRetries(attempt, {
      retry: { maxRetries: 2, delayMs: 1_000, maxDelayMs: 10_000 },
      deadlineMs: maxTimerMs,
      signal,
      now,
      random: Math.random,
      onRetry: () => {},
      sleep,
    });
  }

  return async (part: 'snapshot' | 'recent', { statuses, startDate }: Query, call: ArtifactCall): Promise<Reading> => {
    const { signal, onProgress } = call;
    const sorter = new AssetSorter(rules, types);
    const readMs = now();
    let calls = 0;
    let bytes = 0;
    const onAnswer = (answer: HttpAnswer): void => {
      bytes += answer.bytes.length;
      onProgress?.(bytes, undefined);
    };
    const filters = types.flatMap((type) => statuses.map((status) => ({ type, status, startDate })));
    for (const filter of filters) {
      const seen = new Set<string>();
      for (let next: AssetsPage['next'] = null; ; ) {
        if (++calls > maxPages) throw new PortcullisError('LIMIT_EXCEEDED', `the list has more than ${maxPages} pages`);
        const page: AssetsPage = await pageOf({ ...filter, ...(next !== null && { next_page: next }) }, signal, onAnswer);
        await runInSlices(sorter.take(page.assets, filter.type, filter.status), signal);
        next = page.next;
        if (next === null) break;
        if (seen.has(String(next))) throw unusable('repeats a page cursor');
        seen.add(String(next));
      }
    }
    const sets = await runInSlices(sorter.finish(), signal);
    const [listed, allowed, removed] = [sets.entries.size, sets.allow.size, sets.remove.size];
    notify(onReport, { part, calls, listed, allowed, removed, skippedBy: Object.fromEntries(sorter.skipped) });
    return { ...sets, readMs };
  };
}

export const listKinds = (): KindsOf<ListOptions> => ({
  ...apiKinds(),
  ...ruleKinds(),
  id: sourceId('list'),
  types: optional(listOf(oneOf(...ASSET_TYPES), ASSET_TYPES.length, 1), ['URL', 'PAGE', 'ADDRESS']),
  timeoutMs: optional(number(1, maxTimerMs), 30_000),
  pageSize: optional(whole(1, 10_000), 10_000),
  maxCallsPerSecond: optional(number(0.001, 1_000), 5),
  maxPages: optional(whole(1, 1_000_000), 2_000),
  onReport: optional(func),
  sleep: optional(func, realSleep),
});

type ListOptions = Omit<Filled<ListSourceOptions, 'apiKey' | 'fetch' | 'isPublicSuffix' | 'onReport'>, 'sharedHosts'> &
  Pick<RuleOptions, 'sharedHosts'>;

interface Settings extends Omit<ListOptions, 'fetch'>, Pick<ApiSettings, 'fetch'> {
  readonly rules: ListRules;
}

function listSettingsOf(options: ListSourceOptions): Settings {
  const settings = readOptions('listSource', listKinds(), options);
  return {
    ...transportOf(settings),
    types: [...new Set(settings.types)].sort(),
    rules: listRulesOf({ ...settings, algorithm: 'portcullis-1' }, allReaders),
  };
}

type Sleep = (delayMs: number, signal?: Signal) => Promise<void>;

/** Runs one call at a time, each at least `spacingMs` after the previous one started. */
class Pace {
  private readonly spacingMs: number;
  private readonly now: () => number;
  private readonly sleep: Sleep;
  private lastMs = Number.NEGATIVE_INFINITY;
  private tail: Promise<unknown> = Promise.resolve();

  constructor(spacingMs: number, now: () => number, sleep: Sleep) {
    this.spacingMs = spacingMs;
    this.now = now;
    this.sleep = sleep;
  }

  run<T>(work: () => Promise<T>, signal: Signal): Promise<T> {
    const before = this.tail;
    const run = bounded(maxTimerMs, signal, () => before).then(async () => {
      // A clock set back must not lengthen the wait.
      const waitMs = Math.min(this.spacingMs, this.lastMs + this.spacingMs - this.now());
      if (waitMs > 0) await this.sleep(waitMs, signal);
      this.lastMs = this.now();
      return work();
    });
    // An aborted call must not release the next one while earlier calls are still running.
    this.tail = Promise.all([before, run.catch(() => {})]);
    return run;
  }
}
