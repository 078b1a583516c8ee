import { isPlainObject, type PlainObject, type PlainValue } from './plain-copy.js';
import { addText, isAddress, type Reading, shownName } from './reading.js';

type Form = (value: PlainValue) => boolean;

/** What a field that names no party looks like, so that nothing can hide in it. `read` is for fields that a reader looks at itself. */
type FormName = 'quantity' | 'text' | 'flag' | 'empty' | 'address' | 'hexes' | 'accessList' | 'read';

const forms: Readonly<Record<FormName, Form>> = {
  quantity: (value) =>
    typeof value === 'number' ? Number.isSafeInteger(value) && value >= 0 : matches(value, /^0x[0-9a-f]{1,64}$/i),
  text: (value) => typeof value === 'string',
  flag: (value) => typeof value === 'boolean',
  empty: (value) => isPlainObject(value) && Object.keys(value).length === 0,
  address: isAddress,
  hexes: isHexes,
  accessList: (value) => isListOf(value, isAccess),
  read: () => true,
};

function isHexes(value: PlainValue | undefined): boolean {
  return isListOf(value, (each) => matches(each, /^0x[0-9a-f]*$/i));
}

/** EIP-2930: a contract, and places in it that are read at a lower price. */
function isAccess(value: PlainValue): boolean {
  if (!isPlainObject(value)) return false;
  const { address, storageKeys, ...others } = value;
  return isAddress(address) && isHexes(storageKeys) && Object.keys(others).length === 0;
}

function matches(value: PlainValue, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value);
}

function isListOf(value: PlainValue | undefined, form: Form): boolean {
  return Array.isArray(value) && value.every((each) => form(each));
}

/** The form of each field that an object may have. */
export type FieldRules = ReadonlyMap<string, Form>;

/** @param names Names of fields by their form, separated by spaces. */
export function fieldRules(names: { readonly [Name in FormName]?: string }): FieldRules {
  const rules = new Map<string, Form>();
  for (const [form, all] of Object.entries(names)) for (const name of all.split(' ')) rules.set(name, forms[form as FormName]);
  return rules;
}

/** Every party in data of any shape, named by its field. */
export function addAll(role: string, value: PlainValue, reading: Reading): void {
  if (typeof value === 'string') addText(reading, role, value);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, each] of Object.entries(value)) {
      const isItem = Array.isArray(value);
      if (!isItem) addText(reading, role, name);
      addAll(isItem ? role : shownName(name), each, reading);
    }
  }
}

/**
 * Whether it is an object. Notes fields that are unknown or do not have their form: they may hold another recipient or payer, because chains and
 * wallets have fields of their own, and wallets differ in how they read a value of another form. Texts are read as texts that are signed.
 */
export function readFields(
  what: string,
  holder: PlainValue | undefined,
  rules: FieldRules,
  reading: Reading,
): holder is PlainObject {
  if (!isPlainObject(holder)) reading.fail(`${what} is not an object`);
  else
    for (const [name, value] of Object.entries(holder)) {
      if (value === null) continue;
      const form = rules.get(name);
      if (form === undefined) reading.fail(`${what} has an unknown field, ${shownName(name)}`);
      else if (!form(value)) reading.fail(`${shownName(name)} of ${what} is malformed`);
      else if (form !== forms.text) continue;
      // What is not understood is looked up too.
      addAll(shownName(name), value, reading);
    }
  return isPlainObject(holder);
}
