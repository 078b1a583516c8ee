import { allOperations } from '../../../api/operations/all-operations.js';
import { known } from '../../../core/errors.js';
import { maxTimerMs } from '../../../core/http/bounded.js';
import {
  type Filled,
  type KindsOf,
  number,
  oneOf,
  optional,
  readOptions,
  text,
  that,
  whole,
} from '../../../core/options/read-options.js';
import { pathIn } from '../http/router.js';
import { type FaultKind, faultKinds } from './fault-kinds.js';

/** A failure to simulate. */
export interface Fault {
  readonly kind: FaultKind;
  /** The name of an operation, or the start of a path with its slash, with or without the base path; without it every request. */
  readonly on?: string;
  /** How many requests it affects. @default 1 */
  readonly times?: number;
  /** For `delay`. @default 1_000 */
  readonly delayMs?: number;
  /** For `status`. @default 503 */
  readonly status?: number;
  /** For `rate-limit`: the value of the header, which is missing without it. */
  readonly retryAfter?: string;
  /** For `redirect`. @default 'https://elsewhere.invalid/' */
  readonly location?: string;
}

/** A fault applied to a request. */
export interface Taken extends Fault {
  /** The number of faults applied so far, including this one. */
  readonly count: number;
  /** Aborted when the fault is cleared, which ends a hanging request. */
  readonly ended: AbortSignal;
}

/** The planned faults. A request takes at most one: the first that was added and matches. */
export class Faults {
  private planned: { readonly fault: Fault; left: number }[] = [];
  private taken = 0;
  private ending = new AbortController();

  add(fault: Fault): void {
    const { times, ...given } = readOptions('fault', faultKindsOf(), fault);
    if (times > 0) this.planned.push({ fault: known(given), left: times });
  }

  /** Removes the planned faults; requests that hang or wait lose their connection. */
  clear(): void {
    this.planned = [];
    this.ending.abort();
    this.ending = new AbortController();
  }

  /** Takes the fault of a request. */
  take(operation: string | null, path: string): Taken | undefined {
    const found = this.planned.find(
      ({ fault: { on } }) => on === undefined || on === operation || (on.startsWith('/') && path.startsWith(pathIn(on))),
    );
    if (found === undefined) return undefined;
    found.left--;
    this.taken++;
    this.planned = this.planned.filter(({ left }) => left > 0);
    return { ...found.fault, count: this.taken, ended: this.ending.signal };
  }
}

const operationNames: ReadonlySet<string> = new Set(allOperations.map(({ name }) => name));

type Open = 'on' | 'delayMs' | 'status' | 'retryAfter' | 'location';

export const faultKindsOf = (): KindsOf<Filled<Fault, Open>> => {
  const printable = optional(text('printable ASCII', /^[\x20-\x7e]*$/));
  return {
    kind: oneOf(...(Object.keys(faultKinds) as FaultKind[])),
    on: optional(
      that('the name of an operation, or a path that starts with /', (value: unknown) => {
        return typeof value === 'string' && (value.startsWith('/') || operationNames.has(value));
      }),
    ),
    times: optional(whole(0, Number.MAX_SAFE_INTEGER), 1),
    delayMs: optional(number(0, maxTimerMs)),
    status: optional(
      that('a whole number from 200 to 599 with which a body may come', (value: number) => {
        return Number.isInteger(value) && value >= 200 && value <= 599 && ![204, 205, 304].includes(value);
      }),
    ),
    retryAfter: printable,
    location: printable,
  };
};
