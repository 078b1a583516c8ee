import { UsageError } from '../errors/usage.js';

/** Enough to know what a file is. */
const sampleBytes = 65_536;

/** More than in a text with a few damaged lines, or in one of Western Europe in an old encoding, whose lines are reported one by one. */
const maxBadShare = 0.1;
const maxBadBytes = 8;

/** What no list of lines contains at its start. `null` for a text. */
function binaryKind(start: Uint8Array): 'UTF-16' | 'binary' | null {
  const [first, second] = start;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return 'UTF-16';
  const sample = start.subarray(0, sampleBytes);
  let bad = 0;
  for (let at = 0; at < sample.length; ) {
    const length = characterBytes(sample, at);
    // The sample may end inside a character.
    if (length === 0 && sample.length - at < 4) break;
    if (length === 0 || sample[at] === 0) bad++;
    at += Math.max(1, length);
  }
  return bad >= maxBadBytes && bad > sample.length * maxBadShare ? 'binary' : null;
}

/** The length of the character at a place; 0 if it is not UTF-8. Overlong characters are rare enough to count as characters. */
function characterBytes(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!;
  const length = lead < 0x80 ? 1 : lead < 0xc2 || lead > 0xf4 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  for (let more = 1; more < length; more++) if ((bytes[at + more]! & 0xc0) !== 0x80) return 0;
  return length;
}

/** @throws UsageError for a file that is not a text */
function requireText(start: Uint8Array, name: string): void {
  const kind = binaryKind(start);
  if (kind === 'UTF-16') throw new UsageError(`${name} is UTF-16`, 'save it as UTF-8', { code: 'BINARY_INPUT' });
  if (kind === null) return;
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
