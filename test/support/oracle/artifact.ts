import { createHash } from 'node:crypto';

/**
 * Reads and writes artifacts as docs/formats.md specifies them, slowly: entries are strings of lower-case hex digits (which sort
 * like the numbers), bits are strings of '0' and '1'. It was written from that page alone, so that it does not repeat a mistake of
 * the library.
 */
export type OracleEncoding = 'raw' | 'hex' | 'json' | 'portcullis' | 'portcullis-rice';

export const ORACLE_ENCODINGS: readonly OracleEncoding[] = ['raw', 'hex', 'json', 'portcullis', 'portcullis-rice'];

export interface OracleList {
  /** Ascending and unique. */
  readonly entries: readonly string[];
  readonly entryBytes: 4 | 8;
  /** The algorithm that a container names; undefined for encodings that do not store it. */
  readonly algorithm?: string;
}

export interface OracleExpectation {
  readonly encoding?: OracleEncoding;
  /** 4 unless given; no encoding determines it. */
  readonly entryBytes?: 4 | 8;
  readonly count?: number;
  readonly algorithm?: string;
}

/** The specification rejects the artifact. */
export class OracleRefusal extends Error {}

const MAGIC = '8950434c0d0a1a0a';
const LN2_32 = 2_977_044_472;

export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
export const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));
export const word = (value: number): string => (value >>> 0).toString(16).padStart(8, '0');
const latin1 = (text: string): string => Buffer.from(text, 'latin1').toString('hex');

function demand(holds: boolean, what: string): asserts holds {
  if (!holds) throw new OracleRefusal(what);
}

function chunks(text: string, length: number): string[] {
  const out: string[] = [];
  for (let at = 0; at < text.length; at += length) out.push(text.slice(at, at + length));
  return out;
}

const ascends = (entries: readonly string[]): boolean =>
  entries.every((entry, i) => i === 0 || (entries[i - 1] as string) < entry);

/** The container's header and name in hex, around a checksum that may be wrong. */
function container(header: string, checksum: string, name: string, payload: string): Uint8Array {
  return bytesOf(header + checksum + latin1(name) + payload);
}

export interface ContainerParts {
  readonly magic?: string;
  readonly version?: number;
  readonly payloadKind?: number;
  readonly entryBytes: number;
  readonly name?: string;
  readonly nameLength?: number;
  readonly count?: number;
  /** The content for the checksum, if it is not the entries. */
  readonly hashed?: string;
  readonly payload: string;
}

/** A container in which any part may be false, with a checksum that is nevertheless correct for its header. */
export function forgeContainer(parts: ContainerParts, entries: readonly string[]): Uint8Array {
  const name = parts.name ?? 'portcullis-1';
  const byte = (value: number): string => value.toString(16).padStart(2, '0');
  const header =
    (parts.magic ?? MAGIC) +
    byte(parts.version ?? 1) +
    byte(parts.payloadKind ?? 0) +
    byte(parts.entryBytes) +
    byte(parts.nameLength ?? name.length) +
    (parts.count ?? entries.length).toString(16).padStart(8, '0');
  const checksum = createHash('sha256')
    .update(bytesOf(header + latin1(name) + (parts.hashed ?? entries.join(''))))
    .digest('hex');
  return container(header, checksum, name, parts.payload);
}

function riceNumbers(count: number): { m: number; b: number; s: number } {
  const m = Math.max(1, Math.floor(LN2_32 / count));
  let b = 0;
  while (2 ** b < m) b++;
  return { m, b, s: 2 ** b - m };
}

const bitsOf = (value: number, width: number): string => (width === 0 ? '' : value.toString(2).padStart(width, '0'));

/** The bits of the coded gaps, before zeros pad the last byte. */
export function riceBits(entries: readonly string[], entryBytes: 4 | 8): string {
  if (entries.length === 0) return '';
  const { m, b, s } = riceNumbers(entries.length);
  const bits: string[] = [];
  let previous = -1;
  for (const entry of entries) {
    const value = Number.parseInt(entry.slice(0, 8), 16);
    const gap = previous < 0 ? value : entryBytes === 4 ? value - previous - 1 : value - previous;
    previous = value;
    const rest = gap % m;
    bits.push('1'.repeat(Math.floor(gap / m)), '0');
    bits.push(rest < s ? bitsOf(rest, b - 1) : bitsOf(rest + s, b));
    if (entryBytes === 8) bits.push(bitsOf(Number.parseInt(entry.slice(8), 16), 32));
  }
  return bits.join('');
}

/** Bits as hex digits of whole bytes, padded with zeros. */
export function packBits(bits: string): string {
  return chunks(bits.padEnd(Math.ceil(bits.length / 8) * 8, '0'), 8)
    .map((eight) => Number.parseInt(eight, 2).toString(16).padStart(2, '0'))
    .join('');
}

/** A list from entries that may be unsorted and repeated. */
export function oracleList(entries: Iterable<string>, entryBytes: 4 | 8, algorithm = 'portcullis-1'): OracleList {
  return { entries: [...new Set([...entries].map((entry) => entry.toLowerCase()))].sort(), entryBytes, algorithm };
}

export function oracleEncode(list: OracleList, encoding: OracleEncoding): Uint8Array {
  const { entries, entryBytes } = list;
  const named = list.algorithm === undefined ? {} : { name: list.algorithm };
  switch (encoding) {
    case 'raw':
      return bytesOf(entries.join(''));
    case 'hex':
      return Uint8Array.from(Buffer.from(entries.map((entry) => `${entry}\n`).join('')));
    case 'json':
      return Uint8Array.from(Buffer.from(JSON.stringify(entries)));
    case 'portcullis':
      return forgeContainer({ payloadKind: 0, entryBytes, ...named, payload: entries.join('') }, entries);
    case 'portcullis-rice':
      return forgeContainer({ payloadKind: 1, entryBytes, ...named, payload: packBits(riceBits(entries, entryBytes)) }, entries);
  }
}

function detect(bytes: Uint8Array, expected: OracleExpectation): OracleEncoding {
  const hex = hexOf(bytes);
  if (hex.startsWith(MAGIC)) return bytes[9] === 1 ? 'portcullis-rice' : 'portcullis';
  // The shortest text with an entry has eight bytes.
  const isText = bytes.length >= 8 && /^[0-9a-fA-F"[\], \t\r\n]*$/.test(Buffer.from(bytes.subarray(0, 64)).toString('latin1'));
  if (expected.count !== undefined && bytes.length === (expected.entryBytes ?? 4) * expected.count && !isText) return 'raw';
  const first = String.fromCharCode(bytes[0] ?? 0);
  if (/[0-9a-fA-F]/.test(first)) return 'hex';
  if (/[[ \t\r\n]/.test(first)) return 'json';
  throw new OracleRefusal('no encoding begins so');
}

function readRaw(bytes: Uint8Array, expected: OracleExpectation): OracleList {
  const { count, entryBytes = 4 } = expected;
  demand(count !== undefined, 'raw entries need a count');
  demand(bytes.length === entryBytes * count, 'the count does not hold');
  const entries = chunks(hexOf(bytes), entryBytes * 2);
  demand(ascends(entries), 'not ascending');
  return { entries, entryBytes };
}

/** Entries of a text format: of one length, possibly unsorted and repeated; a bounded number fewer than counted. */
function readText(strings: readonly string[], expected: OracleExpectation): OracleList {
  const { count, entryBytes = 4 } = expected;
  for (const entry of strings) demand(entry.length === entryBytes * 2 && /^[0-9a-fA-F]+$/.test(entry), 'not an entry');
  const { entries } = oracleList(strings, entryBytes);
  if (count !== undefined) {
    // An empty list is rejected if any entry is expected, however few.
    demand(count === 0 || entries.length > 0, 'empty');
    demand(entries.length <= count, 'more entries than counted');
    demand(count - entries.length <= Math.max(16, count ** 2 / 2 ** 32), 'too few entries');
  }
  return { entries, entryBytes };
}

function readHex(bytes: Uint8Array, expected: OracleExpectation): OracleList {
  const text = Buffer.from(bytes).toString('latin1');
  if (text === '') demand(expected.count === 0, 'empty');
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return readText(lines, expected);
}

function readJson(bytes: Uint8Array, expected: OracleExpectation): OracleList {
  let value: unknown;
  // Hex digits need no escapes, so a list reader supports none.
  demand(!bytes.includes(0x5c), 'an escape');
  demand(!/[ \t\r\n]{1025}/.test(Buffer.from(bytes).toString('latin1')), 'too much white space');
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw new OracleRefusal('not JSON');
  }
  demand(Array.isArray(value), 'not an array');
  const strings: string[] = [];
  for (const item of value as unknown[]) {
    demand(typeof item === 'string', 'not a string');
    strings.push(item);
  }
  return readText(strings, expected);
}

/** Decodes gaps into entries. */
export function readRice(payload: Uint8Array, count: number, entryBytes: 4 | 8): string[] {
  if (count === 0) {
    demand(payload.length === 0, 'something follows');
    return [];
  }
  const { m, b, s } = riceNumbers(count);
  const bits = [...payload].map((byte) => bitsOf(byte, 8)).join('');
  let at = 0;
  const take = (width: number): number => {
    demand(at + width <= bits.length, 'too short');
    at += width;
    return width === 0 ? 0 : Number.parseInt(bits.slice(at - width, at), 2);
  };
  const entries: string[] = [];
  let previous = -1;
  for (let i = 0; i < count; i++) {
    let quotient = 0;
    while (take(1) === 1) quotient++;
    // The first b − 1 of b bits decide whether the last one belongs to this number.
    let rest = b === 0 ? 0 : take(b - 1);
    if (b > 0 && rest >= s) rest = rest * 2 + take(1) - s;
    const gap = quotient * m + rest;
    const value = previous < 0 ? gap : entryBytes === 4 ? previous + 1 + gap : previous + gap;
    demand(value <= 0xffff_ffff, 'runs past the last number');
    previous = value;
    const second = entryBytes === 8 ? take(32).toString(16).padStart(8, '0') : '';
    entries.push(value.toString(16).padStart(8, '0') + second);
  }
  demand(bits.length - at < 8 && /^0*$/.test(bits.slice(at)), 'something follows');
  demand(ascends(entries), 'not ascending');
  return entries;
}

function readContainer(bytes: Uint8Array, expected: OracleExpectation): OracleList {
  const hex = hexOf(bytes);
  demand(bytes.length >= 48 && hex.startsWith(MAGIC), 'not a container');
  const [version, kind, entryBytes, nameLength] = [...bytes.subarray(8, 12)];
  demand(version === 1, 'version');
  demand(kind === 0 || kind === 1, 'payload');
  if (expected.encoding !== undefined)
    demand(kind === (expected.encoding === 'portcullis' ? 0 : 1), 'another payload than named');
  demand(entryBytes === 4 || entryBytes === 8, 'entry length');
  demand((expected.entryBytes ?? 4) === entryBytes, 'another entry length than expected');
  demand(nameLength !== undefined && nameLength >= 1 && nameLength <= 64 && bytes.length >= 48 + nameLength, 'name length');
  const algorithm = Buffer.from(bytes.subarray(48, 48 + nameLength)).toString('latin1');
  demand(/^[a-z0-9][a-z0-9.-]*$/.test(algorithm), 'name');
  demand(expected.algorithm === undefined || expected.algorithm === algorithm, 'another algorithm');
  const count = Number.parseInt(hex.slice(24, 32), 16);
  demand(expected.count === undefined || expected.count === count, 'count');
  const payload = bytes.subarray(48 + nameLength);
  const entries = kind === 1 ? readRice(payload, count, entryBytes) : chunks(hexOf(payload), entryBytes * 2);
  demand(entries.length === count && entries.every((entry) => entry.length === entryBytes * 2), 'length of the payload');
  demand(ascends(entries), 'not ascending');
  const checksum = createHash('sha256')
    .update(bytesOf(hex.slice(0, 32) + latin1(algorithm) + entries.join('')))
    .digest('hex');
  demand(hex.slice(32, 96) === checksum, 'checksum');
  return { entries, entryBytes, algorithm };
}

export function oracleDecode(bytes: Uint8Array, expected: OracleExpectation = {}): OracleList {
  demand((expected.count ?? 0) <= 2 ** 25, 'more than a set holds');
  switch (expected.encoding ?? detect(bytes, expected)) {
    case 'raw':
      return readRaw(bytes, expected);
    case 'hex':
      return readHex(bytes, expected);
    case 'json':
      return readJson(bytes, expected);
    default:
      return readContainer(bytes, expected);
  }
}

/** Converts the entries of a library set to the oracle's notation. */
export function hexEntries(set: Iterable<number | Uint8Array>): string[] {
  const out: string[] = [];
  for (const entry of set) out.push(typeof entry === 'number' ? word(entry) : hexOf(entry));
  return out;
}

/**
 * Numbers from 0 to 2^32 − 1 that look random and are the same in every run (splitmix32). No number repeats before all have
 * occurred, so n of them are a set of n.
 */
export function seededNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return (mixed ^ (mixed >>> 16)) >>> 0;
  };
}
