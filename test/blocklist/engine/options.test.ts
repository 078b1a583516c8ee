import { createBlocklist } from 'portcullis';
import * as core from 'portcullis/core';
import { expect, test } from 'vitest';
import { ownSource } from './own-source.js';

const sources = [ownSource()];

test.each([
  ['nothing', undefined],
  ['a string', 'https://relay.example'],
  ['neither baseUrl nor sources', {}],
  ['sources that are not an array', { sources: {} }],
  ['a source without its functions', { sources: [{ id: 'a' }] }],
  ['a string as a number', { sources, pollMs: '5' }],
  ['a clock that is not a function', { sources, now: 5 }],
  ['a policy that is not an object', { sources, policy: 'warn' }],
  ['confirm options that are not an object', { sources, confirm: 5 }],
  ['a store without methods', { sources, store: {} }],
  ['no source', { sources: [] }],
  ['seventeen sources', { sources: Array.from({ length: 17 }, (_, at) => ownSource({ id: `s${at}` })) }],
  ['two sources with the same id', { sources: [ownSource(), ownSource()] }],
  ['an invalid id', { sources: [ownSource({ id: '../x' })] }],
  ['the id overrides', { sources: [ownSource({ id: 'overrides' })] }],
  ['a poll interval below a second', { sources, pollMs: 10 }],
  ['a maxAgeMs of 0', { sources, maxAgeMs: 0 }],
  ['NaN', { sources, maxAgeMs: Number.NaN }],
  ['an infinite deadline', { sources, deadlineMs: Number.POSITIVE_INFINITY }],
  ['a policy for blocks', { sources, policy: { blocked: 'allow' } }],
  ['an unknown action', { sources, policy: { unknown: 'panic' } }],
  ['too many decoys', { sources, confirm: { decoys: 1_000 } }],
  ['baseUrl and sources', { sources, baseUrl: 'https://relay.example' }],
  ['an invalid baseUrl', { baseUrl: 'relay' }],
  ['plain http to another host', { baseUrl: 'http://relay.example' }],
  ['an empty key', { baseUrl: 'https://relay.example', apiKey: '' }],
])('rejects %s', (_, options) => {
  expect(() => createBlocklist(options as never)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
});

test('a call without a list says what it needs', () => {
  expect(() => createBlocklist({} as never)).toThrow('createBlocklist: options must have baseUrl or sources');
  for (const options of [{}, { baseUrl: 'https://relay.example' }])
    expect(() => core.createCoreBlocklist(options as never)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
});

test('/core reads only the given families', async () => {
  const address = '0x52908400098527886E0F7030069857D2E4169EE7';
  const source = () => ownSource({ snapshot: [`address:${address.toLowerCase()}`, 'evil.example'], whole: true });
  const links = core.createCoreBlocklist({ sources: [source()], pollMs: 0 });
  const both = core.createCoreBlocklist({ sources: [source()], families: [core.evm], pollMs: 0 });
  for (const blocklist of [links, both]) {
    await blocklist.ready();
    expect(blocklist.test('https://evil.example/')).toMatchObject({ status: 'blocked' });
  }
  expect(links.test(address)).toMatchObject({ status: 'unknown', reason: 'unreadable' });
  expect(both.test(address)).toMatchObject({ status: 'blocked' });
  expect(() => core.createCoreBlocklist(undefined as never)).toThrow('createCoreBlocklist: sources must be an array');
  await links.close();
  await both.close();
});

test.each([
  ['an unknown name', { decoy: 7 }],
  ['half a decoy', { decoys: 1.5 }],
  ['more decoys than a request holds', { decoys: 50, maxPrefixes: 50 }],
])('confirm rejects %s', (_, confirm) => {
  expect(() => createBlocklist({ sources: [ownSource()], confirm: confirm as never })).toThrow(
    expect.objectContaining({ code: 'INVALID_INPUT' }),
  );
});
