import { allOperations } from '../../../api/operations/all-operations.js';
import { refuse } from '../../../core/errors.js';
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

const fieldTypes: { readonly [Name in keyof Required<Fault>]: 'string' | 'number' } = {
  kind: 'string',
  on: 'string',
  times: 'number',
  delayMs: 'number',
  status: 'number',
  retryAfter: 'string',
  location: 'string',
};

/** The longest time a timer can wait; with a longer one it fires at once. */
const maxDelayMs = 2 ** 31 - 1;

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
    requireFault(fault);
    const { times = 1 } = fault;
    if (times > 0) this.planned.push({ fault, left: times });
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

/** @throws TypeError, INVALID_INPUT */
function requireFault(fault: Fault): void {
  if (typeof fault !== 'object' || fault === null) throw new TypeError('a fault must be an object');
  const fields = Object.keys(fieldTypes).join(', ');
  const unknown = Object.keys(fault).find((name) => !Object.hasOwn(fieldTypes, name));
  if (unknown !== undefined) refuse(`unknown field ${unknown} in a fault; its fields are ${fields}`);
  for (const [name, type] of Object.entries(fieldTypes)) {
    const value = fault[name as keyof Fault];
    if (value !== undefined && typeof value !== type) throw new TypeError(`${name} must be a ${type}`);
  }
  const { kind, on, times = 1, delayMs = 0, status = 503, location = '', retryAfter = '' } = fault;
  if (!Object.hasOwn(faultKinds, kind)) refuse(`unknown fault kind; use one of ${Object.keys(faultKinds).join(', ')}`);
  if (on !== undefined && !on.startsWith('/') && !operationNames.has(on))
    refuse('on must be the name of an operation, or a path that starts with /');
  if (!Number.isInteger(times) || times < 0) refuse('times must be an integer of at least 0');
  if (!(delayMs >= 0 && delayMs <= maxDelayMs)) refuse(`delayMs must be from 0 to ${maxDelayMs}`);
  if (!Number.isInteger(status) || status < 200 || status > 599 || [204, 205, 304].includes(status))
    refuse('status must be from 200 to 599 and allow a body');
  if (/[^\x20-\x7e]/.test(location + retryAfter)) refuse('location and retryAfter must be printable ASCII');
}
