import { links, TextPool } from './inputs.js';
import { blocklistWith, entriesOf } from './lists.js';
import { collectGarbage, timedAsync, watched } from './measure.js';
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

/** What does `check` cost for inputs that need no question? And how long do hits block everything else? */
export const many: Question = { name: 'many', title: 'Misses and hits, one by one and many at once, in memory', groups, rows };

const hitsAsked = 'checkMany() of hits, asked about and answered';
const maxBlockMs = 50;

type Run = (texts: readonly string[]) => Promise<number>;

const loop = 'test() of each';

/** Each way to check, and how many times as long as a loop of `test` it may take. */
const ways: Record<string, { most?: number; of: (blocklist: Blocklist) => Run }> = {
  [loop]: {
    of: (blocklist) => async (texts) => {
      let clear = 0;
      for (const text of texts) if (blocklist.test(text).status === 'clear') clear++;
      return clear;
    },
  },
  'check() of each, one after the other': {
    most: 2,
    of: (blocklist) => async (texts) => {
      let clear = 0;
      for (const text of texts) if ((await blocklist.check(text)).status === 'clear') clear++;
      return clear;
    },
  },
  'checkMany()': {
    most: 1.5,
    of: (blocklist) => async (texts) => {
      const verdicts = await blocklist.checkMany(texts);
      return verdicts.filter(({ status }) => status === 'clear').length;
    },
  },
  'screen()': {
    most: 2,
    of: (blocklist) => async (texts) => {
      const { screen } = await import('portcullis/core');
      let clear = 0;
      for await (const { verdict } of screen(blocklist, texts)) if (verdict.status === 'clear') clear++;
      return clear;
    },
  },
};

type Blocklist = Awaited<ReturnType<typeof blocklistWith>>;

function groups(settings: Settings): Group[] {
  return [missGroup(settings), hitGroup(settings)];
}

function missGroup(settings: Settings): Group {
  const [count, listed] = settings.quick ? [1_000, 50_000] : [10_000, 1_000_000];
  return {
    name: `${countName(count)} links, ${countName(listed)} listed`,
    sameAnswer: true,
    variants: Object.entries(ways).map(([name, { of }]) => ({ name, measure: () => timeWay(of, count, listed, settings) })),
  };
}

function hitGroup(settings: Settings): Group {
  const count = settings.quick ? 1_000 : 10_000;
  return { name: `${countName(count)} links, all listed`, variants: [{ name: hitsAsked, measure: () => watchHits(count) }] };
}

function rows(results: Results, settings: Settings): Row[] {
  const { name } = missGroup(settings);
  const hits = hitGroup(settings).name;
  const value = results.spread(name, loop, 'ns');
  return [
    ...Object.entries(ways).flatMap(([way, { most }]): Row[] => {
      if (most === undefined) return [];
      const ratio = results.ratio(name, way, loop, 'ns');
      return [
        { what: `${name}: ${way}`, unit: 'ns', value: results.spread(name, way, 'ns') },
        { what: `${name}: ${loop}`, unit: 'ns', value, ratio, budget: { limit: `≤ ${most} ×`, met: ratio.median <= most } },
      ];
    }),
    { what: `${hits}: ${hitsAsked}`, unit: 'ms', value: results.spread(hits, hitsAsked, 'ms') },
    limited(`${hits}: longest block`, 'ms', results.spread(hits, hitsAsked, 'blockMs'), maxBlockMs, `≤ ${maxBlockMs} ms`),
  ];
}

/** Cold, as when an app checks its bookmarks at the start. Most of the hits exceed the default budget of questions. */
async function watchHits(count: number): Promise<Figures> {
  const { createAssets, evm, PrefixSet, prefixOf } = await import('portcullis/core');
  const { expressionsOf } = createAssets({ families: [evm] });
  const texts = links(count);
  const blocklist = await blocklistWith(() => PrefixSet.from(new Set(texts.map((text) => prefixOf(expressionsOf(text)[0]!)))));
  collectGarbage();
  return watched(async () => {
    const verdicts = await blocklist.checkMany(texts);
    if (verdicts.some(({ reason }) => reason === 'not-listed')) throw new Error('a link was not found');
  });
}

async function timeWay(of: (blocklist: Blocklist) => Run, count: number, listed: number, settings: Settings): Promise<Figures> {
  const blocklist = await blocklistWith(() => entriesOf(listed));
  // One in a thousand hits by chance, and would be asked about.
  const pool = new TextPool(
    links(count * 2)
      .filter((text) => blocklist.test(text).status === 'clear')
      .slice(0, count),
  );
  const run = of(blocklist);
  const figures = await timedAsync(() => Array.from({ length: pool.count }, (_, index) => pool.fresh(index)), run, settings);
  if (figures['answer'] !== count) throw new Error('a link was not clear');
  return { ns: figures['ms']! * (1e6 / count), answer: count };
}
