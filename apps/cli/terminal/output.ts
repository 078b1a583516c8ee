import { type Paint, paintFor } from './colors.js';
import { printJson, printLines, printOver, printStart, printText } from './print.js';
import { columnsOf, type Stream, type Terminal } from './terminal.js';
import { type Rows, tableOf } from './text-table.js';
import { numberText } from './unit-text.js';

export type Format = 'human' | 'json' | 'markdown' | 'csv';

export interface OutputOptions {
  readonly format: Format;
  readonly isQuiet: boolean;
  readonly isPlain: boolean;
}

/** A result as a person sees it: lines, or rows of a table. */
export type Shown = readonly string[] | Rows;

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
  item(value: unknown, shown: () => readonly string[]): Promise<void>;
  /** Prints text of several lines, in every format. Text of others must be in cells of a table. */
  text(text: string): Promise<void>;
  /** Prints JSON, in every format. Bytes are the UTF-8 of `printableJson`. */
  json(json: string | Uint8Array): Promise<void>;
  /** Prints information on standard error, unless `--quiet`. */
  note(text: string): void;
  /** Prints a warning on standard error, unless `--quiet`. */
  warn(text: string): void;
  /** Prints on standard error, even with `--quiet`, what went wrong while the command continues. */
  alarm(text: string): void;
  /** Prints on standard error, even with `--quiet`, why the exit code is not 0 although there is a result. */
  error(text: string): void;
  /** Prints a question on standard error, and leaves the cursor behind it. */
  prompt(text: string): void;
  /** Ends the line of a question whose answer is not shown. */
  endPrompt(): void;
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
    void printLines(stderr, [text]);
  };
  const alarm = (text: string): void => say(`${paintNote('yellow', 'warning:')} ${text}`);
  /** The progress line gets in the way of results only if both streams are the terminal. */
  const clear = (): void => {
    if (stdout.isTTY === true) current?.pause();
  };
  const print = (shown: Shown): Promise<void> => {
    if (isLines(shown)) return printLines(stdout, shown);
    if (format === 'csv' || format === 'markdown') return printText(stdout, tableOf(shown, format, columns));
    return printLines(stdout, tableOf(shown, 'human', columns).split('\n').slice(0, -1));
  };
  return {
    format,
    paint,
    columns,
    isTerminal: stderr.isTTY === true,
    result: (value, shown) => (format === 'json' ? printJson(stdout, `${JSON.stringify(value, null, 2)}\n`) : print(shown())),
    item: (value, shown) => {
      clear();
      return format === 'json' ? printJson(stdout, `${JSON.stringify(value)}\n`) : printLines(stdout, shown());
    },
    text: (text) => {
      clear();
      return printText(stdout, text);
    },
    json: (json) => {
      clear();
      return printJson(stdout, json);
    },
    note: (text) => {
      if (!isQuiet) say(paintNote('dim', text));
    },
    warn: (text) => {
      if (!isQuiet) alarm(text);
    },
    alarm,
    error: (text) => say(`portcullis: ${text}`),
    prompt: (text) => {
      current?.pause();
      void printStart(stderr, text);
    },
    endPrompt: () => void printLines(stderr, ['']),
    progress: (label) => {
      current?.end();
      // A dumb terminal cannot overwrite a line.
      const canShow = stderr.isTTY === true && terminal.env['TERM'] !== 'dumb';
      current = startProgress(stderr, label, isQuiet || !canShow);
      return current;
    },
  };
}

function isLines(shown: Shown): shown is readonly string[] {
  return typeof shown[0] === 'string';
}

/** The progress of long work: one terminal line that is overwritten, and erased at the end. */
interface Progress {
  /** Shows a bar, or a count if there is no total. */
  update(done: number, total?: number | null, note?: string): void;
  /** Erases the line until the next update. */
  pause(): void;
  end(): void;
}

/** More frequent updates would slow down the work, and would not be visible. */
const everyMs = 100;
const barWidth = 24;

const silent: Progress = { update() {}, pause() {}, end() {} };

function startProgress(stream: Stream, label: string, isSilent: boolean): Progress {
  if (isSilent) return silent;
  let shownMs = Number.NEGATIVE_INFINITY;
  let isShown = false;
  const clear = (): void => {
    if (isShown) void printOver(stream, '');
    isShown = false;
  };
  return {
    update: (done, total, note = '') => {
      const nowMs = performance.now();
      if (nowMs - shownMs < everyMs && done !== total) return;
      shownMs = nowMs;
      const width = columnsOf(stream) - 1;
      const line = `${label} ${total ? bar(done / total) : numberText(done)}${note && ` ${note}`}`;
      void printOver(stream, line.slice(0, width));
      isShown = true;
    },
    pause: clear,
    end: clear,
  };
}

function bar(share: number): string {
  const filled = Math.round(Math.min(Math.max(share, 0), 1) * barWidth);
  return `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} ${String(Math.floor(Math.min(share, 1) * 100)).padStart(3)} %`;
}
