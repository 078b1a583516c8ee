import { type ListText, PortcullisError } from 'portcullis/publish';
import { boundedBytes } from '../shared/bounded-bytes.js';
import { formatOfName, isGzipName } from '../shared/list-name.js';

/** What a page reads at most. Building takes about 75 bytes of memory for each entry, and its folder 40 bytes; a tab has a gigabyte or more. */
export interface InputLimits {
  readonly maxBytes: number;
  readonly maxLines: number;
}

/** Five million hosts, and 50 characters for each. */
export const inputLimits: InputLimits = { maxBytes: 256_000_000, maxLines: 5_000_000 };

export interface ListFileInput {
  readonly file: Blob;
  readonly name: string;
  /** `undefined` if the name decides or the text is recognized. */
  readonly format: ListText['format'] | undefined;
  readonly limits?: InputLimits;
  /** Called with the bytes of the file that have been read. */
  readonly onBytes?: (bytes: number) => void;
}

/**
 * The text of a file, decompressed if it ends in `.gz`, as the command line reads it.
 *
 * @throws PortcullisError `LIMIT_EXCEEDED` for a large file at once, and otherwise as soon as a limit is passed
 */
export function listTextOf({ file, name, format, limits = inputLimits, onBytes = () => {} }: ListFileInput): ListText {
  const { maxBytes } = limits;
  if (file.size > maxBytes) throw tooMuch(`the file has ${file.size} bytes, and this page reads ${maxBytes}`);
  const read = counted(file.stream(), onBytes);
  const text = isGzipName(name) ? decompressed(read) : piecesOf(read.getReader());
  const pieces = boundedBytes(text, maxBytes, () =>
    tooMuch(`the file has more than ${maxBytes} bytes when it is decompressed, which is what this page reads`),
  );
  return { format: format ?? formatOfName(name), data: boundedLines(pieces, limits) };
}

function counted(stream: ReadableStream<Uint8Array<ArrayBuffer>>, onBytes: (bytes: number) => void) {
  let bytes = 0;
  return stream.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(piece, controller) {
        bytes += piece.length;
        onBytes(bytes);
        controller.enqueue(piece);
      },
    }),
  );
}

/** The pieces of a stream. Not every browser can iterate over one. */
async function* piecesOf<Piece>(reader: ReadableStreamDefaultReader<Piece>): AsyncGenerator<Piece> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

async function* decompressed(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<Uint8Array> {
  try {
    yield* piecesOf(stream.pipeThrough(new DecompressionStream('gzip')).getReader());
  } catch (cause) {
    const message = 'the file ends in .gz, but is damaged or not compressed with gzip; compress it again, or rename it';
    throw new PortcullisError('INVALID_INPUT', message, { cause });
  }
}

const lineFeed = 10;

/** Counts line ends before the library sees them, because it makes an entry of each line. */
async function* boundedLines(pieces: AsyncIterable<Uint8Array>, { maxLines }: InputLimits): AsyncGenerator<Uint8Array> {
  let lines = 0;
  for await (const piece of pieces) {
    for (let at = piece.indexOf(lineFeed); at >= 0; at = piece.indexOf(lineFeed, at + 1)) lines++;
    if (lines > maxLines) throw tooMuch(`the file has more than ${maxLines} lines, which is what this page reads`);
    yield piece;
  }
}

function tooMuch(what: string): PortcullisError {
  return new PortcullisError('LIMIT_EXCEEDED', `${what}; publish it with: portcullis publish`);
}
