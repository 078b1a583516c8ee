import { type Abortable, isBytes, refuse, type SignalLike } from '../errors.js';
import { noSuch } from './nearest-name.js';

/**
 * Options of public functions are read here, and nowhere else (docs/decisions/0070-one-reader-of-options.md). A function has a kind for
 * each of its options; a kind checks a value and returns it, or its default for `undefined`. `npm run docs:options` makes the tables of
 * the guides from the same kinds. They are made by functions, because a bundler would keep a call at the top of a file that nothing uses.
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
  return readFields(kinds, options, `${caller}: options`, `${caller}: `);
}

/** An object with options of its own. Without it, its options have their defaults. */
export function nested<Values>(kinds: KindsOf<Values>): Kind<Values> {
  return (value, path) => readFields(kinds, value, path, `${path}.`);
}

/** @param before What comes before the name of an option in its path. */
function readFields<Values>(kinds: KindsOf<Values>, value: unknown, path: string, before: string): Values {
  // As a literal with `__proto__: null`, it would be a slow dictionary.
  const given: Given = Object.setPrototypeOf(value === undefined ? {} : { ...objectIn(value, path) }, null);
  const names = Object.keys(kinds) as (string & keyof Values)[];
  for (const name in given) {
    if ((names as string[]).includes(name)) continue;
    const at = before.lastIndexOf(' ') + 1;
    refuse(before.slice(0, at) + noSuch('option', name, names, before.slice(at)));
  }
  const read: Partial<Values> = {};
  for (const name of names) {
    // Getters of a class would be ignored silently. What `Object.prototype` has was not given as an option.
    if (!(name in given) && name in Object(value) && !(name in Object.prototype))
      refuse(`${before}${name} must be an own, enumerable property`);
    read[name] = kinds[name](given[name], before + name, given);
  }
  return read as Values;
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

/**
 * @param max `Infinity` for a number without a limit, which may be infinite itself.
 * @param off A value outside of the range, which turns something off.
 */
export function number<Off = never>(min: number, max: number, off?: Off): Kind<number | Off> {
  return numberThat('number', min, max, off);
}

export function whole<Off = never>(min: number, max: number, off?: Off): Kind<number | Off> {
  return numberThat('whole number', min, max, off);
}

function numberThat<Off>(what: string, min: number, max: number, off: Off | number = min): Kind<number | Off> {
  const isOne = (value: unknown): boolean => (what === 'number' ? typeof value === 'number' : Number.isInteger(value));
  const isRight = (value: number): boolean => value === off || (isOne(value) && value >= min && value <= max);
  return that(`a ${what} from ${min} to ${max}${off === min ? '' : `, or ${off}`}`, isRight);
}

/** @param words What it must be, if not every text will do. */
export function text(words = 'a string', pattern: RegExp = /^/): Kind<string> {
  return that(words, (value: unknown) => typeof value === 'string' && pattern.test(value));
}

export const boolean: Kind<boolean> = (value, path) =>
  typeof value === 'boolean' ? value : refuse(`${path} must be true or false`);

export const bytes: Kind<Uint8Array> = (value, path) => (isBytes(value) ? value : refuse(`${path} must be a Uint8Array`));

/** A function of any type. */
// biome-ignore lint/suspicious/noExplicitAny: the type of a function cannot be checked.
export const func: Kind<any> = (value, path) => (typeof value === 'function' ? value : refuse(`${path} must be a function`));

/** `Date.now` as it is when the options are read, so that a test can replace it. */
export const clock: Kind<() => number> = (value, path) => (value === undefined ? Date.now : goes(func(value, path), path));

/** A clock without a number would keep an old list current for ever. */
function goes(now: () => unknown, path: string): () => number {
  return Number.isFinite(now())
    ? (now as () => number)
    : refuse(`${path} must be a function that returns the time in milliseconds`);
}

export const chance: Kind<() => number> = (value, path) => (value === undefined ? Math.random : func(value, path));

export const signal: Kind<SignalLike> = (value, path) => having<SignalLike>('an AbortSignal', 'addEventListener')(value, path);

/** A signal of which only `aborted` is read. */
export const abortable: Kind<Abortable> = (value, path) =>
  that<Abortable>('an AbortSignal', (one: Partial<Abortable> | null) => typeof one?.aborted === 'boolean')(value, path);

export function oneOf<Value extends string | number>(...values: readonly Value[]): Kind<Value> {
  return that(`one of ${values.join(', ')}`, (value: Value) => values.includes(value));
}

/** An object with these methods. */
export function having<Value>(words: string, ...methods: readonly (string & keyof Value)[]): Kind<Value> {
  return that(words, (value: Value | null | undefined) => methods.every((method) => typeof value?.[method] === 'function'));
}

export function listOf<Value>(kind: Kind<Value>, max = 1_000_000, min = 0): Kind<readonly Value[]> {
  return (value, path) => {
    if (!Array.isArray(value) || value.length < min || value.length > max) refuse(`${path} must be an array of ${min} to ${max}`);
    return value.map((one, at) => kind(one, `${path}[${at}]`));
  };
}

/** An object with fields of any kind. */
export const record: Kind<Readonly<Record<string, unknown>>> = (value, path) => recordOf<unknown>((one) => one)(value, path);

/** Any names, which may be secrets, with values of one kind. */
export function recordOf<Value>(kind: Kind<Value>): Kind<Readonly<Record<string, Value>>> {
  return (value, path) => {
    const entries = Object.entries(objectIn(value, path));
    return Object.fromEntries(entries.map(([name, one]) => [name, kind(one, `${path}[*]`)]));
  };
}
