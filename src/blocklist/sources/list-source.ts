import { allAlgorithms } from '../../core/algorithms/all-algorithms.js';
import { algorithmIn } from '../../core/algorithms/registry.js';
import { ASSET_TYPES, type AssetType } from '../../core/assets/asset-types.js';
import { toHex, utf8 } from '../../core/bytes.js';
import { PortcullisError, refuse } from '../../core/errors.js';
import { createDigest, hashOf } from '../../core/hashing/sha256.js';
import { sleep as realSleep, timerMsMax } from '../../core/http/bounded.js';
import { type Api, createApi, unusable } from '../../core/http/http-api.js';
import { withRetries } from '../../core/http/retry.js';
import type { HashSet } from '../../core/prefixes/hash-set.js';
import { runInSlices, type Sliced } from '../../core/slices.js';
import { type ListRefusal, type ListRules, listingOf, sharedHostSet } from '../lists/list-rules.js';
import { SHARED_HOSTS } from '../lists/shared-hosts.js';
import type { Artifact, ArtifactCall, ListVersion, Source, SourceCall } from '../source.js';
import { type AssetsPage, dayOf, type PageAsset, readAssets } from './assets-page.js';
import { HashCollector } from './hash-collector.js';
import { Pace, type Sleep } from './pace.js';
import { type ApiSettings, type ApiSourceOptions, apiSettingsOf, idOf, numberOf, type Signal } from './source-options.js';

export interface ListSourceOptions extends ApiSourceOptions {
  /** @default 'list' */
  readonly id?: string | undefined;
  /** What is read; each type costs calls of its own, and only those with a rule become entries. @default ['URL', 'PAGE', 'ADDRESS'] */
  readonly types?: readonly AssetType[] | undefined;
  /** Longest wait for one page, which can have megabytes, in milliseconds; also for the key. @default 30_000 */
  readonly timeoutMs?: number | undefined;
  /** Assets of one page, 1 to 10,000. @default 10_000 */
  readonly pageSize?: number | undefined;
  /** The service is said to take 5. @default 5 */
  readonly callsPerSecondMax?: number | undefined;
  /** Pages of one reading, of all types and statuses together; one that needs more is refused. @default 2_000 */
  readonly pagesMax?: number | undefined;
  /** Whether a host is a public suffix (`co.uk`), which is not listed as a whole. @default nobody is asked */
  readonly isPublicSuffix?: ((host: string) => boolean) | undefined;
  /** Hosts on which everybody can have a page, not listed as a whole. @default SHARED_HOSTS */
  readonly sharedHosts?: Iterable<string> | undefined;
  /** Called after each reading, with numbers and no contents. What it throws is dropped. */
  readonly onReport?: ((report: ListSourceReport) => void) | undefined;
  /** Waits, for tests. @default timers */
  readonly sleep?: Sleep | undefined;
}

/** What became of the assets that were read. */
export interface ListSourceReport {
  readonly part: 'snapshot' | 'recent';
  readonly calls: number;
  /** Entries that are listed, allowed and listed no longer. */
  readonly listed: number;
  readonly allowed: number;
  readonly removed: number;
  /** Assets without an entry, by reason: a secret, unreadable, of a type without a rule. None of their text is kept. */
  readonly skippedBy: Readonly<Partial<Record<ListRefusal, number>>>;
}

const dayMs = 86_400_000;

/** Bytes of one page: ten times ten thousand usual assets. */
const pageBytesMax = 32 * 1024 * 1024;

/** A poll asked again right after its artifact was taken gets the same answer, in milliseconds: nothing moved in that time but the reader. */
const repeatMs = 60_000;

/** Assets hashed between two pauses: 5 ms. */
const assetsPerSlice = 512;

/** Before any list there is. */
const firstDay = '2000-01-01';

/**
 * The service's assets themselves, hashed here into entries of 8 bytes: no confirmation, removals and the allowlist included, for many
 * calls with a key.
 *
 * The snapshot is everything, read anew each UTC day, and its token is that day. The recent feed is all that changed since the day before
 * that, so the newest one alone says what became of the snapshot, to whoever begins with it at any time; its token is its content.
 *
 *     version   ─ all that changed since yesterday ─► entries, remove, allow ─► tokens
 *     snapshot  ─ all that is blocked or allowed   ─► entries, allow
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function listSource(options: ListSourceOptions): Source {
  const settings = settingsOf(options);
  const { now } = settings;
  const reader = new Reader(settings);
  /** What was read for a version that was given out. */
  const readings = new WeakMap<object, Reading>();
  /** The last one, while nothing but its artifact was asked for. */
  let repeatable: { readonly version: ListVersion; readonly readMs: number } | undefined;

  // With other options it is another list.
  const name = toHex(hashOf(JSON.stringify([settings.baseUrl, settings.types, [...settings.rules.sharedHosts]]))).slice(0, 8);

  async function version({ signal }: SourceCall): Promise<ListVersion> {
    const nowMs = now();
    const token = `${dayOf(nowMs)}-${name}`;
    const last = repeatable;
    repeatable = undefined;
    if (last?.version.snapshot.token === token && Math.abs(nowMs - last.readMs) < repeatMs) return last.version;
    // A day more than the snapshot's: the service dates by days, the snapshot took its time, and clocks differ.
    const reading = await reader.read(
      'recent',
      { statuses: ['BLOCKED', 'ALLOWED', 'UNKNOWN'], startDate: dayOf(nowMs - dayMs) },
      signal,
    );
    const listed: ListVersion = {
      algoVersion: settings.rules.algorithm.name,
      snapshot: { token },
      recent: { token: tokenOf(reading), count: reading.entries.size },
    };
    readings.set(listed, reading);
    return listed;
  }

  return {
    id: idOf(options.id ?? 'list'),
    version,
    async artifact(part, listed, call): Promise<Artifact> {
      const reading = readings.get(listed);
      if (reading === undefined) refuse('the version is none of this source');
      if (part === 'recent') {
        repeatable = { version: listed, readMs: reading.readMs };
        const { entries, remove, allow } = reading;
        return { entries, remove, allow, isProven: false };
      }
      const { entries, allow } = await reader.read(
        'snapshot',
        { statuses: ['BLOCKED', 'ALLOWED'], startDate: firstDay },
        call.signal,
        call,
      );
      return { entries, allow, isProven: false };
    },
  };
}

interface Question {
  readonly statuses: readonly Status[];
  readonly startDate: string;
}

type Status = 'BLOCKED' | 'ALLOWED' | 'UNKNOWN';

interface Reading {
  readonly entries: HashSet;
  readonly allow: HashSet;
  readonly remove: HashSet;
  readonly readMs: number;
}

/** Reads pages until there are no more. */
class Reader {
  private readonly settings: Settings;
  private readonly api: Api;
  private readonly pace: Pace;

  constructor(settings: Settings) {
    this.settings = settings;
    this.api = createApi(settings);
    this.pace = new Pace(1_000 / settings.callsPerSecondMax, settings.now, settings.sleep);
  }

  async read(
    part: 'snapshot' | 'recent',
    { statuses, startDate }: Question,
    signal: Signal,
    { onProgress }: ArtifactCall = {},
  ): Promise<Reading> {
    const { types, pagesMax, onReport, now } = this.settings;
    const sorter = new Sorter(this.settings);
    const readMs = now();
    let calls = 0;
    let bytes = 0;
    const onBytes = (count: number): void => {
      bytes += count;
      onProgress?.(bytes, undefined);
    };
    for (const type of types)
      for (const status of statuses) {
        const seen = new Set<string>();
        for (let next: AssetsPage['next'] = null; ; ) {
          if (++calls > pagesMax) throw new PortcullisError('LIMIT_EXCEEDED', `the list has more than ${pagesMax} pages`);
          const page: AssetsPage = await this.page(
            { type, status, startDate, ...(next !== null && { next_page: next }) },
            signal,
            onBytes,
          );
          await runInSlices(sorter.take(page.assets, type, status), signal);
          next = page.next;
          if (next === null) break;
          if (seen.has(String(next))) throw unusable('goes in circles: a page is named twice');
          seen.add(String(next));
        }
      }
    const sets = await runInSlices(sorter.finish(), signal);
    tell(onReport, {
      part,
      calls,
      listed: sets.entries.size,
      allowed: sets.allow.size,
      removed: sets.remove.size,
      skippedBy: Object.fromEntries(sorter.skipped),
    });
    return { ...sets, readMs };
  }

  /** A page among hundreds that fails once must not cost all of them. */
  private page(body: object, signal: Signal, onBytes: (count: number) => void): Promise<AssetsPage> {
    const { timeoutMs, pageSize, now, sleep } = this.settings;
    const request = { method: 'POST', path: '/asset/list', body: { ...body, per_page: pageSize } } as const;
    const attempt = (): Promise<AssetsPage> =>
      this.pace.run(async () => readAssets(await this.api(request, { bytesMax: pageBytesMax, signal, onBytes })), signal);
    return withRetries(attempt, {
      retry: { maxRetries: 2, delayMs: 1_000, maxDelayMs: 10_000 },
      timeoutMs,
      deadlineMs: timerMsMax,
      signal,
      now,
      random: Math.random,
      onRetry: () => {},
      sleep,
    });
  }
}

/** Puts assets into the sets their status belongs to. */
class Sorter {
  readonly skipped = new Map<ListRefusal, number>();
  private readonly entries = new HashCollector();
  private readonly allow = new HashCollector();
  private readonly remove = new HashCollector();
  private readonly rules: ListRules;
  /** What may be allowed and be removed: a shared host too. */
  private readonly openRules: ListRules;
  private readonly types: ReadonlySet<string>;

  constructor({ rules, types }: Settings) {
    this.rules = rules;
    this.openRules = { algorithm: rules.algorithm, sharedHosts: new Set() };
    this.types = new Set(types);
  }

  *take(assets: readonly PageAsset[], askedType: string, askedStatus: Status): Sliced<void> {
    for (let at = 0; at < assets.length; at++) {
      if (at % assetsPerSlice === assetsPerSlice - 1) yield;
      const { content, type, status } = assets[at]!;
      // What it says of itself counts: it may have changed meanwhile, and a service may not look at what was asked.
      this.sort(content, type === '' ? askedType : type, status === '' ? askedStatus : status);
    }
  }

  private sort(text: string, type: string, status: string): void {
    if (!this.types.has(type)) return;
    const listing = listingOf({ line: 0, text, type }, status === 'BLOCKED' ? this.rules : this.openRules);
    if ('refused' in listing) {
      this.skipped.set(listing.refused, (this.skipped.get(listing.refused) ?? 0) + 1);
      return;
    }
    const { expression } = listing;
    if (status === 'BLOCKED') this.entries.add(expression);
    else if (status === 'ALLOWED') {
      this.allow.add(expression);
      this.remove.add(expression);
    } else if (status === 'UNKNOWN' && isExactly(text, expression)) this.remove.add(expression);
  }

  *finish(): Sliced<Omit<Reading, 'readMs'>> {
    const entries = yield* this.entries.finish();
    const allow = yield* this.allow.finish();
    const remove = yield* this.remove.finish();
    return { entries, allow, remove: yield* without(remove, entries) };
  }
}

/**
 * Anybody can submit an asset, which is then UNKNOWN. In another spelling of something blocked it would lift that, so only the spelling
 * that an entry is made of takes one away; the others go with the next snapshot.
 */
function isExactly(text: string, expression: string): boolean {
  return text === expression || `address:${text.toLowerCase()}` === expression;
}

/** Two assets can have one expression; while one of them is blocked, it is. */
function* without(set: HashSet, entries: HashSet): Sliced<HashSet> {
  if (entries.size === 0) return set;
  const rest = new HashCollector();
  let at = 0;
  for (const hash of set) {
    if (++at % (64 * assetsPerSlice) === 0) yield;
    if (!entries.has(hash)) rest.addHash(hash);
  }
  return yield* rest.finish();
}

/** The same content has the same one, after a restart too. */
function tokenOf({ entries, remove, allow }: Reading): string {
  const digest = createDigest();
  for (const set of [entries, remove, allow]) {
    digest.update(utf8(`${set.size} `));
    digest.update(set.toBytes());
  }
  return toHex(digest.digest()).slice(0, 32);
}

function tell(onReport: ListSourceOptions['onReport'], report: ListSourceReport): void {
  try {
    onReport?.(report);
  } catch {
    // A listener is no part of a reading.
  }
}

interface Settings extends ApiSettings {
  readonly types: readonly AssetType[];
  readonly pageSize: number;
  readonly callsPerSecondMax: number;
  readonly pagesMax: number;
  readonly rules: ListRules;
  readonly onReport: ListSourceOptions['onReport'];
  readonly sleep: Sleep;
}

function settingsOf(options: ListSourceOptions): Settings {
  const settings = apiSettingsOf({ ...options, timeoutMs: options.timeoutMs ?? 30_000 });
  const { types = ['URL', 'PAGE', 'ADDRESS'], sleep = realSleep, onReport } = options;
  if (!Array.isArray(types)) throw new TypeError('types must be an array');
  const known: readonly unknown[] = ASSET_TYPES;
  if (types.length === 0 || !types.every((type) => known.includes(type))) refuse('types must be some of ASSET_TYPES');
  return {
    ...settings,
    types: [...new Set(types as readonly AssetType[])].sort(),
    sleep,
    onReport,
    pageSize: numberOf(options, 'pageSize', 10_000, [1, 10_000]),
    callsPerSecondMax: numberOf(options, 'callsPerSecondMax', 5, [0.001, 1_000]),
    pagesMax: numberOf(options, 'pagesMax', 2_000, [1, 1_000_000]),
    rules: {
      algorithm: algorithmIn(allAlgorithms, 'portcullis-1'),
      sharedHosts: sharedHostSet(options.sharedHosts ?? SHARED_HOSTS),
      isPublicSuffix: options.isPublicSuffix,
    },
  };
}
