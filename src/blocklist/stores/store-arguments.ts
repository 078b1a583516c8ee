import { refuse, requireBytes, requireString } from '../../core/errors.js';
import { type Kind, optional, whole } from '../../core/options/read-options.js';

/** The maximum length in characters. With the prefix and suffix of a store, such a name fits the 255 bytes of a file name. */
export const maxNameLength = 160;

const parts = /^[a-z0-9_-][a-z0-9._-]*(?:\/[a-z0-9_-][a-z0-9._-]*)*$/;

/** Every store accepts the same names, so that a list can move between stores. */
export const storeName: Kind<string> = (value, path) => {
  if (typeof value === 'string' && value.length <= maxNameLength && parts.test(value)) return value;
  refuse(
    `${path} must be 1 to ${maxNameLength} characters from a-z, 0-9, ".", "-", "_" and "/"; no part may be empty or begin with "."`,
  );
};

export function requireName(name: string): void {
  requireString(name, 'name');
  storeName(name, 'name');
}

/**
 * Copies the bytes before anything is awaited, because the caller may change them at once. Also, a structured clone of a view would
 * copy its whole buffer.
 */
export function copied(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  requireBytes(bytes, 'bytes');
  return new Uint8Array(bytes);
}

export function requireSequence(sequence: number): void {
  if (typeof sequence !== 'number') throw new TypeError(`expectedSequence must be a number, not ${typeof sequence}`);
  if (Number.isSafeInteger(sequence) && sequence >= 0) return;
  refuse('expectedSequence must be a whole number from 0');
}

/** Below this, keys take more room than values. */
export const minChunkBytes = 1024;

/** Above the maximum, a value may not fit into a platform's row. */
export const chunkBytes = (byDefault: number): Kind<number> => optional(whole(minChunkBytes, 16 * 1024 * 1024), byDefault);
