import { invisibleCharacters } from '../assets/clean.js';
import { bracketed, meantBy } from '../assets/pasted.js';
import { anyWritten, meantByWritten, writtenCharacter } from './written-characters.js';

/** A text with its links refanged, and the origin of each of its units. */
export interface Refanged {
  readonly text: string;
  /** Start of the original piece that became unit `index`. */
  startOf(index: number): number;
  /** End of that piece. */
  endOf(index: number): number;
}

/**
 * Replaces bracketed dots, colons, slashes and at signs, and characters written as HTML or JSON writes them, with the plain characters, and
 * removes invisible characters, in linear time. The result for a piece does not depend on its surroundings, so a piece cut from a text reads as it did inside.
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
  const refanged = text.replace(defanged, (token: string, before = '', word = '', after = '', written = '', at: number) => {
    copyTo(at);
    const end = at + token.length;
    // `evil [dot] example`: spaces on both sides are part of the token.
    const isSpaced = before !== '' && after !== '';
    if (!isSpaced) copyTo(at + before.length);
    const meant = written === '' ? meantBy(word) : meantByWritten(written).replace(anyInvisible, '');
    for (let unit = 0; unit < meant.length; unit++) {
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

/** Matches every text that needs refanging, and some that do not. */
const anyDefanged: RegExp = /* @__PURE__ */ new RegExp(`[[({] ?[.@:/da]|[${invisibleCharacters}]|${anyWritten}`, 'i');

const defanged: RegExp = /* @__PURE__ */ new RegExp(`( )?${bracketed}( )?|[${invisibleCharacters}]+|(${writtenCharacter})`, 'gi');

const anyInvisible: RegExp = /* @__PURE__ */ new RegExp(`[${invisibleCharacters}]`, 'g');
