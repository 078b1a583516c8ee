import { entriesPerSlice } from '../../core/limits.js';
import { invalidArtifact } from '../../core/prefixes/invalid.js';
import type { Sliced } from '../../core/slices.js';

/** Ascending 32-bit numbers in the Rice–Golomb coding of Safe Browsing v5 and Web Risk. */
export interface RiceNumbers {
  readonly first: number;
  /** Numbers after the first. */
  readonly count: number;
  /** Bits of each remainder. */
  readonly parameter: number;
  readonly data: Uint8Array;
}

/**
 * Decodes them. Unlike `core/prefixes/rice-codec.ts`, the divisor is a power of two that the coder chose, and bits are taken from the least
 * significant end of each byte. Bits after the last number are ignored: a checksum of the result decides.
 *
 * @throws PortcullisError `INVALID_ARTIFACT`
 */
export function* decodeRiceNumbers({ first, count, parameter, data }: RiceNumbers): Sliced<Uint32Array> {
  const end = data.length * 8;
  // Compared before anything is allocated: each number takes a remainder and the zero that ends its quotient.
  if (count * (parameter + 1) > end) throw invalidArtifact(`${data.length} bytes cannot hold ${count} coded numbers`);
  const values = new Uint32Array(count + 1);
  values[0] = first;
  let position = 0;

  /** The next 32 bits, the first of them lowest; at least 25 are valid. Zeros after the end. */
  function window(): number {
    const at = position >>> 3;
    const word = data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16) | (data[at + 3]! << 24);
    return word >>> (position & 7);
  }

  function bits(length: number): number {
    const value = window() & (2 ** length - 1);
    position += length;
    return value;
  }

  for (let at = 1; at <= count; at++) {
    if (at % entriesPerSlice === 0) yield;
    let quotient = 0;
    for (let run = 24; run === 24; quotient += run) {
      const zeros = ~window() | (1 << 24);
      run = 31 - Math.clz32(zeros & -zeros);
      position += run;
      if (position >= end) throw invalidArtifact('the coded numbers are truncated');
    }
    position++;
    const low = bits(Math.min(parameter, 24));
    const rest = parameter > 24 ? low + bits(parameter - 24) * 2 ** 24 : low;
    const value = values[at - 1]! + quotient * 2 ** parameter + rest;
    if (position > end) throw invalidArtifact('the coded numbers are truncated');
    if (value === values[at - 1] || value > 0xffff_ffff) throw invalidArtifact('the coded numbers are not ascending');
    values[at] = value;
  }
  return values;
}
