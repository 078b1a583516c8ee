import { bytesFrom, characterBytes, isBinary } from '../../core/binary.js';
import { fromUtf8, joined } from '../../core/bytes.js';
import { refuse } from '../../core/errors.js';

/**
 * Decodes a text that arrives in parts, as strings or as UTF-8 cut anywhere. An invalid byte becomes a lone surrogate, which valid UTF-8
 * cannot produce, so that only its own line is rejected.
 *
 * @throws PortcullisError `INVALID_INPUT` for what begins like UTF-16, or like no text
 */
export class PartDecoder {
  private rest: Uint8Array = nothing;
  private started = false;

  decode(part: string | Uint8Array): string {
    if (typeof part === 'string') return this.withoutMark(this.rest.length === 0 ? part : this.flush() + part);
    const isFirst = !this.started;
    const bytes = this.rest.length === 0 ? part : joined([this.rest, part], this.rest.length + part.length);
    const end = bytes.length - unfinished(bytes);
    this.rest = bytes.slice(end);
    const text = this.withoutMark(decodeBytes(bytes.subarray(0, end)));
    if (isFirst && isBinary(part)) refuse('the list is not a text: it is binary, or not UTF-8');
    return text;
  }

  end(): string {
    return this.withoutMark(this.flush());
  }

  private flush(): string {
    const text = decodeBytes(this.rest);
    this.rest = nothing;
    return text;
  }

  /** Drops a byte order mark at the start of the text. */
  private withoutMark(text: string): string {
    if (this.started || text === '') return text;
    this.started = true;
    if (otherEncoding.test(text)) refuse('the list is not UTF-8, but probably UTF-16; save it as UTF-8');
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }
}

/** A byte of the byte order mark of UTF-16, which UTF-8 never has, or a zero byte in one of the first two characters. */
const otherEncoding = /^(?:[\udcfe\udcff]|[\s\S]?\0)/;

const nothing: Uint8Array = new Uint8Array(0);

/** Number of bytes at the end that belong to an incomplete character. */
function unfinished(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte >= 0xc0) return bytesFrom(byte) > back ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

function decodeBytes(bytes: Uint8Array): string {
  const text = fromUtf8(bytes);
  if (text !== null) return text;
  let parts = '';
  for (let at = 0; at < bytes.length; ) {
    const length = characterBytes(bytes, at);
    const character = length === 0 ? null : fromUtf8(bytes.subarray(at, at + length));
    parts += character ?? String.fromCharCode(0xdc00 + bytes[at]!);
    at += character === null ? 1 : length;
  }
  return parts;
}
