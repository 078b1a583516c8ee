import { isUtf8 } from 'node:buffer';
import { boundedBytes } from '../../playground/bounded-bytes.js';
import { UsageError } from '../errors/usage.js';

/** The library reads links of any length up to this. Longer lines would not be assets, and must fit in memory. */
const maxLineBytes = 1_048_576;

export type LineProblem = 'too-long' | 'not-utf8';

export interface Line {
  /** Counted from 1. */
  readonly number: number;
  /** `null` if the line cannot be read. */
  readonly text: string | null;
  readonly problem?: LineProblem;
}

/** Splits a byte stream, which may be endless, into lines; holds at most one line and one chunk. */
export async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  for await (const lines of lineBatchesOf(pieces)) yield* lines;
}

/** The same with all lines of a piece at once, because a promise per line takes longer than a lookup. */
export async function* lineBatchesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Line[]> {
  const splitter = new LineSplitter();
  for await (const piece of pieces) {
    const lines = splitter.take(piece);
    if (lines.length > 0) yield lines;
  }
  const rest = splitter.end();
  if (rest.length > 0) yield rest;
}

class LineSplitter {
  private number = 0;
  /** The unfinished line. */
  private held: Uint8Array[] = [];
  private heldBytes = 0;

  take(piece: Uint8Array): Line[] {
    const first = piece.indexOf(lineFeed);
    if (first < 0) {
      this.hold(piece);
      return [];
    }
    this.hold(piece.subarray(0, first));
    const lines = this.finish();
    const last = piece.lastIndexOf(lineFeed);
    if (last > first) this.addWhole(lines, piece.subarray(first + 1, last));
    this.hold(piece.subarray(last + 1));
    return lines;
  }

  end(): Line[] {
    return this.heldBytes > 0 ? this.finish() : [];
  }

  private hold(bytes: Uint8Array): void {
    this.heldBytes += bytes.length;
    if (this.heldBytes > maxLineBytes) this.held = [];
    else if (bytes.length > 0) this.held.push(bytes);
  }

  private finish(): Line[] {
    const bytes = this.heldBytes > maxLineBytes ? null : Buffer.concat(this.held);
    this.held = [];
    this.heldBytes = 0;
    return [this.lineOf(bytes)];
  }

  /** Lines that begin and end in one piece. It is decoded at once if all of it is UTF-8, as it nearly always is. */
  private addWhole(lines: Line[], bytes: Uint8Array): void {
    if (bytes.length <= maxLineBytes && isUtf8(bytes)) {
      for (const text of textOf(bytes).split('\n')) lines.push({ number: ++this.number, text: withoutReturn(text) });
      return;
    }
    for (let from = 0; from <= bytes.length; ) {
      const found = bytes.indexOf(lineFeed, from);
      const end = found < 0 ? bytes.length : found;
      lines.push(this.lineOf(end - from > maxLineBytes ? null : bytes.subarray(from, end)));
      from = end + 1;
    }
  }

  private lineOf(bytes: Uint8Array | null): Line {
    const number = ++this.number;
    if (bytes === null) return { number, text: null, problem: 'too-long' };
    if (!isUtf8(bytes)) return { number, text: null, problem: 'not-utf8' };
    const text = withoutReturn(textOf(bytes));
    // Windows editors begin files with a byte order mark.
    return { number, text: number === 1 ? text.replace(/^\uFEFF/, '') : text };
  }
}

const lineFeed = 10;

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
}

function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}

/** Passes pieces on, and fails once there are more than `maxBytes`. */
export function bounded(pieces: AsyncIterable<Uint8Array>, maxBytes: number, what: string, next?: string) {
  return boundedBytes(pieces, maxBytes, () => new UsageError(`${what} is larger than ${maxBytes} bytes`, next));
}

/** All pieces as one buffer. */
export async function wholeOf(pieces: AsyncIterable<Uint8Array>, maxBytes: number, what: string): Promise<Uint8Array> {
  const held: Uint8Array[] = [];
  for await (const piece of bounded(pieces, maxBytes, what)) held.push(piece);
  return Buffer.concat(held);
}

/** All pieces as text. */
export async function wholeTextOf(pieces: AsyncIterable<Uint8Array>, maxBytes: number, what: string): Promise<string> {
  const bytes = await wholeOf(pieces, maxBytes, what);
  if (!isUtf8(bytes)) throw new UsageError(`${what} is not UTF-8`);
  return new TextDecoder().decode(bytes);
}
