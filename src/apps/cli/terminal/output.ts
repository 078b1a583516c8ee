import { type Paint, paintFor } from './colors.js';
import { type Progress, startProgress } from './progress.js';
import { columnsOf, type Terminal, writeTo } from './terminal.js';
import { type Rows, tableOf } from './text-table.js';

export type Format = 'human' | 'json' | 'markdown' | 'csv';

export interface OutputOptions {
  readonly format: Format;
  readonly isQuiet: boolean;
  readonly isPlain: boolean;
}

/** A result as a person sees it: lines, or rows of a table. */
export type Shown = string | Rows;

/** Results on standard output, everything else on standard error. */
export interface Output {
  readonly format: Format;
  readonly paint: Paint;
  /** Whether standard error is a terminal, so that a person can be asked. */
  readonly isTerminal: boolean;
  /** The width of the terminal, or the default. */
  readonly columns: number;
  /** Prints the result of a command: one JSON document, or its human form. */
  result(value: unknown, shown: () => Shown): Promise<void>;
  /** Prints one of many results: a line of JSON, or its human form. */
  item(value: unknown, shown: () => string): Promise<void>;
  /** Prints text unchanged, in every format. */
  raw(text: string): Promise<void>;
  /** Prints information on standard error, unless `--quiet`. */
  note(text: string): void;
  /** Prints a warning on standard error, even with `--quiet`. */
  warn(text: string): void;
  /** Prints a question on standard error. */
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
  /** The progress line gets in the way of results only if both streams are the terminal. */
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
      // A dumb terminal cannot overwrite a line.
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
