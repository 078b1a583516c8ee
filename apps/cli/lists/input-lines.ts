import { isUtf8 } from 'node:buffer';
import { boundedBytes } from '../../shared/bounded-bytes.js';
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

/** Whole lines of a stream. */
export interface Block {
  /** The number of the first line. */
  readonly first: number;
  readonly lines: number;
  /** Without the line feed of the last line; `null` for a line that is too long. */
  readonly bytes: Uint8Array | null;
}

/** Bounds the answers to a block in memory, because a mebibyte may be a million empty lines. */
const maxBlockLines = 32_768;

/** Splits a byte stream, which may be endless, into lines; holds at most one line and one chunk. */
export async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  for await (const block of blocksOf(pieces)) {
    const lines: Line[] = [];
    eachLine(block, (line) => lines.push(line));
    yield* lines;
  }
}

/** The same without an object and a promise for each line, which take longer than a lookup. A block is yielded once its piece is read. */
export async function* blocksOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Block> {
  const splitter = new BlockSplitter();
  for await (const piece of pieces) yield* splitter.take(piece);
  yield* splitter.end();
}

/** Reads the lines of a block. It is decoded at once if all of it is UTF-8, as it nearly always is. */
export function eachLine({ first, bytes }: Block, take: (line: Line) => void): void {
  let number = first;
  if (bytes === null) {
    take({ number, text: null, problem: 'too-long' });
    return;
  }
  if (isUtf8(bytes)) {
    const all = decodedText(bytes);
    for (let from = 0; from <= all.length; ) {
      const end = endOfLine(all.indexOf('\n', from), all);
      take({ number, text: lineText(all.slice(from, end), number) });
      number++;
      from = end + 1;
    }
    return;
  }
  for (let from = 0; from <= bytes.length; ) {
    const end = endOfLine(bytes.indexOf(lineFeed, from), bytes);
    const own = bytes.subarray(from, end);
    take(isUtf8(own) ? { number, text: lineText(decodedText(own), number) } : { number, text: null, problem: 'not-utf8' });
    number++;
    from = end + 1;
  }
}

function endOfLine(found: number, { length }: { readonly length: number }): number {
  return found < 0 ? length : found;
}

function lineText(line: string, number: number): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  // Windows editors begin files with a byte order mark.
  return number === 1 ? text.replace(/^\uFEFF/, '') : text;
}

class BlockSplitter {
  private next = 1;
  /** The unfinished line. */
  private held: Uint8Array[] = [];
  private heldBytes = 0;

  take(piece: Uint8Array): Block[] {
    const blocks: Block[] = [];
    const last = piece.lastIndexOf(lineFeed);
    let from = 0;
    if (last >= 0) {
      if (this.heldBytes > maxLineBytes) {
        this.add(blocks, null, 1);
        from = piece.indexOf(lineFeed) + 1;
      }
      if (from <= last) this.cut(blocks, this.joined(piece.subarray(from, last)));
      this.held = [];
      this.heldBytes = 0;
      from = last + 1;
    }
    this.hold(piece.subarray(from));
    return blocks;
  }

  end(): Block[] {
    const blocks: Block[] = [];
    if (this.heldBytes > maxLineBytes) this.add(blocks, null, 1);
    else if (this.heldBytes > 0) this.add(blocks, Buffer.concat(this.held), 1);
    return blocks;
  }

  private hold(bytes: Uint8Array): void {
    this.heldBytes += bytes.length;
    if (this.heldBytes > maxLineBytes) this.held = [];
    else if (bytes.length > 0) this.held.push(bytes);
  }

  private joined(bytes: Uint8Array): Uint8Array {
    return this.held.length === 0 ? bytes : Buffer.concat([...this.held, bytes]);
  }

  /** Lines that are too long get a block of their own. */
  private cut(blocks: Block[], bytes: Uint8Array): void {
    let start = 0;
    let lines = 0;
    for (let from = 0; from <= bytes.length; ) {
      const end = endOfLine(bytes.indexOf(lineFeed, from), bytes);
      const isTooLong = end - from > maxLineBytes;
      if (lines > 0 && (isTooLong || lines === maxBlockLines)) {
        this.add(blocks, bytes.subarray(start, from - 1), lines);
        start = from;
        lines = 0;
      }
      if (isTooLong) {
        this.add(blocks, null, 1);
        start = end + 1;
      } else lines++;
      from = end + 1;
    }
    if (lines > 0) this.add(blocks, bytes.subarray(start), lines);
  }

  private add(blocks: Block[], bytes: Uint8Array | null, lines: number): void {
    blocks.push({ first: this.next, lines, bytes });
    this.next += lines;
  }
}

const lineFeed = 10;

function decodedText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
}

/** Passes pieces on, and fails once there are more than `maxBytes`. */
export function bounded(pieces: AsyncIterable<Uint8Array>, maxBytes: number, what: string, next?: string) {
  return boundedBytes(pieces, maxBytes, () => new UsageError(`${what} is larger than ${maxBytes} bytes`, next));
}

export async function wholeOf(pieces: AsyncIterable<Uint8Array>, maxBytes: number, what: string): Promise<Uint8Array> {
  const held: Uint8Array[] = [];
  for await (const piece of bounded(pieces, maxBytes, what)) held.push(piece);
  return Buffer.concat(held);
}

export async function wholeTextOf(pieces: AsyncIterable<Uint8Array>, maxBytes: number, what: string): Promise<string> {
  const bytes = await wholeOf(pieces, maxBytes, what);
  if (!isUtf8(bytes)) throw new UsageError(`${what} is not UTF-8`);
  return new TextDecoder().decode(bytes);
}
