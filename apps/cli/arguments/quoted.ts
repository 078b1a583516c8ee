/** Longer text is not a typing error. */
const maxLength = 60;

/** Text that may be a key: many letters and digits in a row. */
const keyLike = /(?=[\w-]*\d)[\w-]{16,}|[\w-]{32,}/;

/** The text in quotes after a space; empty for text that may be a key pasted by mistake, which must not end up in a log. */
export function quoted(text: string): string {
  return text.length > maxLength || keyLike.test(text) ? '' : ` "${text}"`;
}

/** The end of a message about an invalid value: `, not "yaml"`. */
export function notThis(text: string): string {
  const shown = quoted(text);
  return shown && `, not${shown}`;
}
