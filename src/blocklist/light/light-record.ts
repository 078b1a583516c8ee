import { equalBytes, joined, readU32, writeU32 } from '../../core/bytes.js';
import { PortcullisError } from '../../core/errors.js';
import { digestOf } from '../../core/hashing/sha256.js';
import type { Sliced } from '../../core/slices.js';

/**
 * What a light list stores, so that truncated, damaged or foreign bytes are never read as one (docs/formats.md §9): SHA-256 of everything
 * that follows, the length of the JSON in 4 bytes, big-endian, the JSON, and raw entries.
 */
const jsonAt = 36;

export interface LightRecord<Json> {
  readonly json: Json;
  /** The bytes after the JSON, as a view. */
  readonly rest: Uint8Array;
}

/** Stored with the list. A release that stores another layout ignores records with a different number. */
const format = 1;

export function* writeLightRecord(json: object, ...sets: readonly Uint8Array[]): Sliced<Uint8Array> {
  const text = new TextEncoder().encode(JSON.stringify({ ...json, format }));
  const parts = [new Uint8Array(jsonAt), text, ...sets];
  const bytes = joined(
    parts,
    parts.reduce((sum, part) => sum + part.length, 0),
  );
  writeU32(bytes, jsonAt - 4, text.length);
  bytes.set(yield* digestOf(bytes.subarray(32)));
  return bytes;
}

/** @throws PortcullisError `INVALID_ARTIFACT` */
export function* readLightRecord<Json>(bytes: Uint8Array): Sliced<LightRecord<Json>> {
  if (equalBytes(yield* digestOf(bytes.subarray(32)), bytes.subarray(0, 32))) {
    const end = jsonAt + readU32(bytes, jsonAt - 4);
    const json = JSON.parse(new TextDecoder().decode(bytes.subarray(jsonAt, end)));
    if (json.format === format) return { json, rest: bytes.subarray(end) };
  }
  throw new PortcullisError('INVALID_ARTIFACT', 'the stored record is damaged');
}
