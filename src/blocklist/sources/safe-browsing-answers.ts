import { toBase64 } from '../../core/base64.js';
import { equalBytes, utf8 } from '../../core/bytes.js';
import { type BinaryFormat, unusable } from '../../core/http/http-api.js';
import { mediaTypeOf } from '../../core/http/media-type.js';
import { objectOf } from '../formats/spelling.js';
import { type Message, readMessage } from './protobuf.js';
import type { RiceEntries, RiceNumbers } from './rice-numbers.js';
import type { ListUpdate } from './sorted-list.js';
import {
  answerObject,
  bytesIn,
  durationIn,
  eightBytesIn,
  listIn,
  riceEntriesOf,
  riceIn,
  riceOf,
  versionIn,
  wholeIn,
} from './threat-service.js';

/** The answers of Safe Browsing v5 in one shape. The service answers in protobuf, a proxy may answer in JSON. */
type Body = unknown;

export const protobufFormat: BinaryFormat = {
  type: 'application/x-protobuf',
  read({ headers, bytes }, secret) {
    const type = mediaTypeOf(headers.get('content-type'));
    if (type === 'application/json') return undefined;
    if (type !== protobufFormat.type) throw unusable('is neither protobuf nor JSON');
    if (secret !== undefined && hasText(bytes, secret)) throw unusable('contains the API key');
    return bytes;
  },
};

function hasText(bytes: Uint8Array, text: string): boolean {
  const wanted = utf8(text);
  for (let at = bytes.indexOf(wanted[0]!); at >= 0; at = bytes.indexOf(wanted[0]!, at + 1)) {
    if (equalBytes(bytes.subarray(at, at + wanted.length), wanted)) return true;
  }
  return false;
}

/** What an answer says about one list. */
export interface HashList {
  /** In base64; `undefined` if the answer has none. */
  readonly version: string | undefined;
  readonly update: ListUpdate;
  readonly waitMs: number | undefined;
}

/** Why a hash is listed, in the names of the JSON spelling. Anything else is unknown. */
export interface HashDetail {
  readonly threat: unknown;
  readonly attributes: readonly unknown[];
}

interface FullHash {
  readonly hash: Uint8Array;
  readonly details: readonly HashDetail[];
}

/** What an answer says about prefixes. */
interface FullHashes {
  readonly hashes: readonly FullHash[];
  readonly cacheMs: number | undefined;
}

/**
 * The lists of an answer by name, each read on its own, so that a malformed one does not affect the others.
 *
 * @throws PortcullisError `INVALID_RESPONSE`
 */
export function readHashLists(body: Body): ReadonlyMap<unknown, () => HashList> {
  if (body instanceof Uint8Array) {
    return new Map(readMessage(batchFields, body).lists.map((list) => [list.name, () => hashListIn(list)]));
  }
  return new Map(
    listIn(answerObject(body)['hashLists']).map((list) => [objectOf(list)['name'], () => hashListInJson(objectOf(list))]),
  );
}

/** @throws PortcullisError `INVALID_RESPONSE` */
export function readFullHashes(body: Body): FullHashes {
  if (body instanceof Uint8Array) {
    const { hashes, cache } = readMessage(searchFields, body);
    return { hashes: hashes.map(fullHashIn), cacheMs: durationOf(cache) };
  }
  const { fullHashes, cacheDuration } = answerObject(body);
  return { hashes: listIn(fullHashes).map((one) => fullHashInJson(objectOf(one))), cacheMs: durationIn(cacheDuration) };
}

const durationFields = { seconds: [1, 'varint'], nanos: [2, 'varint'] } as const;
const riceFields = { first: [1, 'varint'], parameter: [2, 'varint'], count: [3, 'varint'], data: [4, 'bytes'] } as const;
/** Of entries of 8, 16 and 32 bytes. Their first number comes in parts. */
const riceOf8Fields = { first: [1, 'varint64'], parameter: [2, 'varint'], count: [3, 'varint'], data: [4, 'bytes'] } as const;
const riceOf16Fields = {
  first: [1, 'varint64'],
  second: [2, 'fixed64'],
  parameter: [3, 'varint'],
  count: [4, 'varint'],
  data: [5, 'bytes'],
} as const;
const riceOf32Fields = {
  first: [1, 'varint64'],
  second: [2, 'fixed64'],
  third: [3, 'fixed64'],
  fourth: [4, 'fixed64'],
  parameter: [5, 'varint'],
  count: [6, 'varint'],
  data: [7, 'bytes'],
} as const;
const listFields = {
  name: [1, 'text'],
  version: [2, 'bytes'],
  isPartial: [3, 'varint'],
  additions: [4, riceFields],
  removals: [5, riceFields],
  wait: [6, durationFields],
  sum: [7, 'bytes'],
  additionsOf8: [9, riceOf8Fields],
  additionsOf16: [10, riceOf16Fields],
  additionsOf32: [11, riceOf32Fields],
} as const;
const batchFields = { lists: [1, [listFields]] } as const;
const detailFields = { threat: [1, 'varint'], attributes: [2, ['varint']] } as const;
const hashFields = { hash: [1, 'bytes'], details: [2, [detailFields]] } as const;
const searchFields = { hashes: [1, [hashFields]], cache: [2, durationFields] } as const;

/** The names of the numbers from 1 on. A number without a name is unknown, and zero is none of them. */
const threatNames = ['MALWARE', 'SOCIAL_ENGINEERING', 'UNWANTED_SOFTWARE', 'POTENTIALLY_HARMFUL_APPLICATION'] as const;
const attributeNames = ['CANARY', 'FRAME_ONLY'] as const;

function hashListIn(list: Message<typeof listFields>): HashList {
  const { version, isPartial, additions, removals, wait, sum, additionsOf8, additionsOf16, additionsOf32 } = list;
  const longer: RiceEntries[] = [];
  if (additionsOf8 !== undefined) longer.push(riceEntriesOf([additionsOf8.first], additionsOf8));
  if (additionsOf16 !== undefined) longer.push(riceEntriesOf([additionsOf16.first, additionsOf16.second], additionsOf16));
  if (additionsOf32 !== undefined) {
    const { first, second, third, fourth } = additionsOf32;
    longer.push(riceEntriesOf([first, second, third, fourth], additionsOf32));
  }
  return {
    version: versionIn(toBase64(version)),
    update: updateOf(isPartial !== 0, riceOf(removals), riceOf(additions), longer, sum),
    waitMs: durationOf(wait),
  };
}

/** The names of the additions of longer entries, and of the parts of their first numbers. */
const longerInJson = {
  additionsEightBytes: ['firstValue'],
  additionsSixteenBytes: ['firstValueHi', 'firstValueLo'],
  additionsThirtyTwoBytes: ['firstValueFirstPart', 'firstValueSecondPart', 'firstValueThirdPart', 'firstValueFourthPart'],
} as const;

function hashListInJson(list: Readonly<Record<string, unknown>>): HashList {
  const { version, partialUpdate, compressedRemovals, additionsFourBytes, sha256Checksum, minimumWaitDuration } = list;
  const rice = (value: unknown) => riceIn(value, 'entriesCount');
  const longer = Object.entries(longerInJson).flatMap(([name, parts]) => {
    if (list[name] === undefined) return [];
    const coded = objectOf(list[name]);
    const { riceParameter: parameter, entriesCount: count, encodedData } = coded;
    const first = parts.map((part) => eightBytesIn(coded[part]));
    return [riceEntriesOf(first, { parameter, count, data: bytesIn(encodedData) })];
  });
  return {
    version: versionIn(version),
    update: updateOf(partialUpdate === true, rice(compressedRemovals), rice(additionsFourBytes), longer, bytesIn(sha256Checksum)),
    waitMs: durationIn(minimumWaitDuration),
  };
}

function updateOf(
  isPartial: boolean,
  removals: RiceNumbers | null,
  additions: RiceNumbers | null,
  longer: readonly RiceEntries[],
  sum: Uint8Array,
): ListUpdate {
  return { isPartial, removals, additions, isLittleEndian: false, raw: longer, sum };
}

function fullHashIn({ hash, details }: Message<typeof hashFields>): FullHash {
  const named = details.map(({ threat, attributes }) => ({
    threat: threatNames[threat - 1],
    attributes: attributes.map((number) => attributeNames[number - 1]),
  }));
  return { hash, details: named };
}

function fullHashInJson({ fullHash, fullHashDetails }: Readonly<Record<string, unknown>>): FullHash {
  const details = listIn(fullHashDetails).map((one) => {
    const { threatType, attributes } = objectOf(one);
    return { threat: threatType, attributes: listIn(attributes) };
  });
  return { hash: bytesIn(fullHash), details };
}

/** In milliseconds; `undefined` if it is absent. */
function durationOf(duration: Message<typeof durationFields> | undefined): number | undefined {
  if (duration === undefined) return undefined;
  return wholeIn(duration.seconds, 999_999_999_999) * 1_000 + Math.ceil(wholeIn(duration.nanos, 999_999_999) / 1_000_000);
}
