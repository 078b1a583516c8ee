/** The kinds of UTF-16 units that matter for finding links in prose; one bit each, so that a run can record those it contains. */

/** Ends any piece: whitespace, controls, quotes, `< > |`, the punctuation of other scripts. */
export const ender = 0;
export const letter = 1;
export const digit = 2;
/** Other characters of names and email addresses: `- _ % +`. */
export const mark = 4;
export const dot = 8;
export const atSign = 16;
/** A letter of a script that has no spaces between words, where prose touches a link. */
export const unspaced = 32;
/** An emoji or another sign outside ASCII: often next to a link and hardly ever part of one. */
export const sign = 64;
/** Every other ASCII character: brackets, slashes, commas … */
const other = 128;

export const alphanumeric: number = letter | digit;
/** The first unit of a name, the units of a name, and the units of a host after a scheme. */
export const nameStart: number = letter | digit | unspaced;
export const nameParts: number = nameStart | mark | dot | atSign;
export const hostParts: number = nameStart | mark | dot | sign;

/** Returns `ender` past the end of the text. */
export function kindAt(text: string, index: number): number {
  return kinds[text.charCodeAt(index)] ?? ender;
}

/** The first half of an emoji, whose second half looks like a letter. */
export function isFirstHalf(kind: number, code: number): boolean {
  return kind === sign && code >= 0xd800;
}

/**
 * Ranges from U+00C0 on: the kind of each range and the unit after its last one. Extended to whole blocks where that changes no result. A
 * high surrogate has the kind of the characters it starts, emoji or letters.
 */
const ranges: readonly (readonly [kind: number, end: number])[] = [
  [letter, 0x589],
  [ender, 0x58a], // the full stops and commas of Armenian, Arabic, Urdu and Devanagari
  [letter, 0x60c],
  [ender, 0x60d],
  [letter, 0x61b],
  [ender, 0x620],
  [letter, 0x6d4],
  [ender, 0x6d5],
  [letter, 0x964],
  [ender, 0x966],
  [letter, 0xe00],
  [unspaced, 0xf00], // Thai, Lao
  [letter, 0x1000],
  [unspaced, 0x10a0], // Burmese
  [letter, 0x1100],
  [unspaced, 0x1200], // Hangul
  [letter, 0x1680],
  [ender, 0x1681],
  [letter, 0x1780],
  [unspaced, 0x1800], // Khmer
  [letter, 0x2000],
  [ender, 0x2070], // spaces, dashes, quotes, the ellipsis
  [sign, 0x2102],
  [letter, 0x2116], // letters of mathematics
  [sign, 0x2119],
  [letter, 0x211e],
  [sign, 0x2124],
  [letter, 0x214f],
  [sign, 0x2160],
  [letter, 0x2180], // Roman numerals
  [sign, 0x24b6],
  [letter, 0x24ea], // letters in circles
  [sign, 0x2c00],
  [letter, 0x2e80],
  [unspaced, 0x3000],
  [ender, 0x3005], // the ideographic space, comma and full stop
  [unspaced, 0x3008],
  [ender, 0x3040],
  [unspaced, 0xd800], // kana, Han, Hangul
  [letter, 0xd83c],
  [sign, 0xd83f], // emoji
  [letter, 0xe000],
  [ender, 0xf900], // private use
  [unspaced, 0xfb00],
  [letter, 0xfe10],
  [ender, 0xfe70], // vertical forms
  [letter, 0xff00],
  [ender, 0xff10], // full-width forms: punctuation around digits and letters
  [digit, 0xff1a],
  [ender, 0xff21],
  [letter, 0xff3b],
  [ender, 0xff41],
  [letter, 0xff5b],
  [ender, 0xff66],
  [unspaced, 0xffe0],
];

/** One byte per unit: a loop over every character of a text can afford a table lookup and little more. */
export const kinds: Uint8Array = /* @__PURE__ */ tableOfKinds();

function tableOfKinds(): Uint8Array {
  const table = new Uint8Array(0x10000);
  for (let code = 0x21; code < 0x7f; code++) table[code] = asciiKind(String.fromCharCode(code));
  let from = 0xc0;
  for (const [kind, end] of ranges) {
    table.fill(kind, from, end);
    from = end;
  }
  for (const code of [0x2024, 0xfe52, 0xff0e]) table[code] = dot;
  // `ª ² ³ ¹ º`, which a browser reads as letters and digits.
  for (const code of [0xaa, 0xb2, 0xb3, 0xb9, 0xba]) table[code] = sign;
  return table;
}

function asciiKind(character: string): number {
  if (/[a-z]/i.test(character)) return letter;
  if (/\d/.test(character)) return digit;
  if ('-_%+'.includes(character)) return mark;
  if (character === '.') return dot;
  if (character === '@') return atSign;
  return '"<>`|'.includes(character) ? ender : other;
}
