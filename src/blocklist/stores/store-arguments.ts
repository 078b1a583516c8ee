import { refuse, requireBytes, requireString } from '../../core/errors.js';

/** Characters of a name. With what a store puts around it, it fits the 255 bytes of a file name. */
export const maxNameLength = 160;

/** Sizes of chunks that make sense: below, the keys outweigh the values; above, no platform's row has room for certain. */
const minChunkBytes = 1024;
const maxChunkBytesLimit: number = 16 * 1024 * 1024;

const parts = /^[a-z0-9_-][a-z0-9._-]*(?:\/[a-z0-9_-][a-z0-9._-]*)*$/;

/** Every store refuses the same names, so that a list moves from one to another. */
export function requireName(name: string): void {
  requireString(name, 'name');
  if (name.length <= maxNameLength && parts.test(name)) return;
  refuse(`a name is 1 to ${maxNameLength} of a-z, 0-9, ".", "-", "_" and "/", no part empty or hidden`);
}

/**
 * A copy, taken before anything is awaited: the caller may write on in its own at once. And a view of a large buffer would take all of
 * that buffer along into a structured clone.
 */
export function copied(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  requireBytes(bytes, 'bytes');
  return new Uint8Array(bytes);
}

export function requireSequence(sequence: number): void {
  if (typeof sequence !== 'number') throw new TypeError(`expectedSequence must be a number, not ${typeof sequence}`);
  if (Number.isSafeInteger(sequence) && sequence >= 0) return;
  refuse('expectedSequence is a whole number from 0');
}

export function requireChunkBytes(bytes: number): number {
  return requireWithin('maxChunkBytes', bytes, minChunkBytes, maxChunkBytesLimit);
}

/** Any whole number between the two. */
export function requireWithin(option: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  refuse(`${option} is a whole number from ${least} to ${most}`);
}
