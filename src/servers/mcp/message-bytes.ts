import { joined } from '../../core/bytes.js';
import { type ErrorMessage, edgeLength, errorMessage, idAt, invalidRequest } from './protocol-message.js';

/** The longest message by default: the 4 MB of an upload take 5.6 MB as base64, and as text with many quotes 8 MB. */
export const defaultMaxBytes = 10 * 1024 * 1024;
/** Collects the bytes of one message. Of one that is too long it only keeps the edges, where clients write the id. */
export class MessageBytes {
  private readonly maxBytes: number;
  private chunks: Uint8Array[] = [];
  private length = 0;
  private head = '';
  private tail: Uint8Array = new Uint8Array(0);

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  append(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.length += bytes.length;
    if (this.length <= this.maxBytes) this.chunks.push(bytes);
    else {
      const [first = bytes] = this.chunks;
      this.head ||= new TextDecoder().decode(first.subarray(0, edgeLength));
      // With the end of what was kept before.
      const last = [...this.chunks.slice(-1), bytes].map((one) => one.subarray(-edgeLength));
      this.tail = whole([this.tail, ...last]).slice(-edgeLength);
      this.chunks = [];
    }
  }

  /** The text, or the answer to a message that is too long. The next message starts afterwards. */
  take(): { readonly text: string } | { readonly refusal: ErrorMessage } {
    const { chunks, length, head, tail, maxBytes } = this;
    this.chunks = [];
    this.length = 0;
    this.head = '';
    this.tail = new Uint8Array(0);
    if (length <= maxBytes) return { text: new TextDecoder().decode(whole(chunks)) };
    const message = `the message is longer than ${maxBytes} bytes; send less at once`;
    return { refusal: errorMessage(invalidRequest, message, idAt(head, new TextDecoder().decode(tail))) };
  }
}

function whole(chunks: readonly Uint8Array[]): Uint8Array {
  return joined(
    chunks,
    chunks.reduce((sum, { length }) => sum + length, 0),
  );
}
