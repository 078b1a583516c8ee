/**
 * A candidate string without the characters that every browser ignores around and inside a link. Cleaning takes linear time: no regular
 * expression here ends in `+$`.
 */
export interface CleanText {
  /**
   * For links: without tabs, CR and LF anywhere, and without whitespace, controls, zero-width and direction marks at the start. At the
   * end a browser removes only controls and spaces, and requests the rest.
   */
  readonly link: string;
  /** For everything else: without these marks at both ends, and without the zero-width characters that copying leaves in an address. */
  readonly bare: string;
}

export function cleanText(text: string): CleanText {
  const isClean = !unwanted.test(text);
  const link = trim(isClean ? text : text.replace(lineBreaks, (removed) => (removed.charCodeAt(0) < 0x80 ? '' : '\ufffd')));
  const bare = trimEnd(link);
  return { link, bare: isClean ? bare : bare.replace(zeroWidth, '') };
}

const unwanted = /[\t\n\r\u200b\u2060\ufeff]/;
/**
 * Includes a lone high surrogate in front, because removing the breaks must not join it with a low one: a browser replaces both first.
 */
const lineBreaks = /[\ud800-\udbff]?[\t\n\r]+/g;
const zeroWidth = /[\u200b\u2060\ufeff]+/g;

function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isEdge(text.charCodeAt(start))) start++;
  while (end > start && text.charCodeAt(end - 1) <= 0x20) end--;
  return end - start === text.length ? text : text.slice(start, end);
}

/** The text without whitespace, controls, zero-width and direction marks at its end. */
export function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isEdge(text.charCodeAt(end - 1))) end--;
  return end === text.length ? text : text.slice(0, end);
}

function isEdge(code: number): boolean {
  if (code <= 0x20 || code === 0x7f) return true;
  if (code < 0x80) return false;
  return (
    code <= 0xa0 ||
    code === 0xad ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200f) ||
    (code >= 0x2028 && code <= 0x202f) ||
    (code >= 0x205f && code <= 0x206f) ||
    code === 0x3000 ||
    code === 0xfeff
  );
}

/** Soft hyphens, joiners, direction marks and variation selectors, written for a character class of a regular expression. */
export const invisibleCharacters =
  '\\u00ad\\u034f\\u061c\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufe00-\\ufe0f\\ufeff';
