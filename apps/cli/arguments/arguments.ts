import { parseArgs } from 'node:util';
import { nearestName } from '../../../src/core/options/nearest-name.js';
import { UsageError } from '../errors/usage.js';
import { commonOptions, type OptionRow, type OptionRows } from './option-rows.js';
import { notThis } from './quoted.js';

/** The options of a call, by long name. */
export interface ParsedOptions {
  has(name: string): boolean;
  /** The value, or the last one if there are several. */
  text(name: string): string | undefined;
  all(name: string): readonly string[];
  /** A whole number, unless `kind` allows fractions. */
  number(name: string, min: number, max: number, kind?: 'whole' | 'any'): number | undefined;
}

export interface Parsed {
  readonly options: ParsedOptions;
  readonly positionals: readonly string[];
}

/** Parses the arguments after a command's name. No message repeats a value that may be a secret in the wrong place. */
export function parse(args: readonly string[], rows: OptionRows): Parsed {
  const known = knownOptions(rows);
  const values = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokensOf(args, known)) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind === 'option') {
      const found = known.get(token.name);
      if (found === undefined) throw unknownOption(token.rawName, known);
      const { name, row } = found;
      const value = givenValue(token, row);
      const earlier = values.get(name);
      if (earlier !== undefined && row.value !== undefined && !row.isMultiple) {
        throw new UsageError(`${token.rawName} is given more than once`);
      }
      values.set(name, [...(earlier ?? []), value]);
    }
  }
  return { options: parsedOptions(values), positionals };
}

/** The index of the first argument that is neither an option nor its value; -1 if there is none. */
export function firstPositionalAt(args: readonly string[], rows: OptionRows): number {
  return tokensOf(args, knownOptions(rows)).find(({ kind }) => kind === 'positional')?.index ?? -1;
}

/** Whether `--help` or `-h` is given, even where another option would take it as its value, and inside grouped letters. */
export function asksForHelp(args: readonly string[], rows: OptionRows): boolean {
  const end = args.indexOf('--');
  const own = end < 0 ? args : args.slice(0, end);
  if (own.some((arg) => arg === '--help' || arg === '-h')) return true;
  return tokensOf(own, knownOptions(rows)).some((token) => token.kind === 'option' && token.name === 'help');
}

/** The options by each spelling of their names. */
type KnownOptions = ReadonlyMap<string, { readonly name: string; readonly row: OptionRow }>;

function knownOptions(rows: OptionRows): KnownOptions {
  const entries = [...Object.entries(commonOptions), ...Object.entries(rows)];
  return new Map(
    entries.flatMap(([name, row]) => [name, ...(row.aliases ?? [])].map((spelling) => [spelling, { name, row }] as const)),
  );
}

function tokensOf(args: readonly string[], known: KnownOptions) {
  const options = Object.fromEntries(
    [...known].map(([name, { row }]) => {
      return [name, { type: row.value === undefined ? 'boolean' : 'string', ...(row.short && { short: row.short }) } as const];
    }),
  );
  return parseArgs({ args: [...args], options, strict: false, tokens: true, allowPositionals: true }).tokens;
}

interface OptionToken {
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function givenValue({ rawName, value, inlineValue }: OptionToken, row: OptionRow): string {
  if (row.value === undefined) {
    if (row.canBeFalse && (value === undefined || value === 'true' || value === 'false')) return value ?? 'true';
    if (value !== undefined)
      throw new UsageError(`${rawName} takes no value${row.canBeFalse ? ' other than true or false' : ''}`);
    return '';
  }
  // For example `--url --json`, where the value is missing.
  const isForgotten = value === undefined || (!inlineValue && /^-[^\d]/.test(value));
  if (isForgotten) throw new UsageError(`${rawName} needs a value`, `write ${rawName}=<${row.value}>`);
  if (row.choices !== undefined && !row.choices.includes(value)) {
    const similar = nearestName(value, row.choices);
    throw new UsageError(
      `${rawName} must be one of ${row.choices.join(', ')}${notThis(value)}`,
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
    number: (name, min, max, kind = 'whole') => {
      const given = text(name);
      if (given === undefined) return undefined;
      const pattern = kind === 'whole' ? /^\d{1,16}$/ : /^\d{1,15}(\.\d{1,6})?$/;
      const value = pattern.test(given) ? Number(given) : Number.NaN;
      const what = kind === 'whole' ? 'whole number' : 'number';
      if (!(value >= min && value <= max)) {
        throw new UsageError(`--${name} must be a ${what} from ${min} to ${max}${notThis(given)}`);
      }
      return value;
    },
  };
}

/** Names that other programs use for a key option. */
const secretNames = /^--?(api-?)?(key|token|secret|password|bearer|authorization)$/i;

/** An option in the place of the command. */
export function misplacedOption(arg: string): UsageError {
  const rawName = arg.replace(/=.*/s, '');
  if (secretNames.test(rawName)) return keyAsOption();
  return new UsageError(
    `there is no command before the option${shownName(rawName)}`,
    'options come after the command, for example: portcullis check --local example.com',
  );
}

/** A long name may be a value typed after two hyphens by mistake. */
function shownName(rawName: string): string {
  return /^-{1,2}[a-z][a-z-]{0,30}$/i.test(rawName) ? ` ${rawName}` : '';
}

function keyAsOption(): UsageError {
  return new UsageError(
    'a key cannot be given as an option, because other users and the shell history would see it',
    'set PORTCULLIS_API_KEY, or store the key with: portcullis login',
  );
}

function unknownOption(rawName: string, known: KnownOptions): UsageError {
  if (secretNames.test(rawName)) return keyAsOption();
  const similar = nearestName(rawName.replace(/^-+/, ''), known.keys());
  const next = similar === undefined ? 'list the options with --help' : `did you mean --${similar}?`;
  return new UsageError(`unknown option${shownName(rawName)}`, next);
}
