import { joined, toBase58Check } from '../../core/assets/chains/chain-bytes.js';
import { regroup } from '../../core/assets/codecs/bases.js';
import { toBech32 } from '../../core/assets/codecs/bech32.js';
import { PortcullisError, requireBytes } from '../../core/errors.js';
import { type Filled, type KindsOf, oneOf, optional, readOptions } from '../../core/options/read-options.js';
import { ByteCursor } from './byte-cursor.js';
import type { TransactionReading } from './reading.js';

/** Options of `readPsbt`. */
export interface PsbtReadingOptions {
  /** Whose addresses the outputs are written as. A PSBT does not say it. @default 'mainnet' */
  readonly network?: 'mainnet' | 'testnet' | 'signet' | 'regtest' | undefined;
}

export const psbtKinds = (): KindsOf<Filled<PsbtReadingOptions>> => ({
  network: optional(oneOf('mainnet', 'testnet', 'signet', 'regtest'), 'mainnet'),
});

/** What a PSBT pays. */
export interface PsbtReading extends TransactionReading {
  /** In their order. */
  readonly outputs: readonly PsbtOutput[];
}

/** Who receives how much. */
export interface PsbtOutput {
  readonly satoshis: number;
  /** `undefined` for a script that has none. */
  readonly address: string | undefined;
}

/** A thousand inputs, each with a previous transaction of 16 kB. */
const maxBytes: number = 16 * 1024 * 1024;

/** Nodes relay transactions of up to 100,000 virtual bytes, which have room for 3,200. */
const maxOutputs = 4_096;

/** 21 million bitcoins. Everything up to it is an exact number. */
const maxSatoshis = 21e14;

/**
 * Reads which addresses a PSBT pays, of version 0 (BIP-174) or 2 (BIP-370). A script without an address, data (`OP_RETURN`, which may name a
 * recipient on another chain) and inputs whose signatures leave the outputs open are unreadable.
 *
 * @throws PortcullisError `INVALID_INPUT` for malformed bytes, `LIMIT_EXCEEDED` for more than 16 MiB or 4,096 outputs
 */
export function readPsbt(bytes: Uint8Array, options?: PsbtReadingOptions): PsbtReading {
  const { network } = readOptions('readPsbt', psbtKinds(), options);
  requireBytes(bytes, 'bytes');
  if (bytes.length > maxBytes) throw new PortcullisError('LIMIT_EXCEEDED', 'the PSBT has more than 16 MiB');
  const cursor = new ByteCursor(bytes, 'the PSBT');
  if (cursor.take(5).some((byte, at) => byte !== magic[at])) cursor.fail('it does not begin as one');
  const global = readMap(cursor, [0x00, 0x02, 0x04, 0x05, 0xfb]);
  const version = global.get(0xfb) === undefined ? 0 : number(global.get(0xfb), 4, cursor);
  if (version !== 0 && version !== 2) cursor.fail(`its version ${version} is unknown`);
  const scripts = version === 0 ? readVersion0(global, cursor) : readVersion2(global, cursor);
  cursor.end();
  return describe(scripts, addressForms[network]);
}

const magic = [0x70, 0x73, 0x62, 0x74, 0xff];

/** Values by the type of their key. */
type PsbtMap = ReadonlyMap<number, Uint8Array>;

/** @param read Types that are read, whose keys have no data. Other keys may have some (public keys, paths), and do not matter here. */
function readMap(cursor: ByteCursor, read: readonly number[]): PsbtMap {
  const map = new Map<number, Uint8Array>();
  for (let size = compactSize(cursor); size > 0; size = compactSize(cursor)) {
    const key = cursor.take(size);
    const value = cursor.take(compactSize(cursor));
    if (size > 1 && !read.includes(key[0]!)) continue;
    if (size > 1 || map.has(key[0]!)) cursor.fail('a key is repeated or has data');
    map.set(key[0]!, value);
  }
  return map;
}

/** As nodes read it: in as few bytes as possible. */
function compactSize(cursor: ByteCursor): number {
  const first = cursor.byte();
  if (first < 0xfd) return first;
  const size = 2 ** (first - 0xfc);
  const value = cursor.little(size);
  if (value < (first === 0xfd ? 0xfd : 256 ** (size / 2))) cursor.fail('a count is malformed');
  return value;
}

function number(value: Uint8Array | undefined, size: number, cursor: ByteCursor): number {
  if (value?.length !== size) cursor.fail('a number is missing or malformed');
  return new ByteCursor(value, 'the PSBT').little(size);
}

function count(value: Uint8Array | undefined, cursor: ByteCursor): number {
  if (value === undefined) cursor.fail('a count is missing');
  const inner = new ByteCursor(value, 'the PSBT');
  const read = compactSize(inner);
  inner.end();
  return read;
}

interface Found {
  readonly outputs: readonly { readonly satoshis: number; readonly script: Uint8Array | undefined }[];
  /** Inputs whose signature does not cover all outputs. */
  readonly openInputs: number;
}

/** The unsigned transaction has the outputs. The fields of version 2 must be missing, because a signer could read them instead. */
function readVersion0(global: PsbtMap, cursor: ByteCursor): Found {
  const transaction = global.get(0x00);
  if (transaction === undefined) cursor.fail('it has no transaction');
  forbid(global, [0x02, 0x03, 0x04, 0x05, 0x06], cursor);
  const inner = new ByteCursor(transaction, 'the transaction of the PSBT');
  inner.take(4);
  const inputs = compactSize(inner);
  for (let at = 0; at < inputs; at++) {
    inner.take(36);
    if (compactSize(inner) !== 0) inner.fail('an input is signed');
    inner.take(4);
  }
  const outputs: { satoshis: number; script: Uint8Array }[] = [];
  const size = outputCount(compactSize(inner));
  for (let at = 0; at < size; at++)
    outputs.push({ satoshis: amount(inner.little(8), inner), script: inner.take(compactSize(inner)) });
  inner.take(4);
  inner.end();
  const openInputs = readInputs(inputs, cursor, (input) => forbid(input, [0x0e, 0x0f, 0x10, 0x11, 0x12], cursor));
  for (let at = 0; at < size; at++) forbid(readMap(cursor, [0x03, 0x04]), [0x03, 0x04], cursor);
  return { outputs, openInputs };
}

/** Each output has its own map. */
function readVersion2(global: PsbtMap, cursor: ByteCursor): Found {
  forbid(global, [0x00], cursor);
  number(global.get(0x02), 4, cursor);
  const size = outputCount(count(global.get(0x05), cursor));
  const openInputs = readInputs(count(global.get(0x04), cursor), cursor, (input) => {
    if (input.get(0x0e)?.length !== 32) cursor.fail('an input spends nothing');
    number(input.get(0x0f), 4, cursor);
  });
  const outputs: { satoshis: number; script: Uint8Array | undefined }[] = [];
  for (let at = 0; at < size; at++) {
    const output = readMap(cursor, [0x03, 0x04]);
    const script = output.get(0x04);
    // BIP-375: the script of a silent payment is computed when all inputs are known.
    if (script === undefined && !output.has(0x09)) cursor.fail('an output has no script');
    outputs.push({ satoshis: amount(number(output.get(0x03), 8, cursor), cursor), script });
  }
  return { outputs, openInputs };
}

/** SIGHASH_NONE signs no output, and SIGHASH_SINGLE one of them: others may still be changed or added. */
function readInputs(inputs: number, cursor: ByteCursor, check: (input: PsbtMap) => void): number {
  let open = 0;
  for (let at = 0; at < inputs; at++) {
    const input = readMap(cursor, [0x03]);
    check(input);
    const type = input.has(0x03) ? number(input.get(0x03), 4, cursor) & 0x1f : 0;
    if (type > 1) open++;
  }
  return open;
}

function forbid(map: PsbtMap, types: readonly number[], cursor: ByteCursor): void {
  if (types.some((type) => map.has(type))) cursor.fail('it has fields of another version');
}

function outputCount(found: number): number {
  if (found > maxOutputs) throw new PortcullisError('LIMIT_EXCEEDED', `the PSBT has more than ${maxOutputs} outputs`);
  return found;
}

function amount(satoshis: number, cursor: ByteCursor): number {
  if (satoshis > maxSatoshis) cursor.fail('an amount is more than there are bitcoins');
  return satoshis;
}

function describe({ outputs: found, openInputs }: Found, form: AddressForm): PsbtReading {
  const isData = (script: Uint8Array | undefined): boolean => script?.[0] === opReturn;
  const outputs = found.map(({ satoshis, script }) => ({ satoshis, address: script && addressOf(script, form) }));
  const withData = found.filter(({ script }) => isData(script)).length;
  const withoutAddress = outputs.filter(({ address }, at) => address === undefined && !isData(found[at]!.script)).length;
  const unreadable = [
    ...(withData === 0 ? [] : [`${withData} of its outputs carry data, which may name a recipient`]),
    ...(withoutAddress === 0 ? [] : [`${withoutAddress} of its outputs have no address`]),
    ...(openInputs === 0 ? [] : [`${openInputs} of its inputs let others change its outputs`]),
  ];
  const parties = outputs.flatMap(({ address }) => (address === undefined ? [] : [{ role: 'recipient', content: address }]));
  return { parties, unreadable, outputs };
}

const opReturn = 0x6a;

interface AddressForm {
  readonly prefix: string;
  readonly key: number;
  readonly script: number;
}

const testForm: AddressForm = { prefix: 'tb', key: 0x6f, script: 0xc4 };

/** The values of `chainparams.cpp` of Bitcoin Core. */
const addressForms: Readonly<Record<NonNullable<PsbtReadingOptions['network']>, AddressForm>> = {
  mainnet: { prefix: 'bc', key: 0x00, script: 0x05 },
  testnet: testForm,
  signet: testForm,
  regtest: { ...testForm, prefix: 'bcrt' },
};

/** The scripts that have an address: to a key (P2PKH), to a script (P2SH), and segregated witness (BIP-141). */
function addressOf(script: Uint8Array, { prefix, key, script: scriptVersion }: AddressForm): string | undefined {
  const { length } = script;
  const fits = (start: readonly number[], end: readonly number[]): boolean =>
    length === start.length + 20 + end.length &&
    start.every((byte, at) => script[at] === byte) &&
    end.every((byte, at) => script[start.length + 20 + at] === byte);
  if (fits([0x76, 0xa9, 0x14], [0x88, 0xac])) return toBase58Check(joined([key], script.subarray(3, 23)));
  if (fits([0xa9, 0x14], [0x87])) return toBase58Check(joined([scriptVersion], script.subarray(2, 22)));
  const opcode = script[0] ?? 0xff;
  // OP_0, and OP_1 to OP_16.
  const version = opcode === 0 ? 0 : opcode > 0x50 ? opcode - 0x50 : -1;
  const program = script.subarray(2);
  if (version < 0 || version > 16 || script[1] !== program.length || length < 4 || length > 42) return undefined;
  if (version === 0 && program.length !== 20 && program.length !== 32) return undefined;
  return toBech32(prefix, Uint8Array.of(version, ...regroup(program, 8, 5)!), version > 0);
}
