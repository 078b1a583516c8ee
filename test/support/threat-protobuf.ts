import { bytesField, fixed32Field, fixed64Field, numberField, packedField } from './protobuf-writer.js';

/**
 * Safe Browsing v5 in protocol buffers: the JSON of an answer, with the numbers of its fields. What the spelling leaves open is random:
 * packed or not, and fields that no client knows.
 */

type Json = Readonly<Record<string, unknown>>;
type Random = () => number;

const wholeHashParts = ['firstValueFirstPart', 'firstValueSecondPart', 'firstValueThirdPart', 'firstValueFourthPart'];
const threats = ['', 'MALWARE', 'SOCIAL_ENGINEERING', 'UNWANTED_SOFTWARE', 'POTENTIALLY_HARMFUL_APPLICATION'];
const attributes = ['', 'CANARY', 'FRAME_ONLY'];
/** A name that the interface does not have is a number that it does not have. */
const numberOf = (names: readonly string[], name: string): number => (names.includes(name) ? names.indexOf(name) : 99);

const when = (isPresent: boolean, field: () => Buffer): Buffer => (isPresent ? field() : Buffer.alloc(0));
const fromBase64 = (text: unknown): Buffer => Buffer.from(String(text ?? ''), 'base64');

function unknownField(random: Random): Buffer {
  const number = 1_000 + Math.floor(random() * 1e6);
  const fields = [
    () => numberField(number, Math.floor(random() * 2 ** 40)),
    () => bytesField(number, 'ignored'),
    () => fixed64Field(number, 5n),
    () => fixed32Field(number, 5),
  ];
  return when(random() < 0.3, fields[Math.floor(random() * fields.length)]!);
}

function duration(number: number, text: unknown): Buffer {
  const [, seconds, fraction = ''] = /^(-?\d+)(?:\.(\d+))?s$/.exec(String(text ?? '')) ?? [];
  if (seconds === undefined) return Buffer.alloc(0);
  const nanos = Number(fraction.padEnd(9, '0'));
  return bytesField(
    number,
    Buffer.concat([
      when(Number(seconds) !== 0, () => numberField(1, BigInt(seconds))),
      when(nanos > 0, () => numberField(2, nanos)),
    ]),
  );
}

function rice(number: number, coded: unknown): Buffer {
  if (coded === undefined) return Buffer.alloc(0);
  const { firstValue = 0, riceParameter = 0, entriesCount = 0, encodedData } = coded as Record<string, number | string>;
  return bytesField(
    number,
    Buffer.concat([
      when(firstValue !== 0, () => numberField(1, Number(firstValue))),
      when(riceParameter !== 0, () => numberField(2, Number(riceParameter))),
      when(entriesCount !== 0, () => numberField(3, Number(entriesCount))),
      when(encodedData !== undefined, () => bytesField(4, fromBase64(encodedData))),
    ]),
  );
}

/** Of entries of 8, 16 or 32 bytes: the first part is a varint, the others have eight bytes. */
function riceOfLonger(number: number, coded: unknown, parts: readonly string[]): Buffer {
  if (coded === undefined) return Buffer.alloc(0);
  const { riceParameter = 0, entriesCount = 0, encodedData, ...first } = coded as Record<string, number | string>;
  const next = parts.length + 1;
  return bytesField(
    number,
    Buffer.concat([
      ...parts.map((part, at) =>
        when(first[part] !== undefined, () => (at === 0 ? numberField : fixed64Field)(at + 1, BigInt(first[part]!))),
      ),
      when(riceParameter !== 0, () => numberField(next, Number(riceParameter))),
      when(entriesCount !== 0, () => numberField(next + 1, Number(entriesCount))),
      when(encodedData !== undefined, () => bytesField(next + 2, fromBase64(encodedData))),
    ]),
  );
}

function hashList(list: Json, random: Random): Buffer {
  // Bytes are always valid; a version may only be too long.
  const isVersion = /^[\w+/]+=*$/.test(String(list['version']));
  return bytesField(
    1,
    Buffer.concat([
      bytesField(1, String(list['name'])),
      bytesField(2, isVersion ? fromBase64(list['version']) : Buffer.alloc(4_000, 1)),
      when(list['partialUpdate'] === true, () => numberField(3, 1)),
      rice(4, list['additionsFourBytes']),
      rice(5, list['compressedRemovals']),
      riceOfLonger(9, list['additionsEightBytes'], ['firstValue']),
      riceOfLonger(10, list['additionsSixteenBytes'], ['firstValueHi', 'firstValueLo']),
      riceOfLonger(11, list['additionsThirtyTwoBytes'], wholeHashParts),
      duration(6, list['minimumWaitDuration']),
      when(list['sha256Checksum'] !== undefined, () => bytesField(7, fromBase64(list['sha256Checksum']))),
      when(random() < 0.5, () => bytesField(8, bytesField(2, 'about the list'))),
      unknownField(random),
    ]),
  );
}

function fullHash(one: Json, random: Random): Buffer {
  const details = (one['fullHashDetails'] as { threatType?: string; attributes?: string[] }[]).map((detail) => {
    const numbers = (detail.attributes ?? []).map((name) => numberOf(attributes, name));
    const isPacked = random() < 0.5;
    return bytesField(
      2,
      Buffer.concat([
        numberField(1, numberOf(threats, detail.threatType ?? '')),
        ...(isPacked && numbers.length > 0 ? [packedField(2, numbers)] : numbers.map((value) => numberField(2, value))),
        unknownField(random),
      ]),
    );
  });
  return bytesField(1, Buffer.concat([bytesField(1, fromBase64(one['fullHash'])), ...details, unknownField(random)]));
}

/** An answer of either method. */
export function toProtobuf(answer: object, random: Random): Buffer {
  const {
    hashLists = [],
    fullHashes = [],
    cacheDuration,
  } = answer as { hashLists?: Json[]; fullHashes?: Json[]; cacheDuration?: string };
  return Buffer.concat([
    ...hashLists.map((list) => hashList(list, random)),
    ...fullHashes.map((one) => fullHash(one, random)),
    duration(2, cacheDuration),
    unknownField(random),
  ]);
}
