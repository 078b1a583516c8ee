import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { PrefixSet, Store } from 'portcullis/core';
import { distinctPrefixes } from './inputs.js';
import { entriesOf, openBlocklist, sourceOf } from './lists.js';
import { collectGarbage } from './measure.js';
import {
  countName,
  type Figures,
  type Group,
  type Question,
  type Results,
  type Row,
  type Settings,
  spreadOf,
} from './question.js';

/** What do a thousand new entries cost on a large list? The same as on a small one, if the base is left alone. */
export const recents: Question = { name: 'recents', title: 'A thousand recents beside a base', groups, rows };

const maxRatio = 2;
const maxBytesRatio = 1.05;
const recentCount = 1_000;
const repeats = 9;

function groups(settings: Settings): Group[] {
  const sizes = settings.quick ? [20_000, 2_000] : [1_000_000, 10_000];
  return [
    {
      name: `${countName(recentCount)} recents`,
      variants: sizes.map((size) => ({ name: `base of ${countName(size)}`, measure: () => timeRecents(size, settings) })),
    },
  ];
}

function rows(results: Results, settings: Settings): Row[] {
  return groups(settings).flatMap(({ name, variants }) => {
    const [large, small] = variants.map((variant) => variant.name) as [string, string];
    const pair = (what: string, figure: string, unit: Row['unit'], most: number): Row[] => {
      const ratio = results.ratio(name, large, small, figure);
      return [
        { what: `${name}, ${what}: ${large}`, unit, value: results.spread(name, large, figure) },
        {
          what: `${name}, ${what}: ${small}`,
          unit,
          value: results.spread(name, small, figure),
          ratio,
          budget: { limit: `≤ ${most} ×`, met: ratio.median <= most },
        },
      ];
    };
    return [
      ...pair('version answer to swap', 'swapMs', 'ms', maxRatio),
      ...pair('version answer to stored', 'storedMs', 'ms', maxRatio),
      ...pair('written', 'bytes', 'B', maxBytesRatio),
    ];
  });
}

/** Each run has a new blocklist, so that its recents are always the first ones. All have the same base. */
async function timeRecents(size: number, settings: Settings): Promise<Figures> {
  const { PrefixSet } = await import('portcullis/core');
  const { fileStore } = await import('portcullis/stores/file');
  const base = await entriesOf(size);
  // Different from the entries of every base.
  const news = PrefixSet.from(distinctPrefixes(recentCount, 2_000_000));
  const samples: Figures[] = [];
  for (let index = 0; index <= (settings.quick ? 1 : repeats); index++) {
    const directory = join(settings.scratch, 'recents');
    await rm(directory, { recursive: true, force: true });
    samples.push(await timeOnce(base, news, fileStore({ directory })));
  }
  // The first one warms up the compiler.
  const later = samples.slice(1);
  const median = (figure: string): number => spreadOf(later.map((sample) => sample[figure]!)).median;
  return { swapMs: median('swapMs'), storedMs: median('storedMs'), bytes: median('bytes') };
}

async function timeOnce(base: PrefixSet, news: PrefixSet, files: Store): Promise<Figures> {
  let bytes = 0;
  const store: Store = {
    ...files,
    write(name, value) {
      bytes += value.length;
      return files.write(name, value);
    },
    commit(name, value, expected) {
      bytes += value.length;
      return files.commit(name, value, expected);
    },
  };
  const asked = { versionAtMs: 0, confirmations: 0 };
  const list: Parameters<typeof sourceOf>[0] = { snapshot: { token: 's', entries: () => base } };
  const blocklist = await openBlocklist([sourceOf(list, asked)], { store });
  list.recent = { token: 'r', entries: () => news };
  let swapAtMs = 0;
  blocklist.on('changed', ({ isRecentOnly }) => {
    if (!isRecentOnly) throw new Error('the base was fetched again');
    swapAtMs = performance.now();
  });
  bytes = 0;
  asked.versionAtMs = 0;
  collectGarbage();
  const { outcome } = await blocklist.sync();
  const storedAtMs = performance.now();
  if (outcome !== 'updated' || swapAtMs === 0 || !blocklist.status().sources[0]?.isStored)
    throw new Error(`the list was not updated and stored: ${outcome}`);
  await blocklist.close();
  return { swapMs: swapAtMs - asked.versionAtMs, storedMs: storedAtMs - asked.versionAtMs, bytes };
}
