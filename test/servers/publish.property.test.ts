import fc from 'fast-check';
import { decodeArtifact, expressionsOf, hashOf, normalizeAsset, type PrefixSet, prefixOf } from 'portcullis/assets';
import { type BuildOptions, type BuiltList, buildList } from 'portcullis/publish';
import { expect, test } from 'vitest';
import { decodeShard, shardName, shardOf } from '../../src/blocklist/formats/shards.js';
import { readVersion, requirePublished } from '../../src/blocklist/formats/version-document.js';
import { allReaders } from '../../src/blocklist/lists/all-readers.js';
import { sharedHostSet } from '../../src/blocklist/lists/covering-set.js';
import { type Listing, listingOf, listRulesOf } from '../../src/blocklist/lists/list-rules.js';
import { SHARED_HOSTS } from '../../src/blocklist/lists/shared-hosts.js';
import { pastedText } from '../../src/core/assets/pasted.js';
import { anyString, nastySoup } from '../support/arbitraries.js';
import { propertyRuns } from '../support/setup.js';

/** A build takes a millisecond, so these properties run less often. */
const numRuns = Math.ceil(propertyRuns / 10);

/** The view of a client that has only the files of a list. */
async function readerOf(files: ReadonlyMap<string, Uint8Array>) {
  const version = readVersion(JSON.parse(Buffer.from(files.get('version.json')!).toString()), 'https://cdn.example/l');
  requirePublished(version);
  const { algoVersion: algorithm, shards } = version;
  const sets = await Promise.all(
    [version.snapshot, version.recent].map((ref) => {
      return decodeArtifact(files.get(ref.url.slice('https://cdn.example/l/'.length))!, { ...ref, algorithm });
    }),
  );
  return {
    mayHold: (expression: string) => sets.some((set) => (set as PrefixSet).has(prefixOf(expression))),
    confirms(expression: string) {
      const shard = shardOf(prefixOf(expression), shards);
      const wanted = Buffer.from(hashOf(expression));
      const start = shardName(shard, shards, '').slice(0, -'.bin'.length);
      const [, bytes] = [...files].find(([name]) => name.startsWith(start))!;
      return decodeShard(bytes, shard, shards).some((hash) => wanted.equals(hash));
    },
  };
}

const filesOf = (list: BuiltList): Map<string, Uint8Array> => new Map([...list.files].map(({ name, bytes }) => [name, bytes]));
const nameOf = (at: number): string => (at % 3 === 0 ? `site-${at}.example/page` : `site-${at}.example`);

/** A sequence of lists with few assets, and how each one is built. */
const history = fc.array(
  fc.record({
    assets: fc.uniqueArray(fc.nat(30), { maxLength: 20 }),
    snapshot: fc.constantFrom('auto' as const, 'auto' as const, 'new' as const),
    days: fc.nat(9),
  }),
  { minLength: 1, maxLength: 5 },
);

test('a reader of the files finds every entry, and confirms nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (builds) => {
      let previous: BuiltList | undefined;
      let nowMs = 1;
      let lastTokens = '';
      let lastContent = '';
      for (const { assets, snapshot, days } of builds) {
        nowMs += days * 86_400_000;
        const options: BuildOptions = { previous, snapshot, allowEmpty: true, now: () => nowMs, isPublicSuffix: () => false };
        const list = await buildList(assets.map(nameOf), options);
        const reader = await readerOf(filesOf(list));
        for (let at = 0; at <= 30; at++) {
          const isListed = assets.includes(at);
          expect(reader.confirms(nameOf(at))).toBe(isListed);
          if (isListed || list.newSnapshot !== null) expect(reader.mayHold(nameOf(at))).toBe(isListed);
        }
        // No prefix is in both, so that a client downloads nothing twice.
        for (const prefix of list.recent) expect(list.snapshot.has(prefix)).toBe(false);
        const tokens = `${list.version.snapshot.token} ${list.version.recent.token}`;
        const content = `${[...list.snapshot]} ${[...list.recent]}`;
        if (lastTokens !== '') expect(tokens === lastTokens).toBe(content === lastContent);
        [lastTokens, lastContent, previous] = [tokens, content, list];
      }
    }),
    { numRuns },
  );
});

test('neither order nor duplicates change the files', async () => {
  const lists = fc.array(fc.nat(50), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(lists, fc.infiniteStream(fc.nat()), async (assets, random) => {
      const shuffled = [...assets, ...assets]
        .map((asset) => [random.next().value ?? 0, asset] as const)
        .sort(([a], [b]) => a - b);
      const options: BuildOptions = { allowEmpty: true, now: () => 1 };
      const one = filesOf(await buildList(assets.map(nameOf), options));
      const other = filesOf(
        await buildList(
          shuffled.map(([, asset]) => nameOf(asset)),
          options,
        ),
      );
      expect([...other.keys()]).toEqual([...one.keys()]);
      for (const [name, bytes] of one) expect(Buffer.compare(bytes, other.get(name)!)).toBe(0);
    }),
    { numRuns },
  );
});

test.each(['portcullis-1', 'safe-browsing-4'])(
  'every input is counted once, and every listed input is found with %s',
  async (algorithm) => {
    const text = fc.oneof(nastySoup, anyString, fc.webUrl({ withFragments: true, withQueryParameters: true }));
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 30 }), async (texts) => {
        const { report, snapshot } = await buildList(texts, { algorithm, maxReportEntries: 100 });
        const refused = Object.values(report.refusedBy).reduce((sum, count) => sum + count, 0);
        expect(report.listed + refused + (report.warningsBy.duplicate ?? 0)).toBe(report.entries);
        expect(report.entries).toBe(texts.length);
        const lines = new Set(report.refused.map(({ line }) => line));
        for (const [line, content] of texts.entries()) {
          if (lines.has(line)) continue;
          // A check also reads a text without the marks that were pasted around it.
          const readings = [content, pastedText(content) ?? content];
          const expressions = readings.flatMap((reading) => expressionsOf(reading, { algorithm }));
          const found = expressions.some((expression) => snapshot.has(prefixOf(expression)));
          expect(found, JSON.stringify(content)).toBe(true);
        }
      }),
    );
  },
);

test('a listed link never covers its whole host', async () => {
  await fc.assert(
    fc.asyncProperty(fc.webUrl({ withQueryParameters: true }), async (link) => {
      const { report, snapshot } = await buildList([link], { sharedHosts: [] });
      if (report.listed === 0) return;
      const asset = normalizeAsset(link);
      if ('refused' in asset) throw new Error('listed and refused');
      // A question mark alone is not a query.
      const isWholeHost = asset.type === 'URL' && !/\?[^#]/.test(link);
      expect(snapshot.has(prefixOf(asset.canonical.split('/')[0]!))).toBe(isWholeHost);
    }),
  );
});

test('a plain link is listed as the full reading lists it', () => {
  const rules = listRulesOf({ sharedHosts: sharedHostSet(SHARED_HOSTS), isPublicSuffix: (host) => host === 'co.uk' }, allReaders);
  const label = fc.oneof(
    fc.stringMatching(/^[a-z0-9-]{1,8}$/),
    fc.constantFrom('www', 'eth', 'limo', 'co', 'uk', 'com', '1', 'xn--p1ai', 'abandon'),
  );
  const host = fc.array(label, { minLength: 1, maxLength: 13 }).map((labels) => labels.join('.'));
  const path = fc.oneof(
    fc.constant(''),
    fc.stringMatching(/^\/[\w~/.-]{0,20}$/),
    fc.constantFrom('/', '/a/../b', '/./', '//x', '/a/b/c/d/e'),
  );
  const text = fc.tuple(
    fc.constantFrom('', 'http://', 'https://'),
    fc.oneof(host, fc.constantFrom('t.me', 'bit.ly', 'opensea.io', '127.0.0.1')),
    path,
  );
  const type = fc.constantFrom(undefined, 'URL', 'PAGE');
  fc.assert(
    fc.property(text, type, ([scheme, name, rest], hint) => {
      const content = scheme + name + rest;
      const [plain, full] = [content, `${content} `].map((each) => listingOf({ line: 1, text: each, type: hint }, rules));
      const { isChanged: _, ...shown } = plain as Listing;
      expect(full).toMatchObject(shown);
    }),
    { numRuns: 10 * propertyRuns },
  );
});
