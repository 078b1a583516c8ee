import { joined } from '../../core/bytes.js';
import { isPortcullisError, PortcullisError, throwIfAborted } from '../../core/errors.js';
import { type BodyReader, globals } from '../../core/http/fetch.js';
import { requireNoPage } from './source-artifact.js';
import type { Signal } from './source-options.js';

type Take = (part: Uint8Array) => Promise<void>;

/** Passes on the bytes of a file, decompressed if it is a gzip file, and counts them. A file that is no text is rejected. */
export class Unpacker {
  private readonly maxBytes: number;
  private readonly pass: Take;
  private readonly signal: Signal;
  private head: Uint8Array = new Uint8Array(0);
  private out: Take | null = null;
  private inflation: Inflation | null = null;
  private length = 0;

  constructor(maxBytes: number, signal: Signal, pass: Take) {
    this.maxBytes = maxBytes;
    this.signal = signal;
    this.pass = pass;
  }

  async take(part: Uint8Array): Promise<void> {
    if (this.out !== null) return this.out(part);
    this.head = joined([this.head, part], this.head.length + part.length);
    if (this.head.length >= headBytes) await this.open();
  }

  async end(): Promise<void> {
    if (this.out === null) await this.open();
    await this.inflation?.end();
  }

  private async open(): Promise<void> {
    const { head } = this;
    const kind = archives.find(([, ...mark]) => mark.every((byte, at) => head[at] === byte))?.[0];
    if (kind === 'gzip') {
      this.inflation = new Inflation(this.counted);
      this.out = this.inflation.write;
    } else if (kind !== undefined) {
      throw new PortcullisError('INVALID_ARTIFACT', `the list is a ${kind} file; unpack it, or compress it with gzip`);
    } else {
      requireNoPage(head);
      this.out = this.counted;
    }
    await this.out(head);
  }

  private readonly counted: Take = (part) => {
    throwIfAborted(this.signal);
    this.length += part.length;
    if (this.length <= this.maxBytes) return this.pass(part);
    throw new PortcullisError('LIMIT_EXCEEDED', `the list is larger than ${this.maxBytes} bytes`);
  };
}

/** Enough to recognize an HTML page. */
const headBytes = 64;

const archives: readonly (readonly [string, ...number[]])[] = [
  ['gzip', 0x1f, 0x8b, 0x08],
  ['zip', 0x50, 0x4b, 0x03, 0x04],
  ['bzip2', 0x42, 0x5a, 0x68],
  ['xz', 0xfd, 0x37, 0x7a, 0x58, 0x5a],
  ['zstd', 0x28, 0xb5, 0x2f, 0xfd],
];

interface Transform {
  readonly readable: { getReader(): BodyReader };
  readonly writable: { getWriter(): { write(part: Uint8Array): Promise<void>; close(): Promise<void> } };
}

/** Decompresses with the platform's `DecompressionStream`, in parts, so that a small file cannot become a large one in memory. */
class Inflation {
  private readonly writer: ReturnType<Transform['writable']['getWriter']>;
  private readonly pumped: Promise<void>;

  constructor(pass: Take) {
    const { DecompressionStream } = globals as { DecompressionStream?: new (format: string) => Transform };
    if (DecompressionStream === undefined) {
      throw new PortcullisError('INVALID_ARTIFACT', 'the list is a gzip file, which this platform cannot decompress');
    }
    const { readable, writable } = new DecompressionStream('gzip');
    this.writer = writable.getWriter();
    this.pumped = pump(readable.getReader(), pass);
    // `step` awaits it.
    this.pumped.catch(() => {});
  }

  readonly write: Take = (part) => this.step(this.writer.write(part));

  async end(): Promise<void> {
    await this.step(this.writer.close());
    await this.pumped;
  }

  private async step(work: Promise<void>): Promise<void> {
    try {
      await Promise.race([work, this.pumped]);
    } catch {
      // A failed read also ends the write; report the read's error, which is the cause.
      await this.pumped;
    }
  }
}

async function pump(reader: BodyReader, pass: Take): Promise<void> {
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      await pass(value!);
    }
  } catch (cause) {
    // Not cancelled: in Node.js 20, data that arrives after that would end the process. An unread stream stops by itself.
    if (isPortcullisError(cause)) throw cause;
    throw new PortcullisError('INVALID_ARTIFACT', 'the list is damaged: it is not valid gzip', { cause });
  }
}
