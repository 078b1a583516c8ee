/** An entry of a list, as written there. */
export interface ListEntry {
  /** Line number from 1; in JSON, and for assets passed as objects, the index from 0. */
  readonly line: number;
  readonly text: string;
  /** One of `ASSET_TYPES` in any case; if absent, it is inferred from the text. */
  readonly type?: string | undefined;
  /** The reason if the format excludes the entry whatever its text. */
  readonly problem?: EntryProblem | undefined;
}

/**
 * `allow-entry` and `fuzzy-entry`: entries of eth-phishing-detect that do not block; `broken-quote`: a CSV row with text after a closing
 * quote; `columns`: a CSV row with more or fewer cells than the first row; `not-blocked`: a row whose status is not BLOCKED, or a hosts
 * line with a real address; `too-long`: longer than `maxLineLength`.
 */
export type EntryProblem = 'allow-entry' | 'broken-quote' | 'columns' | 'fuzzy-entry' | 'not-blocked' | 'too-long';

/** The format of a list; each has its own reader in this folder. */
export type ListFormat = 'lines' | 'csv' | 'hosts' | 'json' | 'eth-phishing-detect';

export type EntrySink = (entry: ListEntry) => void;

/** Reads a text in parts, cut anywhere, and passes on each complete entry. */
export interface ListReader {
  write(text: string): void;
  /** Ends the text. */
  end(): void;
}

/** Characters of one line, row or string: twice the longest link that keeps its path and query. */
export const maxLineLength: number = 64 * 1024;
