import { isPlainObject, type PlainObject, type PlainValue } from './plain-copy.js';
import { isAddress, type Reading, shownName } from './reading.js';

type Form = (value: PlainValue) => boolean;

/** What a field that names no party must look like, so that nothing can hide in it. `read` is for fields that a reader looks at itself. */
const forms = {
  quantity: (value) =>
    typeof value === 'number' ? Number.isSafeInteger(value) && value >= 0 : matches(value, /^0x[0-9a-f]{1,64}$/i),
  text: (value) => typeof value === 'string',
  flag: (value) => typeof value === 'boolean',
  address: isAddress,
  hexes: (value) => isListOf(value, (each) => matches(each, /^0x[0-9a-f]*$/i)),
  accessList: (value) =>
    isListOf(
      value,
      (each) =>
        isPlainObject(each) &&
        Object.entries(each).every(([name, field]) =>
          name === 'address' ? isAddress(field) : name === 'storageKeys' && forms.hexes(field),
        ),
    ),
  read: () => true,
} satisfies Record<string, Form>;

function matches(value: PlainValue, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value);
}

function isListOf(value: PlainValue, form: Form): boolean {
  return Array.isArray(value) && value.every(form);
}

/** The form of each field that an object may have. */
export type FieldRules = ReadonlyMap<string, Form>;

/** @param names Names of fields by their form, separated by spaces. */
export function fieldRules(names: { readonly [Name in keyof typeof forms]?: string }): FieldRules {
  return new Map(
    Object.entries(names).flatMap(([form, all]) =>
      all.split(' ').map((name) => [name, forms[form as keyof typeof forms]] as const),
    ),
  );
}

/**
 * Notes fields that are unknown or do not have their form: they may hold another recipient or payer, because chains and wallets have fields
 * of their own, and wallets differ in how they read a value of another form.
 */
export function noteOddFields(what: string, holder: PlainObject, rules: FieldRules, reading: Reading): void {
  for (const [name, value] of Object.entries(holder)) {
    if (value === null) continue;
    const form = rules.get(name);
    if (form === undefined) reading.fail(`${what} has an unknown field, ${shownName(name)}`);
    else if (!form(value)) reading.fail(`${shownName(name)} of ${what} is malformed`);
  }
}
