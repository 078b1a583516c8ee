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

/** A list as somebody wrote it. */
export interface ListText {
  readonly format: ListFormat;
  /** Whole, or in parts cut anywhere: a stream of a file or of an answer. */
  readonly data: Parts;
  /** What a report calls it, where there are several. */
  readonly name?: string | undefined;
}

/** One asset as a database gives it. */
export interface ListedAsset {
  readonly content: string;
  /** @default what the content says it is */
  readonly type?: string | undefined;
}

type Item = string | ListedAsset | ListText;

/** Text (read as lines), a text in a format, or assets and texts one after another. */
export type ListInput = string | Uint8Array | ListText | Iterable<Item> | AsyncIterable<Item>;

export interface ReadListOptions {
  readonly signal?: Abortable | undefined;
  /** Called whenever other work gets its turn. */
  readonly onPause?: (() => void) | undefined;
}

/** Reads whatever it is, in slices of a few milliseconds, and closes what it reads from however it ends. */
export async function readList(
  input: ListInput,
  sink: (entry: ListEntry, source: string | undefined) => void,
  options: ReadListOptions = {},
): Promise<void> {
  const pace = new Pace(options);
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

async function readListText({ format, data }: ListText, sink: EntrySink, pace: Pace): Promise<void> {
  const reader = readerOf(format)(sink);
  const decoder = new PartDecoder();
  const take = async (part: string | Uint8Array): Promise<void> => {
    if (typeof part !== 'string') requireBytes(part, 'a part of a list');
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
  refuse(`no list has the format ${format}; known are ${[...readers.keys()].join(', ')}`);
}

const readers: ReadonlyMap<ListFormat, (sink: EntrySink) => ListReader> = new Map([
  ['lines', readLines],
  ['csv', readCsv],
  ['hosts', readHosts],
  ['json', readAssetsJson],
  ['eth-phishing-detect', readPhishingJson],
]);

/** Characters or bytes read between two pauses: some 350 lines, 2 ms, and ten times that before the engine has compiled the hashing. */
const pieceLength: number = 8 * 1024;

/** What an asset counts beside its length. */
const itemCost = 16;

/** Pauses after so much has been read, in however small parts it comes. */
class Pace {
  private readonly options: ReadListOptions;
  private spent = 0;

  constructor(options: ReadListOptions) {
    this.options = options;
  }

  check(): void {
    throwIfAborted(this.options.signal);
  }

  /** Waits for what may never come, unless the signal ends it; one that only answers when it is asked cannot. */
  async wait<T>(next: PromiseLike<T>, onEnd: () => void): Promise<T> {
    const signal = this.options.signal as SignalLike | undefined;
    if (typeof signal?.addEventListener !== 'function') return next;
    let abort = (): void => {};
    const ended = new Promise<never>((_, reject) => {
      abort = () => {
        reject(abortedBy(signal));
        // Nobody waits for it: a generator closes only when what it waits for itself has come.
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

/** `for await` without its syntax, which old engines cannot compile, and without waiting where nothing has to be waited for. */
async function forEach<T>(
  items: Iterable<T> | AsyncIterable<T>,
  pace: Pace,
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
    // What goes wrong here would hide why it is closed.
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
  throw new TypeError('a list must be a text, bytes, { format, data } or an iterable');
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
