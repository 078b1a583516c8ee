/** An option of a command, by its long name. */
export interface OptionRow {
  /** The name of its value in the help. An option without one is a switch. */
  readonly value?: string;
  /** A single letter. */
  readonly short?: string;
  /** Whether it may be given more than once. */
  readonly isMultiple?: true;
  /** The values it accepts. */
  readonly choices?: readonly string[];
  /** Whether `--name=false` turns the switch off. */
  readonly canBeFalse?: true;
  /** Other spellings of its name. */
  readonly aliases?: readonly string[];
  readonly text: string;
}

export type OptionRows = Readonly<Record<string, OptionRow>>;

export const commonOptions: OptionRows = {
  json: { text: 'Print one JSON document on standard output; streaming commands print one per line' },
  output: { value: 'format', choices: ['human', 'json', 'markdown', 'csv'], text: 'How to print results' },
  quiet: { short: 'q', text: 'Print only results and errors' },
  'no-color': { text: 'Print no colors, like NO_COLOR' },
  'no-input': { text: 'Never prompt; fail if an answer is needed' },
  'dry-run': { text: 'Print what would change, without changing anything' },
  yes: { short: 'y', text: 'Skip the confirmation prompt of actions that cannot be undone' },
  help: { short: 'h', text: 'Print this help' },
};
