import {
  adviceFor,
  type BuildProgress,
  type BuildReport,
  buildList,
  type ListFormat,
  PortcullisError,
  type PublishedVersion,
  type RefusedEntry,
} from 'portcullis/publish';
import { isPublicSuffix } from '../shared/public-suffix.js';
import { placeOf } from '../shared/refusal-place.js';
import { type InputLimits, listTextOf } from './list-input.js';
import { type PublishedSizes, SizeMeter } from './published-sizes.js';
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
  /** The first few of them. */
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

/** Of each reason. */
const maxPlaces = 20;

/** Publishes a list as `portcullis publish` does into an empty folder: same input, same time, same bytes. */
export async function publishList(
  { file, nowMs, ...input }: PublishOrder,
  onProgress: (progress: PublishProgress) => void,
): Promise<PublishResult> {
  const onBytes = (done: number): void => onProgress({ step: 'read', done, total: file.size });
  const { files, report, version } = await buildList(listTextOf({ ...input, file, onBytes }), {
    isPublicSuffix,
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
