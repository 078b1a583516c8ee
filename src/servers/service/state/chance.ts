/**
 * The mulberry32 generator: suitable for reproducible ids and sample secrets, but not for real secrets. Its position is kept with
 * the state, so that a restarted service does not repeat a secret.
 */
export function placeAfter(place: number): number {
  return (place + 0x6d2b79f5) >>> 0;
}

/** From 0 up to but not including 1. */
export function numberAt(place: number): number {
  let mixed = Math.imul(place ^ (place >>> 15), place | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

/** Random hex digits, eight for each word. */
export function randomHex(random: () => number, words: number): string {
  const word = (): string =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  return Array.from({ length: words }, word).join('');
}
