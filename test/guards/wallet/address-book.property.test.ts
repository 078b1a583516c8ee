import { base58, hex } from '@scure/base';
import { bech32, bech32m } from 'bech32';
import bs58check from 'bs58check';
import fc from 'fast-check';
import { createAddressBook } from 'portcullis/wallet';
import { type Address, getAddress } from 'viem';
import { expect, test } from 'vitest';
import { expectLinearTime } from '../../support/growth.js';
import { isDeep } from '../../support/setup.js';

const hexDigits = '0123456789abcdef';
const base58Letters = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const nanoLetters = '13456789abcdefghijkmnopqrstuwxyz';
const letterOf = (bytes: Uint8Array, letters: string): string =>
  Array.from(bytes, (byte) => letters[byte % letters.length]).join('');
const bech32Letters = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';

/** A form of addresses: how one is written from random bytes, and what all of them begin with. */
interface Form {
  readonly letters: string;
  readonly fixed: number;
  readonly size: number;
  write(bytes: Uint8Array): string;
}

const base58Form = (version: number): Form => ({
  letters: base58Letters,
  fixed: 1,
  size: 20,
  write: (bytes) => bs58check.encode(Uint8Array.of(version, ...bytes)),
});
const segwit = (prefix: string, version: number, size: number): Form => ({
  letters: bech32Letters,
  fixed: prefix.length + 2,
  size,
  write: (bytes) => (version === 0 ? bech32 : bech32m).encode(prefix, [version, ...bech32.toWords(bytes)]),
});

const forms: Record<string, Form> = {
  evm: { letters: hexDigits, fixed: 2, size: 20, write: (bytes) => `0x${hex.encode(bytes)}` },
  'bitcoin p2pkh': base58Form(0),
  'bitcoin p2sh': base58Form(5),
  'bitcoin p2wpkh': segwit('bc', 0, 20),
  'bitcoin p2wsh': segwit('bc', 0, 32),
  'bitcoin p2tr': segwit('bc', 1, 32),
  'bitcoin testnet': segwit('tb', 0, 20),
  tron: base58Form(0x41),
  solana: { letters: base58Letters, fixed: 0, size: 32, write: (bytes) => base58.encode(bytes) },
  // Their last letters are a checksum, which says nothing here.
  nano: {
    letters: nanoLetters,
    fixed: 6,
    size: 36,
    write: (bytes) =>
      `nano_3${Array.from(bytes, (byte) => nanoLetters[byte % 32] + nanoLetters[byte >> 3]!)
        .join('')
        .slice(0, 59)}`,
  },
  tezos: { letters: base58Letters, fixed: 3, size: 33, write: (bytes) => `tz1${letterOf(bytes, base58Letters)}` },
  'cardano of old': {
    letters: base58Letters,
    fixed: 11,
    size: 48,
    write: (bytes) => `Ae2tdPwUPEZ${letterOf(bytes, base58Letters)}`,
  },
  'ton with its chain': { letters: base58Letters, fixed: 3, size: 45, write: (bytes) => `EQB${letterOf(bytes, base58Letters)}` },
  'near without a name': { letters: hexDigits, fixed: 1, size: 32, write: (bytes) => hex.encode(bytes) },
  cosmos: { letters: bech32Letters, fixed: 7, size: 20, write: (bytes) => bech32.encode('cosmos', bech32.toWords(bytes)) },
};

const bytesOf = (size: number): fc.Arbitrary<Uint8Array> =>
  // A Solana address of fewer letters begins with zero bytes, which no key has.
  fc
    .uint8Array({ minLength: size, maxLength: size })
    .map((bytes) => (bytes[0]! < 8 ? Uint8Array.of(99, ...bytes.slice(1)) : bytes));

/** The obvious way to compare, letter by letter. */
function agreed(one: string, other: string): [start: number, end: number] {
  const from = (a: readonly string[], b: readonly string[]): number => {
    const at = a.findIndex((letter, index) => letter !== b[index]);
    return at < 0 ? a.length : at;
  };
  return [from([...one], [...other]), from([...one].reverse(), [...other].reverse())];
}

test.each(Object.entries(forms))('%s: an address imitates a known one if four characters agree at each end', (_, form) => {
  const changed = fc.record({
    bytes: bytesOf(form.size),
    others: fc.array(bytesOf(form.size), { maxLength: 5 }),
    start: fc.nat(7),
    end: fc.nat(7),
    letters: fc.array(fc.nat(form.letters.length - 1), { minLength: 80, maxLength: 80 }),
  });
  const seen = { yes: 0, no: 0 };
  fc.assert(
    fc.property(changed, ({ bytes, others, start, end, letters }) => {
      const known = form.write(bytes);
      const from = form.fixed + start;
      const word = [...known]
        .map((letter, at) => (at < from || at >= known.length - end ? letter : form.letters[letters[at]!]))
        .join('');
      const book = createAddressBook([...others.map((each) => form.write(each)), known]);
      const [first, last] = agreed(word, known);
      const isOne = word !== known && first >= form.fixed + 4 && last >= 4;
      expect(book.factsOf(word)).toEqual({
        isKnown: word === known,
        ...(isOne ? { imitates: { address: known, start: first, end: last } } : {}),
      });
      seen[isOne ? 'yes' : 'no']++;
    }),
  );
  expect(Math.min(seen.yes, seen.no)).toBeGreaterThan(5);
});

test('every spelling of a known address is known', () => {
  fc.assert(
    fc.property(bytesOf(20), (bytes) => {
      const plain = forms['evm']!.write(bytes) as Address;
      const spellings = [
        plain,
        getAddress(plain),
        `0x${plain.slice(2).toUpperCase()}`,
        plain.toUpperCase(),
        `eip155:1:${plain}`,
        `ethereum:${getAddress(plain)}`,
        `xdc${plain.slice(2)}`,
      ];
      const segwitWord = forms['bitcoin p2wpkh']!.write(bytes);
      const bitcoin = [segwitWord, segwitWord.toUpperCase(), `bitcoin:${segwitWord}`];
      for (const group of [spellings, bitcoin]) {
        for (const one of group) {
          const book = createAddressBook([one]);
          for (const other of group) expect(book.factsOf(other), `${one} ${other}`).toEqual({ isKnown: true });
        }
      }
    }),
    { numRuns: 30 },
  );
});

test('shows the known address as it was added', () => {
  const book = createAddressBook(['eip155:1:0x52908400098527886E0F7030069857D2E4169EE7']);
  expect(book.factsOf('0x52908400098527886e0f7130069857d2e4169ee7')).toEqual({
    isKnown: false,
    imitates: { address: '0x52908400098527886E0F7030069857D2E4169EE7', start: 23, end: 18 },
  });
});

test('letter case makes another address in base58', () => {
  const solana = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
  const other = solana.replace('mkg8', 'mKg8');
  expect(createAddressBook([solana]).factsOf(other)).toEqual({
    isKnown: false,
    imitates: { address: solana, start: solana.indexOf('kg8'), end: solana.length - solana.indexOf('kg8') - 1 },
  });
});

test.each([
  ['precompiles', '0x0000000000000000000000000000000000010001', '0x0000000000000000000000000000000000020001'],
  ['accounts of Hedera as EVM addresses', `0x${'123456'.padStart(40, '0')}`, `0x${'893456'.padStart(40, '0')}`],
  ['accounts of Hedera', '0.0.1231234', '0.0.9991234'],
])('%s do not imitate each other', (_, one, other) => {
  const book = createAddressBook([one]);
  expect(book.factsOf(one)).toEqual({ isKnown: true });
  expect(book.factsOf(other)).toEqual({ isKnown: false });
});

test('TON in either alphabet of base64 is one account; a number of Hedera in another network is another', () => {
  const ton = 'EQ+/Aw_DtqgGBZ2b5+/Aw8DtqgGBZ2b5xZ_q//wDtqgGBZ2b'.replace(/_/g, '/');
  const safe = ton.replaceAll('+', '-').replaceAll('/', '_');
  const raw = `-1:${'aB'.repeat(32)}`;
  const groups = [
    [ton, safe],
    ['0.0.12345', 'hedera:mainnet:0.0.12345'],
    [raw, raw.toLowerCase(), `ton:${raw}`],
    ['hedera:testnet:0x52908400098527886e0f7030069857d2e4169ee7', '0x52908400098527886E0F7030069857D2E4169EE7'],
  ];
  for (const group of groups)
    for (const one of group)
      for (const other of group) expect(createAddressBook([one]).factsOf(other)).toEqual({ isKnown: true });
  const book = createAddressBook(['hedera:mainnet:0.0.12345', `0:${'ab'.repeat(32)}`]);
  expect(book.factsOf('hedera:testnet:0.0.12345')).toEqual({ isKnown: false });
  expect(createAddressBook([`ton:0:${'ab'.repeat(32)}`]).factsOf(`ton:-1:${'ab'.repeat(32)}`)).toEqual({ isKnown: false });
  expect(createAddressBook(['0.0.12345-abcde']).factsOf('0.0.12345-edcba')).toEqual({ isKnown: false });
  // The workchain is the same for all.
  expect(book.factsOf(`0:aba${'c'.repeat(57)}abab`)).toEqual({ isKnown: false });
  expect(book.factsOf(`0:abab${'c'.repeat(56)}abab`)).toMatchObject({ imitates: { start: 6, end: 4 } });
});

test('an address that begins with some zeros can be imitated', () => {
  const permit2 = '0x000000000022d473030f116ddee9f6b43ac78ba3';
  const book = createAddressBook([permit2]);
  expect(book.factsOf('0x0000a1b2c3d4e5f60718293a4b5c6d7e8f908ba3')).toMatchObject({ imitates: { address: permit2 } });
});

test('says nothing about a text that is no address', () => {
  const book = createAddressBook(['0x52908400098527886e0f7030069857d2e4169ee7']);
  for (const text of ['', 'vitalik.eth', 'https://app.example', 'https://localhost/aaaaaaaaaaaaaaaaaaaaaaaa', '+14155550123'])
    expect(book.factsOf(text), text).toBeUndefined();
  expect(book.factsOf(5 as never)).toBeUndefined();
});

test('learns an address that is added later', () => {
  const book = createAddressBook();
  const address = '0x52908400098527886e0f7030069857d2e4169ee7';
  expect(book.factsOf(address)).toEqual({ isKnown: false });
  book.add(address);
  expect(book.factsOf(address)).toEqual({ isKnown: true });
});

test.each(['vitalik.eth', 'https://app.example/0x52908400098527886e0f7030069857d2e4169ee7', '', null, 5])(
  'refuses the entry %j, and says where it is',
  (entry) => {
    const good = '0x52908400098527886e0f7030069857d2e4169ee7';
    const message = 'addresses[1] must be an address, not a name or a link';
    expect(() => createAddressBook([good, entry as never])).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', message }));
    expect(() => createAddressBook().add(entry as never)).toThrow('address must be an address, not a name or a link');
  },
);

test('refuses the 100,001st address, and keeps the others', () => {
  const address = (at: number): string => `0x${(at * 0x9e3779b1).toString(16).padStart(40, '7')}`;
  const book = createAddressBook(Array.from({ length: 100_000 }, (_, at) => address(at)));
  expect(() => book.add(address(100_000))).toThrow(expect.objectContaining({ code: 'LIMIT_EXCEEDED' }));
  book.add(address(5).toUpperCase());
  expect(book.factsOf(address(99_999))).toEqual({ isKnown: true });
  expect(book.factsOf(address(100_000))?.isKnown).toBe(false);
});

test('the time for a text grows with its length', () => {
  const book = createAddressBook(['0x52908400098527886e0f7030069857d2e4169ee7']);
  for (const unit of ['a', '1', 'a1', 'a:', ':', '/', 'A1', 'bc1', '_', '-', '0.0.'])
    expectLinearTime(
      (text) => book.factsOf(text),
      (size) => unit.repeat(size / unit.length),
    );
});

/** Fixed, so that the figures are the same each time: xorshift128. */
function randomBytes(): (size: number) => Uint8Array {
  let [a, b, c, d] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 0xdeadbeef];
  return (size) =>
    Uint8Array.from({ length: size }, () => {
      const t = a ^ (a << 11);
      [a, b, c] = [b, c, d];
      d = d ^ (d >>> 19) ^ t ^ (t >>> 8);
      return d & 255;
    });
}

test('random EVM addresses imitate each other as often as calculated', () => {
  // Each new one meets all before it. The deep run has 25 times as many pairs.
  const count = isDeep ? 100_000 : 20_000;
  const rounds = 10;
  const next = randomBytes();
  let alarms = 0;
  for (let round = 0; round < rounds; round++) {
    const book = createAddressBook();
    for (let at = 0; at < count; at++) {
      const address = forms['evm']!.write(next(20));
      if (book.factsOf(address)?.imitates !== undefined) alarms++;
      book.add(address);
    }
  }
  const expected = (rounds * count ** 2) / 2 / 16 ** 8;
  // Four standard deviations of a Poisson distribution.
  expect(Math.abs(alarms - expected)).toBeLessThan(4 * Math.sqrt(expected) + 1);
  if (isDeep) expect(alarms).toBeGreaterThan(0);
});

/** How often two random addresses agree at one end: pairs of equal ends among many. */
function rateOf(ends: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const end of ends) counts.set(end, (counts.get(end) ?? 0) + 1);
  const pairs = (count: number): number => (count * (count - 1)) / 2;
  return [...counts.values()].reduce((sum, count) => sum + pairs(count), 0) / pairs(ends.length);
}

/** Cells of four more letters among all values of a number: base58 does not divide them evenly. */
const base58Start = { check: 58 ** 29 / 256 ** 24, solana: 58 ** 40 / 256 ** 32 };

test.each([
  ['evm', 16 ** -4, 16 ** -4],
  ['bitcoin p2wpkh', 32 ** -4, 32 ** -4],
  ['bitcoin p2tr', 32 ** -4, 32 ** -4],
  ['bitcoin p2pkh', base58Start.check, 58 ** -4],
  ['bitcoin p2sh', base58Start.check, 58 ** -4],
  ['tron', base58Start.check, 58 ** -4],
  ['solana', base58Start.solana, 58 ** -4],
])('%s: two random addresses agree at each end as often as calculated', (name, start, end) => {
  const { write, size, fixed } = forms[name]!;
  const next = randomBytes();
  const count = isDeep ? 200_000 : 20_000;
  const words = Array.from({ length: count }, () => write(next(size)));
  const measured = [rateOf(words.map((word) => word.slice(fixed, fixed + 4))), rateOf(words.map((word) => word.slice(-4)))];
  for (const [at, expected] of [start, end].entries()) {
    const pairs = (count * (count - 1)) / 2;
    // Four standard deviations; the first and the last cell of base58 are smaller than the others.
    expect(Math.abs(measured[at]! - expected) * pairs, `${measured[at]}`).toBeLessThan(
      4 * Math.sqrt(expected * pairs) + 0.1 * expected * pairs,
    );
  }
});
