/** Enough to know what a file is. */
const sampleBytes = 65_536;

/** More than in a text with a few damaged lines, or in one of Western Europe in an old encoding, whose lines are reported one by one. */
const maxBadShare = 0.1;
const maxBadBytes = 8;

/** Whether a file that begins so is no text in UTF-8: much of it is zero or no character. */
export function isBinary(start: Uint8Array): boolean {
  const sample = start.subarray(0, sampleBytes);
  let bad = 0;
  for (let at = 0; at < sample.length; ) {
    const length = characterBytes(sample, at);
    // The sample may end inside a character.
    if (length === 0 && sample.length - at < 4) break;
    if (length === 0 || sample[at] === 0) bad++;
    at += Math.max(1, length);
  }
  return bad >= maxBadBytes && bad > sample.length * maxBadShare;
}

/** The length of the character at a place; 0 if it is not UTF-8. Overlong characters are rare enough to count as characters. */
export function characterBytes(bytes: Uint8Array, at: number): number {
  const length = bytesFrom(bytes[at]!);
  for (let more = 1; more < length; more++) if ((bytes[at + more]! & 0xc0) !== 0x80) return 0;
  return length;
}

/** The length of the characters that begin with a byte; 0 if none does. */
export function bytesFrom(lead: number): number {
  return lead < 0x80 ? 1 : lead < 0xc2 || lead > 0xf4 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}
