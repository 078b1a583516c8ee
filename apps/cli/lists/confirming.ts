import type { CommandCall } from '../command.js';
import { UsageError } from '../errors/usage.js';

/** Refuses what would surprise clients, unless `--yes` confirms it: then it is a warning. A dry run may do anything. */
export interface Confirm {
  /** @throws UsageError */
  (what: string, next: string, code: string): void;
  /** For what is refused elsewhere if it is not confirmed. */
  warn(what: string): void;
}

export function confirming({ options, output }: CommandCall): Confirm {
  const warn = (what: string): void => {
    if (options.has('yes') && !options.has('dry-run')) output.warn(`${what} (confirmed with --yes)`);
  };
  const confirm = (what: string, next: string, code: string): void => {
    if (!options.has('yes') && !options.has('dry-run')) throw new UsageError(what, `${next}, or confirm with --yes`, { code });
    warn(what);
  };
  return Object.assign(confirm, { warn });
}
