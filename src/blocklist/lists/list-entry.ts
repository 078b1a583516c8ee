/** An entry of a list, as written there. */
export interface ListEntry {
  /** Line number from 1; in JSON, and for assets passed as objects, the index from 0. */
  readonly line: number;
  /** The name of the array in a JSON document that `line` counts in; with `unread-list`, of the list that is not read. */
  readonly list?: string | undefined;
  readonly text: string;
  /** One of `ASSET_TYPES` in any case; if absent, it is inferred from the text. */
  readonly type?: string | undefined;
  /** The reason if the format excludes the entry whatever its text. */
  readonly problem?: EntryProblem | undefined;
  /** It is a statement of the format that names no site, such as a cosmetic rule; it is counted and nothing else. */
  readonly isIgnored?: true | undefined;
}

/**
 * `allow-entry` and `fuzzy-entry`: entries that do not block: exceptions, and similar names in eth-phishing-detect; `broken-quote`: a CSV
 * row with text after a closing quote; `columns`: a CSV row with more or fewer cells than the first row; `malformed`: not valid in its
 * format, or in a part of it that is not read; `not-blocked`: a row whose status is not BLOCKED, or a name with a real address; `option`: a
 * filter rule that blocks less than the whole host; `pattern`: a rule for something that is neither a host nor a page; `too-long`: longer
 * than `maxLineLength`, or more names than `maxLineNames`; `unread-list`: all of a list inside a document whose name does not say that its entries are bad; `withdrawn`: a rule that takes back another one.
 */
export type EntryProblem =
  | ('allow-entry' | 'broken-quote' | 'columns' | 'fuzzy-entry' | 'malformed' | 'not-blocked' | 'option' | 'pattern')
  | ('too-long' | 'unread-list' | 'withdrawn');

/** The format of a list; each has its own reader in this folder. `auto` recognizes the others by the beginning of the text. */
export type ListFormat =
  | ('auto' | 'lines' | 'csv' | 'hosts' | 'json' | 'eth-phishing-detect')
  | ('filter' | 'yaml' | 'dnsmasq' | 'unbound' | 'rpz');

/** Which columns of a CSV hold what, by name or by number from 1. */
export interface ListColumns {
  readonly content: string | number;
  readonly type?: string | number | undefined;
  readonly status?: string | number | undefined;
}

export type EntrySink = (entry: ListEntry) => void;

/** Reads a text in parts, cut anywhere, and passes on each complete entry. */
export interface ListReader {
  /** What `auto`, or a format with variants, has recognized; set before the end. */
  readonly format?: ListFormat | undefined;
  write(text: string): void;
  /** Ends the text. */
  end(): void;
}

/** Characters of one line, row or string: twice the longest link that keeps its path and query. */
export const maxLineLength: number = 64 * 1024;

/** Names on one line, which is read without a pause: 256 take about 2 ms, and lists have up to 9, the limit of Windows. */
export const maxLineNames: number = 256;
