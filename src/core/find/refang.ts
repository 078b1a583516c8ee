import { unseenCharacters } from '../assets/clean.js';
/** A text with its defanged links written as they were meant, and where each unit of it comes from. */
export interface Refanged {
  readonly text: string;
  /** Where the piece begins that unit `index` stands for. */
  startOf(index: number): number;
  /** Where it ends. */
  endOf(index: number): number;
}

/**
 * Dots, colons, slashes and at signs in brackets become what they stand for, and what nobody sees goes. What a piece becomes depends
 * on nothing around it, so that a piece that was cut out reads as it did in the text. Linear.
 */
export function refang(text: string): Refanged {
  if (!anyDefanged.test(text)) return { text, startOf: (index) => index, endOf: (index) => index + 1 };
  const starts = new Uint32Array(text.length);
  const ends = new Uint32Array(text.length);
  let length = 0;
  let done = 0;
  const copyTo = (end: number): void => {
    while (done < end) {
      starts[length] = done++;
      ends[length++] = done;
    }
  };
  const refanged = text.replace(defanged, (token: string, before = '', word = '', after = '', at: number) => {
    copyTo(at);
    const end = at + token.length;
    // `evil [dot] example`: the spaces are part of it if they stand on both sides.
    const isSpaced = before !== '' && after !== '';
    if (!isSpaced) copyTo(at + before.length);
    const meant = meanings[word.toLowerCase()] ?? word;
    for (const _ of meant) {
      starts[length] = done;
      ends[length++] = isSpaced ? end : end - after.length;
    }
    done = isSpaced ? end : end - after.length;
    if (isSpaced) return meant;
    copyTo(end);
    return before + meant + after;
  });
  copyTo(text.length);
  return { text: refanged, startOf: (index) => starts[index]!, endOf: (index) => ends[index]! };
}

/** A scheme that was written so that nobody's program makes a link of it: `hxxp`, `hXXps`, `htxp`, `fxp`. */
export function withPlainScheme(piece: string): string {
  return piece.replace(/^(?:h[tx]{2}p|f[tx]p)(?=s?:)/i, (scheme) => (/^h/i.test(scheme) ? 'http' : 'ftp'));
}

const meanings: Readonly<Record<string, string>> = { dot: '.', at: '@' };

/** What a text without anything to refang does not have. */
const anyDefanged: RegExp = /* @__PURE__ */ new RegExp(`[[({] ?[.@:/da]|[${unseenCharacters}]`, 'i');

const defanged: RegExp = /* @__PURE__ */ new RegExp(
  `( )?[[({] ?(\\.|@|:(?://)?|//?|dot|at) ?[\\])}]( )?|[${unseenCharacters}]+`,
  'gi',
);
