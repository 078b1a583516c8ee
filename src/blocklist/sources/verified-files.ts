import { requireSum } from '../formats/shard-sums.js';

/** A file whose content never changes, because it is named by its SHA-256. */
export interface FileRef {
  readonly url: string;
  /** In hex. */
  readonly sha256: string;
  readonly maxBytes: number;
}

/**
 * The content of a file, fetched once for all questions at the same time and kept for later ones.
 *
 * @param check Throws unless the content has the right form. Called once for each download.
 */
export type VerifiedFiles = (file: FileRef, check: (bytes: Uint8Array) => void) => Promise<Uint8Array>;

/** All shards of 250,000 entries. */
const maxKeptBytes = 8 * 1024 * 1024;

export function createVerifiedFiles(fetchFile: (file: FileRef) => Promise<Uint8Array>): VerifiedFiles {
  /** By SHA-256, the least recently used first. */
  const kept = new Map<string, { readonly loading: Promise<Uint8Array>; byteLength: number }>();
  let total = 0;

  /** A file that is still loading has no length yet. */
  function evict(): void {
    for (const [sha256, { byteLength }] of kept) {
      if (total <= maxKeptBytes) return;
      if (byteLength === 0) continue;
      kept.delete(sha256);
      total -= byteLength;
    }
  }

  return (file, check) => {
    const { sha256 } = file;
    const known = kept.get(sha256);
    if (known !== undefined) {
      kept.delete(sha256);
      kept.set(sha256, known);
      return known.loading;
    }
    const loading = fetchFile(file).then((bytes) => {
      requireSum(bytes, sha256);
      check(bytes);
      added.byteLength = bytes.length;
      total += bytes.length;
      evict();
      return bytes;
    });
    const added = { loading, byteLength: 0 };
    kept.set(sha256, added);
    loading.catch(() => kept.delete(sha256));
    return loading;
  };
}
