import type { ListFile } from 'portcullis/publish';

/** What a published list costs its host and its readers, in bytes. */
export interface PublishedSizes {
  readonly files: number;
  readonly total: number;
  /** Version document, snapshot and recent feed. */
  readonly firstSync: number;
  /** The version document, when nothing has changed. */
  readonly laterSync: number;
  /** At most, for a hit: the file with its full hashes, and the sums that verify it. */
  readonly hit: number;
}

/** Passes files on and measures them. */
export class SizeMeter {
  private files = 0;
  private total = 0;
  private version = 0;
  private artifacts = 0;
  private largestShard = 0;
  /** One file of sums, or one for each group and one that covers the groups. */
  private readonly sums: number[] = [];

  *measured(files: Iterable<ListFile>): Generator<ListFile> {
    for (const file of files) {
      const { name, bytes } = file;
      this.files++;
      this.total += bytes.length;
      if (name === 'version.json') this.version = bytes.length;
      else if (name.startsWith('confirm/')) this.largestShard = Math.max(this.largestShard, bytes.length);
      else if (name.startsWith('sums-')) this.sums.push(bytes.length);
      else this.artifacts += bytes.length;
      yield file;
    }
  }

  finish(): PublishedSizes {
    const { files, total, version, artifacts, largestShard, sums } = this;
    // A reader fetches the sums of one group, and the sums of the groups.
    const covering = sums.length > 1 ? sums.at(-1)! : 0;
    const hit = largestShard + Math.max(...sums.slice(0, sums.length > 1 ? -1 : 1)) + covering;
    return { files, total, firstSync: version + artifacts, laterSync: version, hit };
  }
}
