import type { Asset } from '../core/assets/asset.js';

/**
 * What is known about an input:
 * `blocked` a full hash matched, now or lately, or an override says so; `allowed` an override, or the source itself; `clear` every
 * source is fresh and none lists it; `unconfirmed` four bytes matched and the source could not be asked; `unknown` nobody can say;
 * `not-listable` no list can hold it, or it must not be looked up.
 */
export type VerdictStatus = 'blocked' | 'allowed' | 'clear' | 'unconfirmed' | 'unknown' | 'not-listable';

/** What the policy makes of it. */
export type VerdictAction = 'allow' | 'warn' | 'block';

/** Why the status is what it is. */
export type VerdictReason =
  /** blocked: the source's full hashes hold it, by an answer that still counts. */
  | 'confirmed'
  /** blocked: they did within the last days, and the source cannot be asked now. */
  | 'confirmed-earlier'
  /** blocked: the list itself has whole hashes. */
  | 'listed'
  /** blocked, allowed: the user or the app said so. */
  | 'override'
  /** allowed: the source allows it. */
  | 'source-allows'
  /** clear: no list has its four bytes. */
  | 'not-listed'
  /** clear: a list has its four bytes, and the source says that they are another's. */
  | 'disproved'
  /** unconfirmed: the source cannot be reached, or asks to be left alone. */
  | 'offline'
  /** unconfirmed: no answer within the time the check had. */
  | 'deadline'
  /** unconfirmed: too many were asked for in the last minute. */
  | 'budget'
  /** unconfirmed: `test()` never asks. */
  | 'not-asked'
  /** unconfirmed: the source answered something else, or refused. */
  | 'bad-answer'
  /** unknown: there is no list yet. */
  | 'no-list'
  /** unknown: the list is too old to say what is not on it. */
  | 'list-stale'
  /** unknown: nobody here speaks the list's algorithm. */
  | 'algorithm-unknown'
  /** unknown: known entries are not found in the list, so its algorithm is another than its name says. */
  | 'algorithm-mismatch'
  /** unknown: nothing can be read in the input. */
  | 'unreadable'
  /** unknown: this engine computes wrong hashes. */
  | 'self-test-failed'
  /** not-listable: a browser's own page, a script, a local file. */
  | 'internal-scheme'
  /** not-listable: what stands where a host should is none that others can reach, such as `localhost`. */
  | 'not-a-host'
  /** not-listable: an address of a private network. */
  | 'private-address'
  /** not-listable: it has the shape of a private key or a recovery phrase. Nothing of it is in the verdict. */
  | 'secret';

/** What is known of an input, and what the policy makes of it. */
export interface Verdict {
  readonly status: VerdictStatus;
  readonly action: VerdictAction;
  readonly reason: VerdictReason;
  /** The source that decided. */
  readonly source?: string | undefined;
  /** What the input was read as; not where nothing was found. */
  readonly asset?: Asset | undefined;
  /** What is listed, or overridden. */
  readonly expression?: string | undefined;
  /** How long ago the deciding list was known to be current, in milliseconds; of the oldest where several had to agree. */
  readonly ageMs?: number | undefined;
  /** Which generation of its list the source answered from. */
  readonly generation?: number | undefined;
}

/** What is done where a list does not decide. */
export interface Policy {
  /** By chance a clean link hits one of 100,000 entries 1 time in 8,600, one of a million 1 time in 860. @default 'warn' */
  readonly unconfirmed?: VerdictAction | undefined;
  /** @default 'allow' */
  readonly unknown?: VerdictAction | undefined;
}

export function actionOf(status: VerdictStatus, { unconfirmed = 'warn', unknown = 'allow' }: Policy): VerdictAction {
  if (status === 'blocked') return 'block';
  if (status === 'unconfirmed') return unconfirmed;
  return status === 'unknown' ? unknown : 'allow';
}

/** What one source says. */
export interface SourceFinding {
  readonly status: VerdictStatus;
  readonly reason: VerdictReason;
  readonly source?: string;
  readonly expression?: string | undefined;
  readonly ageMs?: number | undefined;
  readonly generation?: number | undefined;
}

/** Not knowing never turns into `clear`, and no source's permission touches another's block. */
const order: readonly VerdictStatus[] = ['blocked', 'unconfirmed', 'allowed', 'unknown', 'clear'];

/** What several sources say together; of equal ones the first counts, and of clear ones the oldest list tells the age. */
export function merge(findings: readonly SourceFinding[]): SourceFinding {
  let first = findings[0]!;
  for (const finding of findings) {
    const before = order.indexOf(finding.status) - order.indexOf(first.status);
    if (before < 0 || (before === 0 && first.status === 'clear' && (finding.ageMs ?? 0) > (first.ageMs ?? 0))) first = finding;
  }
  return first;
}

/** What a list says about one expression of an input, by its place among them. */
export interface Mark {
  readonly at: number;
  readonly status: VerdictStatus;
  readonly reason: VerdictReason;
}

/**
 * What decides among the marks of one source, most specific first. Its own permission counts against its own block of an expression
 * that is no more specific, so `wordpress.com` does not clear `evil.wordpress.com`.
 */
export function weigh(marks: readonly Mark[]): Mark | null {
  const allowed = marks.find(({ status }) => status === 'allowed');
  const open = marks.filter(({ at, status }) => status !== 'allowed' && (allowed === undefined || at < allowed.at));
  return (
    open.find(({ status }) => status === 'blocked') ??
    open.find(({ status }) => status === 'unconfirmed') ??
    allowed ??
    marks[0] ??
    null
  );
}
