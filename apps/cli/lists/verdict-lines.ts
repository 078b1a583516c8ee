import type { Verdict } from 'portcullis';
import { type ExitCode, exitCodes } from '../errors/exit-codes.js';
import type { Color, Paint } from '../terminal/colors.js';
import type { Cell } from '../terminal/text-table.js';

const colors: Readonly<Record<Verdict['status'], Color>> = {
  blocked: 'red',
  allowed: 'green',
  clear: 'green',
  unconfirmed: 'yellow',
  unknown: 'yellow',
  'not-listable': 'dim',
};

export function colorOf({ status }: Verdict): Color {
  return colors[status];
}

/** An input and its verdict. A secret is not repeated. */
export interface Checked {
  readonly input: string | null;
  readonly verdict: Verdict;
}

export function checkedOf(input: string, verdict: Verdict): Checked {
  return { input: verdict.reason === 'secret' ? null : input, verdict };
}

export function rowOf({ input, verdict }: Checked): Record<string, Cell> {
  const { status, reason, action, asset, expression } = verdict;
  return { verdict: status, action, reason, input: input ?? '(not shown)', type: asset?.type, matched: expression };
}

export function lineOf({ input, verdict }: Checked, paint: Paint): string {
  const { status, reason, expression } = verdict;
  const matched = expression === undefined ? '' : paint('dim', `  ${expression}`);
  return `${paint(colorOf(verdict), status.padEnd(12))} ${reason.padEnd(18)} ${input ?? '(not shown)'}${matched}`;
}

/** Counts verdicts by status. */
export class Tally {
  readonly counts = new Map<Verdict['status'], number>();

  add({ status }: Pick<Verdict, 'status'>, count = 1): void {
    this.counts.set(status, (this.counts.get(status) ?? 0) + count);
  }

  summary() {
    const of = (status: Verdict['status']): number => this.counts.get(status) ?? 0;
    return {
      checked: [...this.counts.values()].reduce((sum, count) => sum + count, 0),
      blocked: of('blocked'),
      allowed: of('allowed'),
      clear: of('clear'),
      unconfirmed: of('unconfirmed'),
      unknown: of('unknown'),
      notListable: of('not-listable'),
    };
  }

  /** A block takes precedence over verdicts that could not be reached. */
  exitCode(): ExitCode {
    const { blocked, unconfirmed, unknown } = this.summary();
    if (blocked > 0) return exitCodes.blocked;
    return unconfirmed + unknown > 0 ? exitCodes.partial : exitCodes.ok;
  }
}
