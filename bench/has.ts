import { distinctPrefixes, sampleOf, TextPool } from './inputs.js';
import { bytesHeld, timed } from './measure.js';
import {
  compared,
  countName,
  type Figures,
  type Group,
  type Limits,
  limited,
  type Question,
  type Results,
  type Row,
  type Settings,
} from './question.js';

/** Is a prefix in the set? Times for a miss and a hit, and memory, from 10,000 to 5,000,000 entries. */
export const has: Question = { name: 'has', title: 'Is a prefix in the set?', groups, rows };

type Build = (entries: Uint32Array) => Lookup | Promise<Lookup>;
type Lookup = (prefix: number) => boolean;

/** Whether the numbers that are looked up are in the set. */
type Kind = 'miss' | 'hit';

const ours = 'PrefixSet';
const uint32Set = 'Set<number>';
const int32Set = 'Set<number>, int32';
const textSet = 'Set<string>, hex';
const sortedArray = 'binary search, Uint32Array';

/** A million lookups: with fewer, the used part of a large set would stay in the processor's cache. */
const questionCount = 1 << 20;
const judgedSize = 1_000_000;
const maxBytesPerEntry = 2.6;

const numberLookups: Record<string, Build> = {
  [ours]: async (entries) => {
    const { PrefixSet } = await import('portcullis/assets');
    const set = PrefixSet.from(entries);
    return (prefix) => set.has(prefix);
  },
  [uint32Set]: (entries) => {
    const set = new Set<number>(entries);
    return (prefix) => set.has(prefix);
  },
  // V8 stores numbers below 2^31 in the table itself and boxes all others, so this variant folds the upper half down.
  [int32Set]: (entries) => {
    const set = new Set<number>(new Int32Array(entries.buffer));
    return (prefix) => set.has(prefix | 0);
  },
  [sortedArray]: (entries) => {
    const sorted = Uint32Array.from(entries).sort();
    return (prefix) => holds(sorted, prefix);
  },
};

function groups(settings: Settings): Group[] {
  return sizesOf(settings).flatMap((size) => [
    timeGroup('miss', size, settings),
    timeGroup('hit', size, settings),
    memoryGroup(size),
  ]);
}

function rows(results: Results, settings: Settings): Row[] {
  return sizesOf(settings).flatMap((size) => [
    ...compared(results, timeGroup('miss', size, settings), 'ns', 'ns', missLimits(size)),
    ...compared(results, timeGroup('hit', size, settings), 'ns', 'ns'),
    ...memoryRows(results, size),
  ]);
}

function sizesOf({ quick, full }: Settings): number[] {
  if (quick) return [10_000];
  return full ? [10_000, 100_000, judgedSize, 5_000_000] : [judgedSize];
}

function timeGroup(kind: Kind, size: number, settings: Settings): Group {
  const variants = Object.entries(numberLookups).map(([name, build]) => ({
    name,
    measure: async () => timeNumbers(await build(distinctPrefixes(size)), questionsOf(kind, size), settings),
  }));
  const text = { name: textSet, measure: () => timeTexts(kind, size, settings) };
  const rounds = size > judgedSize ? { rounds: Math.min(settings.rounds, 3) } : {};
  return { name: `${kind}, ${countName(size)}`, variants: [...variants, text], sameAnswer: true, ...rounds };
}

function memoryGroup(size: number): Group {
  const variants = [
    { name: ours, measure: () => ownMemory(size) },
    { name: uint32Set, measure: () => memoryOf(size, (entries) => new Set<number>(entries)) },
    { name: int32Set, measure: () => memoryOf(size, (entries) => new Set<number>(new Int32Array(entries.buffer))) },
    { name: textSet, measure: () => memoryOf(size, textSetOf) },
    { name: sortedArray, measure: () => memoryOf(size, (entries) => Uint32Array.from(entries).sort()) },
  ];
  return { name: `memory, ${countName(size)}`, variants, rounds: 1 };
}

function memoryRows(results: Results, size: number): Row[] {
  const group = memoryGroup(size);
  const claimed = results.spread(group.name, ours, 'claimed');
  const what = `${group.name}: ${ours}.byteLength`;
  const own: Row =
    size === judgedSize
      ? limited(what, 'B/entry', claimed, maxBytesPerEntry, `≤ ${maxBytesPerEntry} B`)
      : { what, unit: 'B/entry', value: claimed };
  return [own, ...compared(results, group, 'held', 'B/entry')];
}

function missLimits(size: number): Limits {
  const faster = { ratio: 1, limit: 'faster' };
  return size === judgedSize ? { [uint32Set]: faster, [int32Set]: faster } : {};
}

function questionsOf(kind: Kind, size: number): Uint32Array {
  return kind === 'miss' ? distinctPrefixes(questionCount, size) : sampleOf(distinctPrefixes(size), questionCount);
}

function timeNumbers(lookup: Lookup, asked: Uint32Array, settings: Settings): Figures {
  const run = (from: number, to: number): number => {
    let hits = 0;
    for (let index = from; index < to; index++) if (lookup(asked[index] ?? 0)) hits++;
    return hits;
  };
  return timed({ count: asked.length, run }, settings);
}

/** A caller already has the eight characters from a digest, so creating them is not timed; hashing them is. */
function timeTexts(kind: Kind, size: number, settings: Settings): Figures {
  const set = textSetOf(distinctPrefixes(size));
  const pool = new TextPool(Array.from(questionsOf(kind, size), hexOf));
  const batch: string[] = [];
  const run = (from: number, to: number): number => {
    let hits = 0;
    for (let index = 0; index < to - from; index++) if (set.has(batch[index] ?? '')) hits++;
    return hits;
  };
  return timed({ count: pool.count, prepare: (from, to) => pool.fill(batch, from, to), run }, settings);
}

async function ownMemory(size: number): Promise<Figures> {
  const { PrefixSet } = await import('portcullis/assets');
  const entries = distinctPrefixes(size);
  const { byteLength } = PrefixSet.from(entries);
  return { claimed: byteLength / size, ...memoryOf(size, () => PrefixSet.from(entries)) };
}

function memoryOf(size: number, build: (entries: Uint32Array) => unknown): Figures {
  const entries = distinctPrefixes(size);
  const copies = Math.max(1, Math.round(judgedSize / size));
  const held = bytesHeld(() => build(entries), copies) / size;
  // Used after the measurement, so that the entries are alive before and after it and cancel out.
  return { held: entries.length === size ? held : Number.NaN };
}

/** From flat strings, as reading and splitting a list returns them. A concatenated string would also keep its parts alive. */
function textSetOf(entries: Uint32Array): Set<string> {
  const pool = new TextPool(Array.from(entries, hexOf));
  const set = new Set<string>();
  for (let index = 0; index < pool.count; index++) set.add(pool.fresh(index));
  return set;
}

function hexOf(prefix: number): string {
  return prefix.toString(16).padStart(8, '0');
}

function holds(sorted: Uint32Array, prefix: number): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < prefix) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === prefix;
}
