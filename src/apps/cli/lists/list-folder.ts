import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { equalBytes } from '../../../core/bytes.js';
import type { ListFile, ListFiles } from '../../../servers/publish/list-files.js';
import type { PreviousList } from '../../../servers/publish/publish-options.js';
import { readPublished } from '../../../servers/publish/published-version.js';
import { pageFiles } from '../../playground/page-files.js';
import { UsageError } from '../errors/usage.js';

/**
 * A folder a list is published in. Readers may look at any moment: each file is whole, what the version document names is there before
 * it is, and a shard that is newer than its list misses nothing (docs/publishing.md).
 */
export interface Published extends PreviousList {
  readonly algorithm: string;
  readonly count: number;
  /** The snapshot and the recent feed that readers have now. */
  readonly artifacts: readonly string[];
}

const versionName = 'version.json';
const temporaryEnd = '.portcullis-new';
/** Files whose name tells their content. */
export const artifactPattern = /^(snapshot|recent)-[\da-f]+\.bin$/;

/** What no version names any more stays for readers who still hold an old one: a day, and another for clocks and caches. */
export const keptMs = 172_800_000;

/** Whoever left a file half written has ended since. */
const leftoverMs = 3_600_000;

/** What is published there now; `null` where nothing is. */
export async function publishedIn(directory: string): Promise<Published | null> {
  const text = await orNull(readFile(join(directory, versionName), 'utf8'));
  if (text === null) return null;
  const next = 'mend it, choose another folder, or begin anew with --fresh';
  try {
    const version: unknown = JSON.parse(text);
    const { algoVersion, snapshot, recent } = readPublished(version);
    // With or without the address of the host in front.
    const artifacts = [snapshot, recent].flatMap((part) => (part === undefined ? [] : [basename(part.url)]));
    const bytes = await readFile(join(directory, artifacts[0]!));
    return { version, snapshot: new Uint8Array(bytes), algorithm: algoVersion, count: snapshot.count, artifacts };
  } catch (cause) {
    const { message } = cause as Error;
    throw new UsageError(`what is published in ${directory} cannot be read: ${message}`, next, { code: 'INVALID_ARTIFACT' });
  }
}

export interface Written {
  /** Files that changed. */
  readonly written: number;
  /** Those that were the same already. */
  readonly unchanged: number;
  /** Old artifacts that went. */
  readonly removed: number;
}

/** Files in their order, the version document last: whenever this ends, the list before or the new one is there. */
export async function writeList(
  directory: string,
  files: ListFiles,
  { previous, signal, onProgress }: WriteOptions,
): Promise<Written> {
  await mkdir(join(directory, 'confirm'), { recursive: true });
  await removeLeftovers(directory);
  let written = 0;
  let done = 0;
  for (const file of files) {
    signal.throwIfAborted();
    // From now on their age tells since when nobody is sent to them.
    if (file.name === versionName) for (const name of previous?.artifacts ?? []) await touch(join(directory, name));
    if (await writeFile(directory, file)) written++;
    onProgress(++done, files.count);
  }
  const removed = await removeOld(directory, [...files].slice(-3), previous?.artifacts ?? []);
  return { written, unchanged: done - written, removed };
}

interface WriteOptions {
  readonly previous: Published | null;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number) => void;
}

/** @returns whether it was another one before */
async function writeFile(directory: string, { name, bytes, isImmutable }: ListFile): Promise<boolean> {
  const file = join(directory, name);
  const before = await orNull(readFile(file));
  if (before !== null && equalBytes(before, bytes)) return false;
  const temporary = join(dirname(file), `.${basename(name)}.${process.pid}${temporaryEnd}`);
  const handle = await open(temporary, 'w');
  try {
    await handle.writeFile(bytes);
    // Four thousand small ones would take a minute; what a power cut may cost of those the next publishing mends.
    if (isImmutable || name === versionName) await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
  return true;
}

const pageFolder = 'playground';

/** The page in which somebody can try the list, in a folder beside it. */
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

async function removeOld(directory: string, current: readonly ListFile[], previous: readonly string[]): Promise<number> {
  const kept = new Set([...current.map(({ name }) => name), ...previous]);
  let removed = 0;
  for (const name of await readdir(directory)) {
    const file = join(directory, name);
    if (!artifactPattern.test(name) || kept.has(name) || !(await isOlder(file, keptMs))) continue;
    await rm(file, { force: true });
    removed++;
  }
  return removed;
}

async function removeLeftovers(directory: string): Promise<void> {
  for (const folder of [directory, join(directory, 'confirm')]) {
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
