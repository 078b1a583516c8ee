import { firstPrimes } from './primes.js';

// FIPS 180-4 §4.2.2 and §5.3.3: the first 32 bits of the fractional parts of the cube roots of the first 64 primes, and of the square
// roots of the first eight. No bit depends on the last digits of a root: an engine would have to be a thousand times less exact than
// any is, and the self-test would find that.

/** One for each round. */
export const roundConstants: Int32Array = /* @__PURE__ */ Int32Array.from(
  /* @__PURE__ */ firstPrimes(64),
  (prime) => (prime ** (1 / 3) % 1) * 2 ** 32,
);

/** The state before the first block. */
export const initialState: Int32Array = /* @__PURE__ */ Int32Array.from(
  /* @__PURE__ */ firstPrimes(8),
  (prime) => (prime ** 0.5 % 1) * 2 ** 32,
);
