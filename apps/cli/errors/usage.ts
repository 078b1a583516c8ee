import { type ExitCode, exitCodes } from './exit-codes.js';

interface UsageDetails {
  readonly code?: string;
  readonly exitCode?: ExitCode;
}

/** A command that cannot run as typed; `next` says what to do instead. */
export class UsageError extends Error {
  readonly code: string;
  readonly next: string | undefined;
  readonly exitCode: ExitCode;

  constructor(what: string, next?: string, { code = 'USAGE', exitCode = exitCodes.usage }: UsageDetails = {}) {
    super(what);
    this.code = code;
    this.next = next;
    this.exitCode = exitCode;
  }
}

/** The error that Ctrl-C ends a command with. */
export function interrupted(): UsageError {
  return new UsageError('interrupted', undefined, { code: 'INTERRUPTED', exitCode: exitCodes.interrupted });
}
