import { createBlocklist } from 'portcullis';
import * as core from 'portcullis/core';
import { expect, test } from 'vitest';
import { ownSource } from './own-source.js';

const sources = [ownSource()];

test.each([
  ['nothing', undefined],
  ['no object', 'https://relay.example'],
  ['no address and no source', {}],
  ['sources that are none', { sources: {} }],
  ['a source without its functions', { sources: [{ id: 'a' }] }],
  ['a number that is none', { sources, pollMs: '5' }],
  ['a clock that is none', { sources, now: 5 }],
  ['a policy that is none', { sources, policy: 'warn' }],
  ['confirm options that are none', { sources, confirm: 5 }],
  ['a store that is none', { sources, store: {} }],
])('%s is a TypeError', (_, options) => {
  expect(() => createBlocklist(options as never)).toThrow(TypeError);
});

test.each([
  ['no source', { sources: [] }],
  ['seventeen sources', { sources: Array.from({ length: 17 }, (_, at) => ownSource({ id: `s${at}` })) }],
  ['two of one id', { sources: [ownSource(), ownSource()] }],
  ['an id that is none', { sources: [ownSource({ id: '../x' })] }],
  ['the id that overrides have', { sources: [ownSource({ id: 'overrides' })] }],
  ['polls that never end', { sources, pollMs: 10 }],
  ['an age of nothing', { sources, maxAgeMs: 0 }],
  ['no number', { sources, maxAgeMs: Number.NaN }],
  ['an endless deadline', { sources, deadlineMs: Number.POSITIVE_INFINITY }],
  ['a policy for blocks', { sources, policy: { blocked: 'allow' } }],
  ['an action that is none', { sources, policy: { unknown: 'panic' } }],
  ['too many decoys', { sources, confirm: { decoys: 1_000 } }],
  ['an address and sources', { sources, baseUrl: 'https://relay.example' }],
  ['an address that is none', { baseUrl: 'relay' }],
  ['plain http to another machine', { baseUrl: 'http://relay.example' }],
  ['an empty key', { baseUrl: 'https://relay.example', apiKey: '' }],
])('rejects %s', (_, options) => {
  expect(() => createBlocklist(options as never)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
});

test('/core reads only the given families', async () => {
  const address = '0x52908400098527886E0F7030069857D2E4169EE7';
  const source = () => ownSource({ snapshot: [`address:${address.toLowerCase()}`, 'evil.example'], whole: true });
  const links = core.createBlocklist({ sources: [source()], pollMs: 0 });
  const both = core.createBlocklist({ sources: [source()], families: [core.evm], pollMs: 0 });
  for (const blocklist of [links, both]) {
    await blocklist.ready();
    expect(blocklist.test('https://evil.example/')).toMatchObject({ status: 'blocked' });
  }
  expect(links.test(address)).toMatchObject({ status: 'unknown', reason: 'unreadable' });
  expect(both.test(address)).toMatchObject({ status: 'blocked' });
  expect(() => core.createBlocklist(undefined as never)).toThrow(TypeError);
  await links.close();
  await both.close();
});

test.each([
  ['a name that is none', { decoy: 7 }],
  ['half a decoy', { decoys: 1.5 }],
  ['more decoys than a request holds', { decoys: 50, maxPrefixes: 50 }],
])('confirm refuses %s', (_, confirm) => {
  expect(() => createBlocklist({ sources: [ownSource()], confirm: confirm as never })).toThrow(
    expect.objectContaining({ code: 'INVALID_INPUT' }),
  );
});
