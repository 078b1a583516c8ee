import { entriesPerSlice } from '../../core/limits.js';
import { invalidArtifact } from '../../core/prefixes/invalid.js';
import type { Sliced } from '../../core/slices.js';

/** Ascending numbers in the Rice–Golomb coding of Safe Browsing v5 and Web Risk. */
interface RiceCoded {
  /** Numbers after the first. */
  readonly count: number;
  /** Bits of each remainder. */
  readonly parameter: number;
  readonly data: Uint8Array;
}

/** Numbers of 32 bits. */
export interface RiceNumbers extends RiceCoded {
  readonly first: number;
}

/** Numbers of 8, 16 or 32 bytes, which are the beginnings of hashes, or whole ones. */
export interface RiceEntries extends RiceCoded {
  /** Big-endian, as long as each number. */
  readonly first: Uint8Array;
}

/** The documented range of parameters for numbers of this size. */
export function isParameter(parameter: number, size: number): boolean {
  return parameter >= 8 * size - 29 && parameter <= 8 * size - 2;
}

/**
 * Decodes them. Unlike `core/prefixes/rice-codec.ts`, the divisor is a power of two that the coder chose, and bits are taken from the least
 * significant end of each byte. Bits after the last number are ignored: a checksum of the result decides.
 *
 * @throws PortcullisError `INVALID_ARTIFACT`
 */
export function* decodeRiceNumbers(coded: RiceNumbers): Sliced<Uint32Array> {
  const { first, count, parameter } = coded;
  const reader = readerOf(coded);
  const values = new Uint32Array(count + 1);
  values[0] = first;
  for (let at = 1; at <= count; at++) {
    if (at % entriesPerSlice === 0) yield;
    const quotient = reader.quotient();
    const low = reader.bits(Math.min(parameter, 24));
    const rest = parameter > 24 ? low + reader.bits(parameter - 24) * 2 ** 24 : low;
    const value = values[at - 1]! + quotient * 2 ** parameter + rest;
    reader.requireWithin();
    if (value === values[at - 1] || value > 0xffff_ffff) throw notAscending();
    values[at] = value;
  }
  return values;
}

/**
 * Decodes them to the bytes of all entries, one after the other. Sums are made byte by byte, because old engines have no `BigInt`.
 *
 * @throws PortcullisError `INVALID_ARTIFACT`
 */
export function* decodeRiceEntries(coded: RiceEntries): Sliced<Uint8Array> {
  const { first, count, parameter } = coded;
  const size = first.length;
  const reader = readerOf(coded);
  const bytes = new Uint8Array(size * (count + 1));
  bytes.set(first);
  /** The present number and what is added to it, little-endian, in which the bits of a remainder come. */
  const value = Uint8Array.from(first).reverse();
  const gap = new Uint8Array(size);
  for (let at = 1; at <= count; at++) {
    if (at % (entriesPerSlice / 16) === 0) yield;
    const quotient = reader.quotient();
    gap.fill(0);
    for (let bit = 0; bit < parameter; bit += 8) gap[bit >>> 3] = reader.bits(Math.min(8, parameter - bit));
    reader.requireWithin();
    // More would not fit, whatever the number before.
    if (quotient >= 2 ** (8 * size - parameter)) throw notAscending();
    let high = quotient * 2 ** (parameter & 7);
    for (let place = parameter >>> 3; high > 0; place++, high = Math.floor(high / 256)) gap[place]! |= high % 256;
    let sum = 0;
    let isMore = false;
    for (let place = 0; place < size; place++) {
      isMore ||= gap[place] !== 0;
      sum = (sum >>> 8) + value[place]! + gap[place]!;
      value[place] = sum;
      bytes[size * (at + 1) - 1 - place] = sum;
    }
    if (!isMore || sum > 255) throw notAscending();
  }
  return bytes;
}

function readerOf({ count, parameter, data }: RiceCoded) {
  const end = data.length * 8;
  // Compared before anything is allocated: each number takes a remainder and the zero that ends its quotient.
  if (count * (parameter + 1) > end) throw invalidArtifact(`${data.length} bytes cannot hold ${count} coded numbers`);
  let position = 0;

  /** The next 32 bits, the first of them lowest; at least 25 are valid. Zeros after the end. */
  function window(): number {
    const at = position >>> 3;
    const word = data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16) | (data[at + 3]! << 24);
    return word >>> (position & 7);
  }

  return {
    /** At most 24. */
    bits(length: number): number {
      const value = window() & (2 ** length - 1);
      position += length;
      return value;
    },
    quotient(): number {
      let quotient = 0;
      for (let run = 24; run === 24; quotient += run) {
        const zeros = ~window() | (1 << 24);
        run = 31 - Math.clz32(zeros & -zeros);
        position += run;
        if (position >= end) throw truncated();
      }
      position++;
      return quotient;
    },
    requireWithin(): void {
      if (position > end) throw truncated();
    },
  };
}

const truncated = () => invalidArtifact('the coded numbers are truncated');
const notAscending = () => invalidArtifact('the coded numbers are not ascending');
