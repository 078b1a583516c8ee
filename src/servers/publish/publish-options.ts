import type { Abortable } from '../../core/errors.js';
import type { ArtifactEncoding } from '../../core/prefixes/artifact.js';
import type { PrefixSet } from '../../core/prefixes/prefix-set.js';

/** How a list is made and what it follows. */
export interface BuildOptions {
  /** How the list spells what it hashes: `portcullis-1` or `safe-browsing-4`. @default 'portcullis-1' */
  readonly algorithm?: string | undefined;
  /** The list that clients have now: what `buildList` gave, or what was read back. Without it everything is in the snapshot. */
  readonly previous?: PreviousList | undefined;
  /** How snapshot and recent feed are written down. @default 'portcullis-rice' */
  readonly encoding?: ArtifactEncoding | undefined;
  /** Whether a host is a public suffix (`co.uk`), which is refused as a whole; not a promise of it. @default nobody is asked, and the report says so */
  readonly isPublicSuffix?: ((host: string) => boolean) | undefined;
  /**
   * Hosts (`t.me`) on which everybody can have a page, and folders (`t.me/s`) in which everybody can: refused as a whole, with all that
   * would cover them. Replaces the built-in ones. @default SHARED_HOSTS
   */
  readonly sharedHosts?: Iterable<string> | undefined;
  /** When a new snapshot is made: `new` now, `auto` when it is due (`snapshotAgeMaxMs`, `recentShareMax`). @default 'auto' */
  readonly snapshot?: 'auto' | 'new' | undefined;
  /** Age of a snapshot from which on the next build replaces it, in milliseconds. @default 7 days */
  readonly snapshotAgeMaxMs?: number | undefined;
  /**
   * Recent prefixes, or prefixes that are only in the snapshot any more, as a share of the snapshot, above which the next build
   * replaces it; a thousand of either are always allowed. @default 0.1
   */
  readonly recentShareMax?: number | undefined;
  /** Where the files will be, for absolute addresses in the version document. @default addresses relative to it */
  readonly urlBase?: string | undefined;
  /** How long clients shall wait before they ask for the version again, at least, in milliseconds. @default they decide */
  readonly minWaitMs?: number | undefined;
  /** Refused lines, and warnings, that the report holds each; its totals count all. @default 1_000 */
  readonly reportMax?: number | undefined;
  /** The time that a new snapshot is dated with, in epoch milliseconds. @default Date.now */
  readonly now?: (() => number) | undefined;
  /** Ends the work with `ABORTED`, also while the input says nothing if it is an `AbortSignal`; the input is closed. */
  readonly signal?: Abortable | undefined;
  /** Called between two slices of reading, and at the beginning and the end of the other steps. */
  readonly onProgress?: ((progress: BuildProgress) => void) | undefined;
}

/** How far a build is. */
export interface BuildProgress {
  /** `read` counts entries of the list, `sort` hashes, `encode` files; the last two are told when they begin and when they end. */
  readonly step: 'read' | 'sort' | 'encode';
  readonly done: number;
  /** Not known while the list is being read. */
  readonly total?: number | undefined;
}

/** What a build must know of the one before it. */
export interface PreviousList {
  /** `version` of what `buildList` gave, or the parsed `version.json`. */
  readonly version: unknown;
  /** The snapshot's set, or the bytes of its file; a file of another publisher can only be checked by its bytes. */
  readonly snapshot: PrefixSet | Uint8Array;
}
