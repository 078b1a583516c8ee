import { fromUtf8 } from '../../core/bytes.js';
import type { PortcullisError } from '../../core/errors.js';
import { unusable } from '../../core/http/http-api.js';

/** How a value is written. A `varint` of more than 53 bits loses its lowest ones; `varint64` and `fixed64` are eight bytes, little-endian. */
type Single = 'varint' | 'varint64' | 'fixed64' | 'bytes' | 'text' | Schema;

/** The fields of a message by name, each with its number and kind. A kind in an array is repeated. */
export interface Schema {
  readonly [name: string]: readonly [number: number, kind: Single | readonly [Single]];
}

type ValueOf<Kind> = Kind extends 'varint'
  ? number
  : Kind extends 'text'
    ? string
    : Kind extends Schema
      ? Message<Kind>
      : Uint8Array;

/** As in proto3, an absent scalar is zero or empty. An absent message is `undefined`. */
export type Message<Fields extends Schema> = {
  readonly [Name in keyof Fields]: Fields[Name][1] extends readonly [infer Kind]
    ? readonly ValueOf<Kind>[]
    : Fields[Name][1] extends Schema
      ? ValueOf<Fields[Name][1]> | undefined
      : ValueOf<Fields[Name][1]>;
};

/**
 * More hashes than an answer of 2 MiB can hold. Without a limit, 128 MiB of empty messages would become gigabytes of objects.
 */
const maxRepeated = 65_536;

/**
 * Reads a message of protocol buffers (proto3). Unknown fields are skipped. A known field of another wire type is refused instead,
 * because the value that matters may be in it. Bytes are views into the message.
 *
 * @param into The same message as read so far: one that comes in several pieces is merged.
 * @throws PortcullisError `INVALID_RESPONSE`
 */
export function readMessage<Fields extends Schema>(
  fields: Fields,
  bytes: Uint8Array,
  into: Message<Fields> = emptyMessage(fields),
): Message<Fields> {
  const rows = Object.entries(fields);
  const message = into as Record<string, unknown>;
  const cursor = new Cursor(bytes);
  while (cursor.hasMore()) {
    const tag = cursor.varint();
    if (tag < 8 || tag > 0xffff_ffff) throw malformed();
    const wire = tag % 8;
    const start = cursor.at;
    const value = cursor.value(wire);
    const row = rows.find(([, [number]]) => number === Math.floor(tag / 8));
    if (row === undefined) continue;
    const [name, [, kind]] = row;
    const before = message[name];
    if (kind === 'varint64') {
      if (wire !== 0) throw malformed();
      message[name] = eightBytesOf(bytes.subarray(start, cursor.at));
    } else if (!isRepeated(kind)) message[name] = decoded(kind, wire, value, before);
    else if (kind[0] === 'varint' && wire === 2) readPacked(value as Uint8Array, before as number[]);
    else push(before as unknown[], decoded(kind[0], wire, value, undefined));
  }
  return into;
}

class Cursor {
  private readonly bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  hasMore(): boolean {
    return this.at < this.bytes.length;
  }

  varint(): number {
    let value = 0;
    for (let scale = 1; scale < 2 ** 70; scale *= 128) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw malformed();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    throw malformed();
  }

  /** There are no groups in proto3. */
  value(wire: number): number | Uint8Array {
    if (wire === 0) return this.varint();
    if (wire === 1) return this.take(8);
    if (wire === 2) return this.take(this.varint());
    if (wire === 5) return this.take(4);
    throw malformed();
  }

  private take(length: number): Uint8Array {
    if (length > this.bytes.length - this.at) throw malformed();
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
}

function decoded(kind: Single, wire: number, value: number | Uint8Array, before: unknown): unknown {
  if (wire !== (kind === 'varint' ? 0 : kind === 'fixed64' ? 1 : 2)) throw malformed();
  if (typeof kind === 'object') return readMessage(kind, value as Uint8Array, before as Message<Schema> | undefined);
  const read = kind === 'text' ? fromUtf8(value as Uint8Array) : value;
  if (read === null) throw malformed();
  return read;
}

/** The number that a varint of up to 70 bits spells, of which 64 count. */
function eightBytesOf(varint: Uint8Array): Uint8Array {
  const all = new Uint8Array(8);
  varint.forEach((byte, at) => {
    const place = (7 * at) >>> 3;
    const value = (byte & 127) << ((7 * at) & 7);
    // What is after the end of the array is dropped.
    all[place]! |= value;
    all[place + 1]! |= value >>> 8;
  });
  return all;
}

/** Numbers without tags. */
function readPacked(bytes: Uint8Array, all: number[]): void {
  const cursor = new Cursor(bytes);
  while (cursor.hasMore()) push(all, cursor.varint());
}

function push(all: unknown[], value: unknown): void {
  if (all.length === maxRepeated) throw malformed();
  all.push(value);
}

function emptyMessage<Fields extends Schema>(fields: Fields): Message<Fields> {
  return Object.fromEntries(Object.entries(fields).map(([name, [, kind]]) => [name, emptyOf(kind)])) as Message<Fields>;
}

function emptyOf(kind: Single | readonly [Single]): unknown {
  if (isRepeated(kind)) return [];
  if (typeof kind === 'object') return undefined;
  return kind === 'varint' ? 0 : kind === 'text' ? '' : new Uint8Array(kind === 'fixed64' || kind === 'varint64' ? 8 : 0);
}

const isRepeated = (kind: Single | readonly [Single]): kind is readonly [Single] => Array.isArray(kind);

function malformed(): PortcullisError {
  return unusable('is not a valid protobuf message');
}
