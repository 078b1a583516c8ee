import { parseArgs } from 'node:util';
import type { OptionRow, OptionRows } from './command.js';
import { similarTo } from './similar.js';
import { UsageError } from './usage.js';

/** What every command takes. */
export const commonOptions: OptionRows = {
  json: { text: 'One JSON document on standard output; one a line where a command streams' },
  output: { value: 'format', choices: ['human', 'json', 'markdown', 'csv'], text: 'How results are written' },
  quiet: { short: 'q', text: 'Nothing but results and errors' },
  'no-color': { text: 'No colours; NO_COLOR does the same' },
  'no-input': { text: 'Never ask; fail where an answer would be needed' },
  'dry-run': { text: 'Say what would be changed, and change nothing' },
  yes: { short: 'y', text: 'Do what cannot be undone without asking' },
  help: { short: 'h', text: 'This help' },
};

/** The options of a call, by long name. */
export interface ParsedOptions {
  has(name: string): boolean;
  /** The value, of several the last. */
  text(name: string): string | undefined;
  all(name: string): readonly string[];
  number(name: string, least: number, most: number): number | undefined;
}

export interface Parsed {
  readonly options: ParsedOptions;
  readonly positionals: readonly string[];
}

/** Reads what stands behind a command's name; no message repeats a value, which may be a secret in the wrong place. */
export function parse(args: readonly string[], rows: OptionRows): Parsed {
  const known = new Map<string, OptionRow>([...Object.entries(commonOptions), ...Object.entries(rows)]);
  const options = Object.fromEntries(
    [...known].map(([name, { value, short }]) => {
      return [name, { type: value === undefined ? 'boolean' : 'string', ...(short && { short }) } as const];
    }),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true, allowPositionals: true });
  const values = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind === 'option') {
      const row = known.get(token.name);
      if (row === undefined) throw unknownOption(token.rawName, known);
      const value = givenValue(token, row);
      const earlier = values.get(token.name);
      if (earlier !== undefined && row.value !== undefined && !row.isMultiple) {
        throw new UsageError(`${token.rawName} is given twice`);
      }
      values.set(token.name, [...(earlier ?? []), value]);
    }
  }
  return { options: parsedOptions(values), positionals };
}

interface OptionToken {
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function givenValue({ rawName, value, inlineValue }: OptionToken, row: OptionRow): string {
  if (row.value === undefined) {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value`);
    return '';
  }
  // `--url --json`: the value was forgotten, not meant.
  const isForgotten = value === undefined || (!inlineValue && /^-[^\d]/.test(value));
  if (isForgotten) throw new UsageError(`${rawName} needs a value`, `write ${rawName}=<${row.value}>`);
  if (row.choices !== undefined && !row.choices.includes(value)) {
    const similar = similarTo(value, row.choices);
    throw new UsageError(
      `${rawName} must be one of ${row.choices.join(', ')}`,
      similar === undefined ? undefined : `did you mean ${rawName}=${similar}?`,
    );
  }
  return value;
}

function parsedOptions(values: ReadonlyMap<string, readonly string[]>): ParsedOptions {
  const text = (name: string): string | undefined => values.get(name)?.at(-1);
  return {
    has: (name) => values.has(name),
    text,
    all: (name) => values.get(name) ?? [],
    number: (name, least, most) => {
      const given = text(name);
      if (given === undefined) return undefined;
      const value = /^\d{1,15}(\.\d{1,6})?$/.test(given) ? Number(given) : Number.NaN;
      if (!(value >= least && value <= most)) throw new UsageError(`--${name} must be a number from ${least} to ${most}`);
      return value;
    },
  };
}

function unknownOption(rawName: string, known: ReadonlyMap<string, OptionRow>): UsageError {
  const similar = similarTo(rawName.replace(/^-+/, ''), known.keys());
  // A long one may be a value that slipped behind two hyphens.
  const shown = /^-{1,2}[a-z][a-z-]{0,30}$/i.test(rawName) ? `: ${rawName}` : '';
  const next = similar === undefined ? 'see --help for all options' : `did you mean --${similar}?`;
  return new UsageError(`there is no such option${shown}`, next);
}
