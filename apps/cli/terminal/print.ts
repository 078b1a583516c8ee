import type { Stream } from './terminal.js';

/**
 * The only place that writes to the terminal. Whatever command prints it, text of others cannot move the cursor, change the title, color
 * or reverse other text, or begin a line.
 */

/** Stands for the start of an escape sequence until it is printed. Random, so that text of others cannot contain it. */
let escapeMark: string | undefined;

/** The mark, which is made for the first color, because loading `crypto` takes longer than printing. */
export function escapeMarkOf(): string {
  escapeMark ??= `\ufdd0${process.getBuiltinModule('node:crypto').randomUUID()}`;
  return escapeMark;
}

/** Prints lines. A line break inside one is text of others, and is shown as a code. */
export function printLines(stream: Stream, lines: readonly string[]): Promise<void> {
  const columns = stream.isTTY === true && stream.columns ? stream.columns : Number.POSITIVE_INFINITY;
  return write(stream, lines.map((line) => `${withColors(broken(printable(line), columns))}\n`).join(''));
}

/**
 * Breaks a line between words, because a terminal breaks it in the middle of an address. A word longer than the terminal gets a line of
 * its own. Characters that take two columns count as one.
 */
function broken(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line;
  const [indent = ''] = /^ */.exec(line) ?? [];
  const hanging = `${indent}  `;
  let text = '';
  let width = 0;
  // Words at even places, and between them the spaces.
  const parts = line.split(/( +)/);
  for (let at = 0; at < parts.length; at += 2) {
    const [gap = '', word = ''] = [parts[at - 1], parts[at]];
    if (word === '') continue;
    const wordWidth = widthOf(word);
    if (text === '' || width + gap.length + wordWidth <= columns) {
      text += gap + word;
      width += gap.length + wordWidth;
    } else {
      const before = hanging.length + wordWidth <= columns ? hanging : '';
      text += `\n${before}${word}`;
      width = before.length + wordWidth;
    }
  }
  return text;
}

/** The columns of a line, in which colors take none. */
function widthOf(text: string): number {
  if (escapeMark === undefined || !text.includes(escapeMark)) return text.length;
  return text.replaceAll(new RegExp(`${escapeMark}\\d+m`, 'g'), '').length;
}

/** Prints text of several lines, in which only own text and quoted cells break lines. */
export function printText(stream: Stream, text: string): Promise<void> {
  return write(stream, withColors(text.replace(/\r(?!\n)|(?![\r\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/gu, codeOf)));
}

/** Prints JSON, whose strings stay the same. Bytes are the UTF-8 of `printableJson`. */
export function printJson(stream: Stream, json: string | Uint8Array): Promise<void> {
  return write(stream, typeof json === 'string' ? printableJson(json) : json);
}

/** JSON with escapes for what JSON allows in strings and a terminal obeys: control characters above ASCII and marks of direction. */
export function printableJson(json: string): string {
  // Most output has none, and this test is fast.
  const isPlain = !/[\x7f-\uffff]/.test(json);
  return isPlain ? json : json.replace(/[\x7f-\x9f\p{Cf}\u2028\u2029]/gu, escapedInJson);
}

/** Prints text without ending the line. */
export function printStart(stream: Stream, text: string): Promise<void> {
  return write(stream, printable(text));
}

/** Replaces the text of the current line. */
export function printOver(stream: Stream, text: string): Promise<void> {
  return write(stream, `\r${printable(text)}\u001b[K`);
}

/** Text as one line, in which control characters, line breaks and marks of direction are shown as codes. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => (character === '\t' ? ' ' : codeOf(character)));
}

function codeOf(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

function escapedInJson(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

function withColors(text: string): string {
  return escapeMark === undefined ? text : text.replaceAll(escapeMark, '\u001b[');
}

const waits = new WeakMap<Stream, Promise<void>>();

/** Waits for a slow reader, so that output does not pile up in memory. Resolves if the reader disconnects. */
function write(stream: Stream, text: string | Uint8Array): Promise<void> {
  if (text.length === 0 || stream.destroyed || stream.write(text)) return Promise.resolve();
  const wait = waits.get(stream) ?? readyAgain(stream);
  waits.set(stream, wait);
  return wait;
}

function readyAgain(stream: Stream): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done).off('error', done);
      waits.delete(stream);
      resolve();
    };
    stream.on('drain', done).on('close', done).on('error', done);
  });
}
