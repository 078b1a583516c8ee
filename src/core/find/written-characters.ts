/**
 * Characters as HTML, JSON, JavaScript and Markdown write them in a text: `&#46;`, `&period;`, `\u002e`, `\x2e`, `\-`. Percent-escapes belong
 * to links, and are read with them.
 */

/**
 * Named references of ASCII, of the no-break space and of invisible characters, from the HTML standard, §13.5 "Named character references".
 * Letters and digits have none. Each is followed by its character.
 */
const characters: ReadonlyMap<string, string> = /* @__PURE__ */ (() => {
  const named =
    "amp & apos ' ast * bsol \\ colon : comma , commat @ dollar $ equals = excl ! gt > lbrace { lbrack [ lcub { lowbar _ lpar ( lsqb [ lt < " +
    'nbsp \xa0 newline \n num # percnt % period . plus + quest ? quot " rbrace } rbrack ] rcub } rpar ) rsqb ] semi ; sol / tab \t vert | ' +
    'nobreak \u2060 shy \xad zerowidthspace \u200b zwj \u200d zwnj \u200c';
  const parts = named.split(' ');
  return new Map(parts.flatMap((part, at) => (at % 2 === 0 ? [[part, parts[at + 1]!] as const] : [])));
})();

const name: string = /* @__PURE__ */ (() => [...characters.keys()].join('|'))();

/**
 * One written character. HTML reads a number without its semicolon, too, and Markdown a mark without the backslash before it. `&amp;` in front
 * is HTML that was escaped again, and more than one backslash is JSON in JSON: up to four levels of either, as of percent-escapes.
 */
export const writtenCharacter: string = /* @__PURE__ */ (() =>
  `&(?:amp;){0,3}(?:#(?:\\d{1,32}|x[\\da-f]{1,32});?|(?:${name});)|\\\\{1,4}(?:u[\\da-f]{4}|u\\{[\\da-f]{1,6}\\}|x[\\da-f]{2}|[-._])`)();

/** Matches every text with a written character, and few others. */
export const anyWritten: string = /* @__PURE__ */ (() => `&(?:#[x\\d]|(?:${name});)|\\\\(?:u[\\da-f{]|x[\\da-f]|[-._])`)();

/** What a written character stands for. */
export function meantByWritten(token: string): string {
  if (token.charCodeAt(0) === 0x5c) {
    const [, mark] = /^\\+([-._])$/.exec(token) ?? [];
    return mark ?? characterOf(token.replace(/^\\+[ux]\{?/i, ''), 16);
  }
  const reference = token
    .replace(/;$/, '')
    .replace(/^.*[&;]/, '')
    .toLowerCase();
  if (reference.charCodeAt(0) !== 0x23) return characters.get(reference)!;
  return reference.charCodeAt(1) === 0x78 ? characterOf(reference.slice(2), 16) : characterOf(reference.slice(1), 10);
}

/** Reads digits up to a closing brace. What is no character is the replacement character, as in HTML. */
function characterOf(digits: string, base: number): string {
  const code = Number.parseInt(digits, base);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
}
