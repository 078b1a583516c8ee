import { type Paint, paintFor } from './colours.js';
import { type Progress, startProgress } from './progress.js';
import { columnsOf, printable, type Terminal, writeTo } from './terminal.js';
import { type Cell, type Rows, tableOf } from './text-table.js';

export type Format = 'human' | 'json' | 'markdown' | 'csv';

export interface OutputOptions {
  readonly format: Format;
  readonly isQuiet: boolean;
  readonly isPlain: boolean;
}

/** How a result looks to a person: lines, or rows of a table. */
export type Shown = string | Rows;

/** Results on standard output, everything else on standard error. */
export interface Output {
  readonly format: Format;
  readonly paint: Paint;
  /** Whether a person reads standard error, and could be asked. */
  readonly isTerminal: boolean;
  /** Columns of the terminal, or as many as usual. */
  readonly columns: number;
  /** The result of a command: one JSON document, or what a person is shown. */
  result(value: unknown, shown: () => Shown): Promise<void>;
  /** One of many results: a line of JSON, or a line for a person. */
  item(value: unknown, shown: () => string): Promise<void>;
  /** Bytes as they are: a document that is itself the result. */
  raw(text: string): Promise<void>;
  /** What somebody who waits may want to know. */
  note(text: string): void;
  /** What somebody must know although all went well. */
  warn(text: string): void;
  /** Asks with `text` on standard error; of what comes nothing is shown. */
  prompt(text: string): void;
  progress(label: string): Progress;
}

export function createOutput(terminal: Terminal, { format, isQuiet, isPlain }: OutputOptions): Output {
  const { stdout, stderr } = terminal;
  const paint = paintFor(stdout, terminal, isPlain);
  const paintNote = paintFor(stderr, terminal, isPlain);
  const columns = columnsOf(stdout);
  let current: Progress | undefined;
  const say = (text: string): void => {
    current?.pause();
    stderr.write(`${text}\n`);
  };
  /** Only where both are one terminal are they in each other's way. */
  const clear = (): void => {
    if (stdout.isTTY === true) current?.pause();
  };
  return {
    format,
    paint,
    columns,
    isTerminal: stderr.isTTY === true,
    result: (value, shown) =>
      writeTo(stdout, format === 'json' ? `${JSON.stringify(value, null, 2)}\n` : shownAs(shown(), format, columns)),
    item: (value, shown) => {
      clear();
      return writeTo(stdout, format === 'json' ? `${JSON.stringify(value)}\n` : `${shown()}\n`);
    },
    raw: (text) => {
      clear();
      return writeTo(stdout, text);
    },
    note: (text) => {
      if (!isQuiet) say(paintNote('dim', text));
    },
    warn: (text) => say(`${paintNote('yellow', 'warning:')} ${text}`),
    prompt: (text) => {
      current?.pause();
      stderr.write(text);
    },
    progress: (label) => {
      current?.end();
      // One that is dumb knows no line that is written again.
      const canShow = stderr.isTTY === true && terminal.env['TERM'] !== 'dumb';
      current = startProgress(stderr, label, isQuiet || !canShow);
      return current;
    },
  };
}

function shownAs(shown: Shown, format: Format, columns: number): string {
  if (typeof shown === 'string') return shown.endsWith('\n') || shown === '' ? shown : `${shown}\n`;
  return tableOf(shown, format === 'json' ? 'human' : format, columns);
}

/** A value of the service or of a text, on one line. */
export function cell(value: Cell): string {
  if (value === null || value === undefined) return '';
  return printable(typeof value === 'object' ? JSON.stringify(value) : String(value));
}
