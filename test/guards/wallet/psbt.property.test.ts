import { Transaction as BtcTransaction } from '@scure/btc-signer';
import { bech32, bech32m } from 'bech32';
import * as bitcoin from 'bitcoinjs-lib';
import fc from 'fast-check';
import { createBlocklist, isPortcullisError } from 'portcullis';
import { textSource } from 'portcullis/sources';
import { createAddressBook, type PsbtReading, type PsbtReadingOptions, readPsbt, screenRecipients } from 'portcullis/wallet';
import { beforeEach, expect, test, vi } from 'vitest';
import { expectLinearTime } from '../../support/growth.js';

// bitcoinjs-lib warns about later versions of segregated witness.
beforeEach(() => void vi.spyOn(console, 'warn').mockReturnValue());

type Network = NonNullable<PsbtReadingOptions['network']>;

const networks: Record<Network, bitcoin.Network> = {
  mainnet: bitcoin.networks.bitcoin,
  testnet: bitcoin.networks.testnet,
  signet: bitcoin.networks.testnet,
  regtest: bitcoin.networks.regtest,
};

const hash = (size: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ minLength: size, maxLength: size });

const opcode = (...bytes: readonly number[]): readonly number[] => bytes;

/** Scripts with an address, and others that look nearly like them. */
const script: fc.Arbitrary<Uint8Array> = fc.oneof(
  hash(20).map((each) => Uint8Array.of(...opcode(0x76, 0xa9, 0x14), ...each, ...opcode(0x88, 0xac))),
  hash(20).map((each) => Uint8Array.of(...opcode(0xa9, 0x14), ...each, ...opcode(0x87))),
  hash(20).map((each) => Uint8Array.of(...opcode(0x00, 0x14), ...each)),
  hash(32).map((each) => Uint8Array.of(...opcode(0x00, 0x20), ...each)),
  hash(32).map((each) => Uint8Array.of(...opcode(0x51, 0x20), ...each)),
  fc
    .tuple(fc.integer({ min: 0x4f, max: 0x61 }), fc.uint8Array({ minLength: 1, maxLength: 41 }))
    .map(([version, program]) => Uint8Array.of(version, program.length, ...program)),
  fc.uint8Array({ maxLength: 45 }),
  hash(20).map((each) => Uint8Array.of(...opcode(0x6a, 0x14), ...each)),
  hash(33).map((each) => Uint8Array.of(...opcode(0x21), ...each, ...opcode(0xac))),
);

/** bitcoinjs-lib writes later versions of segregated witness only for keys on the curve; the reference encoder takes every program. */
function addressOf(output: Uint8Array, network: Network): string | undefined {
  const [version = 0, size, ...program] = output;
  if (version > 0x50 && version <= 0x60 && size === program.length && size >= 2 && size <= 40)
    return bech32m.encode(networks[network].bech32, [version - 0x50, ...bech32.toWords(program)]);
  try {
    return bitcoin.address.fromOutputScript(output, networks[network]);
  } catch {
    return undefined;
  }
}

const plan = fc.record({
  inputs: fc.array(fc.record({ hash: hash(32), index: fc.nat(9), sighash: fc.constantFrom(undefined, 1, 2, 3, 0x81, 0x83) }), {
    minLength: 1,
    maxLength: 3,
  }),
  // Without outputs, bitcoinjs-lib writes an empty map too many.
  outputs: fc.array(fc.record({ script, value: fc.bigInt({ min: 0n, max: 2_100_000_000_000_000n }) }), {
    minLength: 1,
    maxLength: 5,
  }),
  network: fc.constantFrom<Network>('mainnet', 'testnet', 'signet', 'regtest'),
});

type Plan = typeof plan extends fc.Arbitrary<infer Value> ? Value : never;

function version0({ inputs, outputs }: Plan): Uint8Array {
  const psbt = new bitcoin.Psbt();
  for (const { hash: txid, index, sighash } of inputs) {
    const witnessUtxo = { script: Uint8Array.of(0x00, 0x14, ...txid.subarray(0, 20)), value: 5n };
    psbt.addInput({ hash: txid, index, witnessUtxo, ...(sighash === undefined ? {} : { sighashType: sighash }) });
  }
  for (const output of outputs) psbt.addOutput(output);
  return psbt.toBuffer();
}

const lax = { allowUnknownOutputs: true, allowLegacyWitnessUtxo: true, disableScriptCheck: true, allowUnknownInputs: true };

function version2({ inputs, outputs }: Plan): Uint8Array {
  const transaction = new BtcTransaction({ ...lax, PSBTVersion: 2 });
  for (const { hash: txid, index, sighash } of inputs) {
    const witnessUtxo = { script: Uint8Array.of(0x00, 0x14, ...txid.subarray(0, 20)), amount: 5n };
    transaction.addInput({ txid, index, witnessUtxo, ...(sighash === undefined ? {} : { sighashType: sighash }) });
  }
  for (const { script: output, value } of outputs) transaction.addOutput({ script: output, amount: value });
  return transaction.toPSBT(2);
}

function expected({ inputs, outputs, network }: Plan): PsbtReading {
  const found = outputs.map(({ script: output, value }) => ({
    satoshis: Number(value),
    address: output[0] === 0x6a ? undefined : addressOf(output, network),
  }));
  const data = outputs.filter((each) => each.script[0] === 0x6a).length;
  const bare = found.filter(({ address }) => address === undefined).length - data;
  const open = inputs.filter(({ sighash = 1 }) => [2, 3, 0x83].includes(sighash)).length;
  return {
    outputs: found,
    parties: found.flatMap(({ address }) => (address === undefined ? [] : [{ role: 'recipient', content: address }])),
    unreadable: [
      ...(data > 0 ? [`${data} of its outputs carry data, which may name a recipient`] : []),
      ...(bare > 0 ? [`${bare} of its outputs have no address`] : []),
      ...(open > 0 ? [`${open} of its inputs let others change its outputs`] : []),
    ],
  };
}

test.each([
  ['version 0, as bitcoinjs-lib writes it', version0],
  ['version 2, as @scure/btc-signer writes it', version2],
])('reads the outputs of a PSBT of %s', (_, write) => {
  fc.assert(
    fc.property(plan, (each) => {
      const reading = readPsbt(write(each), { network: each.network });
      expect(reading).toEqual(expected(each));
      // The shortest are those of pay-to-anchor. What is no account to a book would be undecided without a reason.
      for (const { content } of reading.parties) expect(createAddressBook().factsOf(content)).toBeDefined();
    }),
  );
});

/** Reads, or returns the code of the refusal; any other error fails the test. */
function outcome(bytes: Uint8Array, options?: PsbtReadingOptions): PsbtReading | string {
  try {
    return readPsbt(bytes, options);
  } catch (error) {
    if (isPortcullisError(error)) return error.code;
    throw error;
  }
}

/** What the libraries read: scripts and amounts, or nothing if they refuse it. */
function outputsOf(bytes: Uint8Array): string[] | null {
  try {
    const psbt = bitcoin.Psbt.fromBuffer(bytes);
    return psbt.txOutputs.map(({ script: output, value }) => `${value} ${addressOf(output, 'mainnet')}`);
  } catch {}
  try {
    const transaction = BtcTransaction.fromPSBT(bytes, lax);
    return Array.from({ length: transaction.outputsLength }, (_, at) => {
      const { script: output, amount } = transaction.getOutput(at);
      return `${amount} ${output && addressOf(output, 'mainnet')}`;
    });
  } catch {
    return null;
  }
}

test.each([
  ['0', version0],
  ['2', version2],
])('a PSBT of version %s that is cut anywhere, or goes on, is malformed', (_, write) => {
  fc.assert(
    fc.property(plan, (each) => {
      const bytes = write(each);
      for (let end = 0; end < bytes.length; end++) expect(outcome(bytes.subarray(0, end)), `${end}`).toBe('INVALID_INPUT');
      expect(outcome(Uint8Array.of(...bytes, 0))).toBe('INVALID_INPUT');
    }),
    { numRuns: 15 },
  );
});

test.each([
  ['0', version0],
  ['2', version2],
])('what is read of a changed PSBT of version %s is what the libraries read, or it is malformed', (_, write) => {
  let [read, refused] = [0, 0];
  fc.assert(
    fc.property(plan, fc.integer({ min: 1, max: 255 }), (each, flip) => {
      const bytes = write(each);
      for (let at = 0; at < bytes.length; at++) {
        const changed = Uint8Array.from(bytes);
        changed[at]! ^= flip;
        const reading = outcome(changed);
        if (typeof reading === 'string') {
          refused++;
          expect(reading).toMatch(/^(?:INVALID_INPUT|LIMIT_EXCEEDED)$/);
          continue;
        }
        const others = outputsOf(changed);
        // They check more than the outputs, such as public keys and values of inputs.
        if (others === null) continue;
        read++;
        const shown = reading.outputs.map(
          ({ satoshis, address }, index) => `${satoshis} ${address ?? others[index]!.split(' ')[1]}`,
        );
        expect(shown).toEqual(others);
        // Where we see no address, neither do they, or it is data.
        for (const [index, { address }] of reading.outputs.entries())
          if (address === undefined) expect(others[index]).toMatch(/undefined$/);
      }
    }),
    { numRuns: 10 },
  );
  expect(Math.min(read, refused)).toBeGreaterThan(100);
});

test('arbitrary bytes are malformed, with and without the right start', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(outcome(bytes)).toBe('INVALID_INPUT');
      expect(outcome(Uint8Array.of(0x70, 0x73, 0x62, 0x74, 0xff, ...bytes))).toMatch(/^(?:INVALID_INPUT|LIMIT_EXCEEDED)$/);
    }),
  );
  expect(outcome(new Uint8Array(16 * 1024 * 1024 + 1))).toBe('LIMIT_EXCEEDED');
});

/** A map of a PSBT from pairs of hex. */
const mapOf = (...pairs: readonly [key: string, value: string][]): string =>
  `${pairs.map(([key, value]) => [key, value].map((each) => (each.length / 2).toString(16).padStart(2, '0') + each).join('')).join('')}00`;
const psbtOf = (...maps: readonly string[]): Uint8Array => Uint8Array.from(Buffer.from(`70736274ff${maps.join('')}`, 'hex'));

const global2: [string, string][] = [
  ['02', '02000000'],
  ['04', '01'],
  ['05', '01'],
  ['fb', '02000000'],
];
const input2: [string, string][] = [
  ['0e', '11'.repeat(32)],
  ['0f', '00000000'],
];
const output2: [string, string][] = [
  ['03', '0100000000000000'],
  ['04', `0014${'22'.repeat(20)}`],
];

test('reads the smallest PSBT of version 2', () => {
  expect(readPsbt(psbtOf(mapOf(...global2), mapOf(...input2), mapOf(...output2))).outputs).toEqual([
    { satoshis: 1, address: bech32.encode('bc', [0, ...bech32.toWords(new Uint8Array(20).fill(0x22))]) },
  ]);
});

test.each<[string, string[]]>([
  ['a second script whose key has data', [mapOf(...global2), mapOf(...input2), mapOf(...output2, ['0400', '51'])]],
  ['a repeated script', [mapOf(...global2), mapOf(...input2), mapOf(...output2, output2[1]!)]],
  ['an unsigned transaction too', [mapOf(['00', '02'], ...global2), mapOf(...input2), mapOf(...output2)]],
  ['no script', [mapOf(...global2), mapOf(...input2), mapOf(output2[0]!)]],
  ['no amount', [mapOf(...global2), mapOf(...input2), mapOf(output2[1]!)]],
  ['a negative amount', [mapOf(...global2), mapOf(...input2), mapOf(['03', 'ff'.repeat(8)], output2[1]!)]],
  ['version 1', [mapOf(...global2.slice(0, 3), ['fb', '01000000']), mapOf(...input2), mapOf(...output2)]],
  ['a version of two bytes', [mapOf(...global2.slice(0, 3), ['fb', '0200']), mapOf(...input2), mapOf(...output2)]],
  ['an input that spends nothing', [mapOf(...global2), mapOf(), mapOf(...output2)]],
  ['more outputs than maps', [mapOf(...global2.slice(0, 2), ['05', '02'], global2[3]!), mapOf(...input2), mapOf(...output2)]],
  ['fewer outputs than maps', [mapOf(...global2.slice(0, 2), ['05', '00'], global2[3]!), mapOf(...input2), mapOf(...output2)]],
  [
    'a count in more bytes than it needs',
    [mapOf(...global2.slice(0, 2), ['05', 'fd0100'], global2[3]!), mapOf(...input2), mapOf(...output2)],
  ],
])('a PSBT with %s is malformed', (_, maps) => {
  expect(outcome(psbtOf(...maps))).toBe('INVALID_INPUT');
});

test('a PSBT of more than 4,096 outputs is too large', () => {
  const tooMany = mapOf(...global2.slice(0, 2), ['05', 'fd0110'], global2[3]!);
  expect(outcome(psbtOf(tooMany, mapOf(...input2)))).toBe('LIMIT_EXCEEDED');
});

test('a silent payment whose script is not computed yet is unreadable', () => {
  const silent = mapOf(output2[0]!, ['09', '02'.repeat(66)]);
  expect(readPsbt(psbtOf(mapOf(...global2), mapOf(...input2), silent))).toEqual({
    outputs: [{ satoshis: 1, address: undefined }],
    parties: [],
    unreadable: ['1 of its outputs have no address'],
  });
});

test('a PSBT is screened, and never clear while a part of it is unreadable', async () => {
  const [listed, fresh] = [5, 6].map((fill) => Uint8Array.of(0x00, 0x14, ...new Uint8Array(20).fill(fill))) as [
    Uint8Array,
    Uint8Array,
  ];
  const text = `${addressOf(listed, 'mainnet')}\n`;
  const blocklist = createBlocklist({ sources: [textSource({ id: 'mine', text })], pollMs: 0 });
  await blocklist.ready();
  const statusOf = async (scripts: readonly Uint8Array[], sighash?: number): Promise<string> => {
    const inputs = [{ hash: new Uint8Array(32).fill(3), index: 0, sighash: sighash as 1 | undefined }];
    const outputs = scripts.map((each) => ({ script: each, value: 1_000n }));
    return (await screenRecipients(blocklist, readPsbt(version0({ inputs, outputs, network: 'mainnet' })))).status;
  };
  const data = Uint8Array.of(0x6a, 0x04, 1, 2, 3, 4);
  expect(await statusOf([fresh])).toBe('clear');
  expect(await statusOf([fresh, listed])).toBe('listed');
  expect(await statusOf([fresh, data])).toBe('undecided');
  expect(await statusOf([listed, data])).toBe('listed');
  expect(await statusOf([data])).toBe('undecided');
  expect(await statusOf([fresh], 0x83)).toBe('undecided');
  expect(await statusOf([fresh], 0x81)).toBe('clear');
});

test('the time to read a large PSBT grows with its size', () => {
  expectLinearTime(
    (text) => readPsbt(Uint8Array.from(Buffer.from(text, 'latin1'))),
    (size) => {
      const long = 'aa'.repeat(100);
      const proprietary = Array.from(
        { length: Math.floor(size / 110) },
        (_, at) => [`fc${at.toString(16).padStart(8, '0')}`, long] as [string, string],
      );
      return Buffer.from(psbtOf(mapOf(...global2), mapOf(...input2, ...proprietary), mapOf(...output2))).toString('latin1');
    },
  );
});
