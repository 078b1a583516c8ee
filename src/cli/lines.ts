import { UsageError } from './usage.js';

/** Longer lines are no asset, and have to fit in memory; the library reads links of any length up to this. */
export const lineBytesMax = 1_048_576;

export interface Line {
  /** From 1. */
  readonly number: number;
  /** `null`: it is longer than `lineBytesMax`, or no UTF-8. */
  readonly text: string | null;
}

/** Lines of bytes that may never end; no more of them is kept than one line and one piece. */
export async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let isTooLong = false;
  let number = 0;
  const finish = (): Line => {
    const bytes = Buffer.concat(held);
    const line = { number: ++number, text: isTooLong ? null : textOf(decoder, bytes) };
    held = [];
    heldBytes = 0;
    isTooLong = false;
    return line;
  };
  const hold = (bytes: Uint8Array): void => {
    heldBytes += bytes.length;
    if (heldBytes > lineBytesMax) {
      isTooLong = true;
      held = [];
    }
    if (!isTooLong && bytes.length > 0) held.push(bytes);
  };
  for await (const piece of pieces) {
    let from = 0;
    for (let end = piece.indexOf(10); end >= 0; end = piece.indexOf(10, from)) {
      hold(piece.subarray(from, end));
      yield finish();
      from = end + 1;
    }
    hold(piece.subarray(from));
  }
  if (heldBytes > 0) yield finish();
}

function textOf(decoder: TextDecoder, bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes).replace(/\r$/, '');
  } catch {
    return null;
  }
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
