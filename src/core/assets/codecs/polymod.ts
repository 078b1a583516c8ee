/**
 * The remainder that CashAddr and blech32 use as a checksum. Its 40 or 60 bits do not fit in a number's 32, so it has two halves of
 * `bits` bits, and so has each of the five generators.
 */
export interface Generators {
  readonly bits: 20 | 30;
  readonly high: readonly number[];
  readonly low: readonly number[];
}

/** The remainder of these digits of five bits. */
export function polymod(digits: ArrayLike<number>, { bits, high, low }: Generators): readonly [high: number, low: number] {
  const shift = bits - 5;
  const mask = 2 ** shift - 1;
  let upper = 0;
  let lower = 1;
  for (let at = 0; at < digits.length; at++) {
    const top = upper >>> shift;
    upper = ((upper & mask) << 5) | (lower >>> shift);
    lower = ((lower & mask) << 5) ^ digits[at]!;
    for (let bit = 0; bit < 5; bit++) {
      if (((top >> bit) & 1) === 0) continue;
      upper ^= high[bit]!;
      lower ^= low[bit]!;
    }
  }
  return [upper, lower];
}
