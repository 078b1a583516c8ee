import { PortcullisError } from '../../core/errors.js';
import type { EntrySink, ListReader } from './list-entry.js';
import { clearNames, entryOfFields, fieldKind, type ListMeaning, unreadList } from './list-fields.js';
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
  /** The quote that a value on several lines has not closed yet. */
  open: string | null;
  /** The last value is a text of the deeper lines as they are. */
  isBlock: boolean;
  isMalformed: boolean;
}

class YamlList {
  private readonly sink: EntrySink;
  private meaning: ListMeaning | 'other' = 'blocked';
  /** The name of a list that is not read, until it is reported. */
  private unreadName: string | null = null;
  /** The column of the hyphens of the present list; -1 before the first one. */
  private hyphen = -1;
  /** Whether the document is an object of lists; unknown before its first line. */
  private hasNames: boolean | null = null;
  private isFound = false;
  private isEnded = false;
  private line = 0;
  private item: Item | null = null;

  constructor(sink: EntrySink) {
    this.sink = sink;
  }

  add(line: string | null, number: number): void {
    if (line === null) throw this.unread(number, 'is too long');
    const column = line.search(/[^ ]/);
    const text = column < 0 ? '' : line.slice(column).trim();
    if (text === '' || text.startsWith('#')) return;
    if (column === 0 && /^(?:---|\.\.\.)(?:\s+#.*)?$/.test(text)) {
      this.mark(text, number);
      return;
    }
    this.line = number;
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
    this.requireClosed(this.line);
    this.finishItem();
    if (!this.isFound)
      throw new PortcullisError(
        'INVALID_INPUT',
        'the YAML has no list of entries; write "- url: host" lines, alone or below "blocklist:"',
      );
  }

  /** `---` and `...`. */
  private mark(text: string, number: number): void {
    if (text.startsWith('.')) this.isEnded = true;
    else if (this.hasNames !== null) throw this.unread(number, 'begins a second document');
  }

  private beginList(text: string, number: number): void {
    this.requireClosed(number);
    this.finishItem();
    const field = fieldOf(text);
    if (field === null) throw this.unread(number, 'is neither "- …" nor "name: …"');
    this.hasNames = true;
    this.hyphen = -1;
    const meaning = clearNames.get(field.name) ?? 'other';
    const value = scalarOf(field.value);
    this.meaning = value === '' || meaning === 'other' ? meaning : 'other';
    // A list that is written another way must not read as an empty one.
    if (meaning !== 'other' && value !== '' && field.value !== '[]')
      throw this.unread(number, 'has a list that is not one item per line');
    if (meaning === 'blocked') this.isFound = true;
    this.unreadName = this.meaning === 'other' ? field.name : null;
    if (field.value.startsWith('[') && field.value !== '[]') this.reportUnread(number);
  }

  private reportUnread(number: number): void {
    if (this.unreadName !== null) this.sink(unreadList(number, this.unreadName));
    this.unreadName = null;
  }

  private beginItem(text: string, column: number, number: number): void {
    this.requireClosed(number);
    this.finishItem();
    this.hasNames ??= false;
    if (!this.hasNames) this.isFound = true;
    this.hyphen = column;
    this.reportUnread(number);
    this.item = {
      line: number,
      column: -1,
      fields: new Map(),
      names: new Set(),
      last: null,
      open: null,
      isBlock: false,
      isMalformed: false,
    };
    const inner = text.slice(1);
    const start = inner.search(/\S/);
    if (start < 0 || inner[start] === '#') return;
    if (inner.slice(0, start).indexOf('\t') >= 0) throw this.unread(number, 'is indented with a tab');
    this.continueItem(inner.slice(start).trim(), column + 1 + start, number);
  }

  /** A field, or a text that is the item. */
  private continueItem(text: string, column: number, number: number): void {
    const item = this.item!;
    const isText = item.column >= 0 && item.last === null;
    if (isText || (item.column >= 0 && column > item.column)) {
      this.continueValue(item, text, number);
      return;
    }
    this.requireClosed(number);
    const isFirst = item.column < 0;
    if (!isFirst && column < item.column) throw this.unread(number, 'is indented differently');
    const field = fieldOf(text);
    if (isFirst) item.column = column;
    item.open = openQuoteOf(field?.value ?? text);
    item.isBlock = /^[|>]/.test(field?.value ?? '');
    if (field === null) {
      if (!isFirst) throw this.unread(number, 'is not "name: …"');
      const value = scalarOf(text);
      if (value === null) item.isMalformed = true;
      else item.fields.set('content', value);
      return;
    }
    // A merged object may hold anything, such as a status.
    if (field.name === '<<' || item.names.has(field.name) || item.names.size === maxFields) item.isMalformed = true;
    else item.names.add(field.name);
    item.last = field.name;
    if (fieldKind(field.name) === undefined) return;
    const value = scalarOf(field.value);
    if (value === null) item.isMalformed = true;
    else if (value !== '') item.fields.set(field.name, value);
  }

  /** A deeper line: part of the last value. What a text that goes on says is unknown. */
  private continueValue(item: Item, text: string, number: number): void {
    const isRead = item.last === null || fieldKind(item.last) !== undefined;
    if (isRead) item.isMalformed = true;
    if (item.isBlock) return;
    if (isRead) throw this.unread(number, 'continues a value');
    if (item.open === null) item.open = openQuoteOf(text.replace(/^(?:- +)+/, ''));
    else if (quoteEnd(text, item.open, 0) < text.length) item.open = null;
  }

  /** A quote that is not closed in its item would take the next ones in. */
  private requireClosed(number: number): void {
    if (this.item !== null && this.item.open !== null) throw this.unread(number, 'follows a quote that is not closed');
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

/** Fields of an item, of which none may come twice. */
const maxFields = 64;

/** A name with a colon: `url: …`, in quotes or without. `null` for anything else. */
function fieldOf(text: string): { name: string; value: string } | null {
  const [all, plain, quoted] = /^(?:([\w<][\w .<-]{0,60}?)|["']([\w .-]{0,60})["']) ?:(?=\s|$)/.exec(text) ?? [];
  if (all === undefined) return null;
  return { name: (plain ?? quoted ?? '').toLowerCase(), value: text.slice(all.length).trim() };
}

/** A text on one line, with or without quotes; `''` for none; `null` for all else that a value can be. */
function scalarOf(text: string): string | null {
  const mark = text[0] ?? '#';
  if (mark === '#') return '';
  if (mark === '"' || mark === "'") return quotedOf(text, mark);
  const comment = text.search(/\s#/);
  const plain = (comment < 0 ? text : text.slice(0, comment)).trim();
  if (/^(?:~|null)$/i.test(plain)) return '';
  // Indicators begin other kinds of values, and a colon begins an inner object.
  return /^[,[\]{}&*!|>%@`]|^[-?:](?:\s|$)|:(?:\s|$)/.test(plain) ? null : plain;
}

/** Where the quote is closed, or the length of the text. */
function quoteEnd(text: string, mark: string, start: number): number {
  let end = start;
  while (end < text.length && (text[end] !== mark || (mark === "'" && text[end + 1] === mark))) {
    end += text[end] === mark || (mark === '"' && text[end] === '\\') ? 2 : 1;
  }
  return Math.min(end, text.length);
}

/** The quote that the value of a line leaves open. */
function openQuoteOf(text: string): string | null {
  const value = fieldOf(text)?.value ?? text;
  const mark = value[0] ?? '';
  return (mark === '"' || mark === "'") && quoteEnd(value, mark, 1) === value.length ? mark : null;
}

function quotedOf(text: string, mark: string): string | null {
  const end = quoteEnd(text, mark, 1);
  if (end >= text.length || !/^(?:\s*|\s+#.*)$/.test(text.slice(end + 1))) return null;
  const inner = text.slice(1, end);
  if (mark === "'") return inner.split("''").join("'");
  // Escapes that JSON does not have are not needed in lists.
  if (!/^(?:[^\\]|\\["\\/])*$/.test(inner)) return null;
  return inner.replace(/\\(.)/g, '$1');
}
