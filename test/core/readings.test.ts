import { canonicalizeUrl, detectAssets, expressionsOf, findAssets, normalizeAsset } from 'portcullis';
import { expect, test } from 'vitest';

const address = '0x52908400098527886e0f7030069857d2e4169ee7';

test.each([
  ['官网-evil.example', 'evil.example'],
  ['中_evil.example', 'evil.example'],
  ['ไทย-evil.example', 'evil.example'],
  ['官网-t.me/scammer', 't.me/scammer'],
  ['官网-a@evil.example', 'a@evil.example'],
  [`地址_${address}`, address],
])('in %s the finder finds %s after prose without a space', (text, piece) => {
  expect(findAssets(text)).toMatchObject([
    { text: piece, start: text.length - piece.length, end: text.length, assets: detectAssets(piece) },
  ]);
});

const key = `nsec1${'q'.repeat(58)}`;

test.each([`near:${key}`, `near:mainnet:${key}`, `near:${key}?x=1`, `near:${key}%x`, `near://mainnet:${key}`])(
  'a key after the name of a chain is not an account: %s',
  (text) => {
    for (const chain of [undefined, 'near']) {
      expect(JSON.stringify(normalizeAsset(text, chain === undefined ? {} : { chain }))).not.toContain('nsec1');
    }
    expect(detectAssets(text)).toEqual([]);
    expect(expressionsOf(text)).toEqual([]);
    expect(findAssets(text)).toEqual([]);
  },
);

test.each([
  [`ethereum:${address}`, 'sui'],
  [`eip155:1:${address}`, 'aptos'],
  [`matic:${address}`, 'starknet'],
])('the chain that %s names overrides a hint of %s', (text, chain) => {
  expect(normalizeAsset(text, { chain })).toEqual({ type: 'ADDRESS', canonical: address });
});

test('a Bitcoin URI is not Bitcoin Cash, whatever the hint', () => {
  const account = '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2';
  expect(normalizeAsset(`bitcoin:${account}`, { chain: 'bch' })).toEqual({ type: 'ADDRESS', canonical: account });
  expect(normalizeAsset(account, { chain: 'bch' })).toMatchObject({ canonical: expect.stringMatching(/^bitcoincash:q/) });
});

test.each([
  'help\u00ad@evil.example',
  'mailto:\u00adhelp@evil.example',
  'x <\u00adhelp@evil.example>',
  'he\u200blp@evil.example',
])('invisible characters do not make %j another mailbox', (text) => {
  expect(normalizeAsset(text)).toEqual({ type: 'EMAIL', canonical: 'help@evil.example' });
});

test('an ENS name on a known gateway is read as the name; on any other host it is only a host', () => {
  expect(detectAssets('vitalik.eth.limo')[0]).toEqual({ type: 'URL', canonical: 'vitalik.eth' });
  expect(detectAssets('https://vitalik.eth.co/claim')).toEqual([
    { type: 'PAGE', canonical: 'vitalik.eth.co/claim' },
    { type: 'URL', canonical: 'vitalik.eth.co' },
  ]);
});

test.each(['sms:+12025550100?body=click here now', 'smsto:+1202-555-0100', 'tel:%2B12025550100', 'tel:+1-202-555-0100;ext=5'])(
  '%s is a telephone number',
  (text) => {
    expect(normalizeAsset(text)).toEqual({ type: 'PHONE_NUMBER', canonical: '+12025550100' });
  },
);

test('a key before an @ is a secret, even with a display name', () => {
  const wif = `L${'1'.repeat(51)}`;
  for (const text of [`${wif}@mail.example`, `mailto:${wif}@mail.example`, `Me <${wif}@mail.example>`]) {
    expect(normalizeAsset(text)).toEqual({ refused: 'secret' });
    expect(expressionsOf(text)).toEqual([]);
  }
});

test('a tunnel’s port has one spelling', () => {
  const typed = (text: string) => detectAssets(text).find(({ type }) => type === 'NGROK');
  expect(typed('https://0.tcp.ngrok.io:01234/x')).toEqual(typed('https://0.tcp.ngrok.io:1234'));
  expect(canonicalizeUrl('https://0.tcp.ngrok.io:01234/')).toBe('0.tcp.ngrok.io');
});
