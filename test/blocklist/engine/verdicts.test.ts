import { explain } from 'portcullis';
import { describe, expect, test, vi } from 'vitest';
import { away, hourMs, listing, opened, synced } from './harness.js';
import { ownSource } from './own-source.js';

const link = 'https://login.evil.example/a?b';

test('an entry of 8 bytes needs no confirmation', async () => {
  const { blocklist } = await synced(ownSource({ snapshot: ['evil.example'], whole: true }));
  const listed = { status: 'blocked', action: 'block', reason: 'listed', expression: 'evil.example' };
  expect(blocklist.test(link)).toMatchObject(listed);
  expect(blocklist.test('https://fine.example')).toMatchObject({ status: 'clear', reason: 'not-listed' });
});

test('an override decides, whatever the lists say', async () => {
  const { blocklist } = await synced(ownSource({ snapshot: ['evil.example'], whole: true }));
  await blocklist.block('https://fine.example/');
  await blocklist.allow('https://evil.example/');
  const override = { reason: 'override', expression: 'fine.example' };
  expect(blocklist.test('https://fine.example/page')).toMatchObject({ status: 'blocked', action: 'block', ...override });
  const allowed = { status: 'allowed', action: 'allow', ...override, expression: 'evil.example' };
  expect(await blocklist.check(link)).toMatchObject(allowed);
});

test('a source allows what it names, and nothing above it', async () => {
  const { blocklist } = await listing({ allow: ['login.evil.example'], whole: true });
  const allowed = { status: 'allowed', action: 'allow', reason: 'source-allows', expression: 'login.evil.example' };
  expect(blocklist.test(link)).toMatchObject(allowed);
  expect(blocklist.test('other.evil.example')).toMatchObject({ status: 'blocked' });
});

test('a secret is in no explanation', async () => {
  const secret = 'f'.repeat(64);
  const { blocklist } = await listing({ snapshot: [secret, `address:${secret}`] });
  expect(JSON.stringify(explain(blocklist, secret))).not.toContain('ffff');
});

test('the status says that the machine computes wrong hashes', () => {
  const { fromCharCode } = String;
  const broken = vi
    .spyOn(String, 'fromCharCode')
    .mockImplementation((...codes) => fromCharCode(...codes.map((code) => code ^ 1)));
  const { blocklist } = opened();
  broken.mockRestore();
  expect(blocklist.status().isSound).toBe(false);
});

describe('several lists', () => {
  const whole = (id: string, snapshot: readonly string[]) => ownSource({ id, snapshot, whole: true });
  const allowing = () => ownSource({ id: 'one', allow: ['login.evil.example'], whole: true });
  const asking = () => ownSource({ id: 'two', snapshot: ['evil.example'] });
  const absent = () => Object.assign(ownSource({ id: 'two' }), { before: away });

  test.each([
    ['blocked by one of them', [whole('one', []), whole('two', ['evil.example'])], 'blocked', 'two'],
    ['blocked by one, allowed by another', [allowing(), whole('two', ['evil.example'])], 'blocked', 'two'],
    ['allowed by one, unknown to another', [absent(), allowing()], 'allowed', 'one'],
    ['unconfirmed by one, allowed by another', [allowing(), asking()], 'unconfirmed', 'two'],
    ['unknown to a missing list, not in another', [whole('one', []), absent()], 'unknown', 'two'],
  ])('an input that is %s', async (_, sources, status, source) => {
    const { blocklist } = await synced(sources);
    expect(blocklist.test(link)).toMatchObject({ status, source, ...(status === 'unknown' && { reason: 'no-list' }) });
  });

  test('clear has the age of the oldest list', async () => {
    const second = whole('two', []);
    const { blocklist, clock } = await synced([whole('one', []), second]);
    clock.nowMs += hourMs;
    second.before = away;
    await blocklist.sync();
    expect(blocklist.test(link)).toMatchObject({ status: 'clear', source: 'two', ageMs: hourMs });
  });
});
