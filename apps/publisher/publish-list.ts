import {
  adviceFor,
  type BuildProgress,
  type BuildReport,
  buildList,
  type ListFile,
  type ListFormat,
  PortcullisError,
  type PublishedVersion,
  type RefusedEntry,
} from 'portcullis/publish';
import { isPublicSuffix } from '../shared/public-suffix.js';
import { placeOf } from '../shared/refusal-place.js';
import { type InputLimits, listTextOf } from './list-input.js';
import { zipOf } from './zip-file.js';

/** A list to publish. */
export interface PublishOrder {
  readonly file: Blob;
  readonly name: string;
  readonly format: ListFormat | undefined;
  /** The time of the list. */
  readonly nowMs: number;
  readonly limits?: InputLimits;
}

export type PublishStep = BuildProgress['step'] | 'write';

export interface PublishProgress {
  readonly step: PublishStep;
  readonly done: number;
  readonly total: number;
}

/** The refused lines with one reason. */
export interface RefusedGroup {
  readonly reason: RefusedEntry['reason'];
  readonly count: number;
  /** Where the first lines are. */
  readonly places: readonly string[];
  readonly advice: string;
}

export interface PublishResult {
  readonly report: BuildReport;
  readonly refused: readonly RefusedGroup[];
  readonly sizes: PublishedSizes;
  readonly version: PublishedVersion;
  /** The folder as a ZIP file; `null` if the list is empty. */
  readonly zip: Blob | null;
}

/** The folder in the archive. */
export const publishedFolder = 'published-list';

/** Lines that are named for each reason. */
const maxPlaces = 20;

/** Publishes a list as `portcullis publish` does into an empty folder: same input, same time, same bytes. */
export async function publishList(
  { file, nowMs, ...input }: PublishOrder,
  onProgress: (progress: PublishProgress) => void,
): Promise<PublishResult> {
  const onBytes = (done: number): void => onProgress({ step: 'read', done, total: file.size });
  const { files, report, version } = await buildList(listTextOf({ ...input, file, onBytes }), {
    isPublicSuffix,
    // The page shows why, and offers nothing to download.
    allowEmpty: true,
    now: () => nowMs,
    onProgress: ({ step, done, total = 0 }) => {
      // Reading counts bytes here, whose total is known.
      if (step !== 'read') onProgress({ step, done, total });
    },
  });
  const refused = refusedGroups(report);
  const meter = new SizeMeter();
  let written = 0;
  const reported = function* () {
    for (const one of meter.measured(files)) {
      onProgress({ step: 'write', done: ++written, total: files.count });
      yield one;
    }
  };
  try {
    const zip = zipOf(publishedFolder, reported(), nowMs);
    return { report, refused, sizes: meter.finish(), version, zip: report.listed === 0 ? null : zip };
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new PortcullisError('LIMIT_EXCEEDED', `${cause.message}; publish it with: portcullis publish`, { cause });
  }
}

function refusedGroups({ refused, refusedBy, formats }: BuildReport): readonly RefusedGroup[] {
  const [{ format } = { format: undefined }] = formats;
  const groups = Object.entries(refusedBy) as [RefusedEntry['reason'], number][];
  return groups.map(([reason, count]) => ({
    reason,
    count,
    places: refused
      .filter((entry) => entry.reason === reason)
      .slice(0, maxPlaces)
      .map((entry) => placeOf(entry) + (entry.host === undefined ? '' : ` (${entry.host})`)),
    advice: adviceFor(reason, format),
  }));
}

/** What a published list costs its host and its readers, in bytes. */
interface PublishedSizes {
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
class SizeMeter {
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
