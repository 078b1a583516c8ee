import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HashSet } from 'portcullis';
import type { Blocklist, PrefixSet, Source, Store } from 'portcullis/core';
import { encodeDifference } from '../src/core/prefixes/difference.js';
import { runNow } from '../src/core/slices.js';
import { distinctPrefixes } from './inputs.js';
import { listedHost, openBlocklist, sourceOf } from './lists.js';
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

/** What does each step in the life of a list of ten million cost, and how long does it block everything else? */
export const tenMillion: Question = {
  name: 'ten-million',
  title: 'A list of ten million: time, longest block and memory of each step',
  groups,
  rows,
};

const maxBlockMs = 50;
const maxPublishMs = 60_000;
/** Of the publish: the others have no budget for their time. */
const publishStep = 'publish from lines, all files';

interface Step {
  name: string;
  /** Gets everything ready that is not measured, and returns the measured work. */
  start(paths: Paths): Promise<() => Promise<Blocklist | undefined>>;
}

const steps: Step[] = [
  { name: 'first start: fetch, verify, swap, store', start: (paths) => fetching(paths, 'none') },
  { name: 'start from files', start: (paths) => starting(fileStoreOf(paths, 'prefixes')) },
  { name: 'start from a key-value store', start: (paths) => starting(rowsOf(paths)) },
  { name: 'first start into a key-value store', start: (paths) => fetching(paths, 'rows') },
  { name: `${countName(recentCount())} recents`, start: (paths) => fetching(paths, 'recent') },
  { name: 'swap, from differences', start: (paths) => fetching(paths, 'difference') },
  { name: 'swap, from a whole snapshot', start: (paths) => fetching(paths, 'snapshot') },
  { name: 'whole hashes: start from files', start: (paths) => starting(fileStoreOf(paths, 'hashes')) },
  { name: `whole hashes: ${countName(recentCount())} recents`, start: hashRecents },
  { name: 'whole hashes: swap', start: hashSwap },
];

function groups(settings: Settings): Group[] {
  const paths = pathsOf(settings);
  const measured = steps.map(({ name, start }) => ({ name, measure: () => watchStep(() => start(paths)) }));
  const full = [
    { name: publishStep, measure: () => watchPublish(paths, false) },
    { name: 'publish the next version', measure: () => watchPublish(paths, true) },
    { name: 'whole hashes: read lines, swap', measure: () => watchStep(() => readingLines(paths)) },
  ];
  return [
    {
      name: `${countName(paths.count)} entries`,
      prepare: () => prepare(paths),
      variants: settings.full ? [...measured, ...full] : measured,
      rounds: Math.min(settings.rounds, 3),
    },
  ];
}

function rows(results: Results, settings: Settings): Row[] {
  return groups(settings).flatMap(({ name, variants }) =>
    variants.flatMap((variant): Row[] => {
      const spread = (figure: string): Row['value'] => results.spread(name, variant.name, figure);
      const what = `${name}: ${variant.name}`;
      return [
        variant.name === publishStep
          ? limited(what, 'ms', spread('ms'), maxPublishMs, '≤ 60 s')
          : { what, unit: 'ms', value: spread('ms') },
        limited('… longest block, of the processor', 'ms', spread('blockCpuMs'), maxBlockMs, `≤ ${maxBlockMs} ms`),
        { what: '… longest block, on the clock', unit: 'ms', value: spread('blockMs') },
        { what: '… memory of the process at its peak', unit: 'B', value: spread('peakBytes') },
        { what: '… held afterwards', unit: 'B', value: spread('heldBytes') },
      ];
    }),
  );
}

interface Paths {
  readonly count: number;
  readonly folder: string;
}

function pathsOf({ quick, scratch }: Settings): Paths {
  return { count: quick ? 200_000 : 10_000_000, folder: join(scratch, 'ten-million') };
}

/** Beyond what chance adds to a base, and below what ends in a new snapshot. */
function recentCount(): number {
  return 10_000;
}

/** Of a list that is replaced twice a day: 0.25 % of the entries, as docs/capacity.md assumes. */
const changedShare = 0.0025;

const url = 'https://lists.example/bench';

async function watchStep(start: () => Promise<() => Promise<Blocklist | undefined>>): Promise<Figures> {
  // Node loads its own fetch at the first use; that must not be measured.
  await Promise.all([import('portcullis'), new Response(inPieces(new Uint8Array(1))).arrayBuffer()]);
  const run = await start();
  await new Promise((resolve) => setTimeout(resolve, 300));
  collectGarbage();
  let blocklist: Blocklist | undefined;
  const { ms, ...block } = await watched(async () => {
    blocklist = await run();
  });
  // Checks after the load, which are no part of its time, must not block either.
  const background = await watched(() => new Promise((resolve) => setTimeout(resolve, 500)));
  const [peakBytes, heldBytes] = [process.resourceUsage().maxRSS * 1_024, await settledBytes()];
  await blocklist?.close();
  return {
    ms,
    blockMs: Math.max(block.blockMs, background.blockMs),
    blockCpuMs: Math.max(block.blockCpuMs, background.blockCpuMs),
    peakBytes,
    heldBytes,
  };
}

async function settledBytes(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 300));
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** The files and stores that the steps begin with, without the time it takes to hash names. */
async function prepare(paths: Paths): Promise<Figures> {
  const { count, folder } = paths;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const { encodeArtifact, HashSet, PrefixSet, prefixOf } = await import('portcullis');
  const changed = Math.round(count * changedShare);
  const all = distinctPrefixes(count + changed);
  all[0] = prefixOf(listedHost);
  const before = PrefixSet.from(all.subarray(0, count));
  // The same number leaves and comes, and the listed host stays.
  const after = PrefixSet.from([all[0]!, ...all.subarray(changed + 1)]);
  const recent = PrefixSet.from(distinctPrefixes(recentCount(), 2 * count));
  const write = async (name: string, set: PrefixSet): Promise<string> => {
    const bytes = encodeArtifact(set, { encoding: 'portcullis-rice' });
    await writeFile(join(folder, name), bytes);
    return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  };
  const [from, to] = [await write('before', before), await write('after', after)];
  await write('recent', recent);
  await write('none', PrefixSet.from([]));
  const [{ high: old }, { high: next }] = [runNow(before.readEntries()), runNow(after.readEntries())];
  await writeFile(join(folder, `difference-${from}-${to}.bin`), runNow(encodeDifference(old, next, null)));
  await stored(sourceOf({ snapshot: { token: from, entries: () => before } }), await fileStoreOf(paths, 'prefixes'));
  const fetched = await openBlocklist([await publishedList(paths, 'before')], { store: await fileStoreOf(paths, 'published') });
  await fetched.close();
  const hashes = HashSet.from(hashesOf(count, all));
  await stored(sourceOf({ snapshot: { token: 's', entries: () => hashes as never } }), await fileStoreOf(paths, 'hashes'));
  return {};
}

async function stored(source: Source, store: Store): Promise<void> {
  const blocklist = await openBlocklist([source], { store });
  const { isStored, lastError } = blocklist.status().sources[0]!;
  if (!isStored) throw new Error('the list was not stored', { cause: lastError });
  await blocklist.close();
}

function* hashesOf(count: number, prefixes: Uint32Array): Iterable<Uint8Array> {
  for (let at = 0; at < count; at++) {
    const [first, second] = [prefixes[at]!, Math.imul(prefixes[at]!, 0x9e3779b1)];
    yield Uint8Array.of(first >>> 24, first >>> 16, first >>> 8, first, second >>> 24, second >>> 16, second >>> 8, second);
  }
}

async function fileStoreOf({ folder }: Paths, name: string): Promise<Store> {
  const { fileStore } = await import('portcullis/stores/file');
  return fileStore({ directory: join(folder, name) });
}

/** A store of rows in memory, with the list of the file store in it. Redis has the same rows. */
async function rowsOf(paths: Paths): Promise<Store> {
  const store = await emptyRows();
  const files = await fileStoreOf(paths, 'prefixes');
  await Promise.all([store.open(), files.open()]);
  for (const name of await files.list('')) {
    const bytes = await files.read(name);
    if (bytes !== null) await store.write(name, bytes);
  }
  for (const { bytes } of (await files.heads('bench/head')).slice(0, 1)) await store.commit('bench/head', bytes, 0);
  await files.close();
  return store;
}

async function emptyRows(): Promise<Store> {
  const { keyValueStore } = await import('portcullis/stores');
  const rows = new Map<string, string>();
  return keyValueStore({
    get: (key) => rows.get(key),
    set: (key, text) => rows.set(key, text),
    remove: (key) => rows.delete(key),
    keys: () => rows.keys(),
  });
}

/** The source fails, so the list must come from the store. */
async function starting(from: Promise<Store>): Promise<() => Promise<Blocklist>> {
  const store = await from;
  const source = sourceOf({
    snapshot: {
      token: 's',
      entries: () => {
        throw new Error('the list was fetched');
      },
    },
  });
  return async () => {
    const blocklist = await openBlocklist([source], { store });
    const { status } = blocklist.test(`https://login.${listedHost}/a`);
    if (blocklist.status().sources[0]?.list === null || status === 'unknown') throw new Error('the list was not loaded');
    return blocklist;
  };
}

/** The version document that a client with the list `before` finds. */
async function publishedList(paths: Paths, version: 'before' | 'recent' | 'difference' | 'snapshot'): Promise<Source> {
  const { publishedSource } = await import('portcullis/sources');
  const read = async (name: string): Promise<Uint8Array> => new Uint8Array(await readFile(join(paths.folder, name)));
  const isNew = version === 'difference' || version === 'snapshot';
  const [before, after] = [await read('before'), await read('after')];
  const tokenOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  const difference = `difference-${tokenOf(before)}-${tokenOf(after)}.bin`;
  const isRecent = version === 'recent';
  const fetch = publishedFiles(url, {
    sequence: version === 'before' ? 1 : 2,
    snapshot: { bytes: isNew ? after : before, count: paths.count },
    recent: { bytes: await read(isRecent ? 'recent' : 'none'), count: isRecent ? recentCount() : 0 },
    ...(version === 'difference' && { difference: { name: difference, bytes: await read(difference) } }),
  });
  return publishedSource({ url, id: 'bench', fetch });
}

/** A round of a client that has nothing, or the list before. */
async function fetching(
  paths: Paths,
  kind: 'none' | 'rows' | 'recent' | 'difference' | 'snapshot',
): Promise<() => Promise<Blocklist>> {
  const isFirst = kind === 'none' || kind === 'rows';
  const source = await publishedList(paths, isFirst ? 'before' : kind);
  let store: Store;
  if (kind === 'rows') store = await emptyRows();
  else {
    const own = join(paths.folder, 'own');
    await rm(own, { recursive: true, force: true });
    if (!isFirst) await cp(join(paths.folder, 'published'), own, { recursive: true });
    store = await fileStoreOf(paths, 'own');
  }
  const open = (): Promise<Blocklist> => openBlocklist([source], { store });
  if (isFirst) return async () => requireStored(await open());
  const blocklist = await open();
  return async () => {
    const { outcome } = await blocklist.sync();
    if (outcome !== 'updated')
      throw new Error(`unexpected outcome ${outcome}`, { cause: blocklist.status().sources[0]?.lastError });
    return requireStored(blocklist);
  };
}

function requireStored(blocklist: Blocklist): Blocklist {
  const { list, isStored, lastError } = blocklist.status().sources[0]!;
  if (list === null || !isStored) throw new Error('the list was not accepted, or not stored', { cause: lastError });
  return blocklist;
}

/** A list of whole hashes that gets more, or is replaced, from a source in memory. */
async function hashRound(
  paths: Paths,
  next: (list: Parameters<typeof sourceOf>[0]) => Promise<void>,
): Promise<() => Promise<Blocklist>> {
  const own = join(paths.folder, 'own');
  await rm(own, { recursive: true, force: true });
  await cp(join(paths.folder, 'hashes'), own, { recursive: true });
  const list: Parameters<typeof sourceOf>[0] = { snapshot: { token: 's', entries: () => Promise.reject(new Error('fetched')) } };
  const blocklist = await openBlocklist([sourceOf(list)], { store: await fileStoreOf(paths, 'own') });
  await next(list);
  return async () => {
    const { outcome } = await blocklist.sync();
    if (outcome !== 'updated')
      throw new Error(`unexpected outcome ${outcome}`, { cause: blocklist.status().sources[0]?.lastError });
    return requireStored(blocklist);
  };
}

async function hashRecents(paths: Paths): Promise<() => Promise<Blocklist>> {
  const { HashSet } = await import('portcullis');
  const recent: HashSet = HashSet.from(hashesOf(recentCount(), distinctPrefixes(recentCount(), 2 * paths.count)));
  return hashRound(paths, async (list) => {
    list.recent = { token: 'r', entries: () => recent as never };
  });
}

async function hashSwap(paths: Paths): Promise<() => Promise<Blocklist>> {
  const { HashSet } = await import('portcullis');
  return hashRound(paths, async (list) => {
    list.snapshot = {
      token: 't',
      entries: () => HashSet.build(hashesOf(paths.count, distinctPrefixes(paths.count, 2 * paths.count))) as never,
    };
  });
}

/** A list that is too long to be kept as strings, in parts as a file comes. */
function* linesOf(count: number, start = 0): Generator<Uint8Array> {
  for (let from = start; from < start + count; from += 2_000) {
    const lines = Array.from({ length: Math.min(2_000, start + count - from) }, (_, at) => {
      const host = `login-${(from + at).toString(36)}.scam-mint${at % 7}.example`;
      return at % 10 < 6 ? host : `https://${host}/wallet/${at}`;
    });
    yield new Uint8Array(Buffer.from(`${lines.join('\n')}\n`));
  }
}

async function readingLines({ count }: Paths): Promise<() => Promise<Blocklist>> {
  const { textSource } = await import('portcullis/sources');
  const fetch = async (): Promise<Response> => {
    const lines = linesOf(count);
    return new Response(
      new ReadableStream({
        async pull(controller) {
          await new Promise((resolve) => setImmediate(resolve));
          const { done, value } = lines.next();
          if (done) controller.close();
          else controller.enqueue(value);
        },
      }),
    );
  };
  const source = textSource({ id: 'bench', url: `${url}/lines.txt`, fetch, maxBytes: 640 * 1024 * 1024 });
  return async () => {
    const blocklist = await openBlocklist([source]);
    const { list, lastError } = blocklist.status().sources[0]!;
    if (list?.count !== count) throw new Error('the list was not read', { cause: lastError });
    return blocklist;
  };
}

/** A first version, or the next one: 0.25 % of the entries changed, and a new snapshot is due. */
async function watchPublish({ count }: Paths, isNext: boolean): Promise<Figures> {
  const { buildList } = await import('portcullis/publish');
  const changed = Math.round(count * changedShare);
  const build = (start: number, options: object): ReturnType<typeof buildList> =>
    buildList({ format: 'lines', data: linesOf(count, start) }, options);
  const first = isNext ? await build(0, {}) : undefined;
  const previous = first && { version: first.version, snapshot: first.snapshot };
  collectGarbage();
  let list: Awaited<ReturnType<typeof buildList>> | undefined;
  let fileBytes = 0;
  const measured = await watched(async () => {
    list = await build(isNext ? changed : 0, { previous, snapshot: isNext ? 'new' : 'auto' });
    for (const { bytes } of list.files) {
      fileBytes += bytes.length;
      // As a publisher that writes each file does.
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  if (list?.report.listed !== count || fileBytes < count * 32) throw new Error('the list is incomplete');
  return { ...measured, peakBytes: process.resourceUsage().maxRSS * 1_024, heldBytes: await settledBytes() };
}
