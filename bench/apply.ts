import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Source, Store } from 'portcullis/core';
import { entriesOf, openBlocklist, sourceOf } from './lists.js';
import { collectGarbage, watched } from './measure.js';
import {
  countName,
  type Figures,
  type Group,
  limited,
  type Question,
  type Results,
  type Row,
  type Settings,
} from './question.js';
import { inPieces, publishedFiles } from './static-host.js';

/** How long does everything else wait while a list is fetched, verified, swapped in and stored? */
export const apply: Question = { name: 'apply', title: 'A list is fetched and put in place: the longest block', groups, rows };

const maxBlockMs = 50;
const url = 'https://lists.example/bench';

/** The source of the list. */
const sources: Record<string, (count: number, settings: Settings) => Source | Promise<Source>> = {
  'own source, a set': async (count) => {
    const set = await entriesOf(count);
    return sourceOf({ snapshot: { token: '0', entries: () => set } });
  },
  'published, portcullis-rice': (count, settings) => published('portcullis-rice', count, settings),
  'published, json': (count, settings) => published('json', count, settings),
};

const stores: Record<string, (settings: Settings) => Promise<Store | undefined>> = {
  'no store': async () => undefined,
  'file store': async ({ scratch }) => {
    const directory = join(scratch, 'apply', 'store');
    await rm(directory, { recursive: true, force: true });
    return (await import('portcullis/stores/file')).fileStore({ directory });
  },
};

const pairs = [
  ['own source, a set', 'file store'],
  ['published, portcullis-rice', 'no store'],
  ['published, portcullis-rice', 'file store'],
  ['published, json', 'file store'],
] as const;

function groups(settings: Settings): Group[] {
  const count = settings.quick ? 50_000 : 1_000_000;
  return [
    {
      name: countName(count),
      prepare: () => publish(count, settings),
      variants: pairs.map(([source, store]) => ({
        name: `${source}, ${store}`,
        measure: () => watchRound(source, store, count, settings),
      })),
    },
  ];
}

function rows(results: Results, settings: Settings): Row[] {
  return groups(settings).flatMap(({ name, variants }) =>
    variants.flatMap((variant) => {
      const spread = (figure: string): Row['value'] => results.spread(name, variant.name, figure);
      return [
        { what: `${name}: ${variant.name}`, unit: 'ms' as const, value: spread('ms') },
        limited(`${name}: ${variant.name}, longest block`, 'ms', spread('blockMs'), maxBlockMs, `≤ ${maxBlockMs} ms`),
      ];
    }),
  );
}

/** Measured once and cold, like every start without a list. */
async function watchRound(source: string, store: string, count: number, settings: Settings): Promise<Figures> {
  const from = await sources[source]!(count, settings);
  const to = await stores[store]!(settings);
  // Node loads its own fetch at the first use; that must not be measured.
  await Promise.all([import('portcullis/core'), new Response(inPieces(new Uint8Array(1))).arrayBuffer()]);
  collectGarbage();
  return watched(async () => {
    const blocklist = await openBlocklist([from], { store: to });
    const { list, isStored, lastError } = blocklist.status().sources[0]!;
    if (list?.count !== count || isStored !== (to !== undefined))
      throw new Error('the list was not accepted, or not stored', { cause: lastError });
  });
}

type Encoding = 'portcullis-rice' | 'json';

const fileOf = (encoding: Encoding, { scratch }: Settings): string => join(scratch, 'apply', encoding);

async function publish(count: number, settings: Settings): Promise<Figures> {
  const { encodeArtifact } = await import('portcullis/assets');
  const set = await entriesOf(count);
  await mkdir(join(settings.scratch, 'apply'), { recursive: true });
  for (const encoding of ['portcullis-rice', 'json'] as const) {
    await writeFile(fileOf(encoding, settings), encodeArtifact(set, { encoding }));
  }
  return {};
}

async function published(encoding: Encoding, count: number, settings: Settings): Promise<Source> {
  const { publishedSource } = await import('portcullis/sources');
  const { encodeArtifact, PrefixSet } = await import('portcullis/assets');
  const fetch = publishedFiles(url, {
    sequence: 1,
    snapshot: { bytes: new Uint8Array(await readFile(fileOf(encoding, settings))), count },
    recent: { bytes: encodeArtifact(PrefixSet.from([1, 2, 3]), { encoding }), count: 3 },
  });
  return publishedSource({ url, fetch });
}
