/** Takes away what every browser ignores around and inside a link, in one linear pass. No regular expression ends in `+$` here. */

/** Without tab, CR and LF anywhere, and without white space, controls, zero-width and direction marks at both ends. */
export function cleanText(text: string): string {
  const oneLine = lineBreaks.test(text) ? text.replace(allLineBreaks, '') : text;
  let start = 0;
  let end = oneLine.length;
  while (start < end && isEdge(oneLine.charCodeAt(start))) start++;
  while (end > start && isEdge(oneLine.charCodeAt(end - 1))) end--;
  return end - start === oneLine.length ? oneLine : oneLine.slice(start, end);
}

/** The same without the zero-width characters that copying from a page leaves inside an address. */
export function withoutZeroWidth(text: string): string {
  return zeroWidth.test(text) ? text.replace(allZeroWidth, '') : text;
}

const lineBreaks = /[\t\n\r]/;
const allLineBreaks = /[\t\n\r]+/g;
const zeroWidth = /[\u200b\u2060\ufeff]/;
const allZeroWidth = /[\u200b\u2060\ufeff]+/g;

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
