import { refuse } from '../errors.js';
import { nearestName } from './nearest-name.js';

/**
 * Options of public functions are read here, and nowhere else (docs/decisions/0070-one-reader-of-options.md). A function has a kind for
 * each of its options; a kind checks a value and returns it, or its default for `undefined`. `tools/option-tables.ts` makes the tables of
 * the guides from the same kinds.
 */

/**
 * Reads one option. Its message starts with the path and never contains the value, which may be a secret.
 *
 * @param given All options that were given beside it.
 * @throws PortcullisError `INVALID_INPUT`
 */
export type Kind<Value> = (value: unknown, path: string, given?: Given) => Value;

/** Options as they were given. */
export type Given = Readonly<Record<string, unknown>>;

/** A kind for each option. */
export type KindsOf<Values> = { readonly [Name in keyof Values]: Kind<Values[Name]> };

/** Options with their defaults. Only the `Open` ones may still be undefined. */
export type Filled<Options, Open extends keyof Options = never> = {
  readonly [Name in keyof Options]-?: Name extends Open ? Options[Name] | undefined : Exclude<Options[Name], undefined>;
};

/**
 * Checks the options of a function, and fills in the defaults. Each getter is called once, and inherited properties do not count.
 *
 * @param caller The function as its user calls it.
 * @throws PortcullisError `INVALID_INPUT`
 */
export function readOptions<Values>(caller: string, kinds: KindsOf<Values>, options: unknown): Values {
  return readFields(kinds, options, `${caller}: `, `${caller}: options`);
}

/** An object with options of its own. Without it, its options have their defaults. */
export function nested<Values>(kinds: KindsOf<Values>): Kind<Values> {
  return (value, path) => readFields(kinds, value, `${path}.`, path);
}

/** More of a name than any option has would only fill a log. */
const maxNameLength = 40;

/** @param before What comes before the name of an option in its path. */
function readFields<Values>(kinds: KindsOf<Values>, value: unknown, before: string, path: string): Values {
  const given: Given = Object.assign(Object.create(null), objectIn(value === undefined ? {} : value, path));
  const names = Object.keys(kinds);
  for (const name of Object.keys(given)) {
    if (names.indexOf(name) >= 0) continue;
    const nearest = nearestName(name, names);
    refuse(
      before.replace(/\S*$/, (inner) => {
        const advice = nearest === undefined ? '' : `; did you mean ${inner}${nearest}?`;
        return `there is no option ${inner}${name.slice(0, maxNameLength)}${advice}`;
      }),
    );
  }
  const values: Record<string, unknown> = {};
  for (const name of names) values[name] = kinds[name as keyof Values](given[name], before + name, given);
  return values as Values;
}

/** A list, a `Map` or `Headers` has no fields of its own, so that its content would be ignored. */
function objectIn(value: unknown, path: string): object {
  if (typeof value !== 'object' || value === null || Symbol.iterator in value) refuse(`${path} must be an object`);
  return value;
}

/** A kind by what its values must be, in words that follow "must be". */
export function that<Value>(words: string, isRight: (value: never) => boolean): Kind<Value> {
  return (value, path) => (isRight(value as never) ? (value as Value) : refuse(`${path} must be ${words}`));
}

/** An option that need not be given. */
export function optional<Value>(kind: Kind<Value>): Kind<Value | undefined>;
export function optional<Value>(kind: Kind<Value>, byDefault: Value): Kind<Value>;
export function optional<Value>(kind: Kind<Value>, byDefault?: Value): Kind<Value | undefined> {
  return (value, path, given) => (value === undefined ? byDefault : kind(value, path, given));
}

/** @param off A value outside of the range, which turns something off. */
export function number<Off = never>(min: number, max: number, off?: Off): Kind<number | Off> {
  return numberThat('number', min, max, off, Number.isFinite);
}

export function whole<Off = never>(min: number, max: number, off?: Off): Kind<number | Off> {
  return numberThat('whole number', min, max, off, Number.isInteger);
}

function numberThat<Off>(what: string, min: number, max: number, off: Off | undefined, isOne: (value: unknown) => boolean) {
  const words = `a ${what} from ${min} to ${max}${off === undefined ? '' : `, or ${off}`}`;
  return that<number | Off>(
    words,
    (value: number) => (off !== undefined && value === (off as unknown)) || (isOne(value) && value >= min && value <= max),
  );
}

/** @param words What it must be, if not every text will do. */
export function text(words = 'a string', pattern: RegExp = /^/): Kind<string> {
  return that(words, (value: unknown) => typeof value === 'string' && pattern.test(value));
}

export const boolean: Kind<boolean> = that('true or false', (value: unknown) => typeof value === 'boolean');

/** A function of any type. */
// biome-ignore lint/suspicious/noExplicitAny: the type of a function cannot be checked.
export const func: Kind<any> = that('a function', (value: unknown) => typeof value === 'function');

export function oneOf<Value extends string | number>(...values: readonly Value[]): Kind<Value> {
  const words = values.map((value) => (typeof value === 'string' ? `'${value}'` : value));
  return that(words.join(', ').replace(/, ([^,]*)$/, ' or $1'), (value: Value) => values.includes(value));
}

/** An object with these methods. */
export function having<Value>(words: string, ...methods: readonly (string & keyof Value)[]): Kind<Value> {
  return that(words, (value: Value | null | undefined) => methods.every((method) => typeof value?.[method] === 'function'));
}

export function listOf<Value>(kind: Kind<Value>, max: number = Number.POSITIVE_INFINITY, min = 0): Kind<readonly Value[]> {
  const count = max < Number.POSITIVE_INFINITY ? ` of ${min} to ${max}` : min > 0 ? ` of at least ${min}` : '';
  const list = that<readonly unknown[]>(
    `an array${count}`,
    (value: unknown) => Array.isArray(value) && value.length >= min && value.length <= max,
  );
  return (value, path) => list(value, path).map((one, at) => kind(one, `${path}[${at}]`));
}

/** Any names, which may be secrets, with values of one kind. */
export function recordOf<Value>(kind: Kind<Value>): Kind<Readonly<Record<string, Value>>> {
  return (value, path) => {
    const entries = Object.entries(objectIn(value, path));
    return Object.fromEntries(entries.map(([name, one]) => [name, kind(one, `${path}[*]`)]));
  };
}
