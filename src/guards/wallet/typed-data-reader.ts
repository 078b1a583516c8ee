import { toHex } from '../../core/bytes.js';
import { readCall } from './call-reader.js';
import { fieldOf, isPlainObject, type PlainObject, type PlainValue } from './plain-copy.js';
import { addAddress, hexBytes, isAddress, type Reading } from './reading.js';

/** Values read in one request. Types that repeat a field could otherwise have a part read over and over. */
const maxReads = 20_000;

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
  for (const [name, value] of Object.entries(domain)) {
    if (name === 'verifyingContract' || isAddress(value)) addAddress(reading, name, value);
  }
  if (fieldOf(types, primaryType) === undefined) return reading.fail('the typed data lacks the type that it signs');
  readType(primaryType, primaryType, message, { types, reading, reads: 0 });
}

interface Walk {
  readonly types: PlainObject;
  readonly reading: Reading;
  reads: number;
}

/** The data is a tree of limited depth, so types that contain themselves end with it. */
function readType(type: string, name: string, value: PlainValue | undefined, walk: Walk): undefined {
  const { types, reading } = walk;
  const wrong = (): undefined => reading.fail(`${shown(name)} in the typed data does not fit its type`);
  if (++walk.reads > maxReads) return reading.fail(`the typed data has more than ${maxReads} values`);
  if (value === undefined || value === null) return wrong();
  // Types first: signers look there before they think of their own, so that a type named "uint256" can have an address inside.
  const fields = fieldOf(types, type);
  if (fields !== undefined) {
    if (!Array.isArray(fields) || !isPlainObject(value)) return wrong();
    for (const field of fields as readonly PlainValue[]) {
      const fieldName = isPlainObject(field) ? fieldOf(field, 'name') : undefined;
      const fieldType = isPlainObject(field) ? fieldOf(field, 'type') : undefined;
      if (typeof fieldName !== 'string' || typeof fieldType !== 'string') return wrong();
      readType(fieldType, fieldName, fieldOf(value, fieldName), walk);
    }
  } else if (type.endsWith(']')) {
    if (!Array.isArray(value)) return wrong();
    const item = type.slice(0, type.lastIndexOf('['));
    for (const each of value as readonly PlainValue[]) readType(item, name, each, walk);
  } else readAtom(type, name, value, reading, wrong);
}

/** A name that a site chose may be anything. */
function shown(name: string): string {
  return /^\w{1,40}$/.test(name) ? name : 'a field';
}

const number = /^u?int(\d{1,3})?$/;
const fixedBytes = /^bytes(\d{1,2})$/;

function readAtom(type: string, name: string, value: PlainValue, reading: Reading, wrong: () => void): void {
  if (type === 'address') addAddress(reading, name, value);
  else if (type === 'string') {
    if (typeof value !== 'string') wrong();
    // Some exchanges have recipients signed as text.
    else if (isAddress(value)) reading.add(name, value.toLowerCase());
  } else if (type === 'bytes') {
    const bytes = hexBytes(value);
    if (bytes === null) wrong();
    else readCall(bytes, reading);
  } else if (fixedBytes.test(type)) {
    const bytes = hexBytes(value);
    if (bytes === null) wrong();
    else if (isPaddedAddress(bytes)) reading.add(name, `0x${toHex(bytes.subarray(12))}`);
  } else if (number.test(type)) {
    // A larger number has lost digits, so that the signer may see another one.
    if (typeof value !== 'string' && !Number.isSafeInteger(value)) wrong();
  } else if (type !== 'bool' || typeof value !== 'boolean') wrong();
}

/** Bridges write an address as 32 bytes. Small numbers look alike, but no address begins with eight zero bytes. */
function isPaddedAddress(bytes: Uint8Array): boolean {
  return (
    bytes.length === 32 && bytes.subarray(0, 12).every((byte) => byte === 0) && bytes.subarray(12, 20).some((byte) => byte !== 0)
  );
}
