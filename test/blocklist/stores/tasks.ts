/** The work of another process in the folder of a store. Each printed line acknowledges a step. */
export type Task =
  /** Saves a list whose bytes are all `fill`, and dies at a call of the file system: before it, or when half of it is done. */
  | { readonly kind: 'save'; readonly fill: number; readonly dieAt: number; readonly half: boolean }
  /** Saves lists forever; the n-th is filled with n. */
  | { readonly kind: 'save-on' }
  | { readonly kind: 'race'; readonly commits: number }
  | { readonly kind: 'lock'; readonly log: string; readonly rounds: number }
  /** Holds the lock until it reads a line. */
  | { readonly kind: 'hold' }
  /** Reports the error of each call, as another user. */
  | { readonly kind: 'permissions'; readonly userId: number };

export const lockStaleMs = 500;

export const sizes = { base: 60_000, recent: 200 } as const;
