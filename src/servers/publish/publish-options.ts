import { type ShardCount, shardCounts } from '../../blocklist/formats/shards.js';
import { shortName } from '../../blocklist/formats/short-name.js';
import { maxHotHashes } from '../../blocklist/formats/whole-hashes.js';
import { names, type RuleOptions, ruleKinds } from '../../blocklist/lists/list-rules.js';
import type { Abortable } from '../../core/errors.js';
import {
  abortable,
  boolean,
  clock,
  type Filled,
  func,
  type KindsOf,
  number,
  oneOf,
  optional,
  text,
  that,
} from '../../core/options/read-options.js';
import { type ArtifactEncoding, encodings } from '../../core/prefixes/artifact.js';
import type { PrefixSet } from '../../core/prefixes/prefix-set.js';
import { popularHosts } from './popular-hosts.js';

/** Options of a build. */
export interface BuildOptions {
  /** The algorithm of the list: `portcullis-1`, `safe-browsing-4` or `safe-browsing-5`. @default 'portcullis-1' */
  readonly algorithm?: string | undefined;
  /**
   * The name of the list, which clients keep to: no other list that the same key has signed can take its place then. `signList` requires it.
   * Never change it: clients refuse the list then. @default that of the previous list, if it has one
   */
  readonly listName?: string | undefined;
  /** The list that clients have now: the result of `buildList`, or its files read back. Without it all entries are in the snapshot. */
  readonly previous?: PreviousList | undefined;
  /** The encoding of snapshot and recent feed. @default 'portcullis-rice' */
  readonly encoding?: ArtifactEncoding | undefined;
  /** Whether a host is a public suffix (`co.uk`), which must not be listed as a whole. Must not return a promise. @default no host is checked, and the report warns about it */
  readonly isPublicSuffix?: ((host: string) => boolean) | undefined;
  /**
   * Hosts (`t.me`) and folders (`t.me/s`) in which anyone can publish a page. They and everything that covers them must not be listed as
   * a whole. Replaces the built-in list. @default SHARED_HOSTS and the hosts of the families
   */
  readonly sharedHosts?: Iterable<string> | undefined;
  /**
   * Hosts, folders and other assets that must not be listed. An entry that is one of them, or covers one, is refused as `allowlisted`;
   * pages and subdomains of a host are listed. @default none
   */
  readonly allow?: Iterable<string> | undefined;
  /**
   * Hosts whose listing is likely to be a mistake: an entry that covers one is listed, and the report warns about it.
   * @default the most visited domains
   */
  readonly popular?: Iterable<string> | undefined;
  /**
   * Number of files with whole hashes: 1, 16, 256 or 4,096. A reader that confirms a hit shows the host which file it fetched, and downloads
   * all of it. @default as few as hold at most 512 hashes each
   */
  readonly shards?: ShardCount | undefined;
  /** When to make a new snapshot: `new` always, `auto` when it is due (`maxSnapshotAgeMs`, `maxRecentShare`). @default 'auto' */
  readonly snapshot?: 'auto' | 'new' | undefined;
  /**
   * Whether a new snapshot comes with a file of what changed since the previous one, which clients fetch instead of the snapshot. Only for the
   * encoding `portcullis-rice`. @default true
   */
  readonly differences?: boolean | undefined;
  /** Age after which a build replaces the snapshot, in milliseconds. @default 12 hours with differences, 7 days without */
  readonly maxSnapshotAgeMs?: number | undefined;
  /**
   * Added or removed prefixes, as a share of the snapshot, above which a build replaces the snapshot; a thousand of either are always
   * allowed. @default 0.1
   */
  readonly maxRecentShare?: number | undefined;
  /**
   * The newest entries whose whole hashes clients get with the recent entries, so that they block without a question: those added since the
   * snapshot before the present one, 32 bytes each, 4,096 at most. 0 for none. @default 256
   */
  readonly hotEntries?: number | undefined;
  /** Whether a list without entries has files, which make everything clear. @default false */
  readonly allowEmpty?: boolean | undefined;
  /** Public URL of the list's folder, for absolute URLs in the version document. @default URLs relative to the version document */
  readonly urlBase?: string | undefined;
  /** Minimum time before clients poll again, in milliseconds. @default clients decide */
  readonly minWaitMs?: number | undefined;
  /**
   * The lowest sequence of this version. Needed only if the previous list is lost and its publisher's clock was ahead: clients refuse
   * versions with a lower sequence than they have had. At most 48 hours after the time. @default the time
   */
  readonly minSequence?: number | undefined;
  /** Refused entries and warnings of each kind that the report contains; its totals count all. @default 1_000 */
  readonly maxReportEntries?: number | undefined;
  /** The creation time of a new snapshot, in epoch milliseconds. @default Date.now */
  readonly now?: (() => number) | undefined;
  /** Aborts the build and closes the input. Only an `AbortSignal` can abort while the input is idle. */
  readonly signal?: Abortable | undefined;
  /** Called between slices of reading, and at the start and end of the other steps. */
  readonly onProgress?: ((progress: BuildProgress) => void) | undefined;
}

/** The progress of a build. */
export interface BuildProgress {
  /** `read` counts entries, `sort` hashes, `encode` files; the last two are reported at their start and end. */
  readonly step: 'read' | 'sort' | 'encode';
  readonly done: number;
  /** Unknown while the list is being read. */
  readonly total?: number | undefined;
}

/** The previous list, as a build needs it. */
export interface PreviousList {
  /** `version` of the result of `buildList`, or the parsed `version.json`. */
  readonly version: unknown;
  /** The snapshot's set, or the bytes of its file; a snapshot of another publisher can only be verified from its bytes. */
  readonly snapshot: PrefixSet | Uint8Array;
  /** `hot` of the result of `buildList`, or the bytes of that file. Without it only entries added since the previous snapshot have whole hashes. */
  readonly hot?: Uint8Array | null | undefined;
  /** The set of its recent entries, or the bytes of that file. Tells which entries are the newest, if more are new than may have whole hashes. */
  readonly recent?: PrefixSet | Uint8Array | undefined;
}

type Open = 'listName' | 'previous' | 'isPublicSuffix' | 'shards' | 'maxSnapshotAgeMs' | 'minWaitMs' | 'signal';

export type BuildValues = Omit<Filled<BuildOptions, Open>, 'sharedHosts'> & Pick<RuleOptions, 'sharedHosts'>;

export const buildKinds = (): KindsOf<BuildValues> => ({
  ...ruleKinds(),
  algorithm: optional(text(), 'portcullis-1'),
  listName: optional(shortName),
  previous: optional(that('{ version, snapshot, hot, recent }', (value: unknown) => typeof value === 'object' && value !== null)),
  encoding: optional(oneOf(...encodings), 'portcullis-rice'),
  allow: optional(names, []),
  popular: optional(names, popularHosts),
  shards: optional(oneOf(...shardCounts)),
  snapshot: optional(oneOf<'auto' | 'new'>('auto', 'new'), 'auto'),
  differences: optional(boolean, true),
  hotEntries: optional(number(0, maxHotHashes), 256),
  allowEmpty: optional(boolean, false),
  maxSnapshotAgeMs: optional(number(0, Number.POSITIVE_INFINITY)),
  maxRecentShare: optional(number(0, Number.POSITIVE_INFINITY), 0.1),
  urlBase: optional(text('an absolute URL without userinfo, query and fragment', /^(https?:\/\/[^\s\\?#@]+)?$/i), ''),
  minWaitMs: optional(number(0, Number.MAX_SAFE_INTEGER)),
  minSequence: optional(number(0, Number.MAX_SAFE_INTEGER), 0),
  maxReportEntries: optional(number(0, Number.POSITIVE_INFINITY), 1_000),
  now: clock,
  signal: optional(abortable),
  onProgress: optional(func, () => {}),
});
