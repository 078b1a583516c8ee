/**
 * Small, and good enough for ids and secrets nobody needs to fear for: mulberry32. Its place is a number that is kept with the state,
 * so that a service that goes on later gives no secret twice.
 */
export function placeAfter(place: number): number {
  return (place + 0x6d2b79f5) >>> 0;
}

/** From 0 to 1, without 1. */
export function numberAt(place: number): number {
  let mixed = Math.imul(place ^ (place >>> 15), place | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}
