import { hexValue, toHex } from '../bytes.js';
import { isBytes, PortcullisError, refuse, requireBytes } from '../errors.js';
import { digestOf } from '../hashing/sha256.js';
import { maxArtifactBytes } from '../limits.js';
import { type Filled, type Kind, type KindsOf, oneOf, optional, readOptions, text, whole } from '../options/read-options.js';
import { runInSlices, runNow, type Sliced } from '../slices.js';
import { AscendingSet } from './ascending-set.js';
import { decodeContainer, encodeContainer, isContainer, readHeader } from './container.js';
import { type Entries, fewestOf, requireCount } from './entries.js';
import { HashSet } from './hash-set.js';
import { invalidArtifact } from './invalid.js';
import { PrefixSet, type WorkOptions, workKinds } from './prefix-set.js';
import { decodeRaw, encodeRaw } from './raw-codec.js';
import { decodeHexLines, decodeJson, encodeHexLines, encodeJson, isSpace } from './text-codecs.js';

/**
 * The encoding of a list: `raw` big-endian entries, `hex` one entry per line, `json` an array of hex strings, `portcullis` a
 * container with a checksum, `portcullis-rice` the same with compressed entries, a fifth the size of JSON.
 */
export type ArtifactEncoding = 'raw' | 'hex' | 'json' | 'portcullis' | 'portcullis-rice';

/** The first is what this package publishes. */
export const encodings: readonly ArtifactEncoding[] = ['portcullis-rice', 'portcullis', 'raw', 'hex', 'json'];

/** Options of `encodeArtifact`. */
export interface EncodeOptions {
  readonly encoding: ArtifactEncoding;
  /** The algorithm the entries were made with; stored in containers only. @default 'portcullis-1' */
  readonly algorithm?: string | undefined;
}

/** The properties an artifact must have. It is rejected if one that is given does not match. */
export interface ArtifactExpectation {
  /** Without it, the first bytes distinguish a container, JSON and hex lines; raw entries are tried only if `count` is given. */
  readonly encoding?: ArtifactEncoding | undefined;
  /** @default 4 */
  readonly entryBytes?: 4 | 8 | undefined;
  /** The number of entries. A text format may hold slightly fewer, because its entries may repeat (docs/formats.md §2). */
  readonly count?: number | undefined;
  /** SHA-256 of the artifact, as 32 bytes or 64 hex digits. */
  readonly sha256?: string | Uint8Array | undefined;
  /** The name of the algorithm; checked for containers, the only encodings that store it. */
  readonly algorithm?: string | undefined;
}

/**
 * Encodes a set for a file or the network.
 *
 * @example encodeArtifact(PrefixSet.from([1, 0x9c180de0]), { encoding: 'hex' }).length // 18
 */
export function encodeArtifact(set: PrefixSet | HashSet, options: EncodeOptions): Uint8Array<ArrayBuffer> {
  requireSet(set);
  const { encoding, algorithm } = readOptions('encodeArtifact', encodeKinds(), options);
  return runNow(encodeEntries(runNow(set.readEntries()), { encoding, algorithm }));
}

export const encodeKinds = (): KindsOf<Filled<EncodeOptions>> => ({
  encoding: oneOf(...encodings),
  algorithm: optional(text(), 'portcullis-1'),
});

/** @internal The same in slices, for entries that are ascending and unique. */
export function* encodeEntries(
  entries: Entries,
  { encoding, algorithm }: { readonly encoding: ArtifactEncoding; readonly algorithm: string },
): Sliced<Uint8Array<ArrayBuffer>> {
  switch (encoding) {
    case 'raw':
      return yield* encodeRaw(entries);
    case 'hex':
      return yield* encodeHexLines(entries);
    case 'json':
      return yield* encodeJson(entries);
    default:
      return yield* encodeContainer(entries, encoding === 'portcullis-rice', algorithm);
  }
}

/**
 * Decodes an artifact in slices of a few milliseconds. Rejects with `INVALID_ARTIFACT` when an expectation is not met or the bytes
 * are truncated, changed or not a list, and with `LIMIT_EXCEEDED` when there are more entries than a set may hold. The bytes must not
 * change until the promise settles.
 *
 * @example [...(await decodeArtifact(Uint8Array.of(0, 0, 0, 1, 0, 0, 0, 7), { encoding: 'raw', count: 2 }))] // [1, 7]
 */
export function decodeArtifact(
  bytes: Uint8Array,
  expectation: ArtifactExpectation & { readonly entryBytes: 8 },
  options?: WorkOptions,
): Promise<HashSet>;
export function decodeArtifact(
  bytes: Uint8Array,
  expectation?: ArtifactExpectation & { readonly entryBytes?: 4 | undefined },
  options?: WorkOptions,
): Promise<PrefixSet>;
export function decodeArtifact(
  bytes: Uint8Array,
  expectation: ArtifactExpectation,
  options?: WorkOptions,
): Promise<PrefixSet | HashSet>;
export async function decodeArtifact(
  bytes: Uint8Array,
  expectation?: ArtifactExpectation,
  options?: WorkOptions,
): Promise<PrefixSet | HashSet> {
  requireBytes(bytes, 'bytes');
  const expected = readOptions('decodeArtifact', { ...expectationKinds(), ...ofVersion() }, expectation);
  return runInSlices(decode(bytes, expected), readOptions('decodeArtifact', workKinds(), options).signal);
}

interface Expectation extends Filled<Omit<ArtifactExpectation, 'sha256'>, 'encoding' | 'count' | 'algorithm'> {
  readonly sha256: string | undefined;
}

export const expectationKinds = (): KindsOf<Expectation> => ({
  encoding: optional(oneOf(...encodings)),
  entryBytes: optional(oneOf<4 | 8>(4, 8), 4),
  count: optional(whole(0, Number.MAX_SAFE_INTEGER)),
  sha256: optional(digest),
  algorithm: optional(text()),
});

/** What a version document says about a file besides: its part can be passed as it is. */
const ofVersion = (): KindsOf<Readonly<Record<'token' | 'url' | 'createdAtMs', unknown>>> => ({
  token: (value) => value,
  url: (value) => value,
  createdAtMs: (value) => value,
});

function* decode(bytes: Uint8Array, expectation: Expectation): Sliced<PrefixSet | HashSet> {
  const { count, sha256, entryBytes } = expectation;
  if (count !== undefined) requireCount(count);
  if (bytes.length > maxArtifactBytes) {
    throw new PortcullisError(
      'LIMIT_EXCEEDED',
      `an artifact has at most ${maxArtifactBytes} bytes; this one has ${bytes.length}`,
    );
  }
  if (sha256 !== undefined) yield* verifyDigest(bytes, sha256);
  const entries = yield* decodeEntries(bytes, expectation, entryBytes);
  return entries.low === null ? yield* PrefixSet.ofAscending(entries.high) : yield* HashSet.ofAscending(entries);
}

function* decodeEntries(
  bytes: Uint8Array,
  { encoding, count, algorithm }: ArtifactExpectation,
  entryBytes: 4 | 8,
): Sliced<Entries> {
  switch (encoding ?? detectEncoding(bytes, count, entryBytes)) {
    case 'raw':
      if (count === undefined) throw new PortcullisError('INVALID_INPUT', 'the raw encoding needs a count');
      return yield* decodeRaw(bytes, count, entryBytes);
    case 'hex':
      if (bytes.length === 0 && count !== 0) throw invalidArtifact('it is empty, but no count of 0 was given');
      return requireTextCount(yield* decodeHexLines(bytes, entryBytes), count);
    case 'json':
      return requireTextCount(yield* decodeJson(bytes, entryBytes), count);
    default:
      return yield* decodeExpectedContainer(bytes, { encoding, count, algorithm }, entryBytes);
  }
}

function* decodeExpectedContainer(
  bytes: Uint8Array,
  { encoding, count, algorithm }: ArtifactExpectation,
  entryBytes: 4 | 8,
): Sliced<Entries> {
  const header = readHeader(bytes);
  const found = header.rice ? 'portcullis-rice' : 'portcullis';
  if (encoding !== undefined && found !== encoding) throw invalidArtifact(`the encoding is ${found}, not ${encoding}`);
  if (header.entryBytes !== entryBytes) throw invalidArtifact(`the entries have ${header.entryBytes} bytes, not ${entryBytes}`);
  if (count !== undefined && header.count !== count) throw invalidArtifact(`it holds ${header.count} entries, not ${count}`);
  if (algorithm !== undefined && header.algorithm !== algorithm) {
    throw invalidArtifact(`the algorithm is ${header.algorithm}, not the expected one`);
  }
  return yield* decodeContainer(bytes, header);
}

/** Reads the first bytes. Raw entries can begin with any byte, so their exact length decides, unless all of them are text. */
function detectEncoding(bytes: Uint8Array, count: number | undefined, entryBytes: 4 | 8): ArtifactEncoding {
  if (isContainer(bytes)) return bytes[9] === 1 ? 'portcullis-rice' : 'portcullis';
  if (count !== undefined && bytes.length === count * entryBytes && !isText(bytes)) return 'raw';
  const first = bytes[0] ?? 0;
  if (hexValue(first) >= 0) return 'hex';
  if (first === 0x5b || isSpace(first)) return 'json';
  throw invalidArtifact('the first bytes match no known encoding');
}

/** Whether the first bytes can all be hex lines or JSON. By chance 1 in 28 million raw lists of two entries looks so, and fewer longer ones. */
function isText(bytes: Uint8Array): boolean {
  const start = bytes.subarray(0, 64);
  // The shortest text with an entry has 8 bytes.
  return start.length >= 8 && start.every((byte) => hexValue(byte) >= 0 || isSpace(byte) || jsonMarks.indexOf(byte) >= 0);
}

/** The bytes of `"`, `,`, `[` and `]`. */
const jsonMarks = [0x22, 0x2c, 0x5b, 0x5d];

function requireTextCount(entries: Entries, count: number | undefined): Entries {
  const found = entries.high.length;
  if (count === undefined || (found <= count && found >= fewestOf(count))) return entries;
  throw invalidArtifact(`it holds ${found} entries, not ${count}`);
}

/** In hex. */
const digest: Kind<string> = (value, path) => {
  const hex = isBytes(value) ? toHex(value) : value;
  if (typeof hex !== 'string' || !/^[0-9a-f]{64}$/i.test(hex)) refuse(`${path} must be 32 bytes or 64 hex digits`);
  return hex.toLowerCase();
};

function* verifyDigest(bytes: Uint8Array, wanted: string): Sliced<void> {
  if (toHex(yield* digestOf(bytes)) !== wanted) throw invalidArtifact('the checksum does not match the expected sha256');
}

function requireSet(set: unknown): asserts set is PrefixSet | HashSet {
  if (set instanceof AscendingSet || set instanceof HashSet) return;
  throw new TypeError('set must be a PrefixSet or a HashSet');
}
