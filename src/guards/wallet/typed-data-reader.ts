import { readCall } from './call-reader.js';
import { readOperation } from './code-rules.js';
import { fieldOf, isPlainObject, type PlainObject, type PlainValue } from './plain-copy.js';
import {
  addAddress,
  addBothEnds,
  addPadded,
  addText,
  hexBytes,
  isAddress,
  isHashText,
  type Reading,
  shownName,
} from './reading.js';
import { maxFilled } from './word-scanner.js';

/** Characters of a type's name. An order of Seaport, 24 times in brackets, has 87. */
const maxTypeLength = 200;

/**
 * Adds every address of EIP-712 typed data, with the name of its field as its role. Bytes are read as calldata, because that is what
 * accounts and forwarders have signed. Anything that does not fit its type is noted.
 */
export function readTypedData(data: PlainObject, reading: Reading): undefined {
  const types = fieldOf(data, 'types');
  const primaryType = fieldOf(data, 'primaryType');
  const domain = fieldOf(data, 'domain') ?? {};
  const message = fieldOf(data, 'message');
  if (!isPlainObject(types) || typeof primaryType !== 'string' || !isPlainObject(domain) || message === undefined) {
    return reading.fail('the typed data is malformed');
  }
  if (primaryType === 'EIP712Domain') return reading.fail('the typed data signs only its domain');
  if (fieldOf(types, primaryType) === undefined) return reading.fail('the typed data lacks its type');
  const [signed, around] = [within(types, reading), within(types, reading)];
  // Signers read the domain by its type if there is one, so that anything may be in it, or make up one of its usual fields.
  const own = fieldOf(types, 'EIP712Domain');
  if (own !== undefined) readType('EIP712Domain', 'domain', domain, around);
  const typed = new Set((Array.isArray(own) ? own : []).map((field) => isPlainObject(field) && fieldOf(field, 'name')));
  for (const [name, value] of Object.entries(domain)) {
    if (value === null || value === '') continue;
    const usual = typed.has(name) ? 'string' : `${fieldOf(usualTypes, name) ?? 'string'}`;
    const type = isAddress(value) ? 'address' : usual;
    if (type !== 'string' || typeof value === 'string') readType(type, name, value, around);
  }
  readType(primaryType, primaryType, message, signed);
  if (!signed.saysMore && signed.filled + around.filled > maxFilled) reading.fail('the typed data may be nothing but a hash');
}

/** Other fields are texts. */
const usualTypes: PlainObject = { chainId: 'uint256', verifyingContract: 'address', salt: 'bytes32' };

/** What is read, and what was seen of it so far. */
interface Signed {
  readonly types: PlainObject;
  readonly reading: Reading;
  /** Bytes other than zero in its long numbers, short bytes and texts of a hash, but for those that are an address. A hash may be in pieces. */
  filled: number;
  /** Whether it has an address, a text or a call, so that a hash in it is a nonce or a detail. */
  saysMore: boolean;
}

function within(types: PlainObject, reading: Reading): Signed {
  return { types, reading, filled: 0, saysMore: false };
}

/** A hash stands for anything, and names like these say that the rest is in it. A random number of the same size is called otherwise. */
const hashName = /hash|digest|root/i;

/** An index or a kind is shorter. */
const maxFilledHash = 8;

function noteFilled(bytes: Uint8Array, signed: Signed): void {
  signed.filled += bytes.filter(Boolean).length;
}

/** Each value is read once, as no type may name a field twice, and the data is a tree of limited depth. So the work is linear. */
function readType(type: string, name: string, value: PlainValue | undefined, signed: Signed): undefined {
  const { types, reading } = signed;
  const wrong = (): undefined => reading.fail(`${shownName(name)} in the typed data does not fit its type`);
  if (value === undefined || value === null || type.length > maxTypeLength) return wrong();
  // Types first: signers look there before they think of their own, so that a type named "uint256" can have an address inside.
  const fields = fieldOf(types, type);
  if (fields !== undefined) {
    if (!Array.isArray(fields) || !isPlainObject(value)) return wrong();
    const names = new Set<string>();
    for (const field of fields as readonly PlainValue[]) {
      const fieldName = isPlainObject(field) ? fieldOf(field, 'name') : undefined;
      const fieldType = isPlainObject(field) ? fieldOf(field, 'type') : undefined;
      if (typeof fieldName !== 'string' || typeof fieldType !== 'string' || names.has(fieldName)) return wrong();
      names.add(fieldName);
      const inner = fieldOf(value, fieldName);
      const { filled } = signed;
      readType(fieldType, fieldName, inner, signed);
      if (signed.filled - filled > maxFilledHash && hashName.test(fieldName))
        reading.fail(`${shownName(fieldName)} in the typed data is a hash of something else`);
      // A type may name any number of fields that the value lacks.
      if (inner === undefined) return undefined;
    }
    if (names.has('operation')) readSafe(value, reading);
  } else if (type.endsWith(']')) {
    if (!Array.isArray(value)) return wrong();
    const item = type.slice(0, type.lastIndexOf('['));
    for (const each of value as readonly PlainValue[]) readType(item, name, each, signed);
  } else readAtom(type, name, value, signed, wrong);
}

/** A transaction of a Safe, whose `operation` says how the call is run. Other types have an operation of this name that is a text. */
function readSafe(value: PlainObject, reading: Reading): void {
  const digits = hexDigits(fieldOf(value, 'operation') ?? null);
  if (digits === null) return;
  const [to, data] = [fieldOf(value, 'to'), fieldOf(value, 'data')];
  readOperation(Number(`0x${digits}`), `${to}`.toLowerCase(), hexBytes(data) ?? new Uint8Array(0), reading);
}

const number = /^u?int(\d{1,3})?$/;
const fixedBytes = /^bytes(\d{1,2})$/;

function readAtom(type: string, name: string, value: PlainValue, signed: Signed, wrong: () => undefined): undefined {
  const { reading } = signed;
  if (type === 'string' && isHashText(value)) noteFilled(hexBytes(`0x${value.trim().slice(-64)}`)!, signed);
  if (/^(?:address|string|bytes)$/.test(type) && !/^(?:0x0*|\s*)$/.test(`${value}`)) signed.saysMore = true;
  if (type === 'address') addAddress(reading, name, value);
  else if (type === 'string') {
    if (typeof value !== 'string') wrong();
    // Some exchanges have recipients signed as text.
    else addText(reading, name, value);
  } else if (type === 'bytes' || fixedBytes.test(type)) {
    const bytes = hexBytes(value);
    if (bytes === null || (type !== 'bytes' && bytes.length !== Number(type.slice(5)))) return wrong();
    // Bridges write an address as 32 bytes.
    const isParty = addPadded(reading, name, bytes);
    if (type === 'bytes') return void readCall(bytes, reading);
    addBothEnds(reading, bytes);
    if (!isParty) noteFilled(bytes, signed);
  } else if (number.test(type)) {
    const digits = hexDigits(value);
    if (digits === null) return wrong();
    // Smaller numbers are amounts: no address begins with eight zero bytes.
    if (digits.length <= 24) return undefined;
    // A number of 17 to 20 bytes is rather an address. The largest one stands for no limit.
    if (!/^(?:f+|.{33,40})$/.test(digits)) noteFilled(hexBytes(`0x${digits.padStart(64, '0')}`)!, signed);
    // What is signed of a negative number ends in the bytes of another one.
    const bytes = hexBytes(
      `0x${BigInt.asUintN(256, BigInt(`${value}`))
        .toString(16)
        .padStart(64, '0')}`,
    )!;
    addBothEnds(reading, bytes);
    // zkSync has transactions signed whose recipient is a number.
    if (digits.length <= 40) reading.add(name, `0x${digits.padStart(40, '0')}`);
  } else if (type !== 'bool' || typeof value !== 'boolean') wrong();
}

/**
 * Hex digits of a number without its sign; `null` for what is no number of 256 bits. A larger JSON number has lost digits, so that the
 * signer may see another one.
 */
function hexDigits(value: PlainValue): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? Math.abs(value).toString(16) : null;
  if (typeof value !== 'string' || !/^(?:-?\d{1,78}|0x[0-9a-f]{1,64})$/i.test(value)) return null;
  const digits = BigInt(value.replace('-', '')).toString(16);
  return digits.length > 64 ? null : digits;
}
