/** One thing a list names, as it is written there. */
export interface ListEntry {
  /** Of the line, from 1 on; in JSON of the item in its array, and of an asset handed in, from 0 on. */
  readonly line: number;
  readonly text: string;
  /** One of `ASSET_TYPES` in any case; without it the text says what it is. */
  readonly type?: string | undefined;
  /** Why the reader of the format would not have it listed, whatever it says. */
  readonly problem?: EntryProblem | undefined;
}

/**
 * `allow-entry` and `fuzzy-entry`: lists of eth-phishing-detect that are no blocks; `broken-quote`: a row of CSV with something behind
 * a closing quote; `columns`: a row of CSV with more or fewer cells than the first; `not-blocked`: a row whose status is not BLOCKED, or a line of a hosts file that leads to a real address;
 * `too-long`: past `lineLengthMax`.
 */
export type EntryProblem = 'allow-entry' | 'broken-quote' | 'columns' | 'fuzzy-entry' | 'not-blocked' | 'too-long';

/** How a list is written: a file of this folder each. */
export type ListFormat = 'lines' | 'csv' | 'hosts' | 'json' | 'eth-phishing-detect';

export type EntrySink = (entry: ListEntry) => void;

/** Takes a text in parts, cut anywhere, and hands on its entries as soon as they are whole. */
export interface ListReader {
  write(text: string): void;
  /** Nothing follows. */
  end(): void;
}

/** Characters of one line, one row or one string: twice the longest link that keeps its path and its query. */
export const lineLengthMax: number = 64 * 1024;
