import { equalBytes } from '../bytes.js';
import { PortcullisError } from '../errors.js';
import { hashBytes, nodeHash, type ReadNode } from './merkle.js';

/** The files of a log (c2sp.org/tlog-tiles): 256 hashes of one level, or 256 entries. */
export const tileWidth = 256;

const levelsPerTile = 8;

/** The largest entry that a bundle can hold: its length has two bytes. */
export const maxEntryBytes = 65_535;

/** The largest bundle: that many of the largest entries. */
export const maxBundleBytes: number = tileWidth * (2 + maxEntryBytes);

export const maxTileBytes: number = tileWidth * hashBytes;

export interface Tile {
  readonly level: number;
  readonly index: number;
  /** How many hashes it has: 256 if it is full. */
  readonly width: number;
}

/** The path of a tile or a bundle in the log's folder. */
export function tilePath(level: number | 'entries', index: number, width: number = tileWidth): string {
  const groups = String(index)
    .padStart(3 * Math.ceil(String(index).length / 3), '0')
    .match(/\d{3}/g)!;
  const name = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/');
  return `tile/${level}/${name}${width === tileWidth ? '' : `.p/${width}`}`;
}

/** The tiles of a tree of `size` that one of `before` lacks, the lower levels first. The bundles are those of level 0. */
export function tilesOf(size: number, before = 0): Tile[] {
  const tiles: Tile[] = [];
  for (let level = 0; hashesAt(level, size) > 0; level++) {
    const count = hashesAt(level, size);
    const old = hashesAt(level, before);
    if (count === old) continue;
    for (let index = Math.floor(old / tileWidth); index * tileWidth < count; index++)
      tiles.push({ level, index, width: Math.min(tileWidth, count - index * tileWidth) });
  }
  return tiles;
}

function hashesAt(level: number, size: number): number {
  return Math.floor(size / tileWidth ** level);
}

/**
 * Reads the nodes of a tree of `size` from its tiles. Each full tile is compared with the one above it; the others are proven by `treeRoot`
 * of this size, to which all of their hashes belong.
 *
 * @param fetchTile The file at a path in the log's folder; `null` if there is none.
 * @throws PortcullisError `LOG_PROOF_MISSING`, `LOG_PROOF_INVALID`, and whatever `fetchTile` throws
 */
export function tileNodes(size: number, fetchTile: (path: string) => Promise<Uint8Array | null>): ReadNode {
  const loading = new Map<string, Promise<Uint8Array>>();

  async function load(level: number, index: number): Promise<Uint8Array> {
    const width = Math.min(tileWidth, hashesAt(level, size) - index * tileWidth);
    // A partial tile may be deleted once the full one exists.
    const bytes =
      (await fetchTile(tilePath(level, index, width))) ?? (width === tileWidth ? null : await fetchTile(tilePath(level, index)));
    if (bytes === null) throw new PortcullisError('LOG_PROOF_MISSING', `the log lacks ${tilePath(level, index, width)}`);
    const isSound =
      width < tileWidth
        ? bytes.length === width * hashBytes || bytes.length === maxTileBytes
        : bytes.length === maxTileBytes &&
          equalBytes(subtree(bytes, 0, tileWidth), await node(levelsPerTile * (level + 1), index));
    if (!isSound)
      throw new PortcullisError('LOG_PROOF_INVALID', `${tilePath(level, index, width)} of the log does not belong to its tree`);
    return bytes;
  }

  async function node(level: number, index: number): Promise<Uint8Array> {
    const tileLevel = Math.floor(level / levelsPerTile);
    const count = 2 ** (level % levelsPerTile);
    const first = index * count;
    const tile = Math.floor(first / tileWidth);
    const name = tilePath(tileLevel, tile);
    const bytes = loading.get(name) ?? load(tileLevel, tile);
    if (bytes instanceof Promise) loading.set(name, bytes);
    return subtree(await bytes, first % tileWidth, count);
  }

  return node;
}

function subtree(tile: Uint8Array, at: number, count: number): Uint8Array {
  if (count === 1) return tile.slice(at * hashBytes, (at + 1) * hashBytes);
  return nodeHash(subtree(tile, at, count / 2), subtree(tile, at + count / 2, count / 2));
}

/** Entries, each after its length. */
export function writeBundle(entries: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(entries.reduce((sum, { length }) => sum + 2 + length, 0));
  let at = 0;
  for (const entry of entries) {
    bytes[at] = entry.length >>> 8;
    bytes[at + 1] = entry.length;
    bytes.set(entry, at + 2);
    at += 2 + entry.length;
  }
  return bytes;
}

/** The first entries of a bundle, as views; `null` if it has fewer, or trailing bytes that are no entry. */
export function readBundle(bytes: Uint8Array, count: number): Uint8Array[] | null {
  const entries: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 2 + bytes[at]! * 256 + (bytes[at + 1] ?? Number.NaN);
    if (!(end <= bytes.length)) return null;
    entries.push(bytes.subarray(at + 2, end));
    at = end;
  }
  return entries.length < count ? null : entries.slice(0, count);
}
