/** Percent-escapes between and inside the pieces of a text, as in the query of a link that was cut in two. */

/** Whether the escape at `at` stands for a character that ends a name, such as `%2f`, or for another percent sign. */
export function isBreakingEscape(text: string, at: number): boolean {
  breaking.lastIndex = at;
  return breaking.test(text);
}

const breaking = /%(?:[01][\da-f]|2[0-9acf]|3[a-f]|5[b-e]|60|7[b-f])/iy;

/** The end of the escape at `at`, however often its percent sign was escaped, or `at`. */
export function escapeEnd(text: string, at: number): number {
  anyEscape.lastIndex = at;
  return anyEscape.test(text) ? anyEscape.lastIndex : at;
}

const anyEscape = /%(?:25)*[\da-f]{2}/iy;

/**
 * The end of the `%3A%2F%2F` at `at`: the colon and slashes of a link, escaped up to four times, entirely or in part. `at` if there is
 * none.
 */
export function escapedSlashesEnd(text: string, at: number): number {
  escapedSlashes.lastIndex = at;
  return escapedSlashes.test(text) ? escapedSlashes.lastIndex : at;
}

const escapedSlashes = /(?!:\/\/)(?::|%(?:25){0,3}3a)(?:\/|%(?:25){0,3}2f){2}/iy;

/** The end of the value of a parameter that continues at `at`. */
export function valueEnd(text: string, at: number): number {
  value.lastIndex = at;
  value.test(text);
  return value.lastIndex;
}

const value = /[\w%.~!*/:?=@+,;$#-]*/y;
