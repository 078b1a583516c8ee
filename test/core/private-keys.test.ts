import { blake2b } from '@noble/hashes/blake2.js';
import { base58 } from '@scure/base';
import { bech32 } from 'bech32';
import bs58check from 'bs58check';
import fc from 'fast-check';
import { detectAssets, expressionsOf, normalizeAsset } from 'portcullis/assets';
import { encodeSeed } from 'ripple-address-codec';
import { describe, expect, test } from 'vitest';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const hexOf = (data: Uint8Array): string => Buffer.from(data).toString('hex');
const inBech32 = (prefix: string, data: Uint8Array): string => bech32.encode(prefix, bech32.toWords(data), 1_000);

/** Checks that it is refused as text, with a type, as an asset, and where a single word is a host. */
function expectSecret(text: string): void {
  expect(normalizeAsset(text), text).toEqual({ refused: 'secret' });
  expect(normalizeAsset(text, { type: 'TELEGRAM' })).toEqual({ refused: 'secret' });
  expect(detectAssets(text)).toEqual([]);
  for (const algorithm of ['portcullis-1', 'safe-browsing-4']) {
    expect(expressionsOf(text, { algorithm })).toEqual([]);
    expect(expressionsOf({ type: 'TELEGRAM', canonical: text.trim() }, { algorithm })).toEqual([]);
  }
}

describe('a private key is a secret:', () => {
  test.each(['secp256k1', 'ed25519'] as const)('a seed of XRP (%s)', (kind) => {
    // A seed without a digit and without two capital letters in a row is refused in no more than 1 of 10,000 cases.
    let missed = 0;
    fc.assert(
      fc.property(bytes(16), (entropy) => {
        const seed = encodeSeed(Buffer.from(entropy), kind);
        if (kind === 'secp256k1' && !/\d|[A-Z]{2}/.test(seed)) missed++;
        else for (const text of [seed, ` ${seed}\n`, `"${seed}".`]) expectSecret(text);
      }),
    );
    expect(missed).toBeLessThanOrEqual(2);
  });

  test.each(['addr_sk', 'addr_xsk', 'acct_xsk', 'acct_shared_xsk', 'root_xsk', 'stake_sk', 'ed25519_sk', 'ed25519e_sk', 'xprv'])(
    'a key of Cardano that begins with %s',
    (prefix) => {
      for (const length of prefix === 'xprv' ? [96, 128] : [32, 64, 96, 128]) {
        const key = inBech32(prefix, new Uint8Array(length).fill(7));
        expectSecret(key);
        expectSecret(key.toUpperCase());
      }
    },
  );

  test.each(['spspend', 'spscan', 'tspspend', 'zsknam', 'penumbraspendkey'])('a key that begins with %s1', (prefix) => {
    const key = inBech32(prefix, new Uint8Array(prefix.startsWith('zsknam') ? 169 : 33).fill(7));
    expectSecret(key);
    expectSecret(key.toUpperCase());
  });

  test('keys of Aleo, Massa and aeternity', () => {
    const digits = base58.encode(new Uint8Array(36).fill(201));
    for (const key of [`APrivateKey1${digits.slice(0, 47)}`, `S1${digits.padEnd(49, 'z').slice(0, 49)}`, `sk_${digits}`])
      expectSecret(key);
    expect(normalizeAsset(`ak_${digits}`)).not.toEqual({ refused: 'secret' });
  });

  test('the CBOR of a key of Cardano, alone and in its file', () => {
    for (const [head, length] of [
      ['5820', 32],
      ['5840', 64],
      ['5880', 128],
    ] as const) {
      const cborHex = head + hexOf(new Uint8Array(length).fill(0xab));
      expectSecret(cborHex);
      const file = { type: 'PaymentSigningKeyShelley_ed25519', description: 'Payment Signing Key', cborHex };
      for (const indent of [undefined, 4]) expectSecret(JSON.stringify(file, null, indent));
    }
  });

  test('an extended spending key of Zcash', () => {
    expectSecret(inBech32('secret-extended-key-main', new Uint8Array(169).fill(5)));
  });

  test('an array of bytes, on one line or on many', () => {
    fc.assert(
      fc.property(fc.constantFrom(32, 64).chain(bytes), fc.constantFrom(undefined, 2, 4, '\t'), (key, indent) => {
        const array = JSON.stringify([...key], null, indent);
        expectSecret(array);
        expectSecret(array.slice(1, -1).trim());
        expectSecret(array.replaceAll(',', ', '));
      }),
    );
    expect(normalizeAsset(JSON.stringify([...new Uint8Array(31)]))).not.toEqual({ refused: 'secret' });
  });

  test('an uncompressed WIF of every network that writes 51 characters', () => {
    for (const version of [0x80, 0x9e, 0xb0, 0xb7, 0xcc, 0xef, 0xf1]) {
      fc.assert(fc.property(bytes(32), (key) => expectSecret(bs58check.encode(Uint8Array.of(version, ...key)))));
    }
  });
});

describe('the following are not secrets:', () => {
  test('an address of Ergo, although it has 51 characters and begins with 9', () => {
    fc.assert(
      fc.property(fc.constantFrom(2, 3), bytes(32), (sign, key) => {
        const body = Uint8Array.of(1, sign, ...key);
        const address = base58.encode(Uint8Array.of(...body, ...blake2b(body, { dkLen: 32 }).slice(0, 4)));
        expect(address).toMatch(/^9.{50}$/);
        expect(normalizeAsset(address)).not.toEqual({ refused: 'secret' });
      }),
    );
  });

  test('64 hex digits whose type is that of a Nostr profile', () => {
    const hex = '7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e';
    const asset = { type: 'PRIMAL', canonical: 'npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg' };
    expect(normalizeAsset(hex, { type: 'PRIMAL' })).toEqual(asset);
    expect(normalizeAsset(hex.toUpperCase(), { type: 'PRIMAL' })).toEqual(asset);
    expect(expressionsOf({ type: 'PRIMAL', canonical: hex })).toEqual([`primal:${asset.canonical}`]);
    for (const type of [undefined, 'ADDRESS', 'TELEGRAM', 'URL'] as const) {
      expect(normalizeAsset(hex, { type })).toEqual({ refused: 'secret' });
    }
  });

  test.each(['someVeryLongCamelCaseUserName', 'some_very_long_snake_case_name', 'sameverylongnamewithoutanycase', 'shortName9'])(
    'the name %s',
    (name) => {
      expect(normalizeAsset(name, { type: 'TELEGRAM' })).not.toEqual({ refused: 'secret' });
    },
  );
});
