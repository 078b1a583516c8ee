import type { SourceTerms } from '../model/source.js';
import type { Advisory, VerdictStatus } from '../model/verdict.js';

/** How long the answers of a source count, in milliseconds. */
export interface AnswerTimes {
  /** Without asking again, if the source does not say. */
  readonly positiveMs: number;
  readonly negativeMs: number;
  /** How long a block counts while its source cannot be queried. */
  readonly earlierMs: number;
}

/** The times that the terms of a source leave. */
export interface TimesUnderTerms extends AnswerTimes {
  /** How long a denial counts at most. */
  readonly maxNegativeMs: number;
  /** Whether a block counts only if its age is known, which a clock that was set back hides. */
  readonly needsAge: boolean;
}

/** Terms limit what is treated as unsafe. Denials keep their time. */
export function timesUnder(terms: SourceTerms | undefined, times: AnswerTimes): TimesUnderTerms {
  const { maxConfirmedMs } = terms ?? {};
  const needsAge = maxConfirmedMs !== undefined;
  return {
    ...times,
    earlierMs: needsAge ? Math.min(times.earlierMs, maxConfirmedMs) : times.earlierMs,
    maxNegativeMs: times.earlierMs,
    needsAge,
  };
}

/** What to show with a verdict of this list: nothing where nothing is warned about. */
export function advisoryWith(advisory: Advisory | undefined, status: VerdictStatus): Advisory | undefined {
  return status === 'blocked' || status === 'unconfirmed' ? advisory : undefined;
}
