import { type ExitCode, exitCodes } from '../errors/exit-codes.js';
import { exitCodeOf, failureOf } from '../errors/failure.js';

export interface DoctorCheck {
  readonly name: string;
  readonly outcome: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** What to do about it. */
  readonly next?: string;
  /** The exit code of the process, if this is the first failure. */
  readonly exitCode?: ExitCode;
}

export function ok(name: string, detail: string): DoctorCheck {
  return { name, outcome: 'ok', detail };
}

export function warn(name: string, detail: string, next?: string): DoctorCheck {
  return { name, outcome: 'warn', detail, ...(next !== undefined && { next }) };
}

export function fail(name: string, detail: string, exitCode: ExitCode, next?: string): DoctorCheck {
  return { name, outcome: 'fail', detail, ...(next !== undefined && { next }), exitCode };
}

/** A check that failed with an error; `otherwise` is the advice if the error has none. */
export function failed(name: string, error: unknown, otherwise?: string): DoctorCheck {
  const { message, code, next } = failureOf(error).error;
  // The advice for a network error is to run doctor, which does not help here.
  const advice = exitCodeOf(error) === exitCodes.network ? otherwise : (next ?? otherwise);
  return fail(name, `${message} [${code}]`, exitCodeOf(error), advice);
}
