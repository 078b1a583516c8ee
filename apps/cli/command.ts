import type { ParsedOptions } from './arguments/arguments.js';
import type { OptionRows } from './arguments/option-rows.js';
import type { ExitCode } from './errors/exit-codes.js';
import type { Output } from './terminal/output.js';
import type { Input } from './terminal/terminal.js';

export interface Command {
  readonly summary: string;
  /** The arguments after its name: `<asset…|->`. Empty if it takes none. */
  readonly positionals: string;
  /** For a command without arguments: a hint for a caller who passed one. */
  readonly argumentHint?: string | ((text: string) => string);
  /** Whether an unexpected argument is probably a key, which must not be repeated. */
  readonly hidesArguments?: true;
  /** Lines to copy, each with what it does. The help begins with the first two: the commonest calls. */
  readonly examples: readonly (readonly [line: string, does: string])[];
  readonly options: OptionRows;
  /** Text at the end of the help; an indented line is a command to copy. */
  readonly notes?: string;
  /** Whether `--dry-run` applies, because the command changes something outside this machine's cache. */
  readonly canDryRun?: true;
  /** For a command whose first argument chooses a subcommand: an operation of `api`, `verify` of `webhook`. */
  readonly parts?: Parts;
  run(call: CommandCall): Promise<ExitCode>;
}

/** Subcommands, each with its own options. */
export interface Parts {
  readonly names: readonly string[];
  /** @throws UsageError if there is no subcommand of that name */
  of(name: string): Command | Promise<Command>;
}

/** A row of the table of commands. */
export interface CommandEntry {
  readonly summary: string;
  /** Loads the command when it is needed, so that no command waits for the code of another. */
  readonly load: () => Promise<Command>;
}

export interface CommandCall {
  readonly positionals: readonly string[];
  readonly options: ParsedOptions;
  readonly output: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input: Input;
  /** Aborts on Ctrl-C, and when the reader of the output disconnects. */
  readonly signal: AbortSignal;
}
