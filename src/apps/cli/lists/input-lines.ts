import { isUtf8 } from 'node:buffer';
import { UsageError } from '../errors/usage.js';

/** Longer lines are no asset, and have to fit in memory; the library reads links of any length up to this. */
export const lineBytesMax = 1_048_576;

export type LineProblem = 'too-long' | 'not-utf8';

export interface Line {
  /** From 1. */
  readonly number: number;
  /** `null`: it is longer than `lineBytesMax`, or no UTF-8. */
  readonly text: string | null;
  /** Why there is no text. */
  readonly problem?: LineProblem;
}

/** Lines of bytes that may never end; no more of them is kept than one line and one piece. */
export async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  for await (const lines of lineBatchesOf(pieces)) yield* lines;
}

/** The same, all that end in a piece at once: a promise for each line takes longer than looking it up. */
export async function* lineBatchesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Line[]> {
  const reader = new LineReader();
  for await (const piece of pieces) {
    const lines = reader.take(piece);
    if (lines.length > 0) yield lines;
  }
  const rest = reader.end();
  if (rest.length > 0) yield rest;
}

class LineReader {
  private number = 0;
  /** The line that has not ended. */
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
    if (this.heldBytes > lineBytesMax) this.held = [];
    else if (bytes.length > 0) this.held.push(bytes);
  }

  private finish(): Line[] {
    const bytes = this.heldBytes > lineBytesMax ? null : Buffer.concat(this.held);
    this.held = [];
    this.heldBytes = 0;
    return [this.lineOf(bytes)];
  }

  /** Lines that begin and end in one piece. Nearly always all of it is UTF-8, and is read at once. */
  private addWhole(lines: Line[], bytes: Uint8Array): void {
    const isShort = bytes.length <= lineBytesMax;
    if (isShort && isUtf8(bytes)) {
      for (const text of textOf(bytes).split('\n')) lines.push({ number: ++this.number, text: withoutReturn(text) });
      return;
    }
    for (let from = 0; from <= bytes.length; ) {
      const found = bytes.indexOf(lineFeed, from);
      const end = found < 0 ? bytes.length : found;
      lines.push(this.lineOf(end - from > lineBytesMax ? null : bytes.subarray(from, end)));
      from = end + 1;
    }
  }

  private lineOf(bytes: Uint8Array | null): Line {
    const number = ++this.number;
    if (bytes === null) return { number, text: null, problem: 'too-long' };
    if (!isUtf8(bytes)) return { number, text: null, problem: 'not-utf8' };
    const text = withoutReturn(textOf(bytes));
    // Editors of one system begin files with a byte order mark.
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

/** All of it, where it has to be one text. */
export async function wholeOf(pieces: AsyncIterable<Uint8Array>, bytesMax: number, what: string): Promise<Uint8Array> {
  const held: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > bytesMax) throw new UsageError(`${what} is larger than ${bytesMax} bytes`);
    held.push(piece);
  }
  return Buffer.concat(held);
}
