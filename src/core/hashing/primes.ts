/** The first prime numbers, from whose roots SHA-2 takes its constants. */
export function firstPrimes(count: number): readonly number[] {
  const primes: number[] = [];
  for (let number = 2; primes.length < count; number++) if (primes.every((prime) => number % prime > 0)) primes.push(number);
  return primes;
}
