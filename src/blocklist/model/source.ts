import type { SignalLike } from '../../core/errors.js';
import { type Kind, optional } from '../../core/options/read-options.js';
import type { HashSet } from '../../core/prefixes/hash-set.js';
import type { PrefixSet } from '../../core/prefixes/prefix-set.js';
import type { Confirmed } from '../formats/confirm-answer.js';
import { shortName } from '../formats/short-name.js';
import type { WholeHashes } from '../formats/whole-hashes.js';
import type { Advisory } from './verdict.js';

/** One part of a list: the snapshot, or the entries added after it. */
export interface ListPart {
  /** Changes whenever the content changes. */
  readonly token: string;
  /** Number of entries, if the source gives it. */
  readonly count?: number | undefined;
}

/** The current version of a source's list. A source may add its own properties: `artifact` gets the same object. */
export interface ListVersion {
  /** The source's name for the algorithm, compared as a string. */
  readonly algoVersion: string;
  readonly snapshot: ListPart;
  /** Without it the snapshot is the whole list. */
  readonly recent?: ListPart | undefined;
  /** Which whole hashes of the newest entries come with the recent entries, as `hot` of their artifact; another value means others. */
  readonly hot?: { readonly sha256: string } | undefined;
  /**
   * How many entries of the snapshot are covers, if snapshot and recent entries have the cover of each host of two labels below which they list
   * or allow something (docs/formats.md §10). Checks of most links then end after one hash. @default none has
   */
  readonly covers?: number | undefined;
  /** Which list it is. A version with another name is refused: its misses say nothing about this list. */
  readonly listName?: string | undefined;
  /**
   * The version's place in time: a whole number that grows with every change of the list. Older versions are refused, and so is one that is
   * more than 48 hours ahead of the clock in epoch milliseconds.
   */
  readonly sequence?: number | undefined;
  /** Epoch time in milliseconds after which this version must not be taken for the newest. */
  readonly expiresAtMs?: number | undefined;
  /** The id of the trusted key that signed this version, if a signature was verified. */
  readonly signedBy?: string | undefined;
  /** The keys of the gateway through which hits can be confirmed unseen, if the signed version names them: base64, or malformed. */
  readonly ohttpKeys?: unknown;
  /** The signed form of this version, which can be written as JSON. It is stored with the list, for `reopen`. */
  readonly signed?: unknown;
  /** What the list's log held when this version was found in it. It is stored beside the list, which it outlives. */
  readonly checkpoint?: SeenCheckpoint | undefined;
  /** Shortest time to wait before asking again, in milliseconds. */
  readonly minWaitMs?: number | undefined;
  /** The result of a calibration by a server that has samples, such as a relay. */
  readonly calibration?: Calibration | undefined;
}

/** What a log has signed, and a device has seen: all that it later shows must begin with it. */
export interface SeenCheckpoint {
  /** Which log: what another one has signed says nothing about this one. */
  readonly log: string;
  /** How many entries the log had. */
  readonly size: number;
  /** The signed note. */
  readonly note: string;
  /** The sequence of the version that came with it. */
  readonly sequence: number;
}

/** How many known entries were looked up in a list, and how many were found. */
export interface Calibration {
  readonly samples: number;
  readonly found: number;
}

/** The content of a part. */
export interface Artifact {
  /** Entries of 4 bytes, whose hits have to be confirmed, or of 8 bytes, whose hits are proof. */
  readonly entries: PrefixSet | HashSet;
  /** Entries of the snapshot that are no longer listed. Only in recents. */
  readonly remove?: HashSet | undefined;
  /** Entries the source allows. */
  readonly allow?: HashSet | undefined;
  /** Whole hashes of the newest entries, verified: their hits are proof. Only in recents, whose prefixes are in the list as well. */
  readonly hot?: WholeHashes | undefined;
  /** The whole hashes of a global cache. Only in its snapshot, whose `entries` are empty. */
  readonly common?: WholeHashes | undefined;
  /** The same as `covers` of the version, from a source that learns it when it reads the list. Only in snapshots of lists without recents. */
  readonly covers?: number | undefined;
  /** Whether the content matched a checksum in the version document. Then the list may shrink. */
  readonly isProven: boolean;
  /** Whether the content came with the version, in one answer, so that the version need not be asked for again. */
  readonly isPinned?: boolean | undefined;
}

/** The options of every call of a source. */
export interface SourceCall {
  readonly signal?: SignalLike | undefined;
}

/** A part of an earlier version that the client has. */
export interface PreviousPart {
  readonly token: string;
  readonly entries: PrefixSet | HashSet;
  /** Of a global cache. */
  readonly common?: WholeHashes | undefined;
}

/** The options of `version`. */
export interface VersionCall extends SourceCall {
  /**
   * The snapshot that the client has, unless it is so old that it must be fetched again as a whole. For a source whose answer about the
   * version already contains what has changed since.
   */
  readonly previous?: PreviousPart | undefined;
  /** The last `checkpoint` of a version that the client has accepted. */
  readonly checkpoint?: SeenCheckpoint | undefined;
  /** The sequence of the list that it has: an older version will be refused. */
  readonly sequence?: number | undefined;
}

/** Parts that were read from a store. */
export interface StoredParts {
  readonly snapshot: PrefixSet | HashSet;
  readonly recent: PrefixSet | HashSet;
  /** Whole hashes, if any were stored. */
  readonly hot?: WholeHashes | undefined;
}

/** The options of `artifact`. */
export interface ArtifactCall extends SourceCall {
  /**
   * The snapshot that the client has, if it was made with the same algorithm. A source may fetch only what has changed since. It returns the
   * whole new part in any case, verified like a part that was fetched.
   */
  readonly previous?: PreviousPart | undefined;
  /** Called as bytes arrive, with `total` if it is known. */
  readonly onProgress?: ((bytes: number, total: number | undefined) => void) | undefined;
}

/** The options of `confirm`. */
export interface ConfirmCall extends SourceCall {
  /** The source's name for the algorithm of the list that was hit. */
  readonly algoVersion: string;
  /** The newest sequence this device has had: an answer from an older version would deny what has been listed since. */
  readonly sequence?: number | undefined;
  /** The name of that list. An answer from another list would deny what this one holds. */
  readonly listName?: string | undefined;
  /** `ohttpKeys` of its version. */
  readonly ohttpKeys?: unknown;
  /** `expiresAtMs` of its version. */
  readonly expiresAtMs?: number | null | undefined;
  /** As in `VersionCall`. */
  readonly checkpoint?: SeenCheckpoint | undefined;
}

/** A source's answer about hits. */
export interface Confirmation {
  /**
   * The full hashes behind each requested prefix; an empty group for a prefix without any. A prefix that is left out is asked about again,
   * alone. Any other group, or a hash that does not begin with its prefix, makes the answer unusable.
   */
  readonly hashes: Confirmed;
  /**
   * What hashes of the answer are listed for: a bit for each of the source's `threats`, or the bit 8 places higher if that counts only
   * in a frame. A hash without a kind, or with 0, counts everywhere.
   */
  readonly kinds?: ReadonlyMap<Uint8Array, number> | undefined;
  /** How long a prefix with hashes may be remembered, in milliseconds, if the source says so; `negativeMs` for one without. */
  readonly positiveMs?: number | undefined;
  readonly negativeMs?: number | undefined;
}

/** The options of `samples`. */
export interface SamplesCall extends SourceCall {
  readonly maxCount: number;
  /** Epoch time in milliseconds; the samples were last changed between it and `toMs`. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** An asset that is blocked according to the source. */
export interface Sample {
  readonly content: string;
  readonly type: string;
}

/** The tokens of a version. */
export interface Tokens {
  readonly snapshotToken: string;
  readonly recentToken: string | null;
}

/** What a device remembers of the versions that it had before the present one. */
export interface TokenHistory {
  /** Whether the offered version was replaced by the held one before. `seen` is what `next` returned last, read back from JSON. */
  isBack(seen: unknown, held: Tokens, offered: Tokens): boolean;
  /** What to remember, after the list changed. */
  next(seen: unknown, before: Tokens, after: Tokens): unknown;
}

/** What the publisher of a list asks of those who use it. */
export interface SourceTerms {
  /**
   * How long a confirmed hit counts after the answer, in milliseconds. It is `unconfirmed` after that, whatever `positiveMs` of the answer and
   * `confirm.earlierMs` of the blocklist are.
   */
  readonly maxConfirmedMs?: number | undefined;
  /** What to show with each warning about this list's entries. */
  readonly advisory?: Advisory | undefined;
}

/**
 * Where a list comes from. You can write your own. Rounds call `version` and `artifact`, one call at a time; checks call `confirm`. A
 * call may reject with a `PortcullisError`, whose `retryAfterMs` is respected, or with any other error, which counts as a failed
 * connection.
 */
export interface Source {
  /** Identifies the list in verdicts, events and stores: 1 to 64 of a-z, 0-9, dot, hyphen and underscore, with a letter or digit first. */
  readonly id: string;
  /** Maps the source's algorithm names to ours. Our own names need no entry. */
  readonly algorithms?: Readonly<Record<string, string>> | undefined;
  /** Whether the list is expected to change. If not, `frozen` is never emitted. @default true */
  readonly moves?: boolean | undefined;
  /**
   * Recognizes older versions without a `sequence`: `uniqueTokens`, if no token ever comes back after another one. Such a version is
   * refused until it has come in every round for an hour.
   */
  readonly tokenHistory?: TokenHistory | undefined;
  /**
   * Where the versions come from. The `sequence` of a version is compared only with those from the same place, and a stored list from
   * elsewhere is not used. @default ''
   */
  readonly origin?: string | undefined;
  /** The name that the list must have. @default that of the first version that was accepted, if it has one */
  readonly listName?: string | undefined;
  /** Whether a proven list may become empty at once. If not, it is accepted when the source offers it twice. @default false */
  readonly mayBeEmpty?: boolean | undefined;
  /** The ids of the keys of which one must have signed the list. A stored list is then used only if `reopen` accepts it. */
  readonly trustedKeys?: readonly string[] | undefined;
  /**
   * The version that a stored `signed` states. Rejects unless a trusted key has signed it and it names exactly these parts: whoever can
   * write to the store could have changed both.
   */
  reopen?(signed: unknown, parts: StoredParts): Promise<ListVersion>;
  /** The only snapshot token that this source can have at present. A stored list with another one is not used. */
  onlyToken?(): Promise<string>;
  /** Names of what entries are listed for, at most 8, for the `kinds` of a confirmation and the `threats` of a verdict. */
  readonly threats?: readonly string[] | undefined;
  /** What using the list is bound to. @default none */
  readonly terms?: SourceTerms | undefined;
  /**
   * Whether it is a global cache: it says what need not be asked about, and lists nothing. `check` asks the source at once about everything
   * else, and blocks what it confirms. Only for `createBlocklist` and `createCoreBlocklist`. @default false
   */
  readonly isGlobalCache?: boolean | undefined;
  /** The current version of the list. */
  version(call: VersionCall): Promise<ListVersion>;
  /** A part of this version, decoded and verified against it. Rejects with `INVALID_ARTIFACT` if it does not match. */
  artifact(part: 'snapshot' | 'recent', version: ListVersion, call: ArtifactCall): Promise<Artifact>;
  /** The full hashes behind prefixes. A source without it must provide entries of 8 bytes. */
  confirm?(prefixes: readonly number[], call: ConfirmCall): Promise<Confirmation>;
  /** Blocked assets, to test whether the algorithm is the one the list names. */
  samples?(call: SamplesCall): Promise<readonly Sample[]>;
  /** Called once, when the blocklist is closed. */
  close?(): Promise<void> | void;
}

/** The id of a source. Lists are stored under it. */
export const sourceId = (byDefault?: string): Kind<string> =>
  byDefault === undefined ? shortName : optional(shortName, byDefault);
