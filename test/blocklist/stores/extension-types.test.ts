import { extensionStore, type StorageAreaLike } from 'portcullis/extension';
import { expect, expectTypeOf, test } from 'vitest';
import type { Storage } from 'webextension-polyfill';

test('the areas of webextension-polyfill fit', () => {
  expectTypeOf<Storage.Static['local']>().toExtend<StorageAreaLike>();
  expectTypeOf<Storage.StorageArea>().toExtend<StorageAreaLike>();
});

test.each([
  ['no options', undefined],
  ['no area', {}],
  ['the whole storage', { area: { local: {} } }],
])('%s: says what it needs', (_, options) => {
  const make = () => extensionStore(options as never);
  expect(make).toThrow('extensionStore: area must be browser.storage.local, or chrome.storage.local');
});
