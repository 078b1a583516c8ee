import type { RuntimeName } from './entry-table.js';
import type { CheckResult } from './suite.js';

/** What a part of the suite needs to know, as JSON. */
export interface PartOptions {
  readonly part: 'first' | 'restart';
  readonly relayUrl: string;
  readonly stopUrl: string;
}

/** One runtime with its storage. */
export interface SuiteSession {
  readonly version: string;
  /** Runs a part in a process of its own, or at least in a new page of a new browser. */
  run(options: PartOptions): Promise<CheckResult[]>;
  close(): Promise<void>;
}

export interface SuiteRuntime {
  readonly name: RuntimeName;
  /** Where the suite keeps lists. */
  readonly storage: string;
  /** What the table adds to a "yes", by check. */
  readonly notes?: Readonly<Record<string, string>>;
  /** @param consumer The project in which the package is installed @param scratch An empty folder for this runtime */
  open(consumer: string, scratch: string): Promise<SuiteSession>;
}

/** How a script reports its results among other output. */
export const resultsMark = 'RESULTS ';

export function resultsIn(output: string): CheckResult[] {
  const line = output.split('\n').find((each) => each.startsWith(resultsMark));
  if (line === undefined) throw new Error(`the suite reported nothing:\n${output.slice(-2_000)}`);
  return JSON.parse(line.slice(resultsMark.length)) as CheckResult[];
}
