/** A benchmark: groups of variants that answer the same question, and how to present the results. */
export interface Question {
  name: string;
  title: string;
  groups(settings: Settings): Group[];
  rows(results: Results, settings: Settings): Row[];
}

export interface Settings {
  /** Small sizes and short times: shows that everything runs, but the figures mean nothing. */
  quick: boolean;
  /** Every size, also those that take minutes and have no budget. */
  full: boolean;
  /** How often each variant runs at most, each time in a fresh process. */
  rounds: number;
  /** Folder in which `prepare` leaves files for the variants of its group. */
  scratch: string;
  /** Path of the browser's executable. */
  chromium?: string | undefined;
}

/** Variants that are compared with each other and take turns. */
export interface Group {
  name: string;
  variants: Variant[];
  /** Runs once, in a separate process, before the first round. */
  prepare?: () => Figures | Promise<Figures>;
  /** @default Settings.rounds */
  rounds?: number;
  /** The figures called `answer` must be equal; a variant that computes something else is not comparable. @default false */
  sameAnswer?: boolean;
}

/** One way to answer. `measure` runs in a child process that does nothing else. */
interface Variant {
  name: string;
  measure: () => Figures | Promise<Figures>;
}

/** The figures of one child process by name: `ns`, `bytesPerEntry`, `answer` … */
export type Figures = Record<string, number>;

/** One figure with its values from all rounds. */
export interface Spread {
  median: number;
  min: number;
  max: number;
  samples: number[];
}

export type Unit = 'ns' | 'ms' | 'B' | 'B/entry' | '';

/** One row of the table. */
export interface Row {
  what: string;
  unit: Unit;
  value: Spread;
  /** Ours divided by this row's, round by round, because both ran under the same conditions. */
  ratio?: Spread;
  budget?: Budget;
}

interface Budget {
  limit: string;
  met: boolean;
}

/** The largest allowed ratio of ours to a rival, by name of the rival. */
export type Limits = Record<string, { ratio: number; limit: string }>;

/** All figures of one question. */
export class Results {
  readonly #samples = new Map<string, number[]>();

  add(group: string, variant: string, figures: Figures): void {
    for (const [figure, value] of Object.entries(figures)) {
      const key = keyOf(group, variant, figure);
      this.#samples.set(key, [...(this.#samples.get(key) ?? []), value]);
    }
  }

  spread(group: string, variant: string, figure: string): Spread {
    const samples = this.#samples.get(keyOf(group, variant, figure));
    if (!samples) throw new Error(`no figures for ${keyOf(group, variant, figure)}`);
    return spreadOf(samples);
  }

  /** `ours` divided by `theirs`, round by round. */
  ratio(group: string, ours: string, theirs: string, figure: string): Spread {
    const below = this.spread(group, theirs, figure).samples;
    return spreadOf(this.spread(group, ours, figure).samples.map((value, round) => value / at(below, round)));
  }

  /** The summary for the result file. */
  toJSON(): Record<string, Spread> {
    return Object.fromEntries([...this.#samples].map(([key, samples]) => [key, spreadOf(samples)]));
  }
}

/** A row for `ours` and for each rival in a group, with a budget if `limits` has one for the ratio ours / rival. */
export function compared(results: Results, group: Group, figure: string, unit: Unit, limits: Limits = {}): Row[] {
  const [ours, ...rivals] = group.variants.map((variant) => variant.name);
  if (ours === undefined) throw new Error(`${group.name} has no variants`);
  const first: Row = { what: `${group.name}: ${ours}`, unit, value: results.spread(group.name, ours, figure) };
  return [first, ...rivals.map((rival) => comparedWith(results, group.name, ours, rival, figure, unit, limits[rival]))];
}

/** A row with one of our figures and its upper limit. */
export function limited(what: string, unit: Unit, value: Spread, most: number, limit: string): Row {
  return { what, unit, value, budget: { limit, met: value.median <= most } };
}

/** The name of a size in the table: 10k, 100k, 1M. */
export function countName(count: number): string {
  return count >= 1_000_000 ? `${count / 1_000_000}M` : `${count / 1_000}k`;
}

export function spreadOf(samples: number[]): Spread {
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? at(sorted, middle) : (at(sorted, middle - 1) + at(sorted, middle)) / 2;
  return { median, min: at(sorted, 0), max: at(sorted, sorted.length - 1), samples };
}

/** Stands for the group's `prepare` in place of a variant's name. */
export const prepareName = '(prepare)';

function keyOf(group: string, variant: string, figure: string): string {
  return `${group}: ${variant}: ${figure}`;
}

function at(values: number[], index: number): number {
  const value = values[index];
  if (value === undefined) throw new RangeError(`no sample ${index}`);
  return value;
}

function comparedWith(
  results: Results,
  group: string,
  ours: string,
  rival: string,
  figure: string,
  unit: Unit,
  limit: Limits[string] | undefined,
): Row {
  const value = results.spread(group, rival, figure);
  const ratio = results.ratio(group, ours, rival, figure);
  const row: Row = { what: `${group}: ${rival}`, unit, value, ratio };
  return limit ? { ...row, budget: { limit: limit.limit, met: ratio.median <= limit.ratio } } : row;
}
