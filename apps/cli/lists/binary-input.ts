import { isBinary } from '../../../src/core/binary.js';
import { UsageError } from '../errors/usage.js';

/** @throws UsageError for a file that is not a text */
function requireText(start: Uint8Array, name: string): void {
  const [first, second] = start;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    throw new UsageError(`${name} is UTF-16`, 'save it as UTF-8', { code: 'BINARY_INPUT' });
  if (!isBinary(start)) return;
  const next = 'pass a text file in UTF-8; decompress or convert it first';
  throw new UsageError(`${name} is not a text: it is binary, or not UTF-8`, next, { code: 'BINARY_INPUT' });
}

/** Passes pieces on if the first of them is text, or begins as something else that the caller reads. */
export async function* textPieces(
  pieces: AsyncIterable<Uint8Array>,
  name: string,
  isRead: (start: Uint8Array) => boolean = () => false,
): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const piece of pieces) {
    if (isFirst && !isRead(piece)) requireText(piece, name);
    isFirst = false;
    yield piece;
  }
}
