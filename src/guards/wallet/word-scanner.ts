import { toHex } from '../../core/bytes.js';
import { isZero } from './abi-reader.js';

/** No address begins with eight zero bytes, but small numbers do. */
export function mayBeAddress(bytes: Uint8Array, at: number): boolean {
  return !isZero(bytes, at, at + 8);
}

/**
 * Every address that bytes of unknown meaning may hold. A word has it at the right or the left of twelve zero bytes. Words are aligned to
 * four bytes however deep calls contain each other, because a selector has four. Packed data shifts them by any number, so that other
 * positions count too, but for addresses that begin or end with a zero byte: there, each amount would be several. The last 20 bytes of an
 * aligned word count whatever is before them, because some contracts ignore it.
 *
 * @param isPacked Takes every position.
 */
export function* addressesIn(bytes: Uint8Array, isPacked: boolean): Generator<string> {
  // A contract reads zeros behind the end.
  const padded = new Uint8Array(bytes.length + 32);
  padded.set(bytes);
  for (let at = 0; at < bytes.length; at++) {
    const isPlace =
      isPacked ||
      at % 32 === 12 ||
      ((at % 4 === 0 || (padded[at] !== 0 && padded[at + 19] !== 0)) &&
        ((at >= 12 && isZero(padded, at - 12, at)) || isZero(padded, at + 20, at + 32)));
    if (isPlace && mayBeAddress(padded, at)) yield `0x${toHex(padded.subarray(at, at + 20))}`;
  }
}

/** A hash fills more of 32 bytes than an address does, or an amount. */
export const maxFilled = 20;

/**
 * Whether words may stand for more than they show: a hash, or "all of it", which is a word from 2^255 or twelve bytes in a row that are full,
 * as in the largest number of a smaller type.
 */
export function isOdd(words: Uint8Array): boolean {
  let filled = 0;
  let full = 0;
  let zeros = 0;
  return words.some((byte, at) => {
    full = byte === 0xff ? full + 1 : 0;
    zeros = byte === 0 ? zeros + 1 : 0;
    filled += Number(byte !== 0) - Number(at >= 32 && words[at - 32] !== 0);
    // In a call inside the call, where words have moved by four, 2^255 plus a small number.
    const isMoved = zeros === 15 && at % 4 === 3 && words[at - 15]! >= 0x80;
    return filled > maxFilled || full === 12 || isMoved || (at % 32 === 0 && byte >= 0x80);
  });
}
