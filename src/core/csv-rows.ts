/**
 * Reads the rows of a CSV (RFC 4180) line by line: a quoted cell may have line breaks. Cells are separated by commas, semicolons or tabs,
 * whichever the first line has most of.
 */
export class CsvRows {
  /** Empty before the first row. */
  separator = '';
  /** The cells of the row so far. */
  cells: string[] = [];
  /** Whether text follows a closing quote. */
  isBroken = false;
  /** The unfinished part of a quoted cell, or `null`. */
  private open: string | null = null;
  /** Where that cell began in the last line. */
  private openAt = 0;

  /** Whether the last line ended inside a quoted cell. */
  get isOpen(): boolean {
    return this.open !== null;
  }

  /** @returns whether the row is complete */
  add(line: string): boolean {
    let at = 0;
    if (this.open !== null) at = this.readQuoted(line, 0, `${this.open}\n`);
    else {
      this.cells = [];
      this.isBroken = false;
    }
    while (at >= 0) at = this.readCell(line, at);
    return this.open === null;
  }

  /** Ends an open row after its first line: its quote is never closed, and so is a character like any other. */
  endLine(line: string): void {
    this.open = null;
    this.cells.push(...line.slice(this.openAt).split(this.separator || separatorOf(line)));
  }

  /** Forgets an open row. */
  reset(): void {
    this.open = null;
  }

  /** @returns where the next cell starts; -1 if the line ends */
  private readCell(line: string, start: number): number {
    const first = afterBlanks(line, start, this.separator || '\t');
    if (line[first] === '"') {
      this.openAt = first;
      return this.readQuoted(line, first + 1, '');
    }
    this.separator ||= separatorOf(line);
    const end = line.indexOf(this.separator, start);
    this.cells.push(line.slice(start, end < 0 ? line.length : end));
    return end < 0 ? -1 : end + 1;
  }

  /** Starts after the opening quote, or at the start of a line in which the cell continues. */
  private readQuoted(line: string, start: number, before: string): number {
    let cell = before;
    for (let at = start; ; ) {
      const quote = line.indexOf('"', at);
      if (quote < 0) {
        this.open = cell + line.slice(at);
        return -1;
      }
      cell += line.slice(at, quote);
      at = quote + 1;
      if (line[at] !== '"') return this.closeCell(line, at, cell);
      cell += '"';
      at++;
    }
  }

  private closeCell(line: string, start: number, cell: string): number {
    this.open = null;
    this.cells.push(cell);
    this.separator ||= separatorOf(line.slice(start));
    const end = line.indexOf(this.separator, start);
    if (line.slice(start, end < 0 ? line.length : end).trim() !== '') this.isBroken = true;
    return end < 0 ? -1 : end + 1;
  }
}

/** The character of which there are most outside of quotes; of several, the first. A comma if there are none. */
function separatorOf(line: string): string {
  const plain = line.replace(/"[^"]*"/g, '');
  const found = [',', ';', '\t'].map((separator) => ({
    separator,
    count: plain.split(separator).length,
    at: plain.indexOf(separator),
  }));
  found.sort((a, b) => b.count - a.count || a.at - b.at);
  return found[0]!.at < 0 ? ',' : found[0]!.separator;
}

function afterBlanks(line: string, start: number, separator: string): number {
  let at = start;
  while ((line[at] === ' ' || line[at] === '\t') && line[at] !== separator) at++;
  return at;
}
