import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCheckpoint } from '../../../src/core/tlog/checkpoint.js';
import { readLogProof, writeLogProof } from '../../../src/core/tlog/log-proof.js';
import {
  consistencyProof,
  inclusionProof,
  leafHash,
  nodeHash,
  nodesOf,
  type ReadNode,
  treeRoot,
  verifyConsistency,
  verifyInclusion,
} from '../../../src/core/tlog/merkle.js';
import { readNote } from '../../../src/core/tlog/note.js';
import { readBundle, tileNodes, tilePath, tilesOf, writeBundle } from '../../../src/core/tlog/tiles.js';
import { anyString } from '../../support/arbitraries.js';

/** RFC 6962 §2.1, word by word, on arrays: the second implementation. */
const slow = {
  root(entries: readonly Buffer[]): Buffer {
    if (entries.length === 0) return createHash('sha256').digest();
    if (entries.length === 1) return createHash('sha256').update('\0').update(entries[0]!).digest();
    const k = slow.split(entries.length);
    return createHash('sha256')
      .update('\x01')
      .update(slow.root(entries.slice(0, k)))
      .update(slow.root(entries.slice(k)))
      .digest();
  },
  split: (n: number): number => 2 ** (Math.ceil(Math.log2(n)) - 1),
  path(m: number, entries: readonly Buffer[]): Buffer[] {
    if (entries.length === 1) return [];
    const k = slow.split(entries.length);
    return m < k
      ? [...slow.path(m, entries.slice(0, k)), slow.root(entries.slice(k))]
      : [...slow.path(m - k, entries.slice(k)), slow.root(entries.slice(0, k))];
  },
  subproof(m: number, entries: readonly Buffer[], b: boolean): Buffer[] {
    if (m === entries.length) return b ? [] : [slow.root(entries)];
    const k = slow.split(entries.length);
    return m <= k
      ? [...slow.subproof(m, entries.slice(0, k), b), slow.root(entries.slice(k))]
      : [...slow.subproof(m - k, entries.slice(k), false), slow.root(entries.slice(0, k))];
  },
};

const entriesOf = (size: number): Buffer[] => Array.from({ length: size }, (_, at) => Buffer.from(`entry ${at}`));
const plain = (bytes: readonly Uint8Array[]): string[] => bytes.map((one) => Buffer.from(one).toString('hex'));
const size = fc.integer({ min: 1, max: 70 });

test('roots and both proofs are those of the RFC’s own recursion, and verify', async () => {
  await fc.assert(
    fc.asyncProperty(size, fc.nat(), fc.nat(), async (n, a, b) => {
      const entries = entriesOf(n);
      const read = nodesOf(entries.map(leafHash));
      const root = await treeRoot(n, read);
      expect(plain([root])).toEqual(plain([slow.root(entries)]));
      const index = a % n;
      const inclusion = await inclusionProof(index, n, read);
      expect(plain(inclusion)).toEqual(plain(slow.path(index, entries)));
      expect(verifyInclusion(leafHash(entries[index]!), index, n, inclusion, root)).toBe(true);
      const m = b % (n + 1);
      const consistency = await consistencyProof(m, n, read);
      if (m > 0) expect(plain(consistency)).toEqual(plain(slow.subproof(m, entries, true)));
      expect(verifyConsistency(m, slow.root(entries.slice(0, m)), n, root, consistency)).toBe(true);
    }),
  );
});

test('a proof that was shortened, lengthened, reordered or changed, or is about another place or size, is refused', async () => {
  const change = fc.record({ at: fc.nat(), how: fc.constantFrom('drop', 'repeat', 'flip', 'swap', 'move') });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 2, max: 70 }), fc.nat(), change, async (n, a, { at, how }) => {
      const entries = entriesOf(n);
      const read = nodesOf(entries.map(leafHash));
      const root = await treeRoot(n, read);
      const broken = (proof: readonly Uint8Array[]): Uint8Array[] => {
        const copy = proof.map((hash) => hash.slice());
        const place = at % Math.max(1, copy.length);
        if (how === 'drop') copy.splice(place, 1);
        else if (how === 'repeat') copy.splice(place, 0, (copy[place] ?? root).slice());
        else if (how === 'flip' && copy.length > 0) copy[place]![at % 32]! ^= 1;
        else if (how === 'swap') copy.reverse();
        return copy;
      };
      const index = a % n;
      const inclusion = await inclusionProof(index, n, read);
      const leaf = leafHash(entries[index]!);
      if (how === 'move') expect(verifyInclusion(leaf, (index + 1 + (at % (n - 1))) % n, n, inclusion, root)).toBe(false);
      const wrong = broken(inclusion);
      if (plain(wrong).join() !== plain(inclusion).join()) expect(verifyInclusion(leaf, index, n, wrong, root)).toBe(false);
      const m = 1 + (a % (n - 1));
      const old = slow.root(entries.slice(0, m));
      const consistency = await consistencyProof(m, n, read);
      const other = broken(consistency);
      if (plain(other).join() !== plain(consistency).join()) expect(verifyConsistency(m, old, n, root, other)).toBe(false);
      // Another history of the same length.
      const forked = slow.root([...entries.slice(0, m - 1), Buffer.from('another')]);
      expect(verifyConsistency(m, forked, n, root, consistency)).toBe(false);
    }),
  );
});

test('tiles give the same nodes as the entries, whatever of an older tree they replace', async () => {
  const sizes = fc.oneof(fc.integer({ min: 1, max: 600 }), fc.constantFrom(255, 256, 257, 511, 512, 513));
  await fc.assert(
    fc.asyncProperty(sizes, sizes, fc.nat(), async (a, b, seed) => {
      const [before, after] = a < b ? [a, b] : [b, a];
      const leaves = entriesOf(after).map(leafHash);
      const read = nodesOf(leaves);
      const files = new Map<string, Uint8Array>();
      const write = async (upTo: number, from: number): Promise<void> => {
        for (const { level, index, width } of tilesOf(upTo, from)) {
          const nodes = await Promise.all(Array.from({ length: width }, (_, at) => read(8 * level, 256 * index + at)));
          files.set(tilePath(level, index, width), new Uint8Array(Buffer.concat(nodes)));
        }
      };
      await write(before, 0);
      await write(after, before);
      // Partial tiles of an older tree may be gone once the full ones exist.
      if (seed % 2 === 0)
        for (const path of files.keys()) if (files.has(path.replace(/\.p\/\d+$/, '')) && path.includes('.p/')) files.delete(path);
      const fetchTile = async (path: string): Promise<Uint8Array | null> => files.get(path) ?? null;
      const tiled = tileNodes(after, fetchTile);
      const root = await treeRoot(after, read);
      expect(await treeRoot(after, tiled)).toEqual(root);
      const index = seed % after;
      expect(await inclusionProof(index, after, tiled)).toEqual(await inclusionProof(index, after, read));
      const proof = await consistencyProof(before, after, tiled);
      expect(verifyConsistency(before, await treeRoot(before, tileNodes(before, fetchTile)), after, root, proof)).toBe(true);
    }),
    { numRuns: 40 },
  );
});

test('a full tile with a changed byte gives no node, whichever of its nodes is read', async () => {
  const entries = entriesOf(1_100).map(leafHash);
  const read = nodesOf(entries);
  const files = new Map<string, Uint8Array>();
  for (const { level, index, width } of tilesOf(entries.length)) {
    const nodes = await Promise.all(Array.from({ length: width }, (_, at) => read(8 * level, 256 * index + at)));
    files.set(tilePath(level, index, width), new Uint8Array(Buffer.concat(nodes)));
  }
  await fc.assert(
    fc.asyncProperty(
      fc.nat(3),
      fc.nat(8_191),
      fc.integer({ min: 1, max: 255 }),
      fc.nat(7),
      fc.nat(),
      async (tile, at, flip, level, seed) => {
        const path = tilePath(0, tile);
        const changed = files.get(path)!.slice();
        changed[at]! ^= flip;
        const tiled = tileNodes(entries.length, async (one) => (one === path ? changed : (files.get(one) ?? null)));
        const index = tile * 2 ** (8 - level) + (seed % 2 ** (8 - level));
        await expect(Promise.resolve(tiled(level, index))).rejects.toMatchObject({ code: 'LOG_PROOF_INVALID' });
      },
    ),
  );
});

/** A tree too large to make: every leaf is the same. */
const uniform = (size: number): { read: ReadNode; leaf: Uint8Array } => {
  const leaf = leafHash(new Uint8Array(0));
  const levels = [leaf];
  const read: ReadNode = (level, index) => {
    if ((index + 1) * 2 ** level > size) throw new Error('no such node');
    while (levels.length <= level) levels.push(nodeHash(levels[levels.length - 1]!, levels[levels.length - 1]!));
    return levels[level]!;
  };
  return { read, leaf };
};

test('sizes beyond 2^31 and 2^32 make and pass proofs', async () => {
  const large = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER - 1 });
  await fc.assert(
    fc.asyncProperty(large, large, large, async (a, b, c) => {
      const [m, n] = a < b ? [a + 1, b] : [b + 1, a + 1];
      if (m > n) return;
      const { read, leaf } = uniform(n);
      const index = c % n;
      const root = await treeRoot(n, read);
      const inclusion = await inclusionProof(index, n, read);
      expect(inclusion.length).toBeLessThanOrEqual(53);
      expect(verifyInclusion(leaf, index, n, inclusion, root)).toBe(true);
      // The only entry of a tree needs no proof.
      if (n > 1) expect(verifyInclusion(leaf, index, n, inclusion.slice(1), root)).toBe(false);
      const proof = await consistencyProof(m, n, read);
      expect(verifyConsistency(m, await treeRoot(m, read), n, root, proof)).toBe(true);
      expect(readCheckpoint(`o\n${n}\n${Buffer.from(root).toString('base64')}\n`)?.size).toBe(n);
    }),
    { numRuns: 50 },
  );
});

test('what is read is what was written, and any text is read or refused', () => {
  const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.array(hash, { maxLength: 53 }), anyString, (index, hashes, checkpoint) => {
      expect(readLogProof(writeLogProof({ index, hashes, checkpoint }))).toEqual({ index, hashes, checkpoint });
      expect(() => [readLogProof(checkpoint), readNote(checkpoint), readCheckpoint(checkpoint)]).not.toThrow();
    }),
  );
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 }), fc.nat(3), (entries, cut) => {
      const bytes = writeBundle(entries);
      expect(readBundle(bytes, entries.length)).toEqual(entries);
      expect(readBundle(bytes, entries.length + 1)).toBeNull();
      if (cut > 0 && entries.length > 0) expect(readBundle(bytes.subarray(0, bytes.length - cut), entries.length)).toBeNull();
    }),
  );
});
