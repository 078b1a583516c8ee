import { hashOf } from 'portcullis/core';

/** Hex digits of a prefix, which are the first ones of the full hash. */
export const prefixDigits = 8;

/** 64 hex digits. */
export function fullHashOf(expression: string): string {
  return [...hashOf(expression)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
