/** The work of another process with a blocklist over a folder. Each printed line acknowledges a step. */
export type Task =
  /** Runs rounds forever. */
  | { readonly kind: 'rounds'; readonly url: string; readonly key: string }
  /** A number of rounds over its own list, which has the shared snapshot and its own recents. */
  | { readonly kind: 'recents'; readonly id: number; readonly rounds: number };

/** The entry of the snapshot that all processes share, and the recents that each of them learns. */
export const shared = 'shared.example';
export const recentOf = (id: number, round: number): string => `recent-${id}-${round}.example`;

export const fast = { lockStaleMs: 500, watchPollMs: 20 } as const;
