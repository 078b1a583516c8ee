import { hashOf } from 'portcullis/core';
import { toHex } from '../../src/core/bytes.js';

/** Hex digits of a prefix, which are the first ones of the full hash. */
export const prefixDigits = 8;

/** 64 hex digits. */
export function fullHashOf(expression: string): string {
  return toHex(hashOf(expression));
}
