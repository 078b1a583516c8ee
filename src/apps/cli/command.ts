import type { ParsedOptions } from './arguments/arguments.js';
import type { ExitCode } from './errors/exit.js';
import type { Output } from './terminal/output.js';

/** An option of a command, by its long name. */
export interface OptionRow {
  /** How its value is called in the help; without one it is a switch. */
  readonly value?: string;
  /** A single letter. */
  readonly short?: string;
  /** May be given several times. */
  readonly isMultiple?: true;
  /** The values it can have. */
  readonly choices?: readonly string[];
  /** A switch that `--name=false` turns off. */
  readonly canBeFalse?: true;
  /** Other spellings of its name. */
  readonly aliases?: readonly string[];
  readonly text: string;
}

export type OptionRows = Readonly<Record<string, OptionRow>>;

export interface Command {
  readonly summary: string;
  /** What stands behind its name: `<asset…|->`. Empty: nothing. */
  readonly positionals: string;
  /** Where it takes no words: what somebody who gave one may have meant. */
  readonly wordsHint?: string;
  /** Lines one can copy, each with what it does. They come first in the help. */
  readonly examples: readonly (readonly [line: string, does: string])[];
  readonly options: OptionRows;
  /** What else one has to know. */
  readonly notes?: string;
  /** Whether it changes something elsewhere, so that `--dry-run` means something. */
  readonly canDryRun?: true;
  /** Where a first word chooses: an operation of `api`, `verify` of `webhook`. Without that word the command itself runs. */
  readonly parts?: Parts;
  run(call: Call): Promise<ExitCode>;
}

/** Commands within a command, each with options of its own. */
export interface Parts {
  readonly names: readonly string[];
  /** @throws UsageError where there is none of that name */
  of(name: string): Command | Promise<Command>;
}

/** One call of a command. */
export interface Call {
  readonly positionals: readonly string[];
  readonly options: ParsedOptions;
  readonly output: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input: Input;
  /** Ends with Ctrl-C, and when nobody reads the output any more. */
  readonly signal: AbortSignal;
}

/** Standard input. */
export interface Input extends AsyncIterable<Uint8Array> {
  readonly isTerminal: boolean;
  /** Of a terminal: keys come one by one, Ctrl-C among them, and none is shown. */
  setHidden(isHidden: boolean): void;
}
