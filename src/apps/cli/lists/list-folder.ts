import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type ListFile, type ListFiles, type PreviousList, readPublishedVersion } from 'portcullis/publish';
import { pageFiles } from '../../playground/page-files.js';
import { UsageError } from '../errors/usage.js';

/**
 * A folder with a published list, which readers may read at any moment: each file is replaced as a whole, the files that a version
 * document names are written before it, and a shard newer than its list misses nothing (docs/publishing.md).
 */
export interface Published extends PreviousList {
  readonly algorithm: string;
  readonly count: number;
  /** The files of the snapshot and the recent feed. */
  readonly artifacts: readonly string[];
  readonly shards: number;
}

const versionName = 'version.json';
const temporaryEnd = '.portcullis-new';
/** Files whose name identifies their content. */
export const artifactPattern = /^(?:(?:snapshot|recent)-[\da-f]+|difference-[\da-f]+-[\da-f]+)\.bin$/;

const shardFolder = 'confirm';
const shardPattern = /^(?:all|[\da-f]{1,3})\.bin$/;

/** How long replaced artifacts stay for readers with an old version document: a day, and another for clocks and caches. */
const keptMs = 172_800_000;

/** How long differences stay, so that a client that polls monthly, or was off for a month, fetches what changed. */
const differencesKeptMs = 64 * 86_400_000;

/** A process that left a half-written file has ended by then. */
const leftoverMs = 3_600_000;

/** The list that is published in a folder; `null` if there is none. */
export async function publishedIn(directory: string): Promise<Published | null> {
  const text = await orNull(readFile(join(directory, versionName), 'utf8'));
  if (text === null) return null;
  try {
    const version: unknown = JSON.parse(text);
    const { algoVersion, snapshot, recent, shards } = readPublishedVersion(version);
    const artifacts = [basename(snapshot.url), basename(recent.url)];
    const bytes = await readFile(join(directory, artifacts[0]!));
    return { version, snapshot: new Uint8Array(bytes), algorithm: algoVersion, count: snapshot.count, artifacts, shards };
  } catch (cause) {
    const { message } = cause as Error;
    const next = 'restore it, choose another folder, or start over with --fresh';
    throw new UsageError(`the list in ${directory} cannot be read: ${message}`, next, { code: 'INVALID_ARTIFACT' });
  }
}

export interface Written {
  /** Changed files. */
  readonly written: number;
  readonly unchanged: number;
  /** Deleted artifacts. */
  readonly removed: number;
}

/** Writes the version document last, so that an interruption at any point leaves the old list or the new one. */
export async function writeList(
  directory: string,
  files: ListFiles,
  { previous, signal, onProgress }: WriteOptions,
): Promise<Written> {
  await mkdir(join(directory, shardFolder), { recursive: true });
  await removeLeftovers(directory);
  let written = 0;
  let done = 0;
  const current = new Set<string>();
  for (const file of files) {
    signal.throwIfAborted();
    current.add(file.name);
    // The age of a file counts from its replacement.
    if (file.name === versionName)
      for (const name of await replaced(directory, current, previous)) await touch(join(directory, name));
    if (await writeFile(directory, file)) written++;
    onProgress(++done, files.count);
  }
  const removed = await removeOld(directory, new Set([...current, ...(previous?.artifacts ?? [])]));
  return { written, unchanged: done - written, removed };
}

interface WriteOptions {
  readonly previous: Published | null;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number) => void;
}

/** @returns whether the file changed */
async function writeFile(directory: string, { name, bytes, isImmutable }: ListFile): Promise<boolean> {
  const file = join(directory, name);
  const before = await orNull(readFile(file));
  if (before?.equals(bytes)) return false;
  const temporary = join(dirname(file), `.${basename(name)}.${process.pid}${temporaryEnd}`);
  const handle = await open(temporary, 'w');
  try {
    await handle.writeFile(bytes);
    // Syncing 4,096 shards would take a minute. The next publish repairs what a power failure damages.
    if (isImmutable || name === versionName) await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
  return true;
}

const pageFolder = 'playground';

/** Writes the page for trying the list into a folder beside it. */
export async function writePage(directory: string): Promise<void> {
  await mkdir(join(directory, pageFolder), { recursive: true });
  for (const [name, bytes] of await pageFiles({ kind: 'published', url: '../', examples: [] })) {
    await writeFile(directory, { name: join(pageFolder, name), bytes, isImmutable: false });
  }
}

async function touch(file: string): Promise<void> {
  const now = new Date();
  await orNull(utimes(file, now, now));
}

/** The files that readers of the previous list still fetch, and all its shards if the new list has another number of them. */
async function replaced(directory: string, current: ReadonlySet<string>, previous: Published | null): Promise<string[]> {
  if (previous === null) return [];
  const shards = [...current].filter((name) => name.startsWith(`${shardFolder}/`)).length;
  const old = shards === previous.shards ? [] : await shardsIn(directory);
  return [...previous.artifacts, ...old.filter((name) => !current.has(name))];
}

async function shardsIn(directory: string): Promise<string[]> {
  const names = await readdir(join(directory, shardFolder));
  return names.filter((name) => shardPattern.test(name)).map((name) => `${shardFolder}/${name}`);
}

async function removeOld(directory: string, kept: ReadonlySet<string>): Promise<number> {
  let removed = 0;
  const artifacts = (await readdir(directory)).filter((name) => artifactPattern.test(name));
  for (const name of [...artifacts, ...(await shardsIn(directory))]) {
    const file = join(directory, name);
    const ms = name.startsWith('difference-') ? differencesKeptMs : keptMs;
    if (kept.has(name) || !(await isOlder(file, ms))) continue;
    await rm(file, { force: true });
    removed++;
  }
  return removed;
}

async function removeLeftovers(directory: string): Promise<void> {
  for (const folder of [directory, join(directory, shardFolder)]) {
    for (const name of await readdir(folder)) {
      const file = join(folder, name);
      if (name.endsWith(temporaryEnd) && (await isOlder(file, leftoverMs))) await rm(file, { force: true });
    }
  }
}

async function isOlder(file: string, ms: number): Promise<boolean> {
  const stats = await orNull(stat(file));
  return stats !== null && Date.now() - stats.mtimeMs > ms;
}

async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    return null;
  }
}
