import type { Subject } from '../../core/algorithms/algorithm.js';
import { hasOddHost } from '../../core/assets/web/host.js';
import { isLocalName, isPrivateHost } from '../../core/assets/web/private.js';
import { equalBytes } from '../../core/bytes.js';
import type { PortcullisError } from '../../core/errors.js';
import { prefixOf } from '../../core/hashing/prefix.js';
import { hashOf } from '../../core/hashing/sha256.js';
import { type Generation, hasPrefix, heldIn, isProof } from '../model/generation.js';
import type { Confirmation } from '../model/source.js';
import { type Mark, type SourceFinding, type Verdict, type VerdictReason, type VerdictStatus, weigh } from '../model/verdict.js';

/**
 * `blocked` and `disproved` by an answer that still counts; `earlier`: blocked by an answer that is too old to count without
 * asking.
 */
export type CachedAnswer = 'blocked' | 'earlier' | 'disproved' | 'unknown';

/** The hashes behind one prefix, and what they are listed for. */
export interface Hashes {
  readonly hashes: readonly Uint8Array[];
  readonly kinds?: Confirmation['kinds'];
}

/** Whether the hash is listed for what is being loaded. */
export function isListed({ hashes, kinds }: Hashes, hash: Uint8Array, isFrame: boolean): boolean {
  return hashes.some((known) => equalBytes(known, hash) && ((kinds?.get(known) || 1) & (isFrame ? 0xffff : 0xff)) !== 0);
}

/** The answer about a prefix: its hashes, or why there is none. */
export type Answer = Hashes | { readonly failure: VerdictReason; readonly error?: PortcullisError | undefined };

/** What a check needs of one list. */
export interface JudgedList {
  readonly id: string;
  readonly maxAgeMs: number;
  /** See `Retry`. */
  readonly failedAtMs: number;
  /** Whether the app never blocks by this entry. */
  isIgnored(expression: string): boolean;
  /** What the source has answered; `null` if it cannot confirm hits. */
  readonly confirmer: {
    known(prefix: number, hash: Uint8Array, isFrame?: boolean): CachedAnswer;
    /** Whether what the source denies counts now. */
    mayDeny(): boolean;
  } | null;
}

/** A prefix that was hit and must be confirmed by the source. */
export interface Wanted<List> {
  readonly list: List;
  readonly prefix: number;
  readonly algoVersion: string;
}

/** The answers of the sources, or why there are none, by list and prefix. */
export type Answers<List> = Pick<ReadonlyMap<List, Pick<ReadonlyMap<number, Answer>, 'get'>>, 'get'>;

/** One pass over the lists. A check that asks a source makes two passes, both over the same generations. */
export interface Look<List> {
  readonly answers?: Answers<List>;
  /** Collects the prefixes to confirm. */
  readonly wanted?: Wanted<List>[];
  /** Whether a frame is being loaded. @default false */
  readonly isFrame?: boolean;
}

/** What the address itself decides about one target; `null` if lists decide. */
export function judgeAlone(subject: Subject): SourceFinding | null {
  // One unreadable target of several, or the only one.
  if (subject.length === 0) return unreadable;
  return isPrivate(subject) && !isTyped(subject[0]!) ? privateAddress : null;
}

/** Whether the link leads to this device or its network. */
function isPrivate(subject: Subject): boolean {
  const last = subject[subject.length - 1];
  return last !== undefined && mayBeIp(last) && isPrivateHost(last);
}

/** What a link names beside its host may be listed wherever the host is, such as a file of IPFS on a gateway of the user's own. */
function isTyped(expression: string): boolean {
  return /^\w+:/.test(expression);
}

/** Why there is no list. `isLoading`: the store is being read, or a first list is being fetched. */
export function missingReason(isLoading: boolean, lastError: { readonly code: string } | null): VerdictReason {
  if (isLoading) return 'loading';
  return lastError?.code === 'ALGORITHM_UNKNOWN' ? 'algorithm-unknown' : 'no-list';
}

/** Whether a list is too old for a miss to mean `clear`, or its publisher has promised a newer one by now. */
export function isOutdated({ currentAtMs, order: { expiresAtMs } }: Age, nowMs: number, maxAgeMs: number): boolean {
  return nowMs - currentAtMs > maxAgeMs || (expiresAtMs !== null && Math.max(nowMs, currentAtMs) > expiresAtMs);
}

type Age = Pick<Generation, 'currentAtMs' | 'order'>;

const notListed = { status: 'clear', reason: 'not-listed' } as const;
const disproved = { status: 'clear', reason: 'disproved' } as const;
const confirmed = { status: 'blocked', reason: 'confirmed' } as const;
const notAsked = { status: 'unconfirmed', reason: 'not-asked' } as const;
const olderAnswer = { status: 'unconfirmed', reason: 'older-answer' } as const;
const stale = { status: 'unknown', reason: 'list-stale' } as const;
const unreadable = { status: 'unknown', reason: 'unreadable' } as const;
const privateAddress = { status: 'not-listable', reason: 'private-address' } as const;
const mismatch = { status: 'unknown', reason: 'algorithm-mismatch' } as const;

interface Judgment {
  readonly status: VerdictStatus;
  readonly reason: VerdictReason;
}

/** What one list says about one target. */
export function judgeInList<List extends JudgedList>(
  subject: Subject,
  generation: Generation,
  list: List,
  nowMs: number,
  look: Look<List>,
): SourceFinding {
  const marks = marksIn(generation, list, subject, look);
  const mark = marks === null ? null : weigh(marks);
  const isMiss = mark === null || mark.status === 'clear';
  const latestMs = Math.max(nowMs, list.failedAtMs);
  const { status, reason } = isMiss ? judgeMiss(subject, generation, mark !== null, latestMs, list.maxAgeMs) : mark;
  const expression = isMiss ? undefined : subject[mark.at];
  const ageMs = Math.max(0, latestMs - generation.currentAtMs);
  return { status, reason, source: list.id, expression, ageMs, generation: generation.sequence };
}

/**
 * What one list says about a public link or an address of which it holds no entry, if that is sure; `null` if such a miss is not clear. It is
 * the verdict too, because a second object would take a tenth of the time of a check.
 */
export function judgeSureMiss(generation: Generation, list: JudgedList, nowMs: number): SureMissVerdict | null {
  const latestMs = Math.max(nowMs, list.failedAtMs);
  if (isOutdated(generation, latestMs, list.maxAgeMs) || generation.calibration.outcome === 'failed') return null;
  const ageMs = Math.max(0, latestMs - generation.currentAtMs);
  return { status: 'clear', action: 'allow', reason: 'not-listed', source: list.id, ageMs, generation: generation.sequence };
}

export type SureMissVerdict = SourceFinding & Verdict & { readonly ageMs: number };

/** A miss means `clear` only if the list is current, its algorithm is understood, and the text names a host that others reach too. */
function judgeMiss(subject: Subject, generation: Generation, wasAsked: boolean, nowMs: number, maxAgeMs: number): Judgment {
  if (isPrivate(subject)) return privateAddress;
  if (isOutdated(generation, nowMs, maxAgeMs)) return stale;
  if (generation.calibration.outcome === 'failed') return mismatch;
  if (hasOddHost(subject)) return unreadable;
  return wasAsked ? disproved : notListed;
}

/** A mark for each expression the list may hold; `null` if it holds none, which is nearly always the case. */
function marksIn<List extends JudgedList>(
  generation: Generation,
  list: List,
  expressions: readonly string[],
  look: Look<List>,
): Mark[] | null {
  const { base, recent, allowed } = generation;
  const hasRecent = recent.size > 0;
  let marks: Mark[] | null = null;
  for (let at = 0; at < expressions.length; at++) {
    const prefix = prefixOf(expressions[at]!);
    const isHit = hasPrefix(base, prefix) || (hasRecent && hasPrefix(recent, prefix)) || allowed?.hasPrefix(prefix);
    if (!isHit) continue;
    const judged = judgeEntry(generation, list, expressions[at]!, prefix, look);
    if (judged === null) continue;
    marks ??= [];
    marks.push({ at, status: judged.status, reason: judged.reason });
  }
  return marks;
}

function judgeEntry<List extends JudgedList>(
  generation: Generation,
  list: List,
  expression: string,
  prefix: number,
  look: Look<List>,
): Judgment | null {
  const hash = hashOf(expression);
  const held = heldIn(generation, hash, prefix);
  if (held === 'nothing' || held === 'removed') return null;
  if (held === 'allowed') return { status: 'allowed', reason: 'source-allows' };
  if (list.isIgnored(expression)) return null;
  if (isProof(generation, hash)) return { status: 'blocked', reason: 'listed' };
  return judgeHit(generation, list, hash, prefix, look);
}

/** A hit of four bytes: the source's current or earlier answer, or why there is none. */
function judgeHit<List extends JudgedList>(
  { algoVersion }: Generation,
  list: List,
  hash: Uint8Array,
  prefix: number,
  look: Look<List>,
): Judgment {
  const { confirmer } = list;
  if (confirmer === null) return notAsked;
  const answer = look.answers?.get(list)?.get(prefix);
  const isAnswered = answer !== undefined && 'hashes' in answer;
  if (isAnswered && isListed(answer, hash, look.isFrame ?? false)) return confirmed;
  const known = confirmer.known(prefix, hash, look.isFrame);
  const isDenied = isAnswered || known === 'disproved';
  if (isDenied && confirmer.mayDeny()) return disproved;
  if (known === 'blocked') return confirmed;
  if (answer === undefined) look.wanted?.push({ list, prefix, algoVersion });
  if (known === 'earlier') return { status: 'blocked', reason: 'confirmed-earlier' };
  if (isDenied) return olderAnswer;
  return answer === undefined ? notAsked : { status: 'unconfirmed', reason: answer.failure };
}

/**
 * What a source says at once about one target that its global cache lacks: each expression counts as a hit. `null` leaves the target to the
 * lists on the device: it is in the cache, there is no cache, or the source has not answered about all of it.
 */
export function judgeAtOnce<List extends JudgedList>(
  subject: Subject,
  generation: Generation,
  list: List,
  nowMs: number,
  look: Look<List>,
): SourceFinding | null {
  const { common, currentAtMs, sequence } = generation;
  // Without a cache, nearly every page that is opened would be asked about.
  if (common === undefined || common.size === 0) return null;
  if (subject.some((expression) => isLocalName(expression.replace(/[/?].*/s, '')))) return null;
  const hashes = subject.map(hashOf);
  if (hashes.some((hash) => common.has(hash))) return null;
  const about = { source: list.id, ageMs: Math.max(0, nowMs - currentAtMs), generation: sequence };
  let isDenied = subject.length > 0;
  for (const [at, expression] of subject.entries()) {
    if (list.isIgnored(expression)) continue;
    const { status, reason } = judgeHit(generation, list, hashes[at]!, prefixOf(expression), look);
    if (status === 'blocked') return { ...about, status, reason, expression };
    isDenied &&= status === 'clear';
  }
  return isDenied ? { ...about, status: 'clear', reason: 'disproved' } : null;
}

/** A cheap test: an IP address begins with a digit or a bracket, and few other hosts do. */
function mayBeIp(expression: string): boolean {
  const first = expression.charCodeAt(0);
  return first === 0x5b || (first >= 0x30 && first <= 0x39);
}
