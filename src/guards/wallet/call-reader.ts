import { readU32, toHex } from '../../core/bytes.js';
import { type AbiVisitor, readParameters } from './abi-reader.js';
import { functionOf, stepsOf } from './call-table.js';
import { codeRoles, readCode, readOperation } from './code-rules.js';
import type { Place, Reading } from './reading.js';

/** Calls inside calls. A Safe that runs a batch of multicalls through a router has five; each level reads its bytes again. */
const maxDepth = 8;

/**
 * Adds every party that the calldata names, also inside batches, and looks up its words. What cannot be read is noted.
 *
 * @param place Where the call runs, so that an unknown function needs no question everywhere.
 */
export function readCall(bytes: Uint8Array, reading: Reading, place: Place = signed): void {
  readInner(bytes, reading, 0, place);
}

/** Where a call that is not understood always needs a question. */
const signed = 'in data that is signed';
const through = 'through another contract';

function readInner(bytes: Uint8Array, reading: Reading, depth: number, place: Place): undefined {
  if (bytes.length === 0) return undefined;
  if (bytes.length < 4) return reading.fail('its calldata is malformed');
  const selector = toHex(bytes.subarray(0, 4));
  const signature = functionOf(selector);
  if (signature === undefined)
    return void reading.screen(`it calls an unknown function, 0x${selector}`, bytes.subarray(4), place);
  const name = signature.slice(0, signature.indexOf('('));
  // The calls of a multicall run in the contract itself; others are made by it, and have a target of their own.
  const inner = name === 'multicall' ? place : through;
  readKnown(signature, name, bytes.subarray(4), reading, depth, inner);
}

function readKnown(signature: string, name: string, bytes: Uint8Array, reading: Reading, depth: number, inner: Place): undefined {
  if (depth > maxDepth) return reading.fail(`its calls are nested more than ${maxDepth} deep`);
  // A site chooses the functions of its own contract, so that a number or a hash of a known one may be an address too.
  if (depth === 0) reading.addWords(bytes);
  let program: Program | null = null;
  let inputs = 0;
  let target = '';
  let calldata = bytes;
  let operation = 0;
  const isRead = readParameters(signature, bytes, {
    party(role, address) {
      reading.add(role, address);
      if (role === 'to') target = address;
      if (codeRoles.has(role)) readCode(address, reading);
    },
    number: (_, value) => {
      operation = value;
    },
    bytes(kind, part, index) {
      if (kind === 'call') calldata = part;
      if (kind === 'call' || kind === 'calls') readInner(part, reading, depth + 1, inner);
      else if (kind === 'transactions') readTransactions(part, reading, depth + 1, inner);
      else if (kind === 'path') readPath(part, reading);
      else if (kind === 'hook' && part.length > 0) reading.fail(`${name} passes on data that cannot be read`);
      else if (kind === 'commands') program = { kind: 'command', codes: part };
      else if (kind === 'actions') program = { kind: 'action', codes: part };
      else if (kind === 'inputs') {
        inputs++;
        readStep(program!, index, part, reading, depth + 1);
      }
    },
  });
  // A router ignores neither a command without its input nor an input without a command; one of them was written to mislead.
  const isWhole = isRead && (program as Program | null)?.codes.length === (program === null ? undefined : inputs);
  if (!isWhole) reading.fail(`the parameters of ${name} are malformed`);
  readOperation(operation, target, calldata, reading);
}

/** Steps of a router, a byte each, whose parameters follow in a list of their own. */
interface Program {
  readonly kind: 'command' | 'action';
  readonly codes: Uint8Array;
}

function readStep({ kind, codes }: Program, index: number, input: Uint8Array, reading: Reading, depth: number): undefined {
  const code = codes[index];
  if (code === undefined) return reading.fail(`it has more inputs than ${kind}s of a router`);
  // The highest bit of a command only says that a failure is tolerated.
  const shown = toHex(Uint8Array.of(kind === 'command' ? code & 0x7f : code));
  const signatures = stepsOf(kind, shown);
  if (signatures.length === 0) return reading.fail(`it runs an unknown ${kind} of a router, ${shown}`);
  // No input fits two of them, because their offsets differ.
  const signature = signatures.find((each) => readParameters(each, input, ignoring)) ?? signatures[0]!;
  readKnown(signature, `router ${kind} ${shown}`, input, reading, depth, through);
}

const ignoring: AbiVisitor = { party: () => {}, bytes: () => {}, number: () => {} };

/** Operation, target, value, length of the calldata, calldata; one after another without padding. */
function readTransactions(bytes: Uint8Array, reading: Reading, depth: number, inner: Place): void {
  let at = 0;
  while (at + 85 <= bytes.length) {
    const target = `0x${toHex(bytes.subarray(at + 1, at + 21))}`;
    reading.add('to', target);
    const isShort = bytes.subarray(at + 53, at + 81).every((byte) => byte === 0);
    const end = at + 85 + readU32(bytes, at + 81);
    if (!isShort || end > bytes.length) break;
    const calldata = bytes.subarray(at + 85, end);
    readInner(calldata, reading, depth, inner);
    readOperation(bytes[at]!, target, calldata, reading);
    at = end;
  }
  if (at !== bytes.length) reading.fail('the packed batch is malformed');
}

/** Token, fee, token, fee, token: 20 and 3 bytes each. */
function readPath(bytes: Uint8Array, reading: Reading): undefined {
  if (bytes.length < 43 || (bytes.length - 20) % 23 !== 0) return reading.fail('the route of a swap is malformed');
  for (let at = 0; at < bytes.length; at += 23) reading.add('token', `0x${toHex(bytes.subarray(at, at + 20))}`);
}
