import { createBlocklist, explain, PortcullisError } from 'portcullis';
import { describe, expect, test } from 'vitest';
import { away, dayMs, fails, hourMs, listing, opened, synced } from './harness.js';
import { ownSource } from './own-source.js';

const link = 'https://login.evil.example/a?b';

describe('blocked', () => {
  test('confirmed: a full hash matches now', async () => {
    const { blocklist } = await synced(ownSource({ snapshot: ['evil.example'] }));
    expect(await blocklist.check(link)).toEqual({
      status: 'blocked',
      action: 'block',
      reason: 'confirmed',
      source: 'own',
      asset: { type: 'PAGE', canonical: 'login.evil.example/a' },
      expression: 'evil.example',
      ageMs: 0,
      generation: 1,
    });
  });

  test('listed: an entry of 8 bytes needs no confirmation', async () => {
    const { blocklist } = await synced(ownSource({ snapshot: ['evil.example'], whole: true }));
    expect(blocklist.test(link)).toMatchObject({
      status: 'blocked',
      action: 'block',
      reason: 'listed',
      expression: 'evil.example',
    });
    expect(blocklist.test('https://fine.example')).toMatchObject({ status: 'clear', reason: 'not-listed' });
  });

  test('confirmed-earlier: was confirmed within seven days, and the source cannot be queried now', async () => {
    const { source, blocklist, clock } = await listing({}, { maxAgeMs: 30 * dayMs });
    await blocklist.check(link);
    source.before = away;
    clock.nowMs += 5 * 60_000;
    expect(blocklist.test(link)).toMatchObject({ status: 'blocked', action: 'block', reason: 'confirmed-earlier' });
    expect(await blocklist.check(link)).toMatchObject({ status: 'blocked', reason: 'confirmed-earlier' });
    clock.nowMs += 7 * dayMs - 5 * 60_000 - 1;
    expect(await blocklist.check(link)).toMatchObject({ status: 'blocked', reason: 'confirmed-earlier' });
    clock.nowMs += 1;
    expect(await blocklist.check(link)).toMatchObject({ status: 'unconfirmed', reason: 'offline' });
  });

  test('override: blocked by the user', async () => {
    const { blocklist } = await synced(ownSource());
    await blocklist.block('https://fine.example/');
    expect(blocklist.test('https://fine.example/page')).toMatchObject({
      status: 'blocked',
      action: 'block',
      reason: 'override',
      expression: 'fine.example',
    });
  });
});

describe('allowed', () => {
  test('override: allowed by the user, whatever the lists say', async () => {
    const { blocklist } = await synced(ownSource({ snapshot: ['evil.example'], whole: true }));
    await blocklist.allow('https://evil.example/');
    expect(await blocklist.check(link)).toMatchObject({
      status: 'allowed',
      action: 'allow',
      reason: 'override',
      expression: 'evil.example',
    });
  });

  test('source-allows: allowed by the source', async () => {
    const { blocklist } = await listing({ allow: ['login.evil.example'], whole: true });
    expect(blocklist.test(link)).toMatchObject({
      status: 'allowed',
      action: 'allow',
      reason: 'source-allows',
      expression: 'login.evil.example',
    });
    expect(blocklist.test('other.evil.example')).toMatchObject({ status: 'blocked' });
  });
});

describe('clear', () => {
  test('not-listed: no list has its four bytes', async () => {
    const { source, blocklist, clock } = await listing();
    clock.nowMs += 1_000;
    expect(blocklist.test('https://fine.example/')).toEqual({
      status: 'clear',
      action: 'allow',
      reason: 'not-listed',
      source: 'own',
      ageMs: 1_000,
      generation: 1,
    });
    await blocklist.check('https://fine.example/');
    expect(source.asked).toEqual([]);
  });

  test('disproved: a list has its four bytes, which belong to another entry', async () => {
    const { blocklist } = await synced(ownSource({ snapshot: ['evil.example'], confirmed: [] }));
    expect(await blocklist.check(link)).toMatchObject({ status: 'clear', action: 'allow', reason: 'disproved', source: 'own' });
  });
});

describe('unconfirmed', () => {
  const unconfirmed = { status: 'unconfirmed', action: 'warn', expression: 'evil.example', source: 'own' };

  test('not-asked: test never asks the source', async () => {
    const { source, blocklist } = await listing();
    expect(blocklist.test(link)).toMatchObject({ ...unconfirmed, reason: 'not-asked' });
    expect(source.asked).toEqual([]);
  });

  test('not-asked: the source cannot confirm hits', async () => {
    const { confirm: _, ...source } = ownSource({ snapshot: ['evil.example'] });
    const { blocklist } = await synced(source as ReturnType<typeof ownSource>);
    expect(await blocklist.check(link)).toMatchObject({ ...unconfirmed, reason: 'not-asked' });
  });

  test.each([
    ['offline', 'no connection', new PortcullisError('NETWORK', 'away')],
    ['offline', 'too slow', new PortcullisError('TIMEOUT', 'slow')],
    ['offline', 'too many requests', new PortcullisError('TOO_MANY_REQUESTS', 'wait', { status: 429 })],
    ['offline', 'a failing service', new PortcullisError('INTERNAL_SERVER_ERROR', 'oh', { status: 503 })],
    ['offline', 'a foreign error', new Error('boom')],
    ['bad-answer', 'an answer that cannot be read', new PortcullisError('INVALID_RESPONSE', 'what')],
    ['bad-answer', 'a key that is rejected', new PortcullisError('UNAUTHORIZED', 'no', { status: 401 })],
  ])('%s: %s', async (reason, _, error) => {
    const { source, blocklist } = await listing();
    source.before = fails(error);
    expect(await blocklist.check(link)).toMatchObject({ ...unconfirmed, reason });
  });

  test('deadline: no answer in time', async () => {
    const { source, blocklist } = await listing();
    source.before = () => new Promise<void>(() => {});
    expect(await blocklist.check(link, { deadlineMs: 10 })).toMatchObject({ ...unconfirmed, reason: 'deadline' });
  });

  test('budget: too many prefixes within a minute', async () => {
    const names = Array.from({ length: 30 }, (_, at) => `evil-${at}.example`);
    const { blocklist, clock } = await listing({ snapshot: names, confirmed: [] }, { confirm: { prefixesPerMinute: 20 } });
    const reasons = (await blocklist.checkMany(names)).map(({ reason }) => reason);
    expect(reasons.filter((reason) => reason === 'disproved')).toHaveLength(20);
    expect(reasons.filter((reason) => reason === 'budget')).toHaveLength(10);
    clock.nowMs += 30_000;
    expect((await blocklist.checkMany(names)).every(({ status }) => status === 'clear')).toBe(true);
  });

  test.each([['allow'], ['warn'], ['block']] as const)('the policy may choose %s', async (action) => {
    const { blocklist } = await synced(ownSource({ snapshot: ['evil.example'] }), { policy: { unconfirmed: action } });
    expect(blocklist.test(link)).toMatchObject({ status: 'unconfirmed', action });
  });
});

describe('unknown', () => {
  test('list-stale: misses of an old list mean nothing, and its hits stay hits', async () => {
    const { blocklist, clock } = await listing();
    clock.nowMs += dayMs + 1;
    expect(blocklist.test('fine.example')).toMatchObject({
      status: 'unknown',
      action: 'allow',
      reason: 'list-stale',
      ageMs: dayMs + 1,
    });
    expect(await blocklist.check(link)).toMatchObject({ status: 'blocked', reason: 'confirmed' });
  });

  test.each([[''], ['   '], ['no link at all'], ['\u0000'], ['x'.repeat(500)]])('unreadable: %j', async (input) => {
    const { blocklist } = await synced(ownSource());
    expect(await blocklist.check(input)).toMatchObject({ status: 'unknown', action: 'allow', reason: 'unreadable' });
  });

  test('the policy may choose another action', async () => {
    const { blocklist } = opened({ policy: { unknown: 'block' } });
    expect(await blocklist.check(link)).toMatchObject({ status: 'unknown', reason: 'no-list', action: 'block' });
  });
});

describe('not-listable', () => {
  test.each([
    ['internal-scheme', 'chrome://settings'],
    ['internal-scheme', 'about:blank'],
    ['not-a-host', 'http://localhost:3000/'],
    ['private-address', 'http://192.168.1.1/admin'],
    ['private-address', '10.0.0.1'],
    ['private-address', 'http://[::1]:8080/x'],
    ['private-address', 'http://0x7f.1/'],
  ])('%s: %s', async (reason, input) => {
    const { blocklist } = await synced(ownSource({ snapshot: ['192.168.1.1', '10.0.0.1'] }), { policy: { unknown: 'block' } });
    expect(await blocklist.check(input)).toEqual({ status: 'not-listable', action: 'allow', reason });
  });

  test('secret: is in no verdict, explanation or request', async () => {
    const secret = 'f'.repeat(64);
    const { source, blocklist } = await listing({ snapshot: [secret, `address:${secret}`] });
    const verdict = await blocklist.check(secret);
    expect(verdict).toEqual({ status: 'not-listable', action: 'allow', reason: 'secret' });
    expect(JSON.stringify(explain(blocklist, secret))).not.toContain('ffff');
    expect(source.asked).toEqual([]);
  });
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

test('every verdict is unknown if the engine computes wrong hashes', async () => {
  // Simulates a broken engine, or wrongly compiled code.
  const { fromCharCode } = String;
  String.fromCharCode = (...codes: number[]) => fromCharCode(...codes.map((code) => code ^ 1));
  let blocklist: ReturnType<typeof createBlocklist>;
  try {
    blocklist = createBlocklist({ sources: [ownSource()], pollMs: 0 });
  } finally {
    String.fromCharCode = fromCharCode;
  }
  await blocklist.ready();
  expect(blocklist.status().isSound).toBe(false);
  expect(blocklist.test(link)).toEqual({ status: 'unknown', action: 'allow', reason: 'self-test-failed' });
  await blocklist.close();
});
