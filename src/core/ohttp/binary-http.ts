import { concat, fromUnits } from '../bytes.js';

/**
 * Binary HTTP (RFC 9292), the form of a request and a response inside a sealed message. Written with known lengths; read in both forms,
 * because other clients send the other one to a gateway.
 */

/** A header field. Its name is in lower case. */
export type Field = readonly [name: string, value: string];

export interface BinaryRequest {
  readonly method: string;
  readonly scheme: string;
  readonly authority: string;
  /** With the query. */
  readonly path: string;
  readonly fields: readonly Field[];
  readonly content: Uint8Array;
}

export interface BinaryResponse {
  /** 200 to 599. */
  readonly status: number;
  readonly fields: readonly Field[];
  readonly content: Uint8Array;
}

/** Size of a padded request: a question about 60 prefixes, or any path of a list. */
export const minRequestBytes = 1_024;

/** Smallest size of a padded response: a version document, a file of sums, a confirmation, or a shard of 120 hashes. */
export const minResponseBytes = 4_096;

/** Fields of one section: what servers accept by default. Each takes at least three bytes, so that a message could name many more. */
const maxFields = 100;

/** The lowest value of each indicator says what follows; adding 2 says that lengths are not known. */
const requestFraming = 0;
const responseFraming = 1;
const unknownLengths = 2;

export function encodeRequest({ method, scheme, authority, path, fields, content }: BinaryRequest): Uint8Array {
  const control = [method, scheme, authority, path].flatMap((text) => block(latin1(text)));
  return concat([integer(requestFraming), ...control, ...contentOf(fields, content)]);
}

export function encodeResponse({ status, fields, content }: BinaryResponse): Uint8Array {
  return concat([integer(responseFraming), integer(status), ...contentOf(fields, content)]);
}

/**
 * The message with zero bytes after it, which are no part of it: as long as any other of up to `minBytes`, of up to 4 times that, of up to 16 times, and so
 * on. What is sealed shows its length; with powers of two, the shards of many lists would have two lengths (docs/decisions/0088-hits-confirmed-unseen.md).
 */
export function padded(message: Uint8Array, minBytes: number): Uint8Array {
  let length = minBytes;
  while (length < message.length) length *= 4;
  const bytes = new Uint8Array(length);
  bytes.set(message);
  return bytes;
}

/** `null` if it is malformed. Trailers are checked and left out. */
export function decodeRequest(bytes: Uint8Array): BinaryRequest | null {
  const reader = new Reader(bytes);
  const framing = reader.integer();
  const method = reader.text(/^[\w!#$%&'*+.^`|~-]+$/);
  const scheme = reader.text(/^[a-z][a-z\d+.-]*$/i);
  const authority = reader.text(/^[!-~]*$/);
  const path = reader.text(/^[!-~]*$/);
  const rest = readRest(reader, framing - requestFraming);
  return rest && { method, scheme, authority, path, ...rest };
}

/** The final response; `null` if the message is malformed. Trailers are checked and left out. */
export function decodeResponse(bytes: Uint8Array): BinaryResponse | null {
  const reader = new Reader(bytes);
  const framing = reader.integer() - responseFraming;
  let status = reader.integer();
  for (; status >= 100 && status < 200; status = reader.integer()) readFields(reader, framing);
  const rest = readRest(reader, framing);
  return rest && status >= 200 && status < 600 ? { status, ...rest } : null;
}

/** The value of a field; values of several lines are joined by a comma. */
export function fieldOf({ fields }: { readonly fields: readonly Field[] }, name: string): string | null {
  const values = fields.filter(([one]) => one === name).map(([, value]) => value);
  return values.length === 0 ? null : values.join(', ');
}

function contentOf(fields: readonly Field[], content: Uint8Array): readonly Uint8Array[] {
  const lines = fields.flatMap(([name, value]) => [...block(latin1(name)), ...block(latin1(value))]);
  // The last is an empty section of trailers.
  return [...block(concat(lines)), ...block(content), integer(0)];
}

function block(bytes: Uint8Array): readonly Uint8Array[] {
  return [integer(bytes.length), bytes];
}

/** RFC 9000 §16: the first two bits say how many bytes there are. */
function integer(value: number): Uint8Array {
  const power = value < 0x40 ? 0 : value < 0x4000 ? 1 : value < 0x4000_0000 ? 2 : 3;
  const bytes = new Uint8Array(2 ** power);
  for (let at = bytes.length - 1, rest = value; at >= 0; at--, rest = Math.floor(rest / 256)) bytes[at] = rest % 256;
  bytes[0]! |= power << 6;
  return bytes;
}

/** Header fields are bytes, which JavaScript shows as one character each. */
function latin1(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** Everything after the control data, to the last byte of the padding. `framing` is 0 or `unknownLengths`. */
function readRest(reader: Reader, framing: number): Pick<BinaryRequest, 'fields' | 'content'> | null {
  const fields = readFields(reader, framing);
  const content = readContent(reader, framing);
  readFields(reader, framing);
  const isWhole = !reader.isMalformed && (framing === 0 || framing === unknownLengths);
  return isWhole && reader.isPadding() ? { fields, content } : null;
}

/** A section that is missing at the end of a message is empty. */
function readFields(reader: Reader, framing: number): Field[] {
  const fields: Field[] = [];
  if (reader.isAtEnd()) return fields;
  const section = framing === 0 ? new Reader(reader.block()) : reader;
  while (section !== reader ? !section.isAtEnd() : !reader.isMalformed) {
    const name = section.block();
    // Ends a section of unknown length.
    if (section === reader && name.length === 0) break;
    const field = [fromUnits(name), fromUnits(section.block())] as const;
    const isRight = !section.isMalformed && fieldName.test(field[0]) && fieldValue.test(field[1]);
    if (!isRight || fields.length === maxFields) {
      reader.fail();
      break;
    }
    fields.push(field);
  }
  return fields;
}

/** No upper case and no pseudo-field: those that RFC 9292 allows change the protocol, which nothing here does. */
const fieldName = /^[a-z\d!#$%&'*+.^_`|~-]+$/;

/** RFC 9113 §8.2.1. */
const fieldValue = /^(?:[^\0\r\n\t ](?:[^\0\r\n]*[^\0\r\n\t ])?)?$/;

function readContent(reader: Reader, framing: number): Uint8Array {
  if (framing === 0) return reader.isAtEnd() ? new Uint8Array() : reader.block().slice();
  // One buffer: a list of chunks of one byte each would take a hundred times the bytes.
  const content = new Uint8Array(reader.bytes.length - reader.at);
  let length = 0;
  while (!reader.isAtEnd()) {
    const chunk = reader.block();
    if (chunk.length === 0) return content.slice(0, length);
    content.set(chunk, length);
    length += chunk.length;
  }
  // Only a message without content may end before the terminator.
  if (length > 0) reader.fail();
  return new Uint8Array();
}

/** Reads from the front. After a failure it is at the end, and what it returns is empty. */
class Reader {
  readonly bytes: Uint8Array;
  at = 0;
  isMalformed = false;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  isAtEnd(): boolean {
    return this.at === this.bytes.length;
  }

  fail(): void {
    this.isMalformed = true;
    this.at = this.bytes.length;
  }

  integer(): number {
    const lead = this.bytes[this.at];
    const end = this.at + 2 ** ((lead ?? 0) >> 6);
    if (lead === undefined || end > this.bytes.length) {
      this.fail();
      return 0;
    }
    let value = lead & 0x3f;
    for (this.at++; this.at < end; this.at++) value = value * 256 + this.bytes[this.at]!;
    if (value <= Number.MAX_SAFE_INTEGER) return value;
    this.fail();
    return 0;
  }

  /** A length and that many bytes, which are not copied. */
  block(): Uint8Array {
    const length = this.integer();
    if (length > this.bytes.length - this.at) this.fail();
    const start = this.at;
    this.at = Math.min(start + length, this.bytes.length);
    return this.bytes.subarray(start, this.at);
  }

  text(form: RegExp): string {
    const text = fromUnits(this.block());
    if (!form.test(text)) this.fail();
    return text;
  }

  isPadding(): boolean {
    for (let at = this.at; at < this.bytes.length; at++) if (this.bytes[at] !== 0) return false;
    return true;
  }
}
