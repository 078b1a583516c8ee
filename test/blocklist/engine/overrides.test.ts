import { createBlocklist } from 'portcullis';
import { memoryStore } from 'portcullis/stores';
import { describe, expect, test } from 'vitest';
import { encodeJsonRecord } from '../../../src/blocklist/formats/record.js';
import { heard, opened, synced } from './harness.js';
import { ownSource } from './own-source.js';

const page = 'https://login.evil.example/a/b';
const address = '0x52908400098527886E0F7030069857D2E4169EE7';

describe('the override that decides', () => {
  test('covers the asset and everything below it with scope asset, and the whole host with scope host', async () => {
    const { blocklist } = await synced(ownSource());
    expect(await blocklist.block(page)).toMatchObject({ action: 'block', expression: 'login.evil.example/a/b' });
    expect(blocklist.test('https://login.evil.example/a')).toMatchObject({ status: 'clear' });
    expect(blocklist.test('https://login.evil.example/a/b/c?d')).toMatchObject({ status: 'blocked' });
    await blocklist.block(page, { scope: 'host' });
    expect(blocklist.test('https://login.evil.example/other')).toMatchObject({ status: 'blocked' });
    expect(blocklist.test('https://evil.example/')).toMatchObject({ status: 'clear' });
  });

  test('covers an address in every spelling', async () => {
    const { blocklist } = await synced(ownSource());
    await blocklist.block(address);
    for (const spelling of [address.toLowerCase(), `ethereum:${address}@1`])
      expect(blocklist.test(spelling)).toMatchObject({ status: 'blocked' });
  });

  test('applies before any list is loaded', async () => {
    const { blocklist } = opened();
    await blocklist.block('evil.example');
    expect(await blocklist.check('evil.example')).toMatchObject({ status: 'blocked', reason: 'override' });
  });
});

test('an override can be removed', async () => {
  const { blocklist } = await synced(ownSource());
  const { expression } = await blocklist.block(page);
  expect(await blocklist.removeOverride(expression)).toBe(true);
  expect(await blocklist.removeOverride(expression)).toBe(false);
  expect(blocklist.test(page)).toMatchObject({ status: 'clear' });
  expect(blocklist.overrides()).toEqual([]);
});

test.each([[''], ['http://localhost/'], ['f'.repeat(64)], [{ content: address, type: 'URL' as const }]])(
  'rejects an override of %j without repeating it',
  async (input) => {
    const { blocklist } = await synced(ownSource());
    const error = await blocklist.block(input).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'INVALID_INPUT' });
    expect(String(error)).not.toContain('ffff');
  },
);

test.each([[{ scope: 'site' }], [{ untilMs: 'soon' }], [{ untilMs: Number.NaN }]])('rejects the options %j', async (options) => {
  const { blocklist } = await synced(ownSource());
  const error = await blocklist.block(page, options as never).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'INVALID_INPUT' });
  expect(blocklist.overrides()).toEqual([]);
});

test('rejects scope host for an address', async () => {
  const { blocklist } = await synced(ownSource());
  await expect(blocklist.block(address, { scope: 'host' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
});

describe('stored overrides', () => {
  test('are rejected if they cannot be stored, but apply until the process exits', async () => {
    const store = memoryStore();
    const { blocklist } = opened({ store });
    await blocklist.ready();
    store.commit = async () => {
      throw new Error('disk full');
    };
    await expect(blocklist.block(page)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(blocklist.test(page)).toMatchObject({ status: 'blocked' });
  });

  test('are reported if damaged, fall back to the previously stored ones, and affect no list', async () => {
    const store = memoryStore();
    const first = createBlocklist({ sources: [ownSource({ snapshot: ['evil.example'], whole: true })], store, pollMs: 0 });
    await first.ready();
    await first.block('one.example');
    await first.block('two.example');
    await first.close();
    const { heads } = store;
    store.heads = async (name) => {
      const found = await heads(name);
      if (name === 'overrides') found[0]!.bytes[20]! ^= 1;
      return found;
    };
    await store.open();
    const { blocklist } = opened({ sources: [ownSource({ snapshot: ['evil.example'], whole: true })], store });
    const events = heard(blocklist, 'damaged');
    await blocklist.ready();
    expect(events).toMatchObject([{ name: 'overrides', error: { code: 'INVALID_ARTIFACT' } }]);
    expect(blocklist.test('one.example')).toMatchObject({ status: 'blocked' });
    expect(blocklist.test('two.example')).toMatchObject({ status: 'clear' });
    expect(blocklist.test('evil.example')).toMatchObject({ status: 'blocked' });
    await blocklist.block('three.example');
    expect(blocklist.test('three.example')).toMatchObject({ status: 'blocked' });
  });

  test('are limited to ten thousand', async () => {
    const store = memoryStore();
    await store.open();
    const stored = Array.from({ length: 9_999 }, (_, at) => ({ action: 'block', expression: `evil-${at}.example`, atMs: 0 }));
    await store.commit('overrides', encodeJsonRecord('overrides', stored), 0);
    const { blocklist } = opened({ store });
    await blocklist.ready();
    await blocklist.block('evil-9999.example');
    await expect(blocklist.block('more.example')).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(blocklist.test('more.example')).toMatchObject({ status: 'clear' });
    for (const at of [0, 9_998, 9_999]) expect(blocklist.test(`evil-${at}.example`)).toMatchObject({ status: 'blocked' });
  });
});

test('overrides survive a restart, even without an expiry or for the longest link', async () => {
  const store = memoryStore();
  const host = `${`${'a'.repeat(60)}.`.repeat(3)}${'b'.repeat(56)}.example`;
  const longest = `https://${host}/${'%FF'.repeat(5_400)}?${'%FF'.repeat(5_400)}`;
  const first = createBlocklist({ sources: [ownSource()], store, pollMs: 0 });
  await first.allow('good.example', { untilMs: Number.POSITIVE_INFINITY });
  await first.block(longest);
  await first.close();
  await store.open();
  const { blocklist } = opened({ store });
  expect(await blocklist.check('good.example')).toMatchObject({ status: 'allowed' });
  expect(await blocklist.check(longest)).toMatchObject({ status: 'blocked' });
});
