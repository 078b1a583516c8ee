import type { SignalLike } from '../core/errors.js';
import type { HashSet } from '../core/prefixes/hash-set.js';
import type { PrefixSet } from '../core/prefixes/prefix-set.js';
import type { Confirmed } from './formats/confirm-answer.js';

/** One part of a list, the snapshot or what came after it. */
export interface ListPart {
  /** Another token is another content. */
  readonly token: string;
  /** Entries in it, as far as the source says. */
  readonly count?: number | undefined;
}

/** What a source says its list is now. A source may keep more in it for itself: `artifact` gets the same object back. */
export interface ListVersion {
  /** The algorithm as the source names it; compared as text. */
  readonly algoVersion: string;
  readonly snapshot: ListPart;
  /** Without it the snapshot is the whole list. */
  readonly recent?: ListPart | undefined;
  /** How long to wait before asking again, at least, in milliseconds. */
  readonly minWaitMs?: number | undefined;
  /** How many known entries were looked for in the snapshot, and how many found, by somebody who could ask for samples. */
  readonly calibration?: Calibration | undefined;
}

/** How many known entries somebody looked for in a list, and how many were found. */
export interface Calibration {
  readonly samples: number;
  readonly found: number;
}

/** What an artifact brings. */
export interface Artifact {
  /** 4-byte entries, whose hits are confirmed, or entries of 8 bytes, which need no asking. */
  readonly entries: PrefixSet | HashSet;
  /** What is no longer listed, though the snapshot holds it; of recents only. */
  readonly remove?: HashSet | undefined;
  /** What the source itself allows. */
  readonly allow?: HashSet | undefined;
  /** Whether a checksum in the version document has proven the content: a list that shrinks is believed then. */
  readonly isProven: boolean;
}

/** What every call of a source gets. */
export interface SourceCall {
  readonly signal?: SignalLike | undefined;
}

/** What `artifact` is called with. */
export interface ArtifactCall extends SourceCall {
  /** Called as bytes come; `total` where it is known. */
  readonly onProgress?: ((bytes: number, total: number | undefined) => void) | undefined;
}

/** What `confirm` is called with. */
export interface ConfirmCall extends SourceCall {
  /** The algorithm of the list that was hit, as the source names it. */
  readonly algoVersion: string;
}

/** What a source answers about hits. */
export interface Confirmation {
  /** The full hashes behind each prefix that was asked for; none is an answer too. */
  readonly hashes: Confirmed;
  /** How long a prefix with hashes, and one without, may be remembered, in milliseconds, where the source says so. */
  readonly positiveMs?: number | undefined;
  readonly negativeMs?: number | undefined;
}

/** What `samples` is called with. */
export interface SamplesCall extends SourceCall {
  readonly maxCount: number;
  /** Epoch times between which the samples were last changed. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** An asset the source says is blocked. */
export interface Sample {
  readonly content: string;
  readonly type: string;
}

/**
 * Where a list comes from. Anybody may write one: `version` and `artifact` are called by synchronisation, one call after the other,
 * `confirm` by checks. Every call may reject: with a `PortcullisError` whose code says why, and whose `retryAfterMs` is obeyed, or with
 * anything else, which counts as a failed connection.
 */
export interface Source {
  /** Names it in verdicts, events and stores, so another list gets another id: 1 to 64 of a-z, 0-9, dot, hyphen and underscore, a letter or digit first. */
  readonly id: string;
  /** Which algorithm of ours each name means that the source uses; a name of ours means itself. */
  readonly algorithms?: Readonly<Record<string, string>> | undefined;
  /** Whether a list that has not moved for a day is worth an event. @default true */
  readonly moves?: boolean | undefined;
  /** What the list is now: its algorithm and the tokens of its parts. */
  version(call: SourceCall): Promise<ListVersion>;
  /** The part the version names, decoded and verified against it. Rejects with `INVALID_ARTIFACT` for anything else. */
  artifact(part: 'snapshot' | 'recent', version: ListVersion, call: ArtifactCall): Promise<Artifact>;
  /** The full hashes behind prefixes. A source without it gives entries of 8 bytes. */
  confirm?(prefixes: readonly number[], call: ConfirmCall): Promise<Confirmation>;
  /** Assets that are blocked, to find out whether the algorithm is understood. */
  samples?(call: SamplesCall): Promise<readonly Sample[]>;
  /** Called once, when the blocklist is closed. */
  close?(): Promise<void> | void;
}
