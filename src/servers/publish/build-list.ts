import { sumsName } from '../../blocklist/formats/shard-sums.js';
import type { ShardCount } from '../../blocklist/formats/shards.js';
import { allReaders } from '../../blocklist/lists/all-readers.js';
import { coveringSet } from '../../blocklist/lists/covering-set.js';
import { allFormats } from '../../blocklist/lists/formats.js';
import {
  isExcepting,
  type Listing,
  type ListRules,
  listingOf,
  listRulesOf,
  openRulesOf,
} from '../../blocklist/lists/list-rules.js';
import { type ListInput, readList } from '../../blocklist/lists/read-list.js';
import { maxAheadMs } from '../../blocklist/rules/version-order.js';
import { HashCollector } from '../../blocklist/sources/hash-collector.js';
import { ASSET_TYPES, type AssetType } from '../../core/assets/asset-types.js';
import { refuse } from '../../core/errors.js';
import { hashOf } from '../../core/hashing/sha256.js';
import { number, readOptions } from '../../core/options/read-options.js';
import type { PrefixSet } from '../../core/prefixes/prefix-set.js';
import { runInSlices, type Sliced } from '../../core/slices.js';
import { type BuildReport, ReportWriter } from './build-report.js';
import { CoverCollector, joined } from './cover-collector.js';
import { HashTable } from './hash-table.js';
import { type HotFile, hotFileOf } from './hot-entries.js';
import { type ListFile, ListFiles, type ShardSums, shardsFor, sumsOf } from './list-files.js';
import {
  type Known,
  keptOf,
  readPrevious,
  type SnapshotCause,
  type SnapshotRules,
  type Snapshots,
  snapshotsOf,
} from './list-snapshots.js';
import { type BuildOptions, type BuildValues, buildKinds } from './publish-options.js';
import type { PublishedVersion } from './published-version.js';

/** A list ready to be published. Pass it as `previous` to the next build. */
export interface BuiltList {
  /** Created one at a time; write them in this order. */
  readonly files: ListFiles;
  readonly version: PublishedVersion;
  readonly report: BuildReport;
  readonly snapshot: PrefixSet;
  readonly recent: PrefixSet;
  /** The file with whole hashes of the newest entries; `null` if there is none. */
  readonly hot: Uint8Array | null;
  /** Why clients must fetch a new snapshot; `null` if the previous one remains in use. */
  readonly newSnapshot: SnapshotCause | null;
}

/**
 * Builds the files of a published list, for any static host or CDN and for `publishedSource`.
 *
 *     entries ─ rules ─► expression ─► full hash ─┬─► shards
 *                │                                └─► prefixes ─► snapshot, recent feed ─► version document
 *                └─► report
 *
 * Runs in slices of a few milliseconds.
 *
 * @throws PortcullisError `INVALID_INPUT` for invalid options and malformed JSON or CSV; `ALGORITHM_UNKNOWN`; `INVALID_RESPONSE` and
 * `INVALID_ARTIFACT` for an invalid previous list; `LIMIT_EXCEEDED`; `ABORTED`
 */
export async function buildList(input: ListInput, options?: BuildOptions): Promise<BuiltList> {
  const settings = buildSettingsOf(options);
  const { previous, signal } = settings;
  const known = previous === undefined ? null : await readPrevious(previous, settings, signal);
  const report = new ReportWriter(settings.maxReportEntries);
  const covering = (name: 'allow' | 'popular'): Promise<ReadonlySet<string>> =>
    runInSlices(coveringSet(settings[name], `buildList: ${name}`, name === 'allow' ? allReaders.families : null), signal);
  const [allow, popular] = [await covering('allow'), await covering('popular')];
  const hashes = await readHashes(input, { ...settings, rules: { ...settings.rules, allow, popular } }, report);
  const snapshots = await runInSlices(finish(hashes, known, settings, report), signal);
  const isSameReading = known?.algorithm === settings.algorithm ? known : null;
  const hot = await runInSlices(
    hotFileOf(hashes.table, isSameReading, snapshots.newSnapshot === null, settings.hotEntries),
    signal,
  );
  const shards = settings.shards ?? shardsFor(hashes.table.order.length, known?.shards);
  const sums = await runInSlices(sumsOf(hashes.table, shards), signal);
  const version = versionOf(snapshots, hot, shards, sums, known, settings);
  return {
    files: new ListFiles(
      hashes.table,
      sums.sums,
      [...sums.files, ...artifactFiles(snapshots, hot)],
      version,
      settings.allowEmpty,
    ),
    version,
    report: report.finish(),
    snapshot: snapshots.snapshot.set,
    recent: snapshots.recent.set,
    hot: hot?.bytes ?? null,
    newSnapshot: snapshots.newSnapshot,
  };
}

interface Hashes {
  readonly table: HashTable;
  /** `null` for an algorithm without covers. */
  readonly covers: CoverCollector | null;
  /** Names of the texts, by the `source` of a tag. */
  readonly sources: readonly (string | undefined)[];
}

async function readHashes(input: ListInput, settings: Settings, report: ReportWriter): Promise<Hashes> {
  const table = new HashTable();
  const covers = settings.algorithm === 'portcullis-1' ? new CoverCollector() : null;
  const sources: (string | undefined)[] = [];
  const { rules, signal } = settings;
  const openRules = openRulesOf(rules);
  /** Of the present text, which starts at this place of the table. */
  let exceptions = new HashCollector();
  let exceptionCount = 0;
  let textStart = 0;
  if (rules.isPublicSuffix === undefined) report.warn({ code: 'suffixes-unchecked' });
  await readList(
    input,
    (entry, source) => {
      if (entry.isIgnored) return report.ignore();
      if (isExcepting(entry)) {
        const excepted = listingOf({ ...entry, problem: undefined }, openRules);
        if (!('refused' in excepted)) {
          exceptions.add(excepted.expression);
          if (excepted.named !== undefined) exceptions.add(excepted.named.expression);
          exceptionCount++;
        }
      }
      const listing = listingOf(entry, rules);
      if ('refused' in listing) return report.refuse(entry, source, listing);
      report.take(entry, source, listing);
      if (sources.length === 0 || sources[sources.length - 1] !== source) sources.push(source);
      const add = ({ type, expression }: Pick<Listing, 'type' | 'expression'>, isNamed: boolean): void => {
        report.count(type, 1);
        table.add(hashOf(expression), entry.line, tagOf({ source: sources.length - 1, type, isNamed }));
        covers?.add(expression);
      };
      add(listing, false);
      if (listing.named !== undefined) add(listing.named, true);
    },
    {
      signal,
      families: rules.families,
      formats: allFormats,
      onPause: () => settings.onProgress({ step: 'read', done: report.entryCount }),
      onText: async ({ format, source }) => {
        report.endText(format, source);
        if (exceptionCount > 0) {
          const set = await runInSlices(exceptions.finish(), signal);
          const isOut = (hash: Uint8Array, tag: number): boolean => {
            if (!set.has(hash)) return false;
            report.except(tagged(tag));
            return true;
          };
          await runInSlices(table.removeSince(textStart, isOut), signal);
          exceptions = new HashCollector();
          exceptionCount = 0;
        }
        textStart = table.count;
      },
    },
  );
  return { table, covers, sources };
}

function* finish(
  { table, covers, sources }: Hashes,
  known: Known | null,
  settings: Settings,
  report: ReportWriter,
): Sliced<Snapshots> {
  settings.onProgress({ step: 'sort', done: 0, total: table.count });
  yield* sortHashes(table, sources, report, settings.maxReportEntries);
  settings.onProgress({ step: 'sort', done: table.count, total: table.count });
  const { prefixes: sorted } = table;
  // Several hashes can share a prefix.
  const entries = yield* keptOf(sorted, (at) => at === 0 || sorted[at - 1] !== sorted[at]);
  settings.onProgress({ step: 'encode', done: 0, total: 2 });
  const covering = covers?.finish(entries.length, known?.covers !== undefined) ?? null;
  const prefixes = covering === null ? entries : joined(entries, covering);
  const made = yield* snapshotsOf(prefixes, known, settings);
  const count = made.newSnapshot === null ? (known!.covers ?? 0) : prefixes.length - entries.length;
  const snapshots = covering === null ? made : { ...made, covers: count };
  settings.onProgress({ step: 'encode', done: 2, total: 2 });
  return snapshots;
}

/** Sorting finds duplicates in the order of hashes; the report needs the order of the list, which is the order of indexes. */
function* sortHashes(table: HashTable, sources: Hashes['sources'], report: ReportWriter, maxReportEntries: number): Sliced<void> {
  let repeats: [index: number, first: number][] = [];
  let more = 0;
  const keepFirst = (): void => {
    repeats.sort(([a], [b]) => a - b);
    more += Math.max(0, repeats.length - maxReportEntries);
    repeats = repeats.slice(0, maxReportEntries);
  };
  yield* table.finish((index, first) => {
    const { type, isNamed } = tagged(table.origin(index).tag);
    report.count(type, -1);
    // Two links to one account are not the same entry.
    if (isNamed) return;
    repeats.push([index, first]);
    if (repeats.length >= 2 * maxReportEntries + 1_000) keepFirst();
  });
  keepFirst();
  for (const [index, first] of repeats) {
    const place = placeOf(table, sources, index);
    const { line: firstLine, source: firstSource } = placeOf(table, sources, first);
    report.warn({ ...place, code: 'duplicate', firstLine, ...(firstSource !== undefined && { firstSource }) });
  }
  report.countMore('duplicate', more);
}

function placeOf(table: HashTable, sources: Hashes['sources'], index: number): { line: number; source?: string | undefined } {
  const { line, tag } = table.origin(index);
  const source = sources[tagged(tag).source];
  return { line, ...(source !== undefined && { source }) };
}

/** Where a hash comes from, as one number. */
interface Tagged {
  readonly source: number;
  readonly type: AssetType;
  /** It is the account that an entry names, beside its link. */
  readonly isNamed: boolean;
}

function tagOf({ source, type, isNamed }: Tagged): number {
  return (source * ASSET_TYPES.length + ASSET_TYPES.indexOf(type)) * 2 + Number(isNamed);
}

function tagged(tag: number): Tagged {
  const rest = Math.floor(tag / 2);
  return {
    source: Math.floor(rest / ASSET_TYPES.length),
    type: ASSET_TYPES[rest % ASSET_TYPES.length]!,
    isNamed: tag % 2 === 1,
  };
}

function artifactFiles({ snapshot, recent, difference }: Snapshots, hot: HotFile | null): ListFile[] {
  const files: Pick<HotFile, 'name' | 'bytes'>[] = [snapshot, recent];
  if (hot !== null) files.push(hot);
  if (difference?.bytes !== undefined) files.push({ ...difference, bytes: difference.bytes });
  return files.map(({ name, bytes }) => ({ name, bytes, isImmutable: true }));
}

function versionOf(
  snapshots: Snapshots,
  hot: HotFile | null,
  shards: ShardCount,
  { sha256 }: ShardSums,
  known: Known | null,
  settings: Settings,
): PublishedVersion {
  const { snapshot, recent, difference, createdAtMs } = snapshots;
  const listName = settings.listName ?? known?.listName;
  const address = (name: string): string => (settings.urlBase === '' ? name : `${settings.urlBase}/${name}`);
  return {
    algoVersion: settings.algorithm,
    ...(listName !== undefined && { listName }),
    snapshot: { ...snapshot.ref, url: address(snapshot.name), createdAtMs },
    recent: { ...recent.ref, url: address(recent.name) },
    ...(hot !== null && { hot: { ...hot.ref, url: address(hot.name) } }),
    ...(snapshots.covers !== undefined && { covers: snapshots.covers }),
    confirm: { sha256, url: address(sumsName(sha256)) },
    sequence: sequenceAfter(known, snapshots, hot, sha256, settings),
    shards,
    ...(difference !== null && { differences: { url: address(difference.name) } }),
    ...(settings.minWaitMs !== undefined && { minWaitMs: settings.minWaitMs }),
  };
}

/**
 * The time, so that a publisher that lost its previous list still continues; and more than the previous one. If that is far ahead, one of two
 * clocks is wrong, and only the publisher knows which.
 */
function sequenceAfter(
  known: Known | null,
  { snapshot, recent }: Snapshots,
  hot: HotFile | null,
  sums: string,
  settings: Settings,
): number {
  const { algorithm, minSequence, nowMs } = settings;
  const isAhead = known !== null && known.sequence >= nowMs + maxAheadMs;
  if (isAhead && minSequence === 0)
    refuse(
      'the previous version is from more than 48 hours ahead: set the clock of this machine; if it is right, and clients have refused that version, pass minSequence, such as the time',
    );
  const before = known === null || isAhead ? 0 : known.sequence;
  const next = Math.max(minSequence, Math.floor(nowMs), before + 1);
  if (known === null || before < minSequence || before === 0) return next;
  const isSame =
    known.algorithm === algorithm &&
    known.token === snapshot.ref.token &&
    known.recentToken === recent.ref.token &&
    known.hotSum === hot?.ref.sha256 &&
    known.sums === sums;
  return isSame ? known.sequence : next;
}

interface Settings extends SnapshotRules, Omit<BuildValues, keyof SnapshotRules | 'sharedHosts'> {
  readonly rules: ListRules;
}

function buildSettingsOf(options: BuildOptions | undefined): Settings {
  const values = readOptions('buildList', buildKinds(), options);
  const nowMs = number(0, Number.MAX_SAFE_INTEGER)(values.now(), 'buildList: now()');
  if (values.minSequence > nowMs + maxAheadMs)
    refuse('buildList: minSequence must not be more than 48 hours after the time: clients refuse such a version');
  const differences = values.encoding === 'portcullis-rice' && values.differences;
  return {
    ...values,
    rules: listRulesOf(values, allReaders),
    differences,
    maxSnapshotAgeMs: values.maxSnapshotAgeMs ?? (differences ? 0.5 : 7) * 86_400_000,
    minSequence: Math.ceil(values.minSequence),
    nowMs,
    urlBase: values.urlBase.replace(/([^/])\/+$/, '$1'),
  };
}
