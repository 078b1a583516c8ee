import type { Family } from '../../core/assets/asset.js';
import {
  type Abortable,
  abortedBy,
  isBytes,
  refuse,
  requireBytes,
  requireString,
  type SignalLike,
  throwIfAborted,
} from '../../core/errors.js';
import { type Kind, nested, optional, text, whole } from '../../core/options/read-options.js';
import { runInSlices, type Sliced } from '../../core/slices.js';
import {
  type EntrySink,
  type ListColumns,
  type ListEntry,
  type ListFormat,
  type ListReader,
  maxLineLength,
} from './list-entry.js';
import { type FormatReader, readerIn } from './list-format.js';
import { PartDecoder } from './part-decoder.js';

type Parts = string | Uint8Array | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** A list in one of the text formats. */
export interface ListText {
  readonly format: ListFormat;
  /** For `csv`: which columns hold what. @default by their names */
  readonly columns?: ListColumns | undefined;
  /** The whole text, or its parts cut anywhere: a stream of a file or a response. */
  readonly data: Parts;
  /** The name in reports, if there are several lists. */
  readonly name?: string | undefined;
}

/** One asset as an object. */
export interface ListedAsset {
  readonly content: string;
  /** @default inferred from the content */
  readonly type?: string | undefined;
}

type Item = string | ListedAsset | ListText;

/** Text (read as lines), a text in a format, or a sequence of assets and texts. */
export type ListInput = string | Uint8Array | ListText | Iterable<Item> | AsyncIterable<Item>;

export interface ReadListOptions {
  readonly formats: readonly FormatReader[];
  /** By which `auto` recognizes lines that are not links. @default none */
  readonly families?: readonly Family[] | undefined;
  readonly signal?: Abortable | undefined;
  /** Called before each pause for other work. */
  readonly onPause?: (() => void) | undefined;
  /** Called at the end of each text, with the format that was given or recognized. */
  readonly onText?: ((text: { format: ListFormat; source: string | undefined }) => Promise<void> | void) | undefined;
}

/** Reads any input in slices of a few milliseconds. Closes iterators however it ends. */
export async function readList(
  input: ListInput,
  sink: (entry: ListEntry, source: string | undefined) => void,
  options: ReadListOptions,
): Promise<void> {
  const pace = new ReadingPace(options);
  const readText = async (list: ListText): Promise<void> => {
    const format = await readListText(list, (entry) => sink(entry, list.name), pace);
    await options.onText?.({ format, source: list.name });
  };
  if (typeof input === 'string' || isBytes(input)) return readText({ format: 'lines', data: input });
  if (isListText(input)) return readText(input);
  let index = 0;
  await forEach(input, pace, (item) => {
    if (isListText(item)) return readText(item);
    const { content, type } = typeof item === 'string' ? { content: item, type: undefined } : requireAsset(item);
    sink({ line: index++, text: content, ...(type !== undefined && { type }) }, undefined);
    return pace.spend(content.length + itemCost);
  });
}

async function readListText(list: ListText, sink: EntrySink, pace: ReadingPace): Promise<ListFormat> {
  const reader = new TextReader(list, sink, pace);
  const { data } = list;
  if (typeof data === 'string' || isBytes(data)) await reader.take(data);
  else await forEach(data, pace, (part) => reader.take(part));
  return reader.end();
}

/** A reader for a text that its caller passes on in parts. */
export function textReader(list: Pick<ListText, 'format' | 'columns'>, sink: EntrySink, options: ReadListOptions): TextReader {
  return new TextReader(list, sink, new ReadingPace(options));
}

/** The limit of common file systems. */
const maxNameLength = 255;

/** These endings are no top-level domains. As a list, the name would be one host, and every other link would be clear. */
const fileName = /^[^\s\\/]{1,255}\.(?:txt|csv|tsv|jsonl?|ndjson|ya?ml|hosts|list|gz)$/i;

/** Reads a text that arrives in parts, in slices. */
class TextReader {
  private readonly reader: ListReader;
  private readonly format: ListFormat;
  private readonly pace: ReadingPace;
  private readonly decoder = new PartDecoder();
  private start = '';

  constructor({ format, columns }: Pick<ListText, 'format' | 'columns'>, sink: EntrySink, pace: ReadingPace) {
    this.format = format;
    const { formats, families = [] } = pace.options;
    if (columns !== undefined) listColumns(columns, 'columns', { format });
    this.reader = readerIn(formats, format).read(sink, columns, { formats, families });
    this.pace = pace;
  }

  async take(part: string | Uint8Array): Promise<void> {
    if (typeof part !== 'string') requireBytes(part, 'a part of the list');
    for (let at = 0; at < part.length; at += pieceLength) {
      const piece = typeof part === 'string' ? part.slice(at, at + pieceLength) : part.subarray(at, at + pieceLength);
      this.write(this.decoder.decode(piece));
      await this.pace.spend(piece.length);
    }
  }

  end(): ListFormat {
    this.write(this.decoder.end());
    if (fileName.test(this.start.trim())) refuse('the text is the name of a file; pass what the file contains');
    this.reader.end();
    return this.reader.format ?? this.format;
  }

  private write(text: string): void {
    if (this.start.length <= maxNameLength) this.start += text.slice(0, maxNameLength + 1);
    this.reader.write(text);
  }
}

/** Of the option `columns`, beside which the format is given. */
export const listColumns: Kind<ListColumns> = (value, path, given) => {
  if (given?.['format'] !== 'csv') refuse(`${path} must be left out unless format is 'csv'`);
  const column: Kind<string | number> = (one, at) =>
    typeof one === 'number' ? whole(1, maxLineLength)(one, at) : text('a name or a number from 1')(one, at);
  return nested({ content: column, type: optional(column), status: optional(column) })(value, path);
};

/** Characters or bytes read between two pauses: about 350 lines, 2 ms; ten times that until the engine has compiled the hashing. */
const pieceLength: number = 8 * 1024;

/** Added to an asset's length. */
const itemCost = 16;

/** Pauses after each `pieceLength` characters, however small the parts are. */
class ReadingPace {
  readonly options: ReadListOptions;
  private spent = 0;

  constructor(options: ReadListOptions) {
    this.options = options;
  }

  check(): void {
    throwIfAborted(this.options.signal);
  }

  /** Waits for the next item until the signal aborts. A signal without listeners cannot end the wait. */
  async wait<T>(next: PromiseLike<T>, onEnd: () => void): Promise<T> {
    const signal = this.options.signal as SignalLike | undefined;
    if (typeof signal?.addEventListener !== 'function') return next;
    let abort = (): void => {};
    const ended = new Promise<never>((_, reject) => {
      abort = () => {
        reject(abortedBy(signal));
        // Not awaited: a generator closes only after its own pending wait.
        onEnd();
      };
    });
    signal.addEventListener('abort', abort);
    try {
      return await Promise.race([next, ended]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  spend(length: number): Promise<void> | undefined {
    this.spent += length;
    if (this.spent < pieceLength) return undefined;
    this.spent = 0;
    this.options.onPause?.();
    return runInSlices(onePause(), this.options.signal);
  }
}

function* onePause(): Sliced<void> {
  yield;
}

/** `for await` without its syntax, which old engines cannot compile, and without waiting for synchronous items. */
async function forEach<T>(
  items: Iterable<T> | AsyncIterable<T>,
  pace: ReadingPace,
  each: (item: T) => Promise<void> | undefined,
): Promise<void> {
  const iterator = iteratorOf(items);
  let isOpen = true;
  try {
    for (;;) {
      pace.check();
      isOpen = false;
      const next = iterator.next();
      const step = isPromise(next) ? await pace.wait(next, () => close(iterator)) : next;
      if (step.done) return;
      isOpen = true;
      const work = each(step.value);
      if (work !== undefined) await work;
    }
  } finally {
    // An error here would hide the reason for closing.
    if (isOpen) await close(iterator);
  }
}

async function close(iterator: Iterator<unknown> | AsyncIterator<unknown>): Promise<void> {
  try {
    await iterator.return?.();
  } catch {}
}

function iteratorOf<T>(items: Iterable<T> | AsyncIterable<T>): Iterator<T> | AsyncIterator<T> {
  const { [Symbol.asyncIterator]: later, [Symbol.iterator]: now } = (items ?? {}) as AsyncIterable<T> & Iterable<T>;
  if (typeof later === 'function') return later.call(items);
  if (typeof now === 'function') return now.call(items);
  throw new TypeError('a list must be a string, bytes, { format, data } or an iterable');
}

function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as { then?: unknown } | null)?.then === 'function';
}

function isListText(value: unknown): value is ListText {
  return typeof value === 'object' && value !== null && 'format' in value && 'data' in value;
}

function requireAsset(item: ListedAsset): ListedAsset {
  if (typeof item !== 'object' || item === null) throw new TypeError('an asset must be a string or { content, type }');
  requireString(item.content, 'content');
  if (item.type !== undefined) requireString(item.type, 'type');
  return item;
}
