import fc from 'fast-check';
import { type Blocklist, handleWebhook, prefixOf, type Source, type Store } from 'portcullis';
import { buildList } from 'portcullis/publish';
import { textSource } from 'portcullis/sources';
import { memoryStore } from 'portcullis/stores';
import { expect, test } from 'vitest';
import { coveredHost, coverPrefixOf } from '../../src/core/sure-miss/covers.js';
import { propertyRuns } from '../support/setup.js';
import { heard, listing, opened, synced, told } from './engine/harness.js';
import { type OwnSource, ownSource } from './engine/own-source.js';

const hosts =
  'evil.example scam.test login.evil.example a.b.scam.test pages.example user.pages.example github.invalid deep.a.b.c.d.example'.split(
    ' ',
  );
const expression = fc
  .tuple(fc.constantFrom(...hosts), fc.constantFrom('', '', '/a', '/a/b', '/a?q=1', '/x'))
  .map(([host, path]) => host + path);
const expressions = fc.uniqueArray(expression, { maxLength: 12 });
const links = hosts.flatMap((host) =>
  ['', '/', '/a', '/a/b/c', '/a?q=1', '/%61/', '/x/../a', '/.', '#a', ':8080/a'].flatMap((end) => [
    `https://${host}${end}`,
    `https://www.${host}${end}`,
    `http://Other.${host}${end}`,
  ]),
);

type Change =
  | {
      readonly type: 'list';
      readonly snapshot: readonly string[];
      readonly recent: readonly string[];
      readonly isNew: boolean;
      /** A publisher may begin with covers in any version, and end with them in a new snapshot. */
      readonly hasCovers: boolean;
    }
  | { readonly type: 'push' | 'allow' | 'block'; readonly content: string }
  | { readonly type: 'restart' };

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    type: fc.constant('list' as const),
    snapshot: expressions,
    recent: expressions,
    isNew: fc.boolean(),
    hasCovers: fc.boolean(),
  }),
  fc.record({ type: fc.constantFrom('push' as const, 'allow' as const, 'block' as const), content: expression }),
  fc.constant({ type: 'restart' as const }),
);

test('a list with covers has the verdicts of the same list without them', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      fc.boolean(),
      async (changes, whole, begins) => {
        const own = (covers: 'right' | undefined): { source: OwnSource; store: Store } => ({
          source: ownSource({ whole, covers, isProven: true, mayBeEmpty: true, snapshot: ['evil.example/a'], recentToken: 'r0' }),
          store: memoryStore(),
        });
        const twins = [own(begins ? 'right' : undefined), own(undefined)].map(({ source, store }) => ({
          source,
          store,
          ...opened({ sources: [source], store }),
        }));
        for (const { blocklist } of twins) await blocklist.ready();
        for (const [at, one] of changes.entries()) {
          for (const twin of twins) {
            const { list } = twin.source;
            if (one.type === 'list') {
              list.recent = one.recent;
              const isCovered = one.hasCovers || (!one.isNew && list.covers === 'right');
              if (twin !== twins[1]) list.covers = isCovered ? 'right' : undefined;
              list.recentToken = `r${at + 1}`;
              if (one.isNew) Object.assign(list, { snapshot: one.snapshot, snapshotToken: `next${at}` });
              await twin.blocklist.sync();
            } else if (one.type === 'restart') {
              await twin.blocklist.close();
              twin.blocklist = opened({ sources: [twin.source], store: twin.store }).blocklist;
              await twin.blocklist.ready();
            } else if (one.type === 'push') await handleWebhook(twin.blocklist, told(one.content, 'PAGE'), { source: 'own' });
            else await twin.blocklist[one.type](one.content);
          }
          const [covered, plain] = twins.map(({ blocklist }) => links.map((link) => blocklist.test(link).status));
          expect(covered).toEqual(plain);
        }
        const [covered, plain] = twins.map(({ blocklist }) => blocklist.status().sources[0]!.list!.count);
        expect(covered).toBe(plain);
      },
    ),
    { numRuns: 40 },
  );
});

test('a built list has the cover of every host below which it lists something, after any number of builds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(expressions, { minLength: 1, maxLength: 4 }), async (versions) => {
      let previous: Awaited<ReturnType<typeof buildList>> | undefined;
      for (const entries of versions) {
        // Enough hosts of two labels that covers are worth it.
        const all = [...entries, ...Array.from({ length: 60 }, (_, at) => `filler${at}.example`)];
        const list = await buildList(all, { previous, shards: 1 });
        const { snapshot, recent, version, newSnapshot } = list;
        const holds = (prefix: number): boolean => snapshot.has(prefix) || recent.has(prefix);
        for (const entry of all) {
          const host = coveredHost(entry);
          expect(host === null || holds(coverPrefixOf(host)), entry).toBe(true);
        }
        const count = new Set(all.map((entry) => prefixOf(entry))).size;
        if (newSnapshot !== null) expect(version.covers).toBe(snapshot.size - count);
        previous = list;
      }
    }),
    { numRuns: 40 },
  );
});

test('a list of which nearly every entry would need a cover of its own has none', async () => {
  const pages = (count: number, of: number): string[] =>
    Array.from({ length: of }, (_, at) => (at < count ? `site${at}.example/page` : `site${at}.example`));
  const some = await buildList(pages(25, 100));
  expect(some.version.covers).toBe(25);
  expect((await buildList(pages(26, 100))).version.covers).toBeUndefined();
  // So that a list near the limit does not change each time.
  const kept = await buildList(pages(35, 100), { previous: some });
  expect([kept.version.covers, kept.recent.size]).toEqual([25, 20]);
  const without = await buildList(pages(36, 100), { previous: kept });
  expect([without.version.covers, without.snapshot.size + without.recent.size]).toEqual([undefined, 136]);
});

test('a text list, which gets its covers on the device, has the verdicts of the same list without them', async () => {
  const row = fc.tuple(fc.constantFrom('||', '||', '@@||'), expression).map(([sign, one]) => `${sign}${one}^`);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(row, { maxLength: 8 }), { minLength: 1, maxLength: 3 }), async (texts) => {
      let text = '||a.first.example^';
      const covered = textSource({ id: 'mine', format: 'filter', read: () => text });
      const bare: Source = {
        ...covered,
        artifact: async (...call) => ({ ...(await covered.artifact(...call)), covers: undefined }),
      };
      const twins = [covered, bare].map((source) => ({ source, store: memoryStore(), blocklist: null as Blocklist | null }));
      for (const rows of [[], ...texts]) {
        if (rows.length > 0) text = rows.join('\n');
        for (const twin of twins) {
          await twin.blocklist?.close();
          twin.blocklist = opened({ sources: [twin.source], store: twin.store }).blocklist;
          await twin.blocklist.sync();
        }
        for (const link of [...links, 'https://a.first.example/']) {
          const [one, other] = twins.map(({ blocklist }) => blocklist!.test(link));
          expect([one!.status, one!.expression], link).toEqual([other!.status, other!.expression]);
        }
      }
      for (const { blocklist } of twins) await blocklist!.close();
    }),
    { numRuns: Math.ceil(propertyRuns / 4) },
  );
});

test('covers of a text list are no entries of it', async () => {
  const text = 'login.evil.example\nevil.example/a\npay.scam.test\n';
  const { blocklist } = opened({ sources: [textSource({ id: 'mine', text })] });
  await blocklist.ready();
  expect(blocklist.status().sources[0]!.list!.count).toBe(3);
});

test('a list that lacks covers although it names them is found out, and looked up without them from then on', async () => {
  const snapshot = ['login.evil.example', 'good.example'];
  const { blocklist, source } = await listing({ whole: true, snapshot, allow: ['user.pages.example'], covers: 'missing' });
  const events = heard(blocklist, 'uncovered');
  expect(blocklist.test('https://clean.example/').status).toBe('clear');
  const verdicts = Array.from({ length: 20_000 }, () => blocklist.test('https://login.evil.example/').status);
  const first = verdicts.indexOf('blocked');
  expect(first).toBeGreaterThanOrEqual(0);
  expect(verdicts.slice(first + 1).every((status) => status === 'blocked')).toBe(true);
  expect(events).toEqual([{ type: 'uncovered', source: 'own' }]);
  // Another snapshot is trusted again, and found out again, by what it allows as well.
  source.list.snapshotToken = 's2';
  await blocklist.sync();
  const allowed = Array.from({ length: 20_000 }, () => blocklist.test('https://user.pages.example/').status);
  expect(allowed.slice(allowed.indexOf('allowed')).every((status) => status === 'allowed')).toBe(true);
  expect([allowed.indexOf('allowed') >= 0, events.length]).toEqual([true, 2]);
});

test('a list of which another has no covers is looked up in full', async () => {
  const one = ownSource({ id: 'one', whole: true, snapshot: ['good.example'], covers: 'right' });
  const two = ownSource({ id: 'two', whole: true, snapshot: ['login.evil.example'] });
  const { blocklist } = await synced([one, two]);
  for (let at = 0; at < 1_000; at++) expect(blocklist.test('https://login.evil.example/').status).toBe('blocked');
});

test('what a source allows below a host is allowed, not only clear', async () => {
  const { blocklist } = await listing({
    whole: true,
    snapshot: ['evil.example'],
    allow: ['user.pages.example'],
    covers: 'right',
  });
  for (let at = 0; at < 1_000; at++) expect(blocklist.test('https://user.pages.example/').status).toBe('allowed');
});
