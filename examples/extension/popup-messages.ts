import type { Advisory, GuardStatus } from 'portcullis/extension';

/** What the popup asks the worker. */
export type PopupQuestion = { readonly ask: 'status' } | { readonly ask: 'check'; readonly text: string };

export interface StatusAnswer extends GuardStatus {
  /** `null` until there is a list. */
  readonly list: { readonly ageMs: number; readonly count: number; readonly isStale: boolean } | null;
  /** The code of the last failure to fetch it. */
  readonly error: string | null;
}

export interface CheckAnswer {
  readonly status: string;
  readonly advisory?: Advisory | undefined;
}
