import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { type ListFile, type ListFiles, type PreviousList, publishedFiles, readPublishedVersion } from 'portcullis/publish';
import { UsageError } from '../errors/usage.js';
import { pageFiles } from '../playground/page-files.js';
import { orNull, replaceFile, temporaryPattern } from './replace-file.js';

/**
 * A folder with a published list, which readers may read at any moment: the files that a version document names are written before it,
 * and their content never changes (docs/publishing.md).
 */
export interface Published extends PreviousList {
  readonly algorithm: string;
  readonly listName: string | undefined;
  readonly count: number;
  /** All files that the version names, directly or through its sums. */
  readonly artifacts: readonly string[];
}

const versionName = 'version.json';
const proofName = 'version.proof';
const shardFolder = 'confirm';

/** Files whose name identifies their content. */
export const artifactPattern =
  /^(?:(?:(?:snapshot|recent|hot|sums)|difference-[\da-f]{16}|confirm\/(?:all|[\da-f]{1,3}))-[\da-f]{16})\.bin$/;

/** The start of a difference (docs/formats.md §8). */
const differenceStart = Buffer.from('895043440d0a1a0a', 'hex');

/** How long replaced artifacts stay for readers with an old version document: a day, and another for clocks and caches. */
const keptMs = 172_800_000;

/** How long differences stay, so that a client that polls monthly, or was off for a month, fetches what changed. */
const differencesKeptMs = 64 * 86_400_000;

/**
 * How long replaced shards, their sums and the hashes of newest entries stay. Readers ask for a version again after five minutes, so this is for caches that keep version
 * documents. A large list that changes often would fill the disk in the time of other artifacts.
 */
const shardsKeptMs = 7_200_000;

/** A process that left a half-written file has ended by then. */
const leftoverMs = 3_600_000;

/** The list that is published in a folder; `null` if there is none. */
export async function publishedIn(directory: string): Promise<Published | null> {
  const stats = await stat(directory).catch(() => null);
  if (stats !== null && !stats.isDirectory()) throw new UsageError(`${directory} is not a folder`, 'choose another with --out');
  const text = await orNull(readFile(join(directory, versionName), 'utf8'));
  if (text === null) return null;
  try {
    const version: unknown = JSON.parse(text);
    const published = readPublishedVersion(version);
    const artifacts = await publishedFiles(published, (name) => orNull(readFile(join(directory, name))));
    const snapshot = new Uint8Array(await readFile(join(directory, artifacts[0]!)));
    const { algoVersion: algorithm, listName } = published;
    // They tell which entries are the newest. Without them, or damaged, fewer have whole hashes in the next version.
    const hot = await intactFile(directory, 'hot', published.hot?.sha256);
    const recent = await intactFile(directory, 'recent', published.recent.sha256);
    return {
      version,
      snapshot,
      recent,
      hot,
      algorithm,
      listName,
      count: published.snapshot.count - (published.covers ?? 0),
      artifacts,
    };
  } catch (cause) {
    const { message } = cause as Error;
    const next = 'restore it, choose another folder, or start over with --fresh';
    throw new UsageError(`the list in ${directory} cannot be read: ${message}`, next, { code: 'INVALID_ARTIFACT' });
  }
}

async function intactFile(directory: string, kind: string, sha256: string | undefined): Promise<Uint8Array | undefined> {
  if (sha256 === undefined) return undefined;
  const bytes = await orNull(readFile(join(directory, `${kind}-${sha256.slice(0, 16)}.bin`)));
  const isIntact = bytes !== null && createHash('sha256').update(bytes).digest('hex') === sha256;
  return isIntact ? new Uint8Array(bytes) : undefined;
}

/** The name of the list in a folder, even if the list cannot be read otherwise; `null` if it has none. */
export async function listNameIn(directory: string): Promise<string | null> {
  const text = await orNull(readFile(join(directory, versionName), 'utf8'));
  return /"listName"\s*:\s*"([^"]+)"/.exec(text ?? '')?.[1] ?? null;
}

/** Whether the list in a folder is signed, even if it cannot be read otherwise. */
export async function isSigned(directory: string): Promise<boolean> {
  const text = await orNull(readFile(join(directory, versionName), 'utf8'));
  return text !== null && /"signed"\s*:/.test(text);
}

/** The keys of a gateway that the list in a folder names, even if the list cannot be read otherwise; `null` if it names none. */
export async function ohttpKeysIn(directory: string): Promise<string | null> {
  const text = await orNull(readFile(join(directory, versionName), 'utf8'));
  return /"ohttpKeys"\s*:\s*"([^"]*)"/.exec(text ?? '')?.[1] ?? null;
}

export interface Written {
  /** The number of changed files. */
  readonly written: number;
  readonly unchanged: number;
  /** The number of deleted artifacts. */
  readonly removed: number;
}

/**
 * Writes into a prepared folder, the version document last, so that an interruption at any point leaves the old list or the new one. A dry
 * run only counts, also in a folder that does not exist.
 */
export async function writeList(
  directory: string,
  files: ListFiles,
  { previous, signal, isDryRun, onProgress }: WriteOptions,
): Promise<Written> {
  if (!isDryRun) await removeLeftovers(directory);
  let written = 0;
  let done = 0;
  const current = new Set<string>();
  for (const file of files) {
    signal.throwIfAborted();
    current.add(file.name);
    // The age of a file counts from its replacement.
    if (file.name === versionName && !isDryRun)
      for (const name of previous?.artifacts ?? []) if (!current.has(name)) await touch(join(directory, name));
    if (await writeFile(directory, file, isDryRun)) written++;
    onProgress(++done);
  }
  const removed = await removeOld(directory, new Set([...current, ...(previous?.artifacts ?? [])]), isDryRun);
  return { written, unchanged: done - written, removed };
}

async function makeFolder(path: string, directory: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (cause) {
    const { code = 'UNEXPECTED' } = cause as NodeJS.ErrnoException;
    throw new UsageError(`${directory} cannot be created or written`, 'choose another folder with --out', { code });
  }
  // --out may be a link, which its user has chosen; a link inside it would have files written and deleted elsewhere.
  if (!(await lstat(path)).isDirectory())
    throw new UsageError(`${path} is a link`, 'remove it, or choose another folder with --out');
}

interface WriteOptions {
  readonly previous: Published | null;
  readonly signal: AbortSignal;
  readonly isDryRun: boolean;
  readonly onProgress: (done: number) => void;
}

/** @returns whether the file changed */
async function writeFile(directory: string, { name, bytes, isImmutable }: ListFile, isDryRun = false): Promise<boolean> {
  const file = join(directory, name);
  const before = await orNull(readFile(file));
  if (before?.equals(bytes)) return false;
  if (isDryRun) return true;
  // Syncing 4,096 shards and their sums would take a minute. The next publish repairs what a power failure damages.
  const isSynced = name === versionName || name === proofName || (isImmutable && !/^(?:sums-|confirm)/.test(name));
  await replaceFile(file, bytes, { isSynced });
  return true;
}

const pageFolder = 'playground';

/**
 * Makes the folders of a list, and with `hasPage` that of the page for trying it, so that what prevents one is found before anything is
 * written.
 *
 * @returns a function that writes the page
 */
export async function preparedFolder(directory: string, hasPage: boolean): Promise<() => Promise<void>> {
  for (const name of [shardFolder, ...(hasPage ? [pageFolder] : [])]) await makeFolder(join(directory, name), directory);
  const files = hasPage ? await pageFiles({ kind: 'published', url: '../', examples: [] }) : [];
  return async () => {
    for (const [name, bytes] of files) await writeFile(directory, { name: join(pageFolder, name), bytes, isImmutable: false });
  };
}

async function touch(file: string): Promise<void> {
  const now = new Date();
  await orNull(utimes(file, now, now));
}

async function removeOld(directory: string, kept: ReadonlySet<string>, isDryRun: boolean): Promise<number> {
  let removed = 0;
  const namesIn = async (folder: string): Promise<string[]> => (await orNull(readdir(folder))) ?? [];
  const shards = (await namesIn(join(directory, shardFolder))).map((name) => `${shardFolder}/${name}`);
  for (const name of [...(await namesIn(directory)), ...shards].filter((name) => artifactPattern.test(name))) {
    const file = join(directory, name);
    const ms = name.startsWith('difference-') ? differencesKeptMs : /^(?:hot-|sums-|confirm)/.test(name) ? shardsKeptMs : keptMs;
    if (kept.has(name) || !(await isOlder(file, ms)) || !(await isArtifact(file))) continue;
    if (!isDryRun) await rm(file, { force: true });
    removed++;
  }
  return removed;
}

/** Whether the name is that of this content. Another file with such a name is not this program's to delete. */
async function isArtifact(file: string): Promise<boolean> {
  const bytes = await readFile(file);
  // A difference has the names of two snapshots.
  if (file.includes('difference-')) return bytes.subarray(0, differenceStart.length).equals(differenceStart);
  return file.endsWith(`-${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.bin`);
}

async function removeLeftovers(directory: string): Promise<void> {
  for (const folder of [directory, join(directory, shardFolder)]) {
    for (const name of await readdir(folder)) {
      const file = join(folder, name);
      if (temporaryPattern.test(name) && (await isOlder(file, leftoverMs))) await rm(file, { force: true });
    }
  }
}

async function isOlder(file: string, ms: number): Promise<boolean> {
  const stats = await orNull(lstat(file));
  return stats?.isFile() === true && Date.now() - stats.mtimeMs > ms;
}
