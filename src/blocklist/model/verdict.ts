import type { Asset } from '../../core/assets/asset.js';
import { type Kind, nested, oneOf, optional } from '../../core/options/read-options.js';

/**
 * What is known about an input. `blocked`: a full hash matched, now or recently, or an override blocks it; `allowed`: an override or the
 * source allows it; `clear`: every list is fresh and none has it; `unconfirmed`: four bytes matched and the source has not confirmed it,
 * or it carries a link that is blocked; `unknown`: there is no usable list, or the input is unreadable; `not-listable`: no list can hold
 * it, or it must not be looked up.
 */
export type VerdictStatus = 'blocked' | 'allowed' | 'clear' | 'unconfirmed' | 'unknown' | 'not-listable';

/** What to do about the input, according to the policy: act on this. `status` says what is known, and is for messages and logs. */
export type VerdictAction = 'allow' | 'warn' | 'block';

/** Why the status is what it is. */
export type VerdictReason =
  /** blocked: the source confirmed the full hash, and its answer still counts. */
  | 'confirmed'
  /** blocked: the source confirmed it within `earlierMs`, and is asked again. */
  | 'confirmed-earlier'
  /** blocked: the list has whole hashes, which need no confirmation. */
  | 'listed'
  /** blocked, allowed: by an override of the user or the app. */
  | 'override'
  /** allowed: by the source. */
  | 'source-allows'
  /** clear: no list has its four bytes. */
  | 'not-listed'
  /** clear: a list has its four bytes, but the source says that they belong to another entry. */
  | 'disproved'
  /** unconfirmed: the source cannot be reached, or asked for a pause. `screen` waits for it. */
  | 'offline'
  /** unconfirmed: no answer within `deadlineMs`. */
  | 'deadline'
  /** unconfirmed: the budget of prefixes per minute is used up. */
  | 'budget'
  /** unconfirmed: `test()` never asks the source, or the source cannot confirm hits. */
  | 'not-asked'
  /** unconfirmed: the source rejected the request, or its answer was malformed. */
  | 'bad-answer'
  /** unconfirmed: the source says that it is not listed, but offered an older, another or a shrunken list within the last hour. */
  | 'older-answer'
  /** unconfirmed: a link in its path, query or fragment is blocked, and its site may open that link. */
  | 'carried'
  /** unknown: the store is being read, or the first list is being fetched. */
  | 'loading'
  /** unknown: there is no list yet. */
  | 'no-list'
  /** unknown: the list is too old for a miss to mean `clear`. */
  | 'list-stale'
  /** unknown: the list's algorithm is unknown here. */
  | 'algorithm-unknown'
  /** unknown: the list lacks known entries, so its algorithm is not the one it names. */
  | 'algorithm-mismatch'
  /** unknown: the input is neither a link nor another asset. */
  | 'unreadable'
  /** unknown: this engine computes wrong hashes. */
  | 'self-test-failed'
  /** not-listable: a browser's own page, a script, a local file. */
  | 'internal-scheme'
  /** not-listable: the host is not public, such as `localhost`. */
  | 'not-a-host'
  /** not-listable: an address of a private network. */
  | 'private-address'
  /** not-listable: it looks like a private key or a recovery phrase. The verdict contains nothing of it. */
  | 'secret';

/** What the publisher of a list wants to be shown with each warning about its entries. */
export interface Advisory {
  /** A notice that the list may be wrong. */
  readonly text: string;
  /** Where users can read more: an address with `https:`. */
  readonly link: string;
  /** Whose list it is, as the text of the link. */
  readonly attribution: string;
}

/** What is known about an input, and what to do about it. */
export interface Verdict {
  readonly status: VerdictStatus;
  readonly action: VerdictAction;
  readonly reason: VerdictReason;
  /** The source that decided. */
  readonly source?: string | undefined;
  /** What the input, or the link that it carries, was read as. Only if an expression is listed or overridden, and its asset is clear. */
  readonly asset?: Asset | undefined;
  /** The expression that is listed or overridden. */
  readonly expression?: string | undefined;
  /** What the expression is listed for, if the source says so: `['MALWARE']`. */
  readonly threats?: readonly string[] | undefined;
  /** Show this with the warning, and with no warning about another list. Only if it is `blocked` or `unconfirmed` by a list that asks for it. */
  readonly advisory?: Advisory | undefined;
  /** Age of the deciding list in milliseconds; of the oldest list if several had to agree. */
  readonly ageMs?: number | undefined;
  /** The generation of the deciding list. */
  readonly generation?: number | undefined;
}

/** The action for verdicts that lists do not decide. */
export interface Policy {
  /** By chance a clean link hits one of 100,000 entries 1 time in 8,600, one of a million 1 time in 860. @default 'warn' */
  readonly unconfirmed?: VerdictAction | undefined;
  /** Nothing is known: no list, a list that is too old, an input that cannot be read. @default 'allow' */
  readonly unknown?: VerdictAction | undefined;
  /** For `unknown` with the reason `loading`: until the stored list is read, or the first list has been fetched. @default 'warn' */
  readonly loading?: VerdictAction | undefined;
  /**
   * For `unconfirmed` with the reason `carried`: the link has a blocked link inside, as that of a redirector has, but also that of a page
   * about it. With `allow`, links inside links are not looked up, except those of known redirectors. @default 'warn'
   */
  readonly carried?: VerdictAction | undefined;
}

export const policy = (): Kind<Policy> => {
  const action = optional(oneOf<VerdictAction>('allow', 'warn', 'block'));
  return nested<Policy>({ unconfirmed: action, unknown: action, loading: action, carried: action });
};

export function wholePolicy({
  unconfirmed = 'warn',
  unknown = 'allow',
  loading = 'warn',
  carried = 'warn',
}: Policy): Required<Policy> {
  return { unconfirmed, unknown, loading, carried };
}

export function actionOf(status: VerdictStatus, reason: VerdictReason, policy: Policy): VerdictAction {
  if (status === 'blocked') return 'block';
  if (status !== 'unconfirmed' && status !== 'unknown') return 'allow';
  return wholePolicy(policy)[reason === 'carried' || reason === 'loading' ? reason : status]!;
}

/** What one source's list says about an input. */
export interface SourceFinding {
  readonly status: VerdictStatus;
  readonly reason: VerdictReason;
  readonly source?: string;
  readonly expression?: string | undefined;
  /** The link inside the input that the expression is one of. */
  readonly carried?: string | undefined;
  readonly ageMs?: number | undefined;
  readonly generation?: number | undefined;
}

/** A missing answer never becomes `clear`, and one source cannot allow what another blocks. */
const order: readonly VerdictStatus[] = ['blocked', 'unconfirmed', 'allowed', 'unknown', 'clear'];

/** Combines the findings of several sources. */
export function merge(findings: readonly SourceFinding[]): SourceFinding {
  return firstBy(order, findings);
}

/**
 * Of equal ones the first counts; of clear ones the one with the oldest list. If any of them was asked about, the result says so, because
 * `not-listed` means that nothing left the device.
 */
function firstBy(statuses: readonly VerdictStatus[], findings: readonly SourceFinding[]): SourceFinding {
  let first = findings[0]!;
  let asked: SourceFinding | null = null;
  for (const finding of findings) {
    const before = statuses.indexOf(finding.status) - statuses.indexOf(first.status);
    const isOlder = first.status === 'clear' && (finding.ageMs ?? 0) > (first.ageMs ?? 0);
    // The policy warns about what is loading, and may allow what else is unknown.
    const isLoading = finding.reason === 'loading' && first.reason !== 'loading';
    if (before < 0 || (before === 0 && (isOlder || isLoading))) first = finding;
    if (finding.reason === 'disproved') asked ??= finding;
  }
  return asked !== null && first.status === 'clear' ? { ...asked, ageMs: first.ageMs } : first;
}

/** Worst first. A permission for one target of an input says nothing about the others, and neither does what no list can hold. */
const severity: readonly VerdictStatus[] = ['blocked', 'unconfirmed', 'unknown', 'clear', 'allowed', 'not-listable'];

/** The finding that counts for an input with several targets. */
export function worst(findings: readonly SourceFinding[]): SourceFinding {
  return firstBy(severity, findings);
}

/** What a list says about the input's expression at this place. */
export interface Mark {
  readonly at: number;
  readonly status: VerdictStatus;
  readonly reason: VerdictReason;
}

/**
 * The deciding mark of one source, whose marks are ordered from most to least specific. An allowed expression overrules blocks that are
 * less specific or equal, so `wordpress.com` does not clear `evil.wordpress.com`.
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
