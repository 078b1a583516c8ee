/** The work of another process in the folder of a store. Each printed line acknowledges a step. */
export type Task =
  | { readonly kind: 'race'; readonly commits: number }
  | { readonly kind: 'lock'; readonly log: string; readonly rounds: number }
  /** Holds the lock until it reads a line. */
  | { readonly kind: 'hold' }
  /** Reports the error of each call, as another user. */
  | { readonly kind: 'permissions'; readonly userId: number };

export const lockStaleMs = 500;
