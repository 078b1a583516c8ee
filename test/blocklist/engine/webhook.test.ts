import { handleWebhook } from 'portcullis';
import { expect, test } from 'vitest';
import { held, listing, synced, told } from './harness.js';
import { ownSource } from './own-source.js';

test('a blocked asset takes effect at once, and a round fetches the rest', async () => {
  const { source, blocklist } = await listing({ recentToken: 'r1', confirmed: ['new.example', 'evil.example'] });
  source.calls.length = 0;
  const result = await handleWebhook(blocklist, told('https://new.example/', 'URL'));
  expect(result).toMatchObject({ outcome: 'unchanged' });
  expect(source.calls).toEqual(['version']);
  expect(await blocklist.check('https://login.new.example/')).toMatchObject({ status: 'blocked' });
});

test('a blocked asset that arrives during a round is in its result', async () => {
  const { source, blocklist } = await listing({ recentToken: 'r1', confirmed: ['new.example'] });
  Object.assign(source.list, { recentToken: 'r2', recent: ['other.example'] });
  const { wait, release } = held();
  source.before = (call) => (call === 'recent' ? wait() : undefined);
  const running = blocklist.sync();
  await expect.poll(() => source.calls.includes('recent')).toBe(true);
  const handled = handleWebhook(blocklist, told('new.example', 'URL'));
  await expect.poll(() => blocklist.test('new.example').status).toBe('unconfirmed');
  source.before = () => {};
  release();
  await Promise.all([running, handled]);
  expect(await blocklist.check('new.example')).toMatchObject({ status: 'blocked' });
  expect(blocklist.test('other.example')).toMatchObject({ status: 'unconfirmed' });
});

test('handles an address, and an asset that is no longer blocked', async () => {
  const address = '0x52908400098527886E0F7030069857D2E4169EE7';
  const { blocklist } = await synced(ownSource({ whole: true, snapshot: ['evil.example'] }));
  await handleWebhook(blocklist, told(address, 'ADDRESS'));
  expect(blocklist.test(address.toLowerCase())).toMatchObject({ status: 'blocked', reason: 'listed' });
  await handleWebhook(blocklist, { ...told(''), data: { content: 'fine.example', type: 'URL', status: 'ALLOWED' } });
  expect(blocklist.test('fine.example')).toMatchObject({ status: 'clear' });
});

test('ignores other events', async () => {
  const { source, blocklist } = await listing({ snapshot: [] });
  source.calls.length = 0;
  expect(await handleWebhook(blocklist, { type: 'report.created', data: {} })).toBe(null);
  expect(source.calls).toEqual([]);
});

test('adds the asset to one source of several, by its id', async () => {
  const one = ownSource({ id: 'one', whole: true });
  const two = ownSource({ id: 'two', whole: true });
  const { blocklist } = await synced([one, two]);
  await handleWebhook(blocklist, told('new.example', 'URL'), { source: 'two' });
  expect(blocklist.test('new.example')).toMatchObject({ status: 'blocked', source: 'two' });
  await expect(handleWebhook(blocklist, told(''), { source: 'three' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
});

test.each([[null], ['x'], [5]])('rejects %j, which is not an event', async (given) => {
  const { blocklist } = await synced(ownSource());
  await expect(handleWebhook(blocklist, given as never)).rejects.toThrow(TypeError);
});

test.each([[undefined], [{}], [{ content: 5, status: 'BLOCKED' }], [{ content: 'f'.repeat(64), status: 'BLOCKED' }]])(
  'an event about %j only runs a round',
  async (data) => {
    const { blocklist } = await synced(ownSource());
    expect(await handleWebhook(blocklist, { type: 'asset.status-updated', data })).toMatchObject({ outcome: 'unchanged' });
  },
);

test('an event from one source does not block on behalf of another', async () => {
  const asked = ownSource({ id: 'asked' });
  const fixed = ownSource({ id: 'fixed', whole: true, snapshot: ['evil.example'] });
  const { blocklist } = await synced([asked, fixed]);
  await handleWebhook(blocklist, told('fine.example', 'URL'));
  expect(await blocklist.check('fine.example')).toMatchObject({ status: 'clear', reason: 'disproved' });
});
