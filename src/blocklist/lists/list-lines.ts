import { refuse } from '../../core/errors.js';
import { type EntrySink, type ListReader, maxLineLength } from './list-entry.js';

/** One entry per line. `#` at the start of a line or after white space begins a comment; empty lines are skipped. */
export function readLines(sink: EntrySink): ListReader {
  const separators = new Separators();
  const reader = eachLine(sink, (line, number) => {
    const text = withoutComment(line);
    if (text === '') return;
    separators.add(text);
    const problem = isFilterRule(text) ? 'pattern' : linkAndMore.test(text) ? 'malformed' : undefined;
    sink({ line: number, text, ...(problem && { problem }) });
  });
  return {
    write: (text) => reader.write(text),
    end() {
      reader.end();
      separators.refuseTable();
    },
  };
}

/** A rule of a filter list. Read as a link, `||x.com/name^` would list a page that does not exist. */
function isFilterRule(text: string): boolean {
  return text.startsWith('|') || text.startsWith('@@') || isCosmetic(text);
}

/** A link with more behind white space, which would belong to its path. */
const linkAndMore = /^[a-z][a-z\d+.-]*:\/\/\S*\s/i;

/** How a JSON text begins. A template such as `{{host}}` is none. */
export const jsonStart: RegExp = /^(?:\{(?!\{)|\[\s*(?:["{[\]]|$))/;

/** Counts separators. A table of pages that is read as lines would list pages such as `/a,phishing`, and none of those that are meant. */
export class Separators {
  private lines = 0;
  private isJson = false;
  private readonly counts = [',', ';', '\t', '|'].map((separator) => ({ separator, lines: 0 }));

  add(line: string): void {
    if (this.lines >= maxCountedLines) return;
    if (this.lines++ === 0) this.isJson = jsonStart.test(line);
    for (const one of this.counts) if (line.indexOf(one.separator) > 0) one.lines++;
  }

  /** @throws PortcullisError `INVALID_INPUT` */
  refuseTable(): void {
    if (this.isJson) refuse('the list is JSON, which needs the format json');
    if (this.lines > 1 && this.counts.some(({ lines }) => lines >= this.lines * minTableShare))
      refuse('the list looks like a table, which needs the format csv; write commas of addresses as %2C');
  }
}

/** More would only take longer. */
const maxCountedLines = 1_000;

/** Rows may be damaged. */
const minTableShare = 0.9;

/** Reads a format in which each line stands alone. */
export function eachLine(sink: EntrySink, read: (line: string, number: number) => void): ListReader {
  return new LineSplitter((line, number) => {
    if (line === null) sink({ line: number, text: '', problem: 'too-long' });
    else read(line, number);
  });
}

/** A filter rule that hides a part of a page: `example.com##.ad`. As a link it would be the whole site. */
export function isCosmetic(text: string): boolean {
  return /^[^/|@"!]*?(?:#@?[?$%]{0,2}#|\$@?\$)/.test(text);
}

/** The trimmed text before a comment. A `#` inside a word begins a fragment instead. */
export function withoutComment(line: string): string {
  let at = line.indexOf('#');
  while (at > 0 && !' \t'.includes(line[at - 1]!)) at = line.indexOf('#', at + 1);
  return (at < 0 ? line : line.slice(0, at)).trim();
}

/** Splits at LF and CR LF. A line longer than the limit becomes `null` and is not kept in memory. */
export class LineSplitter implements ListReader {
  private readonly each: (line: string | null, number: number) => void;
  private rest = '';
  private isTooLong = false;
  private number = 1;

  constructor(each: (line: string | null, number: number) => void) {
    this.each = each;
  }

  write(text: string): void {
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.take(text.slice(start, end));
      this.finishLine();
      start = end + 1;
    }
    if (start < text.length) this.take(text.slice(start));
  }

  end(): void {
    if (this.rest !== '' || this.isTooLong) this.finishLine();
  }

  private take(part: string): void {
    if (this.isTooLong) return;
    this.isTooLong = this.rest.length + part.length > maxLineLength;
    this.rest = this.isTooLong ? '' : this.rest === '' ? part : this.rest + part;
  }

  private finishLine(): void {
    const line = this.rest.charCodeAt(this.rest.length - 1) === 0x0d ? this.rest.slice(0, -1) : this.rest;
    const isTooLong = this.isTooLong;
    this.rest = '';
    this.isTooLong = false;
    this.each(isTooLong ? null : line, this.number++);
  }
}
