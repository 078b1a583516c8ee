import { PortcullisError } from '../../core/errors.js';
import type { EntrySink, ListReader } from './list-entry.js';
import { entryOfFields, fieldKind, type ListMeaning, listNames } from './list-fields.js';
import { LineSplitter } from './list-lines.js';

/**
 * A list in YAML: texts (`- evil.example`) or objects (`- url: evil.example`), alone or below a known name (`blocklist:`). Only this much of
 * YAML is read. A value that needs more is refused, and so is a whole document whose structure does (docs/publishing.md, "YAML"), because
 * a list that is half understood could block the wrong site.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function readYaml(sink: EntrySink): ListReader {
  const document = new YamlList(sink);
  const lines = new LineSplitter((line, number) => document.add(line, number));
  return {
    write: (text) => lines.write(text),
    end: () => {
      lines.end();
      document.end();
    },
  };
}

/** An item that is being read. */
interface Item {
  readonly line: number;
  /** The column of its fields; -1 for a text, and until the first field. */
  column: number;
  readonly fields: Map<string, string | null>;
  readonly names: Set<string>;
  /** The field that a deeper line continues. */
  last: string | null;
  isMalformed: boolean;
}

class YamlList {
  private readonly sink: EntrySink;
  private meaning: ListMeaning | 'other' = 'blocked';
  /** The column of the hyphens of the present list; -1 before the first one. */
  private hyphen = -1;
  /** Whether the document is an object of lists; unknown before its first line. */
  private hasNames: boolean | null = null;
  private isFound = false;
  private isEnded = false;
  private item: Item | null = null;

  constructor(sink: EntrySink) {
    this.sink = sink;
  }

  add(line: string | null, number: number): void {
    if (line === null) throw this.unread(number, 'is too long');
    const column = line.search(/[^ ]/);
    const text = column < 0 ? '' : line.slice(column).trim();
    if (text === '' || text.startsWith('#')) return;
    if (column === 0 && /^(?:---|\.\.\.)(?:\s*#.*)?$/.test(text)) {
      this.mark(text, number);
      return;
    }
    if (this.isEnded) throw this.unread(number, 'begins a second document');
    if (line[column] === '\t') throw this.unread(number, 'is indented with a tab');
    const isHyphen = /^-(?:\s|$)/.test(text);
    if (this.item !== null && column > this.hyphen) this.continueItem(text, column, number);
    else if (isHyphen && (this.hyphen === column || (this.hyphen < 0 && this.hasNames !== null) || this.hasNames === null)) {
      this.beginItem(text, column, number);
    } else if (this.meaning === 'other' && column > 0) return;
    else if (column === 0 && this.hasNames !== false) this.beginList(text, number);
    else throw this.unread(number, 'is indented differently');
  }

  end(): void {
    this.finishItem();
    if (!this.isFound) throw new PortcullisError('INVALID_INPUT', 'the YAML has no list of entries');
  }

  /** `---` and `...`. */
  private mark(text: string, number: number): void {
    if (text.startsWith('.')) this.isEnded = true;
    else if (this.hasNames !== null) throw this.unread(number, 'begins a second document');
  }

  private beginList(text: string, number: number): void {
    this.finishItem();
    const field = fieldOf(text);
    if (field === null) throw this.unread(number, 'is neither "- …" nor "name: …"');
    this.hasNames = true;
    this.hyphen = -1;
    const meaning = listNames.get(field.name) ?? 'other';
    const value = valueOf(field.value);
    this.meaning = value === '' || meaning === 'other' ? meaning : 'other';
    // A list that is written another way must not read as an empty one.
    if (meaning !== 'other' && value !== '' && field.value !== '[]')
      throw this.unread(number, 'has a list that is not one item per line');
    if (meaning === 'blocked') this.isFound = true;
  }

  private beginItem(text: string, column: number, number: number): void {
    this.finishItem();
    this.hasNames ??= false;
    if (!this.hasNames) this.isFound = true;
    this.hyphen = column;
    this.item = { line: number, column: -1, fields: new Map(), names: new Set(), last: null, isMalformed: false };
    const inner = text.slice(1);
    const start = inner.search(/\S/);
    if (start < 0 || inner[start] === '#') return;
    if (inner.slice(0, start).indexOf('\t') >= 0) throw this.unread(number, 'is indented with a tab');
    this.continueItem(inner.slice(start).trim(), column + 1 + start, number);
  }

  /** A field, or a text that is the item. */
  private continueItem(text: string, column: number, number: number): void {
    const item = this.item!;
    if (item.column >= 0 && column > item.column) {
      // The value of the last field goes on; what it says is then unknown.
      if (item.last === null || fieldKind(item.last) !== undefined) item.isMalformed = true;
      return;
    }
    const isFirst = item.column < 0;
    if (!isFirst && column < item.column) throw this.unread(number, 'is indented differently');
    const field = fieldOf(text);
    if (isFirst) item.column = column;
    if (field === null) {
      if (!isFirst) throw this.unread(number, 'is not "name: …"');
      const value = valueOf(text);
      if (value === null) item.isMalformed = true;
      else item.fields.set('content', value);
      return;
    }
    // A merged object may hold anything, such as a status.
    if (field.name === '<<' || item.names.has(field.name) || (!isFirst && item.names.size === 0)) item.isMalformed = true;
    if (item.names.size < maxFields) item.names.add(field.name);
    item.last = field.name;
    if (fieldKind(field.name) === undefined) return;
    const value = valueOf(field.value);
    if (value === null) item.isMalformed = true;
    else if (value !== '') item.fields.set(field.name, value);
  }

  private finishItem(): void {
    const { item, meaning } = this;
    this.item = null;
    if (item === null || meaning === 'other') return;
    const entry = entryOfFields(item.line, item.fields);
    if (item.isMalformed) this.sink({ line: item.line, text: '', problem: 'malformed' });
    else this.sink(meaning === 'blocked' ? entry : { ...entry, problem: meaning });
  }

  private unread(number: number, what: string): PortcullisError {
    return new PortcullisError(
      'INVALID_INPUT',
      `the YAML is not a plain list: line ${number} ${what}; write "- url: host" lines, or JSON`,
    );
  }
}

/** Fields of an item that are remembered to find duplicates. */
const maxFields = 64;

/** A name with a colon: `url: …`, in quotes or without. `null` for anything else. */
function fieldOf(text: string): { name: string; value: string } | null {
  const [all, plain, quoted] = /^(?:([\w<][\w.<-]{0,60})|["']([\w .-]{0,60})["']) ?:(?=\s|$)/.exec(text) ?? [];
  if (all === undefined) return null;
  return { name: (plain ?? quoted ?? '').toLowerCase(), value: text.slice(all.length).trim() };
}

/** A text on one line, with or without quotes; `''` for none; `null` for all else that a value can be. */
function valueOf(text: string): string | null {
  const mark = text[0] ?? '#';
  if (mark === '#') return '';
  if (mark === '"' || mark === "'") return quotedOf(text, mark);
  const comment = text.search(/\s#/);
  const plain = (comment < 0 ? text : text.slice(0, comment)).trim();
  if (/^(?:~|null)$/i.test(plain)) return '';
  // Indicators begin other kinds of values, and a colon begins an inner object.
  return /^[,[\]{}&*!|>%@`]|^[-?:](?:\s|$)|:(?:\s|$)/.test(plain) ? null : plain;
}

function quotedOf(text: string, mark: string): string | null {
  let end = 1;
  while (end < text.length && (text[end] !== mark || (mark === "'" && text[end + 1] === mark))) {
    end += text[end] === mark || (mark === '"' && text[end] === '\\') ? 2 : 1;
  }
  if (end >= text.length || !/^(?:\s*|\s+#.*)$/.test(text.slice(end + 1))) return null;
  const inner = text.slice(1, end);
  if (mark === "'") return inner.split("''").join("'");
  // Escapes that JSON does not have are not needed in lists.
  if (!/^(?:[^\\]|\\["\\/])*$/.test(inner)) return null;
  return inner.replace(/\\(.)/g, '$1');
}
