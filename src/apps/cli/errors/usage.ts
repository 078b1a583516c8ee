import type { ExitCode } from './exit.js';

/** What somebody typed cannot be done as it stands; `next` says what can. */
export class UsageError extends Error {
  readonly code: string;
  readonly next: string | undefined;
  readonly exitCode: ExitCode;

  constructor(what: string, next?: string, { code = 'USAGE', exitCode = 3 }: { code?: string; exitCode?: ExitCode } = {}) {
    super(what);
    this.code = code;
    this.next = next;
    this.exitCode = exitCode;
  }
}

/** For a command that takes options only. */
export function noWords([word]: readonly string[], next: string): void {
  if (word !== undefined) throw new UsageError('there is a word that nothing takes', next);
}
