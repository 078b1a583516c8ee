import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { distinctPrefixes } from './inputs.js';
import { entriesOf, openBlocklist, sourceOf } from './lists.js';
import { bytesHeld, collectGarbage } from './measure.js';
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

/** How much memory does a blocklist hold, including while one list replaces another? */
export const held: Question = { name: 'held', title: 'Memory of a blocklist, with the file store', groups, rows };

const ours = 'blocklist';
const numbers = 'Set<number>';
const maxRatio = 1 / 5;
/** Of one list. The new list is built while the old one still answers. */
const maxDuring = 2.1;
/** Compiled code is on the same heap, and its size varies by a tenth of a megabyte. */
const maxAfter = 1.1;

function groups(settings: Settings): Group[] {
  const count = settings.quick ? 50_000 : 1_000_000;
  return [
    {
      name: countName(count),
      // Memory does not depend on how busy the machine is.
      rounds: Math.min(settings.rounds, 3),
      variants: [
        { name: ours, measure: () => swapped(count, settings) },
        { name: numbers, measure: () => ({ before: bytesHeld(() => new Set<number>(distinctPrefixes(count)), 1) }) },
      ],
    },
  ];
}

function rows(results: Results, settings: Settings): Row[] {
  return groups(settings).flatMap(({ name }) => {
    const spread = (figure: string): Row['value'] => results.spread(name, ours, figure);
    const { median: before } = spread('before');
    const ratio = results.ratio(name, ours, numbers, 'before');
    const times = (figure: string, what: string, most: number): Row =>
      limited(`${name}: ${what}`, 'B', spread(figure), before * most, `≤ ${most} × before`);
    return [
      { what: `${name}: ${ours}, before a swap`, unit: 'B', value: spread('before') },
      {
        what: `${name}: ${numbers}`,
        unit: 'B',
        value: results.spread(name, numbers, 'before'),
        ratio,
        budget: { limit: '≤ 1/5', met: ratio.median <= maxRatio },
      },
      times('during', 'both lists, when the next one is made', maxDuring),
      times('after', 'after the swap', maxAfter),
      times('loaded', 'after a start from the store', maxAfter),
      { what: `${name}: at its peak, garbage included`, unit: 'B', value: spread('peak') },
    ];
  });
}

/** The source creates its entries for each fetch and keeps none. */
async function swapped(count: number, settings: Settings): Promise<Figures> {
  const { fileStore } = await import('portcullis/stores/file');
  const directory = join(settings.scratch, 'held');
  await rm(directory, { recursive: true, force: true });
  const list = { snapshot: { token: '0', entries: () => entriesOf(count) } };
  const open = () => openBlocklist([sourceOf(list)], { store: fileStore({ directory }) });
  // Code and caches from the first use do not belong to a list.
  await (await open()).close();
  await rm(directory, { recursive: true, force: true });
  const empty = await settled();

  let blocklist = await open();
  const before = (await settled()) - empty;
  list.snapshot = { token: '1', entries: () => entriesOf(count, count) };
  let during = 0;
  let peak = 0;
  blocklist.on('progress', ({ step }) => {
    if (step !== 'calibrate') return;
    collectGarbage();
    during = usedBytes() - empty;
  });
  let isRunning = true;
  const look = (): void => {
    peak = Math.max(peak, usedBytes() - empty);
    if (isRunning) setImmediate(look);
  };
  look();
  const { outcome } = await blocklist.sync();
  isRunning = false;
  if (outcome !== 'updated' || during === 0) throw new Error(`unexpected outcome ${outcome}`);
  const after = (await settled()) - empty;
  await blocklist.close();
  blocklist = await open();
  const loaded = (await settled()) - empty;
  if (blocklist.status().sources[0]?.list?.count !== count) throw new Error('the list was not stored');
  return { before, during, after, loaded, peak };
}

/** By then the background work after a start or a swap is done, and its stack frames are gone. */
async function settled(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 500));
  collectGarbage();
  return usedBytes();
}

function usedBytes(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
