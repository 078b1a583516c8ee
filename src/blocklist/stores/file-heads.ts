import { join } from 'node:path';
import { hasCode } from '../../core/errors.js';
import type { StoreHead } from '../model/store.js';
import { headFile, headOf } from './file-names.js';
import { codeOf, type FileSystem, filesIn, readBytes, syncFolder, writeAside } from './file-system.js';

const returnedHeads = 2;

/**
 * Heads left in the folder. A writer that was delayed between reading the newest sequence and linking may find its number free
 * because that head was removed; it then sees that the newest is this far ahead, and has lost. Few enough to list, and more than
 * others can commit, each with two syncs, between a winner's link and its check. Eight were too few for three processes on two busy
 * cores.
 */
const keptHeads = 32;

/** Attempts to read heads that newer ones replace meanwhile. */
const maxReads = 10;

const nothing = new Uint8Array();

/** No head is empty: its reader reports the damage, and reads the head before it. */
function orDamaged(error: unknown): Uint8Array {
  if (hasCode(error, 'INVALID_ARTIFACT')) return nothing;
  throw error;
}

export interface FileHeads {
  /** The heads of a name, newest first. */
  read(name: string): Promise<StoreHead[]>;
  commit(name: string, bytes: Uint8Array, expectedSequence: number): Promise<boolean>;
  /** The newest sequence of every name. */
  newest(): Promise<Map<string, number>>;
}

/** The heads in a folder. A head is linked to the number after the newest, which fails if another process was first. */
export function fileHeads(fs: FileSystem, directory: string): FileHeads {
  const pathOf = (name: string, sequence: number): string => join(directory, headFile(name, sequence));
  const remove = (path: string): Promise<void> => fs.unlink(path).catch(() => {});

  async function sequencesOf(name: string): Promise<number[]> {
    const sequences: number[] = [];
    for (const file of await filesIn(fs, directory)) {
      const head = headOf(file);
      if (head?.name === name) sequences.push(head.sequence);
    }
    return sequences.sort((a, b) => b - a);
  }

  return {
    async read(name) {
      for (let reads = 1; ; reads++) {
        const heads: StoreHead[] = [];
        const sequences = (await sequencesOf(name)).slice(0, returnedHeads);
        for (const sequence of sequences) {
          const bytes = await readBytes(fs, pathOf(name, sequence)).catch(orDamaged);
          if (bytes !== null) heads.push({ sequence, bytes });
        }
        if (heads.length === sequences.length || reads === maxReads) return heads;
      }
    },
    async commit(name, bytes, expectedSequence) {
      const newest = (await sequencesOf(name))[0] ?? 0;
      if (newest !== expectedSequence) return false;
      const sequence = expectedSequence + 1;
      const path = pathOf(name, sequence);
      try {
        await writeAside(fs, directory, bytes, (aside) => fs.link(aside, path).finally(() => remove(aside)));
      } catch (error) {
        if (codeOf(error) === 'EEXIST') return false;
        throw error;
      }
      // Checked before the slow sync; see `keptHeads`.
      const sequences = await sequencesOf(name);
      if (sequences[0]! >= sequence + keptHeads) {
        await remove(path);
        return false;
      }
      await syncFolder(fs, directory);
      for (const old of sequences.slice(keptHeads)) await remove(pathOf(name, old));
      return true;
    },
    async newest() {
      const newest = new Map<string, number>();
      for (const file of await filesIn(fs, directory)) {
        const head = headOf(file);
        if (head !== null && head.sequence > (newest.get(head.name) ?? 0)) newest.set(head.name, head.sequence);
      }
      return newest;
    },
  };
}
