import { notHex } from '../assets/plain.js';

/**
 * Writes the only block of SHA-256 (FIPS 180-4 §5.1.1) of `address:0x…` for a bare EVM address; `false` for any other text. An address is
 * hashed from its characters without a string in between.
 */
export function writeAddress(text: string, words: Int32Array): boolean {
  if (text.length !== addressLength || text.charCodeAt(0) !== 0x30 || text.charCodeAt(1) !== 0x78) return false;
  // What is no digit sets a bit, so that no branch depends on a digit: a processor cannot predict them.
  const second = text.charCodeAt(2);
  const third = text.charCodeAt(3);
  let wrong = digitOf(second) | digitOf(third);
  words[0] = 0x61646472;
  words[1] = 0x6573733a;
  words[2] = 0x30780000 | ((second | lowerCase) << 8) | third | lowerCase;
  for (let at = 4; at < 40; at += 4) {
    const a = text.charCodeAt(at);
    const b = text.charCodeAt(at + 1);
    const c = text.charCodeAt(at + 2);
    const d = text.charCodeAt(at + 3);
    wrong |= digitOf(a) | digitOf(b) | digitOf(c) | digitOf(d);
    words[2 + (at >> 2)] = ((a | lowerCase) << 24) | ((b | lowerCase) << 16) | ((c | lowerCase) << 8) | d | lowerCase;
  }
  const y = text.charCodeAt(40);
  const z = text.charCodeAt(41);
  wrong |= digitOf(y) | digitOf(z);
  words[12] = ((y | lowerCase) << 24) | ((z | lowerCase) << 16) | 0x8000;
  words[13] = 0;
  words[14] = 0;
  words[15] = 8 * ('address:'.length + addressLength);
  return wrong === 0;
}

const addressLength = 42;

/** The bit that makes a letter lower-case. Digits have it. */
const lowerCase = 0x20;

/** 0 for a hexadecimal digit. */
function digitOf(code: number): number {
  return (code & ~127) | notHex[code & 127]!;
}
