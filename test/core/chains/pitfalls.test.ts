import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { blake2b } from '@noble/hashes/blake2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { base32nopad, base58 } from '@scure/base';
import { bech32, bech32m } from 'bech32';
import bs58check from 'bs58check';
import { encodeCashAddress } from 'ecashaddrjs';
import { codec } from 'ripple-address-codec';
import { describe, expect, test } from 'vitest';
import { createAssets } from '../../../src/core/algorithms/create-assets.js';
import { bitcoin, chains, solana } from '../../../src/core/assets/chains/chains.js';
import { evm } from '../../../src/core/assets/evm.js';
import { byron, slowCrc16 } from './kinds.js';
import { blech32, confluxAddress } from './recent-kinds.js';

const { normalizeAsset, detectAssets, expressionsOf } = createAssets({ families: [chains, evm] });

const read = (text: string, chain?: string): string | undefined =>
  chains.read({ text, hint: chain === undefined ? {} : { chain } })[0]?.canonical;

const satoshi = '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa';
const script = '3P14159f73E4gFr7JterCCQh9QjiTjiZrG';
/** The same script with Litecoin's own version byte. */
const litecoinScript = bs58check.encode(Uint8Array.of(0x32, ...bs58check.decode(script).subarray(1)));
const segwit = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
const cash = 'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a';
const bareCash = 'qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a';
const token = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const ton = 'EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF';
const rawTon = '0:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e';
const alice = '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY';
const stacks = 'SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7';
const subaddress = '888tNkZrPN6JsEgekjMnABU4TBzc2Dt29EPAvkRxbANsAnjyPbb3iQ1YBRk1UXcdRsiKc9dhwMVgN5S9cQUiyoogDavup3H';
const nano = 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3';
const hash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Version 1 of a Kaspa address is one byte longer. */
const kaspaOfWrongSize = encodeCashAddress('kaspa', 'p2pkh', new Uint8Array(32));

const wavesLike = (version: number, network = 87): string => {
  const body = Uint8Array.of(version, network, ...new Uint8Array(20));
  return base58.encode(Uint8Array.of(...body, ...keccak_256(blake2b(body, { dkLen: 32 })).subarray(0, 4)));
};

const twoKeys = Uint8Array.from({ length: 66 }, (_, at) => (at % 33 === 0 ? 2 : at));
const silentPayment = (version: number, more: Uint8Array, keys: Uint8Array = twoKeys): string =>
  bech32m.encode('sp', [version, ...bech32m.toWords(Uint8Array.of(...keys, ...more))], 2000);

describe('the hint', () => {
  test.each(['litecoin', 'LTC', 'ltc', 'bip122:12a765e31ffd4059bada1e25190f6e98'])(
    '%s reads a Bitcoin script address as Litecoin',
    (chain) => {
      expect(read(script, chain)).toBe(litecoinScript);
      expect(read(script)).toBe(script);
      expect(read(litecoinScript, chain)).toBe(litecoinScript);
    },
  );

  test.each(['bitcoin-cash', 'bch', 'BCH', 'bitcoincash', 'bip122:000000000000000000651ef99cb9fcbe'])(
    '%s converts the legacy form to CashAddr',
    (chain) => {
      expect(read('1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu', chain)).toBe(cash);
      expect(read('mrLC19Je2BuWQDkWSTriGYPyQJXKkkBmCx', chain)).toBe('bchtest:qpm2qsznhks23z7629mms6s4cwef74vcwvqcw003ap');
      expect(read('1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu')).toBe('1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu');
    },
  );

  test.each(['sui', 'aptos', 'apt', 'starknet', 'strk', 'sui:mainnet', 'aptos:1', 'starknet:SN_MAIN'])(
    '%s reads short hex',
    (chain) => {
      expect(read('0x1', chain)).toBe(`0x${'1'.padStart(64, '0')}`);
      expect(read('0X00A', chain)).toBe(`0x${'a'.padStart(64, '0')}`);
      expect(read(`0x${'ab'.repeat(20)}`, chain)).toBe(`0x${'ab'.repeat(20).padStart(64, '0')}`);
      expect(read('0x', chain)).toBeUndefined();
      expect(read(`0x${'1'.repeat(65)}`, chain)).toBeUndefined();
    },
  );

  test('near reads names and bare hex, which are not read without it', () => {
    for (const name of ['alice.near', 'a-b_c.tg', 'near', hash, `0x${'ab'.repeat(20)}`]) {
      expect(read(name, 'near')).toBe(name);
      expect(read(name, 'near:mainnet')).toBe(name);
      expect(read(name)).toBeUndefined();
    }
    expect(read('near:mainnet:alice.near')).toBe('alice.near');
    for (const name of ['a', 'Alice.near', 'a..near', 'a.', '-a', 'a__b', 'x'.repeat(65)])
      expect(read(name, 'near')).toBeUndefined();
  });

  test('hedera reads fewer digits, other shards and the EVM form', () => {
    expect(read('0.0.5', 'hedera')).toBe('0.0.5');
    expect(read('1.02.00', 'hbar')).toBe('1.2.0');
    expect(read('hedera:mainnet:0.0.5')).toBe('0.0.5');
    expect(read(`0x${'ff'.padStart(40, '0')}`, 'hedera')).toBe('0.0.255');
    expect(read(`0x${'f'.repeat(16).padStart(40, '0')}`, 'hedera')).toBeUndefined();
    expect(read('0x52908400098527886e0f7030069857d2e4169ee7', 'hedera')).toBeUndefined();
  });

  test.each(['eos', 'vaulta', 'antelope:aca376f206b8fc25a6ed44dbdc66547c'])('%s reads names', (chain) => {
    for (const name of ['eosio.token', 'a', 'binancecleos', 'a.b.c.d.e.f']) {
      expect(read(name, chain)).toBe(`eos:${name}`);
      expect(read(`${chain}:${name}`)).toBe(`eos:${name}`);
      expect(read(name)).toBeUndefined();
    }
    for (const name of ['Eosio', 'a6', '.a', 'a.', 'thirteenchars', 'a-b']) expect(read(name, chain), name).toBeUndefined();
    expect(read('alice', 'wax')).toBe('wax:alice');
    expect(read('antelope:1064487b3cd1a897ce03ae5b6a865651:alice', 'eos')).toBe('wax:alice');
    expect(read('alice', 'near')).toBe('alice');
  });

  test.each(['kadena', 'KDA', 'kadena:mainnet01'])('%s reads principals that are only names', (chain) => {
    for (const name of ['r:free.my-keyset', 'm:free.bank:vault-1', 'r:keyset']) {
      expect(read(name, chain)).toBe(name);
      expect(read(`kadena:${name}`)).toBe(name);
      expect(read(name)).toBeUndefined();
    }
    expect(read('free.my-keyset', chain)).toBeUndefined();
    expect(read(hash, chain)).toBeUndefined();
  });

  test('reads ambiguous text for the Internet Computer, Filecoin, Flow and Arweave', () => {
    const account = 'd3e13d4777e22367532053190b6c6ccf57444a61337e996242b1abfb52cf92c8';
    expect(read(account, 'icp')).toBe(account);
    expect(read(account.replace('d', 'e'), 'icp')).toBeUndefined();
    expect(read('f01234567', 'filecoin')).toBe('f01234567');
    expect(read('f001', 'fil')).toBeUndefined();
    expect(read('A.1654653399040a61.FlowToken', 'flow')).toBeUndefined();
    expect(read('1654653399040A61', 'flow')).toBe('0x1654653399040a61');
    expect(read('-8E8vOZAvBTH5hF0TzYVdtjXHDbzPh_t7cvzFp3P9vM', 'arweave')).toBe('-8E8vOZAvBTH5hF0TzYVdtjXHDbzPh_t7cvzFp3P9vM');
  });

  test.each(['ecash', 'xec', 'ectest'])('%s converts the legacy form to eCash', (chain) => {
    expect(read('1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu', chain)).toBe('ecash:qpm2qsznhks23z7629mms6s4cwef74vcwva87rkuu2');
  });

  test('changes nothing if it does not match or is unknown', () => {
    for (const chain of [
      'bitcoin',
      'eip155:1',
      'near',
      'sui',
      'hedera',
      'eos',
      'icp',
      'flow',
      'ar',
      'fil',
      'constructor',
      '',
      ':',
      'x'.repeat(1e6),
    ]) {
      for (const text of [satoshi, script, segwit, token, ton, alice, stacks, nano, '0.0.1234', `${stacks}.token`])
        expect(read(text, chain), chain).toBe(read(text));
    }
  });

  test('does not make a part of a link an address', () => {
    for (const chain of ['ltc', 'bch', 'near', 'hedera', 'sui']) {
      for (const link of [
        `evil.example/${satoshi}`,
        `evil.example:80/${satoshi}`,
        `https://evil.example/${satoshi}`,
        'https://0x1/',
      ]) {
        expect(read(link, chain), `${chain} ${link}`).toBeUndefined();
      }
    }
  });

  test('yields to a hint in the text', () => {
    expect(read(`litecoin:${script}`)).toBe(litecoinScript);
    expect(read(`bip122:12a765e31ffd4059bada1e25190f6e98:${script}`, 'bitcoin')).toBe(litecoinScript);
    expect(read('bitcoincash:1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu', 'ltc')).toBe(cash);
  });
});

describe('spellings', () => {
  test.each([
    ['bip122:000000000019d6689c085ae165831e93:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', satoshi],
    ['bip122:000000000000000000651ef99cb9fcbe:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a', cash],
    ['did:pkh:bip122:000000000019d6689c085ae165831e93:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', satoshi],
    ['BITCOIN:BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4?amount=1', segwit],
    ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', token],
    ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', token],
    ['polkadot:91b171bb158e2d3848fa23a9f1c25182:15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5', alice],
    [`substrate:${alice}:0x${'a'.repeat(64)}:Alice`, alice],
    ['ton://transfer/0:CA6E321C7CCE9ECEDF0A8CA2492EC8592494AA5FB5CE0387DFF96EF6AF982A3E', rawTon],
    [
      'ton://transfer/EQDk2VTvn04SUKJrW7rXahzdF8/Qi6utb0wj43InCu9vdjrR',
      '0:e4d954ef9f4e1250a26b5bbad76a1cdd17cfd08babad6f4c23e372270aef6f76',
    ],
    ['xrpl:0:r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59', 'r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59'],
    ['r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59?dt=12', 'r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59'],
    ['KT1PWx2mnDueood7fEmfbBDKx1D9BAnnXitn%transfer', 'KT1PWx2mnDueood7fEmfbBDKx1D9BAnnXitn'],
    [`0x${'02'.repeat(32)}::coin::COIN`, `0x${'02'.repeat(32)}`],
    [`sui:0x2::sui::SUI`, `0x${'2'.padStart(64, '0')}`],
    [`0x${'2'.repeat(63)}`, `0x0${'2'.repeat(63)}`],
    [`monero:${subaddress};x?tx_amount=1`, subaddress],
    [`stacks:1:${stacks}.token-v2`, `${stacks}.token-v2`],
    [`nano:${nano.replace('nano', 'xrb')}?amount=1`, nano],
  ])('%s', (text, canonical) => {
    expect(normalizeAsset(text)).toEqual({ type: 'ADDRESS', canonical });
  });

  test('are shorter for a Byron address whose checksum begins with two zeros', () => {
    const payload = new Uint8Array(33);
    let number = 0;
    while (crc32(payload) >= 2 ** 16) new DataView(payload.buffer).setUint32(0, ++number);
    expect(read(byron(payload))).toBe(byron(payload));
  });

  test('are the same account with zero-width characters and surrounding whitespace', () => {
    expect(normalizeAsset(` ${satoshi.slice(0, 9)}\u200b${satoshi.slice(9)}\n`)).toEqual({ type: 'ADDRESS', canonical: satoshi });
  });
});

describe('a text that is not an address:', () => {
  test.each([
    ['a commit', '52908400098527886e0f7030069857d2e4169ee7'],
    ['an address of EVM, which is another family', '0x52908400098527886e0f7030069857d2e4169ee7'],
    ['a version', '0.0.1'],
    ['a version with zeros', '0.0.0001'],
    ['an IP address', '192.168.0.1'],
    ['a longer version', '0.0.1234.5'],
    ['letters of HIP-15 that do not fit', '0.0.123-vfmkx'],
    ['a word', 'internationalization'],
    ['64 hex digits', hash],
    ['a UUID', '123e4567-e89b-12d3-a456-426614174000'],
    ['Bitcoin in another case', satoshi.toLowerCase()],
    ['bech32 in two cases', `BC1${segwit.slice(3)}`],
    ['CashAddr in two cases', cash.replace('q', 'Q')],
    ['CashAddr behind another prefix', cash.replace('bitcoincash', 'bitcoincasx')],
    ['CashAddr behind the test network’s prefix', cash.replace('bitcoincash', 'bchtest')],
    ['CashAddr with its prefix twice wrong', `bchreg:${bareCash}`],
    ['Nostr’s public key', bech32.encode('npub', bech32.toWords(new Uint8Array(32)))],
    ['a note of Nostr', bech32.encode('note', bech32.toWords(new Uint8Array(32)))],
    ['a public key of age', bech32.encode('age', bech32.toWords(new Uint8Array(32)))],
    ['a public key of Cosmos', bech32.encode('cosmospub', bech32.toWords(new Uint8Array(32)))],
    ['Bitcoin’s prefix with Cosmos’ checksum', bech32.encode('bc', bech32.toWords(new Uint8Array(20)))],
    ['28 bytes behind a prefix of Cosmos', bech32.encode('cosmos', bech32.toWords(new Uint8Array(28)))],
    ['a stake key behind `addr`', bech32.encode('addr', bech32.toWords(Uint8Array.of(0xe1, ...new Uint8Array(28))), 200)],
    ['the test network behind `addr`', bech32.encode('addr', bech32.toWords(Uint8Array.of(0x60, ...new Uint8Array(28))), 200)],
    ['Cardano of a wrong length', bech32.encode('addr', bech32.toWords(Uint8Array.of(0x61, ...new Uint8Array(29))), 200)],
    [
      'Cardano with a pointer of two numbers',
      bech32.encode('addr', bech32.toWords(Uint8Array.of(0x41, ...new Uint8Array(28), 1, 2)), 200),
    ],
    ['base58check of 19 bytes behind a version', bs58check.encode(Uint8Array.of(0x00, ...new Uint8Array(19).fill(9)))],
    ['base58check of 23 bytes that are not Tezos’', bs58check.encode(Uint8Array.of(0x06, 0xa1, 0xa0, ...new Uint8Array(20)))],
    ['Zcash’s viewing key', bech32m.encode('uview', bech32m.toWords(new Uint8Array(64)), 200)],
    ['Zcash’s Sapling address with the other checksum', bech32m.encode('zs', bech32m.toWords(new Uint8Array(43)), 200)],
    ['Chia’s address with the other checksum and 33 bytes', bech32.encode('xch', bech32.toWords(new Uint8Array(33)))],
    ['Kaspa of a size that its kind does not have', kaspaOfWrongSize],
    ['Kaspa behind another prefix', 'kaspatest:qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqkx9awp4e'],
    ['eCash behind the prefix of Bitcoin Cash', 'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwva87rkuu2'],
    ['a principal with its hyphens elsewhere', 'ryjl-3tyaa-aaaaa-aaaba-cai'],
    ['a principal in upper case', 'RYJL3-TYAAA-AAAAA-AAABA-CAI'],
    ['Stacks of a kind that does not exist', `SQ${stacks.slice(2)}`],
    ['a contract of Stacks with a name of punctuation', `${stacks}.-a`],
    ['a host that looks like Stacks', `SP${'2'.repeat(37)}.example`],
    ['Nano with a key that is too large', `nano_4${nano.slice(6)}`],
    ['an account of the Internet Computer without a hint', 'd3e13d4777e22367532053190b6c6ccf57444a61337e996242b1abfb52cf92c8'],
    ['a name of EOS without a hint', 'eosio.token'],
    ['a name of the Flow chain without a hint', '0x1654653399040a61'],
    ['an id of Filecoin without a hint', 'f01234567'],
    ['32 bytes in base64url without a hint', '-8E8vOZAvBTH5hF0TzYVdtjXHDbzPh_t7cvzFp3P9vM'],
    ['Stellar in lower case', 'ga7qynf7sowq3glr2bgmzehxavirza4kvwltjjfc7mgxua74p7ujvsgz'],
    ['a silent payment of version 31', silentPayment(31, new Uint8Array())],
    ['a silent payment of version 0 with more bytes', silentPayment(0, new Uint8Array(1))],
    ['a silent payment with the other checksum', bech32.encode('sp', [0, ...bech32.toWords(twoKeys)], 200)],
    ['a silent payment of more than 1,023 letters', silentPayment(1, new Uint8Array(600))],
    ['a silent payment whose keys are not compressed', silentPayment(0, new Uint8Array(), new Uint8Array(66))],
    ['the scan key of silent payments', bech32m.encode('spscan', [0, ...bech32m.toWords(new Uint8Array(65))], 1023)],
    ['Spark without a key', bech32m.encode('spark', bech32m.toWords(Uint8Array.of(0x0a, 33, 4, ...new Uint8Array(32))))],
    ['Spark with half a key', bech32m.encode('spark', bech32m.toWords(Uint8Array.of(0x0a, 33, 2, ...new Uint8Array(31))))],
    ['Liquid of a future version and another size', bech32m.encode('ex', [2, ...bech32m.toWords(new Uint8Array(24))])],
    ['Liquid version 0 with the other checksum', bech32m.encode('ex', [0, ...bech32m.toWords(new Uint8Array(20))])],
    ['Liquid version 17', bech32m.encode('ex', [17, ...bech32m.toWords(new Uint8Array(32))])],
    ['Liquid with an uncompressed key', blech32('lq', 0, Uint8Array.of(4, ...new Uint8Array(52)))],
    ['Liquid of 19 bytes after a key', blech32('lq', 0, Uint8Array.of(2, ...new Uint8Array(51)))],
    ['Liquid with an uncompressed key in base58', bs58check.encode(Uint8Array.of(12, 39, 4, ...new Uint8Array(52)))],
    ['Liquid of another network in base58', bs58check.encode(Uint8Array.of(12, 36, 2, ...new Uint8Array(52)))],
    ['CKB of an unknown code', bech32.encode('ckb', bech32.toWords(Uint8Array.of(1, 3, ...new Uint8Array(20))))],
    ['CKB of a short form with more', bech32.encode('ckb', bech32.toWords(Uint8Array.of(1, 0, ...new Uint8Array(21))))],
    ['CKB of the new form with the old checksum', bech32.encode('ckb', bech32.toWords(new Uint8Array(54)), 200)],
    ['CKB of a form that does not exist', bech32m.encode('ckb', bech32m.toWords(Uint8Array.of(3, ...new Uint8Array(53))), 200)],
    ['a public key of Radix', bech32m.encode('account_rdx', bech32m.toWords(new Uint8Array(33)))],
    ['a viewing key of Penumbra', bech32m.encode('penumbrafullviewingkey', bech32m.toWords(new Uint8Array(64)), 200)],
    ['a spending key of Namada', bech32m.encode('zsknam', bech32m.toWords(new Uint8Array(169)), 400)],
    ['Cardano’s public key, whose prefix has an underscore', bech32.encode('addr_vk', bech32.toWords(new Uint8Array(32)))],
    ['Conflux of another version', confluxAddress('cfx', Uint8Array.of(8, ...new Uint8Array(20)))],
    ['Conflux of another size', confluxAddress('cfx', Uint8Array.of(1, ...new Uint8Array(20)))],
    ['Conflux with the number of a named network', confluxAddress('net1029', new Uint8Array(21))],
    ['Conflux with the number of the test network', confluxAddress('net1', new Uint8Array(21))],
    ['Conflux with a leading zero in its network', confluxAddress('net017', new Uint8Array(21))],
    ['Conflux with a number beyond 32 bits', confluxAddress('net4294967296', new Uint8Array(21))],
    ['Waves of another version', wavesLike(2, 0)],
    ['Conflux without its network', 'aarc9abycue0hhzgyrr53m6cxedgccrmmyybjgh4xg'],
    ['Conflux with five fields', `cfx:${'a.b:'.repeat(5)}aarc9abycue0hhzgyrr53m6cxedgccrmmyybjgh4xg`],
    ['Kadena’s principal with a path', `k:${hash}/transfer`],
    ['Kadena’s name with four words', 'u:a.b.c.d:Xv7uRrsqw9iCQIbGLudMQ7t_DB3xPzki5jqnAupaHoc'],
    ['Kadena’s keyset without a hint', 'r:free.keyset'],
    ['a private key of Massa', `S${bs58check.encode(new Uint8Array(33))}`],
    ['a key of another version of Massa', `AU${bs58check.encode(Uint8Array.of(1, ...new Uint8Array(32)))}`],
    ['a contract of Casper', `hash-${hash}`],
    ['a compressed public key', `02${hash}`],
    ['a user’s part of a link', `https://${satoshi}@evil.example/`],
    ['a page of a link', `https://evil.example/${satoshi}`],
    ['a page of a link without scheme', `evil.example/${satoshi}`],
    ['a page behind a port', `evil.example:8080/${satoshi}`],
    ['prose', `send to ${satoshi}`],
    ['two', `${satoshi} ${satoshi}`],
    ['nothing', ''],
  ])('%s', (_, text) => {
    expect(read(text)).toBeUndefined();
  });

  test.each([
    ['with a tag of 64 bits', [0x05, 0x44], 2, [0, 0, 0, 0, 1]],
    ['with more tag than its flag says', [0x05, 0x44], 1, [0, 0, 0, 0, 1]],
    ['with a tag it says it has not', [0x05, 0x44], 0, [1]],
    ['of no network', [0x05, 0x45], 0, []],
  ])('an X-address %s', (_, network, flag, tag) => {
    const encode = (...parts: readonly (readonly number[])[]): string => codec.encodeChecked(parts.flat());
    const padded = [...tag, ...new Array(8 - tag.length).fill(0)];
    const account = new Array(20).fill(7);
    expect(read(encode(network, account, [flag], padded))).toBeUndefined();
    expect(read(encode([0x05, 0x44], account, [1], [1, 2, 3, 4, 0, 0, 0, 0]))).toBe(encode([0], account));
  });

  test('Starknet beyond 2^251', () => {
    expect(read(`0x0${'7'.padEnd(63, 'f')}`, 'starknet')).toBe(`0x0${'7'.padEnd(63, 'f')}`);
    expect(read(`0x0${'8'.padEnd(63, '0')}`, 'starknet')).toBeUndefined();
  });

  test.each([46, 47])('SS58 of the reserved network %i', (network) => {
    const encode = (number: number): string => {
      const body = Buffer.from([number, ...new Uint8Array(32).fill(7)]);
      const sum = createHash('blake2b512').update('SS58PRE').update(body).digest();
      return base58.encode(Uint8Array.from([...body, ...sum.subarray(0, 2)]));
    };
    expect(read(encode(network))).toBeUndefined();
    expect(read(encode(48))).toBeDefined();
  });
});

describe('a different account, not another spelling:', () => {
  test('Waves and V.Systems, which differ in a number', () => {
    expect(new Set([1, 5].map((version) => read(wavesLike(version)))).size).toBe(2);
  });

  test('Conflux in the last network', () => {
    const last = confluxAddress('net4294967295', new Uint8Array(21));
    expect([read(last), read(last.replace(':', ':type.null:')), read(last.replace(':', ':type.user:'))]).toEqual([
      last,
      last,
      undefined,
    ]);
  });

  test('Conflux in the test network', () => {
    expect(read('cfx:acc7uawf5ubtnmezvhu9dhc6sghea0403y2dgpyfjp')).not.toBe(
      read('cfxtest:acc7uawf5ubtnmezvhu9dhc6sghea0403ywjz6wtpg'),
    );
  });

  test('Conflux’s eSpace, which is EVM’s', () => {
    expect(normalizeAsset('cfx:0x85d80245dc02f5a89589e1f19c5c718e405b56cd')).toEqual({
      type: 'ADDRESS',
      canonical: '0x85d80245dc02f5a89589e1f19c5c718e405b56cd',
    });
  });

  test('an address of Spark with the prefix of silent payments', () => {
    expect(read('sp1pgss8u5vh4cldqxarcl2hnqgqelhupdt6g9e9y5x489t8ky355f3veh6dln5pf')).toMatch(/^spark1p/);
  });

  test('Zcash’s and Liquid’s `tex`', () => {
    const zcash = bech32m.encode('tex', bech32m.toWords(new Uint8Array(20).fill(0x11)));
    const liquid = bech32.encode('tex', [0, ...bech32.toWords(new Uint8Array(20).fill(0x11))]);
    expect([read(zcash)?.slice(0, 2), read(liquid)]).toEqual(['t1', liquid]);
  });

  test('Solana in lower case', () => {
    const [stake, lower] = ['Stake11111111111111111111111111111111111111', 'stake11111111111111111111111111111111111111'];
    expect([read(stake!), read(lower!)]).toEqual([stake, lower]);
  });

  test('a Cosmos key with another prefix, and its operator', () => {
    const words = bech32.toWords(new Uint8Array(20).fill(5));
    const found = ['cosmos', 'osmo', 'cosmosvaloper'].map((prefix) => read(bech32.encode(prefix, words)));
    expect(new Set(found).size).toBe(3);
    expect(found).not.toContain(undefined);
  });

  test('the bytes of an EVM address as Tron’s', () => {
    expect(read('41a614f803b6fd780986a42c78ec9c7f77e6ded13c')).toBe('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t');
    expect(normalizeAsset('0xa614f803b6fd780986a42c78ec9c7f77e6ded13c')).toHaveProperty(
      'canonical',
      '0xa614f803b6fd780986a42c78ec9c7f77e6ded13c',
    );
  });
});

test('a Hedera address is read as an address and as the host it could be', () => {
  expect(detectAssets('0.0.1234')).toEqual([
    { type: 'ADDRESS', canonical: '0.0.1234' },
    { type: 'URL', canonical: '0.0.4.210' },
  ]);
});

test('an address of any chain with the form of Bitcoin is read unchanged', () => {
  for (let version = 0; version < 256; version++) {
    const address = bs58check.encode(Uint8Array.of(version, ...new Uint8Array(20).fill(version)));
    expect([read(address), read(address, 'bitcoin'), bitcoin.read({ text: address, hint: {} })[0]?.canonical]).toEqual([
      address,
      address,
      address,
    ]);
  }
});

test('a Stacks contract is a different account than its deployer, and a host too', () => {
  expect(detectAssets(`${stacks}.token`)).toEqual([
    { type: 'ADDRESS', canonical: `${stacks}.token` },
    { type: 'URL', canonical: `${stacks.toLowerCase()}.token` },
  ]);
});

test('a chain that is not in the bundle is not read', () => {
  expect(bitcoin.read({ text: satoshi, hint: {} })).toHaveLength(1);
  expect(solana.read({ text: satoshi, hint: {} })).toEqual([]);
  expect(solana.read({ text: token, hint: {} })).toHaveLength(1);
});

describe('a secret is refused with any hint:', () => {
  const strkey = (): string => {
    const body = Uint8Array.of(18 << 3, ...new Uint8Array(32).fill(9));
    const sum = slowCrc16(body);
    return base32nopad.encode(Uint8Array.of(...body, sum & 255, sum >> 8));
  };
  const secrets: readonly [name: string, text: string][] = [
    ['Stellar seed', strkey()],
    ['WIF', bs58check.encode(Uint8Array.of(0x80, ...new Uint8Array(32).fill(9)))],
    ['compressed WIF', bs58check.encode(Uint8Array.of(0x80, ...new Uint8Array(32).fill(9), 1))],
    ['Litecoin’s WIF', bs58check.encode(Uint8Array.of(0xb0, ...new Uint8Array(32).fill(9), 1))],
    ['xprv', bs58check.encode(Uint8Array.of(0x04, 0x88, 0xad, 0xe4, ...new Uint8Array(74).fill(9)))],
    ['zprv', bs58check.encode(Uint8Array.of(0x04, 0xb2, 0x43, 0x0c, ...new Uint8Array(74).fill(9)))],
    ['nsec', bech32.encode('nsec', bech32.toWords(new Uint8Array(32).fill(9)))],
    ['Sui’s key', bech32.encode('suiprivkey', bech32.toWords(new Uint8Array(33).fill(9)))],
    ['age’s key', bech32.encode('age-secret-key-', bech32.toWords(new Uint8Array(32).fill(9))).toUpperCase()],
    ['Tezos’ key', bs58check.encode(Uint8Array.of(0x0d, 0x0f, 0x3a, 0x07, ...new Uint8Array(32).fill(9)))],
  ];

  test.each(secrets)('%s', (_, text) => {
    for (const chain of [undefined, 'stellar', 'bitcoin', 'near', 'sui', 'solana', 'litecoin', 'no such chain']) {
      for (const spelling of [text, `stellar:${text}`, `${text}.`]) {
        expect(normalizeAsset(spelling, chain === undefined ? {} : { chain })).toEqual({ refused: 'secret' });
      }
    }
    expect(expressionsOf(text)).toEqual([]);
    expect(expressionsOf({ type: 'ADDRESS', canonical: text })).toEqual([]);
  });

  test.each([
    ...secrets,
    ['Tezos’ key of another curve', bs58check.encode(Uint8Array.of(0x11, 0xa2, 0xe0, 0xc9, ...new Uint8Array(32).fill(9)))],
    ['Cardano’s key', bech32.encode('ed25519_sk', bech32.toWords(new Uint8Array(32).fill(9)))],
    ['Aptos’ key', `ed25519-priv-0x${hash}`],
    ['XRP’s seed', 'sn3nxiW7v8KXzPzAqzyHXbSSKNuN9'],
  ])('%s is not an address either', (_, text) => {
    for (const chain of [undefined, 'stellar', 'bitcoin', 'sui', 'ltc', 'bch', 'hedera'])
      expect(read(text, chain)).toBeUndefined();
  });

  test('64 hex digits, but not as an account of Kadena', () => {
    for (const text of [`k:${hash}`, `kadena:k:${hash}`, `K:${hash.toUpperCase()}`])
      expect(normalizeAsset(text)).toEqual({ type: 'ADDRESS', canonical: `k:${hash}` });
    expect(normalizeAsset(`kadena:${hash}`)).toEqual({ refused: 'secret' });
  });

  test('64 hex digits, unless a chain is named', () => {
    expect(normalizeAsset(hash)).toEqual({ refused: 'secret' });
    expect(normalizeAsset(hash, { type: 'ADDRESS' })).toEqual({ refused: 'secret' });
    expect(normalizeAsset(hash, { chain: 'near' })).toEqual({ type: 'ADDRESS', canonical: hash });
    expect(normalizeAsset(hash, { chain: 'bitcoin' })).toEqual({ refused: 'unknown' });
  });
});
