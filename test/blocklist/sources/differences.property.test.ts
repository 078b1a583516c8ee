import fc from 'fast-check';
import { createBlocklist } from 'portcullis';
import { PrefixSet } from 'portcullis/assets';
import { type BuiltList, buildList } from 'portcullis/publish';
import { memoryStore } from 'portcullis/stores';
import { expect, test } from 'vitest';
import type { PreviousPart } from '../../../src/blocklist/model/source.js';
import { publishedSource } from '../../../src/blocklist/sources/published-source.js';
import { propertyRuns } from '../../support/setup.js';

const folder = 'https://list.example/';

/** A folder of all files that were ever published, and what was fetched from it. */
function hosted() {
  const files = new Map<string, Uint8Array>();
  const asked: string[] = [];
  const fetch = async (url: string): Promise<Response> => {
    const name = url.slice(folder.length);
    asked.push(name);
    const bytes = files.get(name);
    return bytes === undefined ? new Response('', { status: 404 }) : new Response(bytes.slice());
  };
  return { files, asked, source: publishedSource({ url: folder, fetch }) };
}

const nameOf = (at: number): string => `site-${at}.example`;
const base = Array.from({ length: 200 }, (_, at) => at);

/** Adds and removes a few of 300 entries. */
const step = fc.uniqueArray(fc.nat(299), { maxLength: 6 });

async function publish(history: readonly (readonly number[])[], files: Map<string, Uint8Array>): Promise<BuiltList[]> {
  const listed = new Set(base);
  const lists: BuiltList[] = [];
  for (const changes of [[], ...history]) {
    for (const at of changes) if (!listed.delete(at)) listed.add(at);
    const list = await buildList([...listed].map(nameOf), {
      snapshot: 'new',
      previous: lists.at(-1),
      now: () => 1,
      isPublicSuffix: () => false,
    });
    for (const { name, bytes } of list.files) files.set(name, bytes);
    lists.push(list);
  }
  return lists;
}

const partOf = ({ version, snapshot }: BuiltList): PreviousPart => ({ token: version.snapshot.token, entries: snapshot });
const kindsOf = (names: readonly string[]): string[] => [...new Set(names.map((name) => name.replace(/[-.].*/, '')))];

test('whatever happens to the differences, the client gets the published snapshot', async () => {
  type Fault = { kind: 'none' | 'flip' | 'cut' | 'grow' | 'missing' | 'other'; at: number };
  const fault: fc.Arbitrary<Fault> = fc.record({
    kind: fc.constantFrom('none', 'none', 'flip', 'cut', 'grow', 'missing', 'other'),
    at: fc.nat(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 5 }),
      fc.nat(),
      fault,
      fc.boolean(),
      async (history, start, { kind, at }, lies) => {
        const { files, asked, source } = hosted();
        const lists = await publish(history, files);
        const last = lists.at(-1)!;
        const names = [...files.keys()].filter((name) => name.startsWith('difference-'));
        const name = names[at % Math.max(1, names.length)];
        const bytes = name === undefined ? undefined : files.get(name);
        if (name !== undefined && bytes !== undefined) {
          if (kind === 'missing') files.delete(name);
          if (kind === 'flip')
            files.set(
              name,
              bytes.map((byte, place) => (place === at % bytes.length ? byte ^ 1 : byte)),
            );
          if (kind === 'cut') files.set(name, bytes.slice(0, at % bytes.length));
          if (kind === 'grow') files.set(name, Uint8Array.of(...bytes, ...new Uint8Array(1 + (at % 3_000))));
          if (kind === 'other') files.set(name, files.get(names[(at + 1) % names.length]!)!);
        }
        const from = lists[start % lists.length]!;
        const { entries } = partOf(lists[(start + 1) % lists.length]!);
        // A client whose stored set is not the one that its token names.
        const previous = lies ? { ...partOf(from), entries } : partOf(from);
        const version = await source.version({});
        asked.length = 0;
        const made = await source.artifact('snapshot', version, { previous });
        expect([...(made.entries as PrefixSet)]).toEqual([...last.snapshot]);
        expect(made.isProven).toBe(true);
        const isClean = kind === 'none' && !lies && from.version.snapshot.token !== last.version.snapshot.token;
        if (isClean) expect(kindsOf(asked)).toEqual(['difference']);
      },
    ),
    { numRuns: Math.ceil(propertyRuns / 4) },
  );
});

test('a client follows the chain back to its own snapshot, and fetches the whole one where there is none', async () => {
  const { files, asked, source } = hosted();
  const lists = await publish([[1], [2], [401], [402, 3]], files);
  const version = await source.version({});
  const fetched = async (previous: PreviousPart | undefined): Promise<string[]> => {
    asked.length = 0;
    const { entries } = await source.artifact('snapshot', version, { previous });
    expect([...(entries as PrefixSet)]).toEqual([...lists.at(-1)!.snapshot]);
    return asked.map((name) => name.replace(/-.*/, ''));
  };
  for (const [at, list] of lists.slice(0, -1).entries()) {
    expect(await fetched(partOf(list))).toEqual(Array.from({ length: 4 - at }, () => 'difference'));
  }
  expect(await fetched(undefined)).toEqual(['snapshot']);
  expect(await fetched({ token: '0000000000000000', entries: PrefixSet.from([1, 2, 3]) })).toContain('snapshot');
  const { token } = partOf(lists[0]!);
  expect(await fetched({ token, entries: PrefixSet.from([]) })).toContain('snapshot');
});

test('a host that hangs on a difference delays the snapshot by one timeout', async () => {
  const { files } = hosted();
  const lists = await publish([[1]], files);
  const fetch = (url: string): Promise<Response> => {
    if (url.includes('difference-')) return new Promise(() => {});
    return Promise.resolve(new Response(files.get(url.slice(folder.length))!.slice()));
  };
  const source = publishedSource({ url: folder, fetch, timeoutMs: 50 });
  const { entries } = await source.artifact('snapshot', await source.version({}), { previous: partOf(lists[0]!) });
  expect([...(entries as PrefixSet)]).toEqual([...lists[1]!.snapshot]);
});

test('a build that keeps the snapshot keeps its difference, and writes none that saves too little', async () => {
  const options = { now: () => 1, isPublicSuffix: () => false };
  const names = base.map(nameOf);
  const first = await buildList(names, options);
  const second = await buildList(names.slice(1), { ...options, previous: first, snapshot: 'new' });
  const third = await buildList([...names.slice(1), 'new.example'], {
    ...options,
    previous: { version: second.version, snapshot: second.snapshot },
  });
  const url = `difference-${first.version.snapshot.token}-${second.version.snapshot.token}.bin`;
  expect(first.version.differences).toBeUndefined();
  expect([second.version.differences, third.version.differences, third.newSnapshot]).toEqual([{ url }, { url }, null]);
  expect([...second.files].map(({ name }) => name)).toContain(url);
  expect([...third.files].map(({ name }) => name)).not.toContain(url);
  const other = await buildList(
    Array.from({ length: 400 }, (_, at) => `other-${at}.example`),
    { ...options, previous: third, snapshot: 'new' },
  );
  expect(other.version.differences).toBeUndefined();
  for (const off of [{ differences: false }, { encoding: 'hex' as const }]) {
    const without = await buildList(names, { ...options, ...off, previous: third, snapshot: 'new' });
    expect(without.version.differences).toBeUndefined();
  }
});

test('a blocklist fetches what changed, also after a restart, and what was removed is clear', async () => {
  const { files, asked, source } = hosted();
  const store = memoryStore();
  const first = await publish([], files);
  const open = () => createBlocklist({ sources: [source], store, pollMs: 0, now: () => 1_000_000 });
  const before = open();
  await before.ready();
  expect(before.test(nameOf(7)).status).toBe('unconfirmed');
  await before.close();
  const listed = base.filter((at) => at !== 7).map(nameOf);
  const second = await buildList([...listed, 'new.example'], {
    previous: first[0],
    snapshot: 'new',
    now: () => 1,
    isPublicSuffix: () => false,
  });
  for (const { name, bytes } of second.files) files.set(name, bytes);
  asked.length = 0;
  const after = open();
  await after.sync();
  expect([after.test(nameOf(7)).status, after.test('new.example').status, after.test(nameOf(8)).status]).toEqual([
    'clear',
    'blocked',
    'unconfirmed',
  ]);
  expect(kindsOf(asked).sort()).toEqual(['difference', 'hot', 'recent', 'version']);
  await after.close();
});
