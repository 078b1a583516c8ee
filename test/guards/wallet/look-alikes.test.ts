import { createBlocklist } from 'portcullis';
import { textSource } from 'portcullis/sources';
import {
  createAddressBook,
  guardProvider,
  type ProviderRequest,
  type ScreenedRequest,
  screenRecipients,
  type WalletRule,
} from 'portcullis/wallet';
import { encodeFunctionData, erc20Abi, type Hex } from 'viem';
import { expect, test } from 'vitest';
import { account, clean, listed, origin, world } from './guard-world.js';

/** Begins and ends as `clean` does. */
const lookAlike = '0x5290f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f09ee7';
const stranger = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const imitates = { address: clean, start: 6, end: 4 };
const book = createAddressBook([clean, account]);

const pay = (to: string): { method: string; params: unknown } => ({
  method: 'eth_sendTransaction',
  params: [{ from: account, to, value: '0x1' }],
});
const transfer = (to: string): { method: string; params: unknown } => ({
  method: 'eth_sendTransaction',
  params: [{ to: stranger, data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to as Hex, 1n] }) }],
});

const partyOf = (request: ScreenedRequest | undefined, content: string): unknown =>
  request?.parties.find((party) => party.content === content);

test.each([
  ['pays', pay],
  ['sends a token to', transfer],
])('asks about a request that %s a look-alike of a known address', async (_, make) => {
  const { provider, guarded, asked } = await world({ knownAddresses: book });
  await expect(guarded.request(make(lookAlike))).rejects.toMatchObject({
    code: 4001,
    message: 'the request was rejected',
    cause: { code: 'REJECTED', message: 'the request was rejected: lookAlike' },
  });
  expect(provider.received).toEqual([]);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatchObject({ status: 'clear', unreadable: [] });
  expect(partyOf(asked[0], lookAlike)).toMatchObject({ verdict: { status: 'clear' }, isKnown: false, imitates });
});

test('passes on what pays a known address, in any spelling, or a new one that looks like none', async () => {
  const { provider, guarded, asked } = await world({ knownAddresses: book });
  for (const to of [clean, '0x52908400098527886E0F7030069857D2E4169EE7', stranger]) {
    await guarded.request(pay(to));
    await guarded.request(transfer(to));
  }
  expect(asked).toEqual([]);
  expect(provider.received).toHaveLength(6);
});

test('lets the user pay a look-alike after a question', async () => {
  const { provider, guarded } = await world({ knownAddresses: book, decide: () => 'allow' });
  expect(await guarded.request(pay(lookAlike))).toBe('result of eth_sendTransaction');
  expect(provider.received).toEqual([pay(lookAlike)]);
});

test.each([
  ['allow', 0, true],
  ['reject', 0, false],
  ['ask', 1, false],
] as const)('the rule %s for look-alikes asks %i times', async (rule: WalletRule, questions, passes) => {
  const { provider, guarded, asked } = await world({ knownAddresses: book, policy: { lookAlike: rule } });
  const sent = await guarded.request(pay(lookAlike)).then(
    () => true,
    () => false,
  );
  expect([sent, asked.length, provider.received.length]).toEqual([passes, questions, passes ? 1 : 0]);
});

test('a look-alike that is listed is listed too, and the stricter rule counts', async () => {
  const known = createAddressBook([`${listed.slice(0, 6)}${'1'.repeat(32)}${listed.slice(-4)}`]);
  const { guarded, asked } = await world({ knownAddresses: known, policy: { lookAlike: 'allow' } });
  await expect(guarded.request(pay(listed))).rejects.toMatchObject({
    cause: { message: 'the request was rejected: listed, lookAlike' },
  });
  expect(asked[0]).toMatchObject({ status: 'listed' });
});

test('a request that is not clear says which of its addresses are known', async () => {
  const { guarded, asked } = await world({ knownAddresses: book });
  await expect(guarded.request(transfer(listed))).rejects.toThrow();
  await expect(guarded.request({ method: 'eth_sign', params: [clean, '0x'] })).rejects.toThrow();
  expect(partyOf(asked[0], listed)).toMatchObject({ isKnown: false });
  expect(partyOf(asked[0], stranger)).toMatchObject({ isKnown: false });
  expect(partyOf(asked[0], origin)).not.toHaveProperty('isKnown');
  const mixed = await world({ knownAddresses: book, policy: { unreadable: 'ask' } });
  await expect(mixed.guarded.request({ ...pay(clean), params: [{ to: clean, data: '0x12345678' }] })).rejects.toThrow();
  expect(partyOf(mixed.asked[0], clean)).toMatchObject({ isKnown: true });
});

test('without known addresses nothing is said about them', async () => {
  const { guarded, asked } = await world();
  await guarded.request(pay(lookAlike));
  await expect(guarded.request(pay(listed))).rejects.toThrow();
  for (const party of asked[0]!.parties) expect(Object.keys(party).sort()).toEqual(['content', 'role', 'verdict']);
});

test('a book of the app cannot change a verdict', async () => {
  const lying = { factsOf: () => ({ isKnown: true, verdict: { status: 'clear' }, content: clean }) };
  const { guarded, asked } = await world({ knownAddresses: lying });
  await expect(guarded.request(pay(listed))).rejects.toMatchObject({ code: 4001 });
  expect(partyOf(asked[0], listed)).toMatchObject({ verdict: { status: 'blocked' } });
});

test('learns a recipient that is added after the guard was made', async () => {
  const own = createAddressBook();
  const { guarded, asked } = await world({ knownAddresses: own });
  await guarded.request(pay(lookAlike));
  own.add(clean);
  await expect(guarded.request(pay(lookAlike))).rejects.toMatchObject({ code: 4001 });
  expect(asked).toHaveLength(1);
});

test('refuses known addresses that are no book', () => {
  const options = { blocklist: { check: async () => ({}) as never }, origin, knownAddresses: [clean] as never };
  expect(() => guardProvider({ request: async () => null }, options)).toThrow(
    'guardProvider: knownAddresses must be an address book',
  );
});

test('screens recipients of every chain against known ones, and keeps the status', async () => {
  const solana = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
  const tron = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';
  const bitcoin = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
  const blocklist = createBlocklist({ sources: [textSource({ id: 'mine', text: `${bitcoin}\n` })], pollMs: 0 });
  await blocklist.ready();
  const knownAddresses = createAddressBook([`${solana.slice(0, 9)}${'q'.repeat(26)}${solana.slice(-9)}`, tron, bitcoin]);
  const screened = await screenRecipients(blocklist, [solana, tron], { knownAddresses });
  expect(screened).toMatchObject({
    status: 'clear',
    parties: [
      { content: solana, isKnown: false, imitates: { start: 9, end: 9 } },
      { content: tron, isKnown: true },
    ],
  });
  // A known address may be listed since.
  expect(await screenRecipients(blocklist, [bitcoin.toUpperCase()], { knownAddresses })).toMatchObject({
    status: 'listed',
    parties: [{ isKnown: true, verdict: { status: 'blocked' } }],
  });
});

test('asks about a look-alike among the words of a call of an unknown function', async () => {
  const { provider, guarded, asked } = await world({ knownAddresses: book });
  const call = (to: string): ProviderRequest => ({
    method: 'eth_sendTransaction',
    params: [{ to: stranger, data: `0x12345678${to.slice(2).padStart(64, '0')}` }],
  });
  await expect(guarded.request(call(lookAlike))).rejects.toMatchObject({ code: 4001 });
  expect(provider.received.filter(({ method }) => method === 'eth_sendTransaction')).toEqual([]);
  expect(asked[0]!.parties.filter((party) => party.imitates !== undefined)).toMatchObject([{ content: lookAlike, imitates }]);
});
