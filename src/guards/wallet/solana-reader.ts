import { base58Alphabet, toBase } from '../../core/assets/codecs/bases.js';
import { toHex } from '../../core/bytes.js';
import { PortcullisError, requireBytes } from '../../core/errors.js';
import { type KindsOf, listOf, optional, readOptions, recordOf, text } from '../../core/options/read-options.js';
import { ByteCursor } from './byte-cursor.js';
import type { Party, TransactionReading } from './reading.js';

/** Options of `readSolanaTransaction`. */
export interface SolanaReadingOptions {
  /** The addresses in each address lookup table that the app has fetched, by the address of the table. */
  readonly lookupTables?: Readonly<Record<string, readonly string[]>> | undefined;
}

export const solanaKinds = (): KindsOf<Required<SolanaReadingOptions>> => ({
  // A table has at most 256 addresses, because an index is one byte.
  lookupTables: optional(recordOf(listOf(text(), 256))),
});

/** One packet (IPv6's smallest, without its headers); version 1 has four times as many (SIMD-0296). */
const maxBytes = 1_232;
const maxBytesOfVersion1 = 4_096;

/** First byte of a transaction of version 1. It would begin 129 signatures of an older one, which has room for 19. */
const version1 = 0x81;

/**
 * Reads which accounts a serialized Solana transaction names, as wallets get it from `solana:signTransaction`: legacy, version 0, and
 * version 1 (SIMD-0385). Roles are `payer`, `signer`, `program`, `writable`, `readonly` and `lookup table`; `owner` and `authority` come from
 * instructions that hand over an account. What a lookup table points to is unreadable unless its addresses are given.
 *
 * @throws PortcullisError `INVALID_INPUT` for malformed bytes, `LIMIT_EXCEEDED` for more than a transaction can have
 */
export function readSolanaTransaction(bytes: Uint8Array, options?: SolanaReadingOptions): TransactionReading {
  const { lookupTables = {} } = readOptions('readSolanaTransaction', solanaKinds(), options);
  requireBytes(bytes, 'bytes');
  const isVersion1 = bytes[0] === version1;
  const max = isVersion1 ? maxBytesOfVersion1 : maxBytes;
  if (bytes.length > max) throw new PortcullisError('LIMIT_EXCEEDED', `the transaction has more than ${max} bytes`);
  const cursor = new ByteCursor(bytes, 'the transaction');
  const message = isVersion1 ? readVersion1(cursor) : readOlder(cursor);
  cursor.end();
  requireSound(message, cursor);
  return describe(message, lookupTables);
}

interface Message {
  readonly signers: number;
  readonly readonlySigners: number;
  readonly readonlyOthers: number;
  readonly signatures: number;
  readonly accounts: readonly string[];
  readonly instructions: readonly Instruction[];
  readonly lookups: readonly Lookup[];
}

interface Instruction {
  readonly program: number;
  readonly accounts: Uint8Array;
  readonly data: Uint8Array;
}

interface Lookup {
  readonly table: string;
  readonly writable: Uint8Array;
  readonly readonly: Uint8Array;
}

/** https://solana.com/docs/core/transactions/transaction-structure and /versioned-transactions: signatures, then the message. */
function readOlder(cursor: ByteCursor): Message {
  const signatures = compactU16(cursor);
  cursor.take(64 * signatures);
  const first = cursor.byte();
  if (first > 0x80) cursor.fail(`its version ${first - 0x80} is unknown`);
  const signers = first === 0x80 ? cursor.byte() : first;
  const [readonlySigners, readonlyOthers] = [cursor.byte(), cursor.byte()];
  const accounts = listOfParts(compactU16(cursor), () => addressAt(cursor));
  cursor.take(32);
  const instructions = listOfParts(compactU16(cursor), () => ({
    program: cursor.byte(),
    accounts: cursor.take(compactU16(cursor)),
    data: cursor.take(compactU16(cursor)),
  }));
  const lookups = listOfParts(first === 0x80 ? compactU16(cursor) : 0, () => ({
    table: addressAt(cursor),
    writable: cursor.take(compactU16(cursor)),
    readonly: cursor.take(compactU16(cursor)),
  }));
  return { signers, readonlySigners, readonlyOthers, signatures, accounts, instructions, lookups };
}

/** SIMD-0385, as the crate solana-message lays it out (src/versions/v1/message.rs): the message, then signatures. It has no lookup tables. */
function readVersion1(cursor: ByteCursor): Message {
  cursor.byte();
  const [signers, readonlySigners, readonlyOthers] = [cursor.byte(), cursor.byte(), cursor.byte()];
  const mask = cursor.little(4);
  // Two words for the fee, and one each for three limits. Others are undefined.
  if (mask > 0x1f || (mask & 3) % 3 !== 0) cursor.fail('its configuration is unknown');
  cursor.take(32);
  const [instructionCount, accountCount] = [cursor.byte(), cursor.byte()];
  const accounts = listOfParts(accountCount, () => addressAt(cursor));
  for (let bit = 0; bit < 5; bit++) if ((mask >> bit) & 1) cursor.take(4);
  const heads = listOfParts(instructionCount, () => ({
    program: cursor.byte(),
    accountCount: cursor.byte(),
    size: cursor.little(2),
  }));
  const instructions = heads.map(({ program, accountCount: count, size }) => ({
    program,
    accounts: cursor.take(count),
    data: cursor.take(size),
  }));
  cursor.take(64 * signers);
  return { signers, readonlySigners, readonlyOthers, signatures: signers, accounts, instructions, lookups: [] };
}

/** As many as there are; each takes bytes, so that a count alone causes no work. */
function listOfParts<Part>(count: number, read: () => Part): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < count; at++) parts.push(read());
  return parts;
}

/** Seven bits a byte, the lowest first; up to three bytes, and as few as possible. */
function compactU16(cursor: ByteCursor): number {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = cursor.byte();
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      if (value > 0xffff || (byte === 0 && shift > 0)) cursor.fail('a count is malformed');
      return value;
    }
    if (shift === 14) cursor.fail('a count is malformed');
  }
}

function addressAt(cursor: ByteCursor): string {
  return toBase(cursor.take(32), base58Alphabet);
}

/** What validators demand before they run a transaction: `sanitize` of the crate solana-message. */
function requireSound(message: Message, cursor: ByteCursor): void {
  const { signers, readonlySigners, readonlyOthers, signatures, accounts, instructions, lookups } = message;
  if (signatures !== signers) cursor.fail('it has not one signature for each signer');
  if (readonlySigners >= signers) cursor.fail('nobody pays for it');
  if (signers + readonlyOthers > accounts.length) cursor.fail('it has fewer accounts than it says');
  let all = accounts.length;
  for (const { writable, readonly } of lookups) {
    if (writable.length + readonly.length === 0) cursor.fail('a lookup names no account');
    all += writable.length + readonly.length;
  }
  if (all > 256) cursor.fail('it has more than 256 accounts');
  for (const instruction of instructions) {
    // The payer is no program, and a program is never looked up.
    if (instruction.program === 0 || instruction.program >= accounts.length) cursor.fail('a program is missing');
    if (instruction.accounts.some((at) => at >= all)) cursor.fail('an account is missing');
  }
}

function describe(message: Message, tables: Readonly<Record<string, readonly string[]>>): TransactionReading {
  const { signers, readonlySigners, readonlyOthers, accounts, instructions, lookups } = message;
  const programs = new Set(instructions.map(({ program }) => program));
  const parties: Party[] = accounts.map((content, at) => {
    const isWritable = at < signers ? at < signers - readonlySigners : at < accounts.length - readonlyOthers;
    const role =
      at === 0 ? 'payer' : at < signers ? 'signer' : programs.has(at) ? 'program' : isWritable ? 'writable' : 'readonly';
    return { role, content };
  });
  let missing = 0;
  for (const { table, ...indexes } of lookups) {
    parties.push({ role: 'lookup table', content: table });
    const addresses = Object.hasOwn(tables, table) ? tables[table]! : [];
    for (const role of ['writable', 'readonly'] as const) {
      for (const index of indexes[role]) {
        if (index < addresses.length) parties.push({ role, content: addresses[index]! });
        else missing++;
      }
    }
  }
  for (const { program, data } of instructions) parties.push(...carriedIn(accounts[program]!, data));
  const unreadable = missing === 0 ? [] : [`${missing} of its accounts are in address lookup tables that were not given`];
  return { parties, unreadable };
}

const system = '11111111111111111111111111111111';
const stake = 'Stake11111111111111111111111111111111111111';
const token = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const token2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';

/**
 * Instructions that give an account or power over it to an address in their data: how an account is taken over without a transfer. By the hex
 * digits that the data begins with, and where the address is. Programs ignore bytes behind it. Layouts: the crates solana-system-interface,
 * solana-stake-interface, spl-token and spl-token-2022.
 */
const handovers: readonly (readonly [
  programs: readonly string[],
  start: RegExp,
  at: number | ((data: Uint8Array) => number),
  role: string,
])[] = [
  [[system], /^0[0d]000000/, 20, 'owner'],
  [[system], /^01000000/, 4, 'owner'],
  [[system], /^03000000/, (data) => seedEnd(data) + 16, 'owner'],
  [[system], /^09000000/, (data) => seedEnd(data) + 8, 'owner'],
  [[system], /^0a000000/, seedEnd, 'owner'],
  [[system], /^0[67]000000/, 4, 'authority'],
  [[stake], /^0[018]000000/, 4, 'authority'],
  [[stake], /^00000000/, 36, 'authority'],
  [[stake], /^00000000/, 84, 'custodian'],
  [[stake], /^06000000/, custodianAt, 'custodian'],
  [[token, token2022], /^(?:00|14)/, 2, 'authority'],
  [[token, token2022], /^(?:00|14)/, (data) => (data[34] === 1 ? 35 : data.length), 'authority'],
  // The newer program takes every byte but zero for "there is one".
  [[token, token2022], /^06..(?!00)/, 3, 'authority'],
  [[token, token2022], /^1[02]/, 1, 'owner'],
  [[token2022], /^1901/, 2, 'authority'],
  [[token2022], /^23/, 1, 'delegate'],
];

/** A base address, then the seed behind its length of 8 bytes. No seed has more than 32. */
function seedEnd(data: Uint8Array): number {
  return 44 + (data[36] ?? 0);
}

/** Behind a time and an epoch, which may be missing, as may the custodian. Each has a byte in front that says so. */
function custodianAt(data: Uint8Array): number {
  const epochAt = data[4] === 1 ? 13 : 5;
  const at = epochAt + (data[epochAt] === 1 ? 9 : 1);
  return data[at] === 1 ? at + 1 : data.length;
}

/** Instructions of the token program in one (SIMD-0266): for each, a count of accounts, a length, and its data. */
const batch = 0xff;

function carriedIn(program: string, data: Uint8Array): Party[] {
  const hex = toHex(data.subarray(0, 4));
  const own = handovers.flatMap(([programs, start, at, role]) => {
    if (!programs.includes(program) || !start.test(hex)) return [];
    const from = typeof at === 'number' ? at : at(data);
    return data.length >= from + 32 ? [{ role, content: toBase(data.subarray(from, from + 32), base58Alphabet) }] : [];
  });
  if (data[0] !== batch || (program !== token && program !== token2022)) return own;
  for (let at = 1; at + 2 <= data.length; at += 2 + data[at + 1]!) {
    const inner = data.subarray(at + 2, at + 2 + data[at + 1]!);
    // One in another is refused.
    if (inner[0] !== batch) own.push(...carriedIn(program, inner));
  }
  return own;
}
