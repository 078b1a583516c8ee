import { equalBytes } from '../bytes.js';
import { sha256 } from '../hashing/sha256.js';

/**
 * The Merkle tree of RFC 6962, and the checks of RFC 9162 §2.1.3.2 and §2.1.4.2. A tree of more than one leaf splits at the largest power
 * of two below its size. Sizes may pass 2^31, so that nothing here uses bit operations.
 */

export const hashBytes = 32;

export function leafHash(entry: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(1 + entry.length);
  bytes.set(entry, 1);
  return sha256(bytes);
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(1 + 2 * hashBytes);
  bytes[0] = 1;
  bytes.set(left, 1);
  bytes.set(right, 1 + hashBytes);
  return sha256(bytes);
}

/** The root of a tree without leaves. */
export function emptyRoot(): Uint8Array {
  return sha256(new Uint8Array(0));
}

/** The hash of the complete subtree with 2^level leaves whose first leaf is index · 2^level. */
export type ReadNode = (level: number, index: number) => Uint8Array | Promise<Uint8Array>;

/** Reads the nodes of a tree in memory. */
export function nodesOf(leafHashes: readonly Uint8Array[]): ReadNode {
  const levels: Uint8Array[][] = [[...leafHashes]];
  return (level, index) => {
    while (levels.length <= level) {
      const below = levels[levels.length - 1]!;
      const pairs = Math.floor(below.length / 2);
      levels.push(Array.from({ length: pairs }, (_, at) => nodeHash(below[2 * at]!, below[2 * at + 1]!)));
    }
    return levels[level]![index]!;
  };
}

export async function treeRoot(size: number, read: ReadNode): Promise<Uint8Array> {
  return size === 0 ? emptyRoot() : rangeRoot(0, size, read);
}

/** The hashes that lead from a leaf to the root, its sibling first. */
export async function inclusionProof(index: number, size: number, read: ReadNode): Promise<Uint8Array[]> {
  const path = (start: number, end: number): (Promise<Uint8Array> | Uint8Array)[] => {
    if (end - start === 1) return [];
    const middle = start + splitOf(end - start);
    return index < middle
      ? [...path(start, middle), rangeRoot(middle, end, read)]
      : [...path(middle, end), rangeRoot(start, middle, read)];
  };
  return Promise.all(path(0, size));
}

/** The hashes that show that a tree begins with the leaves of a smaller one. */
export async function consistencyProof(oldSize: number, newSize: number, read: ReadNode): Promise<Uint8Array[]> {
  const path = (start: number, end: number, isOldRoot: boolean): (Promise<Uint8Array> | Uint8Array)[] => {
    if (oldSize === end) return isOldRoot ? [] : [rangeRoot(start, end, read)];
    const middle = start + splitOf(end - start);
    return oldSize <= middle
      ? [...path(start, middle, isOldRoot), rangeRoot(middle, end, read)]
      : [...path(middle, end, false), rangeRoot(start, middle, read)];
  };
  return oldSize === 0 ? [] : Promise.all(path(0, newSize, true));
}

export function verifyInclusion(
  leaf: Uint8Array,
  index: number,
  size: number,
  proof: readonly Uint8Array[],
  root: Uint8Array,
): boolean {
  if (!(index >= 0 && index < size)) return false;
  const climb = climber(index, size);
  let hash = leaf;
  for (const other of proof) {
    const side = climb.next();
    if (side === null) return false;
    hash = side === 'left' ? nodeHash(other, hash) : nodeHash(hash, other);
  }
  return climb.isAtTop() && equalBytes(hash, root);
}

export function verifyConsistency(
  oldSize: number,
  oldRoot: Uint8Array,
  newSize: number,
  newRoot: Uint8Array,
  proof: readonly Uint8Array[],
): boolean {
  if (!(oldSize >= 0 && oldSize <= newSize)) return false;
  if (oldSize === newSize) return proof.length === 0 && equalBytes(oldRoot, newRoot);
  if (oldSize === 0) return proof.length === 0 && equalBytes(oldRoot, emptyRoot());
  const hashes = isPowerOfTwo(oldSize) ? [oldRoot, ...proof] : proof;
  const [first, ...others] = hashes;
  if (first === undefined) return false;
  const climb = climber(oldSize - 1, newSize);
  climb.skipRight();
  let oldHash = first;
  let newHash = first;
  for (const other of others) {
    const side = climb.next();
    if (side === null) return false;
    if (side === 'left') oldHash = nodeHash(other, oldHash);
    newHash = side === 'left' ? nodeHash(other, newHash) : nodeHash(newHash, other);
  }
  return climb.isAtTop() && equalBytes(oldHash, oldRoot) && equalBytes(newHash, newRoot);
}

interface Climber {
  /** On which side the next hash of a proof is; `null` above the root. */
  next(): 'left' | 'right' | null;
  isAtTop(): boolean;
  /** Goes up while the node is a right child. */
  skipRight(): void;
}

/** Climbs from a leaf to the root. */
function climber(index: number, size: number): Climber {
  let at = index;
  let last = size - 1;
  const halve = (): void => {
    at = Math.floor(at / 2);
    last = Math.floor(last / 2);
  };
  return {
    next() {
      if (last === 0) return null;
      const isLeft = at % 2 === 1 || at === last;
      // The last node of a level may have no sibling until some levels above.
      if (isLeft) while (at % 2 === 0 && at !== 0) halve();
      halve();
      return isLeft ? 'left' : 'right';
    },
    isAtTop: () => last === 0,
    skipRight() {
      while (at % 2 === 1) halve();
    },
  };
}

/** The root of the leaves from `start` to before `end`, where `start` is a multiple of the largest power of two up to their number. */
async function rangeRoot(start: number, end: number, read: ReadNode): Promise<Uint8Array> {
  const count = end - start;
  if (isPowerOfTwo(count)) return read(Math.round(Math.log2(count)), start / count);
  const middle = start + splitOf(count);
  const [left, right] = await Promise.all([rangeRoot(start, middle, read), rangeRoot(middle, end, read)]);
  return nodeHash(left, right);
}

/** The largest power of two below a number of at least two. */
function splitOf(count: number): number {
  let power = 1;
  while (2 * power < count) power *= 2;
  return power;
}

function isPowerOfTwo(count: number): boolean {
  return count === 1 || 2 * splitOf(count) === count;
}
