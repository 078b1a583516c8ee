import { readU32, toHex } from '../../core/bytes.js';

/** Receives what a reader finds, in the order of the bytes. */
export interface AbiVisitor {
  /** An address with a name of the table, or `address`. */
  party(role: string, address: string): void;
  /** A `bytes` with a name, or one of a `bytes[]` with its index. */
  bytes(name: string, bytes: Uint8Array, index: number): void;
  /** The lowest byte of a number with a name. */
  number(name: string, value: number): void;
}

/**
 * Reads parameters that are encoded exactly as compilers and libraries encode them: each part follows the one before it, padding is zero,
 * and nothing is left over. Other encodings could hide an address from this reader and show it to a contract, so they count as malformed.
 * Each byte is read once, whatever the offsets say.
 *
 * @returns whether all of it was read
 */
export function readParameters(signature: string, bytes: Uint8Array, visitor: AbiVisitor): boolean {
  try {
    return readTuple(abiTypes(signature), bytes, 0, visitor) === bytes.length;
  } catch (error) {
    if (error === malformed) return false;
    throw error;
  }
}

const malformed: unique symbol = Symbol('malformed');

function demand(isTrue: boolean): asserts isTrue {
  if (!isTrue) throw malformed;
}

/** Each reads a value at `at` and returns where it ends. */
function readTuple(types: readonly AbiType[], bytes: Uint8Array, at: number, visitor: AbiVisitor): number {
  let head = at;
  let tail = at + headSizeOf(types);
  for (const type of types) {
    if (isDynamic(type)) {
      demand(numberAt(bytes, head) === tail - at);
      tail = readValue(type, bytes, tail, visitor, 0);
    } else readValue(type, bytes, head, visitor, 0);
    head += headSize(type);
  }
  return tail;
}

function readList(type: AbiType, bytes: Uint8Array, at: number, visitor: AbiVisitor): number {
  const count = numberAt(bytes, at);
  const item = { ...type, isList: false };
  const size = headSize(item);
  const start = at + 32;
  // Before the loop, so that the count alone causes no work.
  demand(count * size <= bytes.length - start);
  let tail = start + count * size;
  for (let index = 0; index < count; index++) {
    const head = start + index * size;
    if (isDynamic(item)) {
      demand(numberAt(bytes, head) === tail - start);
      tail = readValue(item, bytes, tail, visitor, index);
    } else readValue(item, bytes, head, visitor, index);
  }
  return tail;
}

function readValue(type: AbiType, bytes: Uint8Array, at: number, visitor: AbiVisitor, index: number): number {
  if (type.isList) return readList(type, bytes, at, visitor);
  if (type.base === '()') return readTuple(type.members, bytes, at, visitor);
  if (type.base === 'bytes' || type.base === 'string') return readBytes(type, bytes, at, visitor, index);
  readWord(type, bytes, at, visitor);
  return at + 32;
}

function readBytes({ name }: AbiType, bytes: Uint8Array, at: number, visitor: AbiVisitor, index: number): number {
  const length = numberAt(bytes, at);
  const start = at + 32;
  const end = start + Math.ceil(length / 32) * 32;
  demand(end <= bytes.length && isZero(bytes, start + length, end));
  visitor.bytes(name, bytes.subarray(start, start + length), index);
  return end;
}

/** Without a view of the word, because views cost more than all else here. */
function readWord({ base, name }: AbiType, bytes: Uint8Array, at: number, visitor: AbiVisitor): void {
  const end = at + 32;
  demand(end <= bytes.length);
  if (base === 'address' || (base === 'bytes32' && name !== '')) {
    demand(isZero(bytes, at, at + 12));
    visitor.party(name || base, `0x${toHex(bytes.subarray(at + 12, end))}`);
  } else if (base === 'bool') demand(isZero(bytes, at, end - 1) && bytes[end - 1]! < 2);
  else if (base.startsWith('uint')) {
    demand(isZero(bytes, at, end - Number(base.slice(4) || 256) / 8));
    if (name !== '') visitor.number(name, bytes[end - 1]!);
  } else if (base.startsWith('int')) demand(isExtended(bytes, at, end - Number(base.slice(3)) / 8));
}

/** Whether a signed number that begins at `start` fills the bytes before it with its sign. */
function isExtended(bytes: Uint8Array, from: number, start: number): boolean {
  const sign = bytes[start]! < 0x80 ? 0 : 0xff;
  return bytes.subarray(from, start).every((byte) => byte === sign);
}

/** A length or an offset. */
function numberAt(bytes: Uint8Array, at: number): number {
  demand(at + 32 <= bytes.length && isZero(bytes, at, at + 28));
  return readU32(bytes, at + 28);
}

export function isZero(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] !== 0) return false;
  return true;
}

/** A parameter of a function. */
interface AbiType {
  /** `uint256`, or `()` for a tuple. */
  readonly base: string;
  /** Its name in the table, which names the party; empty if nothing needs it. */
  readonly name: string;
  /** Members of a tuple. */
  readonly members: readonly AbiType[];
  /** Whether it is `T[]`. The table has no fixed lists. */
  readonly isList: boolean;
}

const known = new Map<string, readonly AbiType[]>();

/** Reads `(to,(uint,bytes call)[])` from the table, each row once. The table is part of the package, so that no row is malformed. */
function abiTypes(text: string): readonly AbiType[] {
  const types = known.get(text) ?? parsed(text);
  known.set(text, types);
  return types;
}

function parsed(text: string): AbiType[] {
  let at = text.indexOf('(');
  const word = /[^,()]*/y;

  function tuple(): AbiType[] {
    const members: AbiType[] = [];
    at++;
    while (text[at] !== ')') {
      const inner = text[at] === '(' ? tuple() : [];
      word.lastIndex = at;
      const [type = '', name] = word.exec(text)![0].split(' ');
      at = word.lastIndex;
      const isList = type.endsWith('[]');
      const base = (isList ? type.slice(0, -2) : type) || '()';
      const isNamed = /^(?:\(|u?int|bytes|bool|string)/.test(base);
      members.push({ base: isNamed ? base : 'address', name: name ?? (isNamed ? '' : base), members: inner, isList });
      if (text[at] === ',') at++;
    }
    at++;
    return members;
  }
  return tuple();
}

function isDynamic({ base, members, isList }: AbiType): boolean {
  return isList || base === 'bytes' || base === 'string' || members.some(isDynamic);
}

/** Bytes that a value takes in the head of what contains it. */
function headSize(type: AbiType): number {
  return type.base !== '()' || isDynamic(type) ? 32 : headSizeOf(type.members);
}

function headSizeOf(types: readonly AbiType[]): number {
  return types.reduce((size, type) => size + headSize(type), 0);
}
