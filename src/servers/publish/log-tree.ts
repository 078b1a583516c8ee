import { equalBytes, fromUtf8, utf8 } from '../../core/bytes.js';
import { PortcullisError, refuse } from '../../core/errors.js';
import { type OpenCheckpoint, openCheckpoint, writeCheckpoint } from '../../core/tlog/checkpoint.js';
import { emptyRoot, hashBytes, leafHash, nodesOf, type ReadNode, treeRoot } from '../../core/tlog/merkle.js';
import { type NoteKey, signatureLine, type VerifySignature, writeNote } from '../../core/tlog/note.js';
import { maxEntryBytes, readBundle, tileNodes, tilePath, tileWidth, writeBundle } from '../../core/tlog/tiles.js';
import type { LogSigner } from './log-key.js';

/** Where the files of a log are. What resolves survives a power failure. */
export interface LogStorage {
  /** The content of a file; `null` if there is none. */
  read(path: string): Promise<Uint8Array | null>;
  /**
   * Creates a file whose content never changes.
   *
   * @returns `false` if it exists. Of two writers at the same time one must get `false`: that is what keeps the tree from forking.
   */
  create(path: string, bytes: Uint8Array): Promise<boolean>;
  /** Replaces the only file that changes, in one step. */
  replace(path: 'checkpoint', bytes: Uint8Array): Promise<void>;
  /**
   * Removes a folder and what is in it, if it is there: the shorter forms of a tile, once it is full. Without it they stay, and 256 versions
   * take about twenty megabytes.
   */
  removeFolder?(path: string): Promise<void>;
}

/** A log as it is now, and a checkpoint of it. */
export interface LogTree {
  readonly size: number;
  readonly root: Uint8Array;
  readonly nodes: ReadNode;
  /** The note with the signature of the log, and those of witnesses, if it was published. */
  readonly note: string;
}

interface LogAccess {
  readonly storage: LogStorage;
  readonly key: NoteKey;
  readonly signer: LogSigner;
  readonly verify: VerifySignature;
}

/** To read a log, no key is needed. */
type ReadAccess = Pick<LogAccess, 'key' | 'verify'> & { readonly storage: Pick<LogStorage, 'read'>; readonly signer?: LogSigner };

/** A process that was killed leaves one entry behind its checkpoint, the next one another. More are no accident. */
const maxLeft = 1_000;

/**
 * Opens a log to append to it. Recomputes the last checkpoint from the tiles: what is signed next must extend what was signed.
 *
 * @param known What clients have a proof of. If the stored checkpoint is missing, or smaller because a publisher that slept has put it back, and the
 * files give this tree, the log goes on from here.
 * @throws PortcullisError `INVALID_ARTIFACT`
 */
export async function openTree(access: ReadAccess, known?: OpenCheckpoint): Promise<LogTree> {
  const { storage, key, signer } = access;
  const bytes = await storage.read('checkpoint');
  if (known !== undefined && known.size > 0) {
    const stored = await checkpointIn(bytes, access);
    const isLarger = bytes === null || (stored !== null && stored.size < known.size);
    const later = isLarger ? await treeOf(known, storage).catch(() => null) : null;
    if (later !== null && (stored === null || equalBytes(await treeRoot(stored.size, later.nodes), stored.root))) return later;
  }
  if (bytes === null) {
    // A new log has no full bundle. Without one, the entries that are there are taken over.
    if (signer === undefined || (await storage.read(tilePath('entries', 0))) !== null)
      throw damaged('the file "checkpoint" is missing');
    return { ...(await signedTree(0, emptyRoot(), key, signer)), nodes: tileNodes(0, (path) => storage.read(path)) };
  }
  const checkpoint = await checkpointIn(bytes, access);
  if (checkpoint === null) throw damaged('its checkpoint is not signed by this key');
  return treeOf(checkpoint, storage);
}

async function checkpointIn(bytes: Uint8Array | null, { key, verify }: ReadAccess): Promise<OpenCheckpoint | null> {
  return bytes && openCheckpoint(fromUtf8(bytes) ?? '', key, [], verify);
}

async function treeOf(checkpoint: OpenCheckpoint, storage: Pick<LogStorage, 'read'>): Promise<LogTree> {
  const { size, root, note } = checkpoint;
  const nodes = tileNodes(size, (path) => storage.read(path));
  await requireTree(checkpoint, nodes, storage);
  return { size, root, note, nodes };
}

/**
 * Replaces the checkpoint, unless another publisher has gone on: this one slept longer than its lock lived.
 *
 * @param from The size of the tree that this publisher has begun with
 * @throws PortcullisError `CONFLICT`
 */
export async function replaceCheckpoint(
  note: string,
  from: number,
  access: ReadAccess & { readonly storage: Pick<LogStorage, 'read' | 'replace'> },
): Promise<void> {
  const { storage } = access;
  const stored = await checkpointIn(await storage.read('checkpoint'), access);
  if (stored !== null && stored.size > from) throw conflict();
  await storage.replace('checkpoint', utf8(note));
}

function conflict(): PortcullisError {
  return new PortcullisError('CONFLICT', 'another process publishes to this log; publish again');
}

async function requireTree({ size, root }: OpenCheckpoint, nodes: ReadNode, storage: Pick<LogStorage, 'read'>): Promise<void> {
  let found: Uint8Array;
  try {
    found = await treeRoot(size, nodes);
  } catch (cause) {
    throw damaged('its tiles cannot be read', cause);
  }
  if (!equalBytes(found, root)) throw damaged('its tiles are not those of its checkpoint');
  const entries = await lastBundle(size, storage);
  const first = size - entries.length;
  for (const [at, entry] of entries.entries())
    if (!equalBytes(leafHash(entry), await nodes(0, first + at))) throw damaged('its entries are not those of its tiles');
}

/** The entries of the last bundle of a tree. */
async function lastBundle(size: number, storage: Pick<LogStorage, 'read'>): Promise<readonly Uint8Array[]> {
  const width = size === 0 ? 0 : ((size - 1) % tileWidth) + 1;
  if (width === 0) return [];
  const bytes = await storage.read(tilePath('entries', Math.floor((size - 1) / tileWidth), width));
  const entries = bytes && readBundle(bytes, width);
  if (!entries) throw damaged('its last entries are missing or malformed');
  return entries;
}

/**
 * Appends an entry, after those that a killed process left behind the checkpoint: their files exist, and may not get other content.
 *
 * @throws PortcullisError `CONFLICT` if another publisher was faster; `INVALID_ARTIFACT`, `LIMIT_EXCEEDED`
 */
export async function appendTo(
  tree: LogTree,
  entry: Uint8Array,
  access: LogAccess,
): Promise<LogTree & { readonly index: number }> {
  if (entry.length > maxEntryBytes)
    throw new PortcullisError('LIMIT_EXCEEDED', `an entry of a log has at most ${maxEntryBytes} bytes; shorten urlBase`);
  const { storage } = access;
  let size = tree.size;
  for (let left = 0; ; left++) {
    if (left > maxLeft) throw damaged(`more than ${maxLeft} entries follow its checkpoint`);
    const taken = await storage.read(bundlePath(size));
    const before = size % tileWidth === 0 ? [] : await lastBundle(size, storage);
    if (taken !== null) {
      const entries = readBundle(taken, before.length + 1);
      const isNext = entries !== null && before.every((old, at) => equalBytes(old, entries[at]!));
      if (!isNext) throw damaged('an unfinished bundle does not continue its entries');
      await writeTiles(size, leafHash(entries[before.length]!), storage);
    } else {
      // Whoever creates this file has the place in the log.
      if (!(await storage.create(bundlePath(size), writeBundle([...before, entry])))) throw conflict();
      await writeTiles(size, leafHash(entry), storage);
    }
    size++;
    if (taken === null) break;
  }
  const nodes = tileNodes(size, (path) => storage.read(path));
  const next = await signedTree(size, await treeRoot(size, nodes), access.key, access.signer);
  await replaceCheckpoint(next.note, tree.size, access);
  await removeShorter(size, storage);
  return { ...next, nodes, index: size - 1 };
}

/** Removes the shorter forms of the last full tile of each level; those before it are gone. */
async function removeShorter(size: number, storage: LogStorage): Promise<void> {
  for (let level = 0, count = Math.floor(size / tileWidth); count > 0; level++, count = Math.floor(count / tileWidth))
    for (const kind of level === 0 ? (['entries', 0] as const) : [level])
      await storage.removeFolder?.(`${tilePath(kind, count - 1)}.p`);
}

/** The path of the bundle that ends with the entry at an index. */
function bundlePath(index: number): string {
  return tilePath('entries', Math.floor(index / tileWidth), (index % tileWidth) + 1);
}

/** Writes the tiles that the entry at an index changes: that of its level, and of each level above whose tile is full. */
async function writeTiles(index: number, leaf: Uint8Array, storage: LogStorage): Promise<void> {
  let hash = leaf;
  for (let level = 0, at = index; ; level++, at = Math.floor(at / tileWidth)) {
    const [tile, width] = [Math.floor(at / tileWidth), at % tileWidth];
    const before = width === 0 ? new Uint8Array(0) : await storage.read(tilePath(level, tile, width));
    if (before?.length !== width * hashBytes) throw damaged('one of its last tiles is missing');
    const bytes = new Uint8Array(before.length + hashBytes);
    bytes.set(before);
    bytes.set(hash, before.length);
    const path = tilePath(level, tile, width + 1);
    if (!(await storage.create(path, bytes)) && !equalBytes((await storage.read(path)) ?? hash, bytes))
      throw damaged(`${path} exists with other content`);
    if (width + 1 < tileWidth) return;
    const hashes = Array.from({ length: tileWidth }, (_, one) => bytes.slice(one * hashBytes, (one + 1) * hashBytes));
    hash = await treeRoot(tileWidth, nodesOf(hashes));
  }
}

async function signedTree(size: number, root: Uint8Array, key: NoteKey, signer: LogSigner): Promise<Omit<LogTree, 'nodes'>> {
  const text = writeCheckpoint({ origin: key.name, size, root });
  const signature = await signer.sign(utf8(text));
  if (signature.length !== 64) refuse('a signer must return 64 bytes');
  return { size, root, note: writeNote(text, [signatureLine(key, signature)]) };
}

function damaged(what: string, cause?: unknown): PortcullisError {
  const next =
    'copy the folder of the log back from where it is published; an older backup would sign a second history, which clients refuse for good';
  return new PortcullisError('INVALID_ARTIFACT', `the log is damaged: ${what}; ${next}`, { cause });
}
