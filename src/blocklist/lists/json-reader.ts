import { PortcullisError } from '../../core/errors.js';
import { type ListReader, maxLineLength } from './list-entry.js';

/** Receives the values of a JSON document; `path` holds the names and array indexes that lead to a value. */
export interface JsonEvents {
  open(path: JsonPath, isArray: boolean): void;
  close(path: JsonPath): void;
  /** `null` for a string longer than the limit. */
  string(path: JsonPath, text: string | null): void;
  /** A number, `true`, `false` or `null`. */
  other(path: JsonPath, isNull: boolean): void;
}

export type JsonPath = readonly (string | number)[];

/**
 * Streaming JSON reader (RFC 8259) that keeps one string in memory at a time. `JSON.parse` of a million assets would block the thread for
 * half a second and keep all of them in memory.
 *
 * @throws PortcullisError `INVALID_INPUT` with the position of the syntax error
 */
export class JsonReader implements ListReader {
  private readonly events: JsonEvents;
  private readonly path: (string | number)[] = [];
  private expected: Expected = 'value';
  /** The string or word being read; `null` for a string longer than the limit. */
  private token: string | null = '';
  private escape = '';
  private line = 1;
  private lineStart = 0;
  /** Characters before the current part. */
  private before = 0;

  constructor(events: JsonEvents) {
    this.events = events;
  }

  write(text: string): void {
    for (let at = 0; at < text.length; ) at = this.step(text, at);
    this.before += text.length;
  }

  end(): void {
    if (this.expected === 'word') this.finishWord(0);
    if (this.expected !== 'end') throw this.broken(0);
  }

  /** Continues at `at` and returns the position after the last character read. */
  private step(text: string, at: number): number {
    switch (this.expected) {
      case 'in string':
      case 'in name':
        return this.readString(text, at);
      case 'in escape':
      case 'in name escape':
        return this.readEscape(text, at);
      case 'word':
        return this.readWord(text, at);
      default:
        this.readMark(text.charCodeAt(at), at);
        return at + 1;
    }
  }

  private readMark(code: number, at: number): void {
    if (code === 0x20 || code === 0x0d || code === 0x09) return;
    if (code === 0x0a) {
      this.line++;
      this.lineStart = this.before + at + 1;
      return;
    }
    const { expected } = this;
    if (expected === 'value' || expected === 'value or ]') this.beginValue(code, at);
    else if (expected === 'colon' && code === colon) this.expected = 'value';
    else if ((expected === 'name' || expected === 'name or }') && code === quote) this.begin('in name');
    else if (expected === 'name or }' && code === closeObject) this.closeContainer();
    else if (expected === 'comma' && code === comma) this.nextItem();
    else if (expected === 'comma' && code === (this.inArray() ? closeArray : closeObject)) this.closeContainer();
    else throw this.broken(at);
  }

  private beginValue(code: number, at: number): void {
    if (code === quote) this.begin('in string');
    else if (code === openArray || code === openObject) this.openContainer(code === openArray, at);
    else if (code === closeArray && this.expected === 'value or ]') this.closeContainer();
    else if (isWordPart(code)) {
      this.begin('word');
      this.token = String.fromCharCode(code);
    } else throw this.broken(at);
  }

  private begin(expected: Expected): void {
    this.expected = expected;
    this.token = '';
  }

  private openContainer(isArray: boolean, at: number): void {
    if (this.path.length === maxDepth) throw this.broken(at);
    this.events.open(this.path, isArray);
    this.path.push(isArray ? 0 : '');
    this.expected = isArray ? 'value or ]' : 'name or }';
  }

  private closeContainer(): void {
    this.path.pop();
    this.events.close(this.path);
    this.endValue();
  }

  private nextItem(): void {
    const last = this.path.length - 1;
    const place = this.path[last]!;
    if (typeof place === 'number') this.path[last] = place + 1;
    this.expected = typeof place === 'number' ? 'value' : 'name';
  }

  private endValue(): void {
    this.expected = this.path.length === 0 ? 'end' : 'comma';
  }

  private inArray(): boolean {
    return typeof this.path[this.path.length - 1] === 'number';
  }

  private readString(text: string, start: number): number {
    let at = start;
    let code = text.charCodeAt(at);
    while (at < text.length && code !== quote && code !== backslash && code >= 0x20) code = text.charCodeAt(++at);
    this.append(text.slice(start, at));
    if (at === text.length) return at;
    if (code < 0x20) throw this.broken(at);
    const isName = this.expected === 'in name';
    if (code === backslash) {
      this.expected = isName ? 'in name escape' : 'in escape';
      this.escape = '';
    } else if (isName) {
      this.path[this.path.length - 1] = this.token ?? '';
      this.expected = 'colon';
    } else {
      this.endValue();
      this.events.string(this.path, this.token);
    }
    return at + 1;
  }

  private readEscape(text: string, at: number): number {
    this.escape += text[at]!;
    const code = this.escape;
    const isHex = code[0] === 'u';
    if (isHex ? !/^u[\da-f]{0,4}$/i.test(code) : simpleEscapes[code] === undefined) throw this.broken(at);
    if (isHex && code.length < 5) return at + 1;
    this.append(isHex ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : simpleEscapes[code]!);
    this.expected = this.expected === 'in name escape' ? 'in name' : 'in string';
    return at + 1;
  }

  private append(part: string): void {
    if (this.token === null || part === '') return;
    this.token = this.token.length + part.length > maxLineLength ? null : this.token + part;
  }

  private readWord(text: string, start: number): number {
    let at = start;
    while (at < text.length && isWordPart(text.charCodeAt(at))) at++;
    this.append(text.slice(start, at));
    if (at < text.length) this.finishWord(at);
    return at;
  }

  private finishWord(at: number): void {
    if (this.token === null || !word.test(this.token)) throw this.broken(at);
    this.endValue();
    this.events.other(this.path, this.token === 'null');
  }

  private broken(at: number): PortcullisError {
    const column = this.before + at - this.lineStart + 1;
    return new PortcullisError('INVALID_INPUT', `the JSON has a syntax error at line ${this.line}, column ${column}`);
  }
}

type Expected =
  | ('value' | 'value or ]' | 'name' | 'name or }' | 'colon' | 'comma' | 'end')
  | ('in string' | 'in escape' | 'in name' | 'in name escape' | 'word');

/** Lists nest three levels deep. */
const maxDepth = 64;

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;
const openArray = 0x5b;
const closeArray = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

const simpleEscapes: Readonly<Record<string, string>> = {
  __proto__: null as unknown as string,
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** Lowercase letters, digits and the other characters of numbers. */
function isWordPart(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x2d ||
    code === 0x2b ||
    code === 0x2e ||
    code === 0x45
  );
}

const word = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
