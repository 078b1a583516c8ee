import fc from 'fast-check';
import { hashOf, PrefixSet, prefixOf } from 'portcullis';
import { buildList } from 'portcullis/publish';
import { expect, test } from 'vitest';
import type { Source } from '../../../src/blocklist/model/source.js';
import { publishedSource } from '../../../src/blocklist/sources/published-source.js';
import { serviceSource } from '../../../src/blocklist/sources/service-source.js';
import { encodeArtifact } from '../../../src/core/prefixes/artifact.js';
import type { HashSet } from '../../../src/core/prefixes/hash-set.js';
import { shardIn } from '../../servers/publish-harness.js';
import { anyCodePoint } from '../../support/arbitraries.js';
import { propertyRuns } from '../../support/setup.js';
import { bytesOf, dayMs, filesOf, hexOf, listedBy, orCode, readAll, textListedBy } from './harness.js';
import { answering, entryOf, type Row, source } from './list-operation.js';

test('the list source lists exactly the blocked assets after any history and restarts', { timeout: 300_000 }, async () => {
  const contents = ['a.example', 'b.example', 'c.example', 'd.example'];
  const step = fc.record({
    waitMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3 * dayMs })),
    changes: fc.array(fc.tuple(fc.constantFrom(...contents), fc.constantFrom('BLOCKED', 'ALLOWED', 'UNKNOWN')), { maxLength: 3 }),
    restarts: fc.boolean(),
    /** Difference between the client's clock and the service's. */
    skewMs: fc.integer({ min: -dayMs / 2, max: dayMs / 2 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 0, max: dayMs }),
      async (steps, offsetMs) => {
        let nowMs = Date.UTC(2026, 4, 15) + offsetMs;
        let skewMs = 0;
        const rows: Row[] = [];
        const made = (): Source =>
          source({ fetch: answering(() => rows), now: () => nowMs + skewMs, types: ['URL'], pageSize: 2 });
        let list = made();
        let stored: { token: string; recent: string; base: HashSet; allowed: Set<string> } | undefined;
        for (const { waitMs, changes, restarts, skewMs: skew } of steps) {
          nowMs += waitMs;
          skewMs = skew;
          for (const [content, status] of changes) {
            const at = rows.findIndex((row) => row.content === content);
            if (at >= 0) rows.splice(at, 1);
            rows.push({ content, type: 'URL', status, updatedAtMs: nowMs });
          }
          if (restarts) list = made();
          const version = await list.version({});
          if (stored?.token !== version.snapshot.token) {
            const { entries, allow } = await list.artifact('snapshot', version, {});
            stored = { token: version.snapshot.token, recent: '', base: entries as HashSet, allowed: new Set(hexOf(allow!)) };
          }
          const recent = await list.artifact('recent', version, {});
          // The newest feed takes precedence, as in a sync.
          const allowed = new Set(stored.allowed);
          for (const gone of [...hexOf(recent.remove!), ...hexOf(recent.entries as HashSet)]) allowed.delete(gone);
          for (const added of hexOf(recent.allow!)) allowed.add(added);
          const of = (status: string): string[] =>
            rows.flatMap((row) => (row.status === status ? [entryOf(row.content)] : [])).sort();
          expect([...listedBy(stored.base, recent)].sort()).toEqual(of('BLOCKED'));
          expect([...allowed].sort()).toEqual(of('ALLOWED'));
          await list.version({});
        }
      },
    ),
    { numRuns: Math.ceil(propertyRuns / 2) },
  );
});

test('the list source reads or rejects any answer', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.jsonValue(), fc.record({ assets: fc.jsonValue(), next_page: fc.jsonValue() })), async (body) => {
      const read = await orCode(source({ fetch: async () => Response.json(body), maxPages: 5 }).version({}));
      if (typeof read === 'object') expect(Array.isArray((body as { assets?: unknown } | null)?.assets)).toBe(true);
      else expect(['INVALID_RESPONSE', 'LIMIT_EXCEEDED']).toContain(read);
    }),
  );
});

test('the text source lists what buildList publishes', async () => {
  const host = fc.stringMatching(/^(www\.)?[a-z0-9]{1,6}\.(example|co\.uk|t\.me)$/);
  const line = fc.oneof(
    host,
    fc.tuple(host, fc.webPath()).map(([name, path]) => `https://${name}${path}`),
    fc.string(),
    fc.stringMatching(/^0x[0-9a-fA-F]{40}$/),
    fc.constant('bit.ly'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 20 }), async (all) => {
      const text = all.map((each) => each.replace(/[\r\n]/g, '')).join('\n');
      const built = await buildList(text, { allowEmpty: true }).catch(({ code }: { code?: string }) => code);
      const read = await orCode(textListedBy({ text }));
      // A table.
      if (typeof built !== 'object') {
        expect([built, read]).toEqual(['INVALID_INPUT', 'INVALID_ARTIFACT']);
        return;
      }
      const { files, version, report } = built;
      // None of the lines can be listed, or most cannot be read.
      if (typeof read !== 'object') {
        expect(read).toBe('INVALID_ARTIFACT');
        expect(report.listed).toBeLessThanOrEqual(report.entries / 2);
        return;
      }
      const published = [...files].flatMap(({ name, bytes }) => {
        return name.startsWith('confirm/') ? [...shardIn(name, bytes, version.shards)] : [];
      });
      const expected = published.map((hash) => Buffer.from(hash.subarray(0, 8)).toString('hex'));
      expect(read.listed).toEqual(expect.arrayContaining(expected));
      expect(read.listed.length - read.covers!).toBe(expected.length);
    }),
    { numRuns: Math.ceil(propertyRuns / 15) },
  );
});

test('the text source reads or rejects any bytes in every format', async () => {
  const format = fc.constantFrom('lines', 'csv', 'hosts', 'json', 'eth-phishing-detect' as const);
  const content = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.json().map(bytesOf),
    fc.string({ unit: anyCodePoint }).map(bytesOf),
  );
  await fc.assert(
    fc.asyncProperty(format, content, async (name, bytes) => {
      const read = await orCode(textListedBy({ format: name, bytes }));
      if (typeof read !== 'object') expect(read).toBe('INVALID_ARTIFACT');
    }),
  );
});
test('the published source finds and confirms every entry, and nothing else', async () => {
  const label = fc.stringMatching(/^[a-z0-9]{1,8}$/);
  const names = fc.uniqueArray(label, { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(
      names,
      names,
      fc.constantFrom('raw', 'hex', 'portcullis-rice' as const),
      async (listed, others, encoding) => {
        const hostOf = (name: string): string => `${name}.example`;
        const files = filesOf(await buildList(listed.map(hostOf), { encoding, allowEmpty: true }));
        const fetch = async (url: string): Promise<Response> =>
          new Response(files.get(url.replace('https://list.example/', '')) as BodyInit);
        const source = publishedSource({ url: 'https://list.example', fetch, mayBeEmpty: true });
        const { snapshot } = await readAll(source);
        const all = [...new Set([...listed, ...others])].map(hostOf);
        const { hashes } = await source.confirm!(all.map(prefixOf), { algoVersion: 'portcullis-1' });
        for (const host of all) {
          const isListed = listed.some((name) => hostOf(name) === host);
          if (isListed) expect((snapshot.entries as PrefixSet).has(prefixOf(host))).toBe(true);
          expect(hashes.get(prefixOf(host))).toEqual(isListed ? [hashOf(host)] : []);
        }
      },
    ),
    { numRuns: Math.ceil(propertyRuns / 10) },
  );
});

const serviceAnswering = (body: unknown) =>
  serviceSource({ baseUrl: 'https://api.example', fetch: async () => new Response(JSON.stringify(body)) });

test('the service source reads or rejects any version answer', async () => {
  const part = fc.record({
    token: fc.oneof(fc.string(), fc.integer(), fc.jsonValue()),
    count: fc.oneof(fc.integer({ min: -5, max: 2 ** 26 }), fc.jsonValue()),
    url: fc.oneof(fc.webUrl({ validSchemes: ['https', 'http', 'ftp'] }), fc.string()),
  });
  const body = fc.oneof(
    fc.jsonValue(),
    fc.record({ algoVersion: fc.oneof(fc.string(), fc.integer()), snapshot: part, recent: part }),
  );
  await fc.assert(
    fc.asyncProperty(body, async (answer) => {
      const read = await orCode(serviceAnswering(answer).version({}));
      if (typeof read !== 'object') return void expect(read).toBe('INVALID_RESPONSE');
      for (const { token, count, url } of [read.snapshot, read.recent!] as unknown as Record<string, unknown>[])
        expect([typeof token, Number.isInteger(count), /^https:/i.test(url as string)]).toEqual(['string', true, true]);
    }),
  );
});

test('the service source returns only complete hashes of requested prefixes, or rejects the answer', async () => {
  const hash = fc.oneof(fc.constant(`0000002a${'a'.repeat(56)}`), fc.stringMatching(/^[0-9a-f]{60,66}$/), fc.jsonValue());
  const groups = fc.dictionary(
    fc.constantFrom('0000002a', '0000002b', '__proto__', 'x'),
    fc.oneof(fc.array(hash), fc.jsonValue()),
  );
  const body = fc.oneof(fc.jsonValue(), fc.record({ hashes: groups }), groups);
  await fc.assert(
    fc.asyncProperty(body, async (answer) => {
      const read = await orCode(serviceAnswering(answer).confirm!([42, 44], { algoVersion: 'portcullis-1' }));
      if (typeof read !== 'object') return void expect(read).toBe('INVALID_RESPONSE');
      // No answer here says anything about 44.
      expect([[], [42]]).toContainEqual([...read.hashes.keys()]);
      for (const bytes of read.hashes.get(42) ?? [])
        expect([bytes.length, [...bytes.subarray(0, 4)]]).toEqual([32, [0, 0, 0, 42]]);
    }),
  );
});

test('the service source returns the announced set, or rejects the file', async () => {
  const count = fc.integer({ min: 0, max: 6 });
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc
      .uniqueArray(fc.integer({ min: 0, max: 2 ** 32 - 1 }), { maxLength: 6 })
      .chain((entries) =>
        fc
          .constantFrom('raw', 'hex', 'json', 'portcullis', 'portcullis-rice' as const)
          .map((encoding) => encodeArtifact(PrefixSet.from(entries), { encoding, algorithm: 'portcullis-1' })),
      ),
  );
  await fc.assert(
    fc.asyncProperty(bytes, count, async (body, announced) => {
      const source = serviceSource({ baseUrl: 'https://api.example', fetch: async () => new Response(Buffer.from(body)) });
      const version = { algoVersion: 'portcullis-1', snapshot: { token: 't', count: announced, url: 'https://files.example/s' } };
      const read = await orCode(source.artifact('snapshot', version, {}));
      if (typeof read !== 'object') return void expect(read).toBe('INVALID_ARTIFACT');
      expect(read.entries.size).toBeLessThanOrEqual(announced);
      if (announced > 0) expect(read.entries.size).toBeGreaterThan(0);
    }),
  );
});
