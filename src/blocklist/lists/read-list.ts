import {
  type Abortable,
  abortedBy,
  refuse,
  requireBytes,
  requireString,
  type SignalLike,
  throwIfAborted,
} from '../../core/errors.js';
import { runInSlices, type Sliced } from '../../core/slices.js';
import { readAssetsJson } from './assets-json.js';
import { readCsv } from './csv.js';
import { readHosts } from './hosts.js';
import type { EntrySink, ListEntry, ListFormat, ListReader } from './list-entry.js';
import { readLines } from './list-lines.js';
import { PartDecoder } from './part-decoder.js';
import { readPhishingJson } from './phishing-json.js';

type Parts = string | Uint8Array | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** A list in one of the text formats. */
export interface ListText {
  readonly format: ListFormat;
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
  readonly signal?: Abortable | undefined;
  /** Called before each pause for other work. */
  readonly onPause?: (() => void) | undefined;
}

/** Reads any input in slices of a few milliseconds. Closes iterators however it ends. */
export async function readList(
  input: ListInput,
  sink: (entry: ListEntry, source: string | undefined) => void,
  options: ReadListOptions = {},
): Promise<void> {
  const pace = new ReadingPace(options);
  const readText = (list: ListText): Promise<void> => readListText(list, (entry) => sink(entry, list.name), pace);
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

async function readListText({ format, data }: ListText, sink: EntrySink, pace: ReadingPace): Promise<void> {
  const reader = readerOf(format)(sink);
  const decoder = new PartDecoder();
  const take = async (part: string | Uint8Array): Promise<void> => {
    if (typeof part !== 'string') requireBytes(part, 'a part of the list');
    for (let at = 0; at < part.length; at += pieceLength) {
      const piece = typeof part === 'string' ? part.slice(at, at + pieceLength) : part.subarray(at, at + pieceLength);
      reader.write(decoder.decode(piece));
      await pace.spend(piece.length);
    }
  };
  if (typeof data === 'string' || isBytes(data)) await take(data);
  else await forEach(data, pace, take);
  reader.write(decoder.end());
  reader.end();
}

function readerOf(format: unknown): (sink: EntrySink) => ListReader {
  const reader = readers.get(format as ListFormat);
  if (reader !== undefined) return reader;
  if (typeof format !== 'string') throw new TypeError('format must be a string');
  refuse(`unknown list format ${format}; use one of ${listFormats.join(', ')}`);
}

const readers: ReadonlyMap<ListFormat, (sink: EntrySink) => ListReader> = new Map([
  ['lines', readLines],
  ['csv', readCsv],
  ['hosts', readHosts],
  ['json', readAssetsJson],
  ['eth-phishing-detect', readPhishingJson],
]);

export const listFormats: readonly ListFormat[] = [...readers.keys()];

/** Characters or bytes read between two pauses: about 350 lines, 2 ms; ten times that until the engine has compiled the hashing. */
const pieceLength: number = 8 * 1024;

/** Added to an asset's length. */
const itemCost = 16;

/** Pauses after each `pieceLength` characters, however small the parts are. */
class ReadingPace {
  private readonly options: ReadListOptions;
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

function isBytes(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === '[object Uint8Array]';
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
