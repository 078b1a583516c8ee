import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { entriesOf, listedHost, openBlocklist, sourceOf } from './lists.js';
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
  spreadOf,
} from './question.js';

/** How long after a start is the first verdict ready, from a list in the file store? */
export const load: Question = { name: 'load', title: 'From a start to the first verdict, with the file store', groups, rows };

const ours = 'createBlocklist, ready, test';
const floor = 'the same files, read and digested natively';
const blocks = 'watched';
const largeCount = 10_000_000;
const maxBlockMs = 50;
const laterLoads = 5;

function groups(settings: Settings): Group[] {
  const count = settings.quick ? 50_000 : 1_000_000;
  return [
    {
      name: countName(count),
      prepare: () => store(count, settings),
      variants: [
        { name: ours, measure: () => timeLoads(() => verdict(settings)) },
        { name: floor, measure: () => timeLoads(() => digest(settings)) },
        { name: blocks, measure: () => watchLoad(settings) },
      ],
    },
    ...(settings.quick
      ? []
      : [
          {
            name: countName(largeCount),
            prepare: () => store(largeCount, settings),
            variants: [{ name: blocks, measure: () => watchLoad(settings) }],
          },
        ]),
  ];
}

function rows(results: Results, settings: Settings): Row[] {
  return groups(settings).flatMap(({ name }, at) => [
    ...(at === 0 ? loadRows(results, name, ours, floor) : []),
    limited(`${name}: longest block`, 'ms', results.spread(name, blocks, 'blockMs'), maxBlockMs, `≤ ${maxBlockMs} ms`),
  ]);
}

/** A user waits for the first load of a process. It may take three times the floor, plus 5 ms for compilation. */
export function loadRows(results: Results, group: string, own: string, theirs: string): Row[] {
  const spread = (variant: string, figure: string): Row['value'] => results.spread(group, variant, figure);
  const own1 = spread(own, 'firstMs').samples;
  const above = spreadOf(spread(theirs, 'firstMs').samples.map((ms, round) => own1[round]! - 3 * ms));
  return [
    { what: `${group}: ${own}, first time`, unit: 'ms', value: spread(own, 'firstMs') },
    {
      what: `${group}: ${theirs}, first time`,
      unit: 'ms',
      value: spread(theirs, 'firstMs'),
      ratio: results.ratio(group, own, theirs, 'firstMs'),
      budget: { limit: '≤ 3 × + 5 ms', met: above.median <= 5 },
    },
    { what: `${group}: ${own}, later`, unit: 'ms', value: spread(own, 'laterMs') },
    {
      what: `${group}: ${theirs}, later`,
      unit: 'ms',
      value: spread(theirs, 'laterMs'),
      ratio: results.ratio(group, own, theirs, 'laterMs'),
    },
  ];
}

const directoryIn = ({ scratch }: Settings): string => join(scratch, 'load');

async function openFiles(settings: Settings, entries: () => ReturnType<typeof entriesOf>) {
  const { fileStore } = await import('portcullis/stores/file');
  const source = sourceOf({ snapshot: { token: 's', entries } });
  return openBlocklist([source], { store: fileStore({ directory: directoryIn(settings) }) });
}

async function store(count: number, settings: Settings): Promise<Figures> {
  await rm(directoryIn(settings), { recursive: true, force: true });
  const blocklist = await openFiles(settings, () => entriesOf(count));
  if (blocklist.status().sources[0]?.isStored !== true) throw new Error('the list was not stored');
  await blocklist.close();
  return {};
}

/** The source fails, so the list must come from the folder. */
async function verdict(settings: Settings): Promise<() => Promise<void>> {
  const blocklist = await openFiles(settings, () => {
    throw new Error('the list was fetched');
  });
  const [listed, clean] = [blocklist.test(`https://login.${listedHost}/a`), blocklist.test('https://clean.example/a')];
  if (listed.status !== 'unconfirmed' || clean.status !== 'clear') throw new Error(`read as ${listed.status}, ${clean.status}`);
  return () => blocklist.close();
}

/** Reads every file of the store, whatever it contains. */
async function digest(settings: Settings): Promise<() => Promise<void>> {
  const directory = directoryIn(settings);
  for (const file of await readdir(directory)) {
    createHash('sha256')
      .update(await readFile(join(directory, file)))
      .digest();
  }
  return async () => {};
}

/** Includes the background work after the load. */
async function watchLoad(settings: Settings): Promise<Figures> {
  await Promise.all([import('portcullis/core'), import('portcullis/stores/file')]);
  collectGarbage();
  return watched(async () => {
    const end = await verdict(settings);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await end();
  });
}

/** The imports are not timed, as if a page had already loaded its scripts. */
async function timeLoads(run: () => Promise<() => Promise<void>>): Promise<Figures> {
  await Promise.all([import('portcullis/core'), import('portcullis/stores/file')]);
  collectGarbage();
  const once = async (): Promise<number> => {
    const startMs = performance.now();
    const end = await run();
    const ms = performance.now() - startMs;
    await end();
    return ms;
  };
  const firstMs = await once();
  const later: number[] = [];
  for (let index = 0; index < laterLoads; index++) later.push(await once());
  return { firstMs, laterMs: spreadOf(later).median };
}
