import { explain } from 'portcullis';
import { expect, test } from 'vitest';
import { heard, listing, opened } from './harness.js';
import { ownSource } from './own-source.js';

const neverBlock = ['youtube.com', 'https://www.docs.example/', 'web.app'];
const snapshot = ['youtube.com', 'docs.example', 'web.app', 'scam.web.app', 'youtube.com/fake', 'evil.example'];

test.each([false, true])(
  'a list cannot block a host of neverBlock, and blocks its pages and subdomains (whole hashes: %s)',
  async (whole) => {
    const { blocklist, source } = await listing({ snapshot, whole }, { neverBlock });
    const statusOf = async (input: string) => (await blocklist.check(input)).status;
    for (const spared of [
      'https://youtube.com/',
      'youtube.com/watch?v=1',
      'https://www.YouTube.com',
      'docs.example',
      'a.web.app',
    ]) {
      expect([spared, await statusOf(spared), blocklist.test(spared).status]).toEqual([spared, 'clear', 'clear']);
    }
    // Nothing is asked about an entry that is ignored.
    expect(source.asked).toEqual([]);
    for (const listed of ['scam.web.app', 'a.scam.web.app', 'youtube.com/fake/a', 'evil.example']) {
      expect([listed, await statusOf(listed)]).toEqual([listed, 'blocked']);
    }
  },
);

test('an entry above a host of neverBlock is ignored too', async () => {
  const { blocklist } = await listing({ snapshot: ['google.example'] }, { neverBlock: ['docs.google.example'] });
  expect((await blocklist.check('docs.google.example')).status).toBe('clear');
});

test('an override still blocks a host of neverBlock', async () => {
  const { blocklist } = await listing({ snapshot }, { neverBlock });
  await blocklist.block('youtube.com');
  expect((await blocklist.check('youtube.com')).reason).toBe('override');
});

test('explain says that an entry is ignored', async () => {
  const { blocklist } = await listing({ snapshot }, { neverBlock });
  await blocklist.check('evil.example');
  const explained = (input: string) => {
    const { verdict, lists } = explain(blocklist, input);
    return [verdict.status, ...lists[0]!.expressions.map(({ prefix, target, ...rest }) => rest)];
  };
  expect(explained('a.web.app')).toEqual([
    'clear',
    { expression: 'a.web.app', heldIn: 'nothing' },
    { expression: 'web.app', heldIn: 'base', isIgnored: true },
  ]);
  expect(explained('scam.web.app')).toEqual([
    'unconfirmed',
    { expression: 'scam.web.app', heldIn: 'base', known: 'unknown' },
    { expression: 'web.app', heldIn: 'base', isIgnored: true },
  ]);
  expect(explained('evil.example')).toEqual(['blocked', { expression: 'evil.example', heldIn: 'base', known: 'blocked' }]);
});

test('an event names the hosts that a list has entries for, once for the same hosts', async () => {
  const { blocklist, source } = openedWithTwo();
  const events = heard(blocklist, 'ignored');
  await blocklist.ready();
  expect(events).toEqual([{ type: 'ignored', source: source.id, hosts: ['youtube.com', 'web.app'] }]);
  Object.assign(source.list, { recent: ['other.example'], recentToken: 'r2' });
  await blocklist.sync();
  expect(events.length).toBe(1);
  Object.assign(source.list, { recent: ['docs.example'], recentToken: 'r3' });
  await blocklist.sync();
  expect(events[1]).toEqual({ type: 'ignored', source: source.id, hosts: neverBlock });
});

function openedWithTwo() {
  const source = ownSource({ snapshot: ['youtube.com', 'web.app', 'evil.example'], recentToken: 'r1' });
  return { source, ...opened({ sources: [source], neverBlock }) };
}

test('rejects what is not a host', () => {
  for (const wrong of ['youtube.com/watch', '', 'a b', 'localhost', 7 as never])
    expect(() => opened({ neverBlock: [wrong] }), wrong).toThrow();
  expect(() => opened({ neverBlock: 'youtube.com' as never })).toThrow('neverBlock must be an array');
  expect(() => opened({ neverBlock: Array.from({ length: 1_001 }, (_, at) => `h${at}.example`) })).toThrow(
    'neverBlock must be an array of 0 to 1000',
  );
});
