import { addAbortSignal, type Readable, type Writable } from 'node:stream';

/** The parts of the process that the command line uses; tests pass their own. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };
  readonly stdout: Stream;
  readonly stderr: Stream;
}

export interface Stream extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Standard input. */
export interface Input extends AsyncIterable<Uint8Array> {
  readonly isTerminal: boolean;
  /** On a terminal: delivers keys one by one, Ctrl-C included, and echoes none. */
  setHidden(isHidden: boolean): void;
}

export function inputOf({ stdin }: Terminal, signal: AbortSignal): Input {
  return {
    isTerminal: stdin.isTTY === true,
    setHidden: (isHidden) => stdin.setRawMode?.(isHidden),
    // The signal ends a read that waits for keys.
    [Symbol.asyncIterator]: () => addAbortSignal(signal, stdin)[Symbol.asyncIterator](),
  };
}

/** A narrower line cannot hold a table, and a wider one is hard to read. */
const [minColumns, maxColumns] = [20, 200];
const defaultColumns = 80;

/** The width to write for. A terminal that does not know its width reports 0. */
export function columnsOf({ columns }: Stream): number {
  return Math.min(Math.max(columns || defaultColumns, minColumns), maxColumns);
}
