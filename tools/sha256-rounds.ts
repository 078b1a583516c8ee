/**
 * The module `src/made/sha256-rounds.ts`: one block of SHA-256 (FIPS 180-4 §6.2.2) with its rounds written out. A loop over eight rounds reads
 * the message schedule from memory; here it and the eight variables stay in the registers of the processor (decision 0081).
 */
export function roundsModule(): string {
  const names = [...'abcdefgh'];
  const places = Array.from({ length: 16 }, (_, at) => at);
  return [
    '/**',
    ' * A function that adds the block in `words` to the state, unless it is the last one of a message. Returns the first word of the state after',
    ' * it; `k` holds the constants of the 64 rounds.',
    ' */',
    'export function roundsOf(words: Int32Array, state: Int32Array, k: Int32Array): (isLast: boolean) => number {',
    'return (isLast) => {',
    ...places.map((at) => `let w${at} = words[${at}]!;`),
    ...names.map((name, at) => `let ${name} = state[${at}]!;`),
    'let odd = b ^ c;',
    'let even = 0;',
    ...places.map((at) => round(at, `k[${at}]!`)),
    'for (let r = 16; r < 64; r += 16) {',
    ...places.map((at) => nextWord(at) + round(at, `k[r + ${at}]!`)),
    '}',
    'if (isLast) return (state[0]! + a) >>> 0;',
    ...names.map((name, at) => `state[${at}] = (state[${at}]! + ${name}) | 0;`),
    'return state[0]! >>> 0;',
    '};',
    '}',
    '',
  ].join('\n');
}

/**
 * The eight variables change roles, so that none moves. The majority of `a`, `b` and `c` is computed from `a ^ b` and `b ^ c`, which was `a ^ b`
 * of the round before.
 */
function round(at: number, constant: string): string {
  const role = (place: number): string => 'abcdefgh'[(place + 16 - at) % 8]!;
  const [a, b, d, e] = [role(0), role(1), role(3), role(4)];
  const [f, g, h] = [role(5), role(6), role(7)];
  const [ab, bc] = at % 2 === 0 ? ['even', 'odd'] : ['odd', 'even'];
  const sum1 = `(${rotated(e, 6)} ^ ${rotated(e, 11)} ^ ${rotated(e, 25)})`;
  const sum0 = `(${rotated(a, 2)} ^ ${rotated(a, 13)} ^ ${rotated(a, 22)})`;
  return [
    `${h} = (${h} + ${sum1} + (${g} ^ (${e} & (${f} ^ ${g}))) + ${constant} + w${at}) | 0;`,
    `${d} = (${d} + ${h}) | 0;`,
    `${ab} = ${a} ^ ${b};`,
    `${h} = (${h} + ${sum0} + (${b} ^ (${ab} & ${bc}))) | 0;`,
  ].join('\n');
}

/** The word of the message schedule that takes the place of the one sixteen rounds before. */
function nextWord(at: number): string {
  const word = (back: number): string => `w${(at + 16 - back) % 16}`;
  const s0 = `(${rotated(word(15), 7)} ^ ${rotated(word(15), 18)} ^ (${word(15)} >>> 3))`;
  const s1 = `(${rotated(word(2), 17)} ^ ${rotated(word(2), 19)} ^ (${word(2)} >>> 10))`;
  return `${word(16)} = (${word(16)} + ${s0} + ${word(7)} + ${s1}) | 0;\n`;
}

function rotated(name: string, bits: number): string {
  return `((${name} >>> ${bits}) | (${name} << ${32 - bits}))`;
}
