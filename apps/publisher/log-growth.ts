import { createLogMonitor, type LoggedVersion, PortcullisError } from 'portcullis/publish';

/** A log to show. */
export interface LogOrder {
  readonly key: string;
  /** The files of its folder, by their path in it. */
  readonly files: ReadonlyMap<string, Blob>;
}

/** The files of a chosen folder, without the name of the folder itself. The log may be inside, as it is in the folder of a list. */
export function logFilesOf(files: Iterable<File>): ReadonlyMap<string, Blob> {
  const paths = [...files].map((file) => [file.webkitRelativePath.split('/').slice(1).join('/'), file] as const);
  const inside = paths.some(([path]) => path === 'log/checkpoint') ? 'log/' : '';
  return new Map(paths.flatMap(([path, file]) => (path.startsWith(inside) ? [[path.slice(inside.length), file] as const] : [])));
}

/** The versions of a log, once all of it is verified. */
export async function versionsIn({ key, files }: LogOrder): Promise<readonly LoggedVersion[]> {
  const read = async (path: string, maxBytes: number): Promise<Uint8Array | null> => {
    const file = files.get(path);
    if (file === undefined) return null;
    if (file.size > maxBytes) throw new PortcullisError('LIMIT_EXCEEDED', `${path} is larger than ${maxBytes} bytes`);
    return new Uint8Array(await file.arrayBuffer());
  };
  return (await createLogMonitor({ key, read }).read()).versions;
}

const width = 640;
const height = 160;

/** Points of a line from the first version to the last, as SVG writes them. More than there are pixels are thinned out. */
function pointsOf(counts: readonly number[]): string {
  const step = Math.max(1, Math.ceil(counts.length / width));
  const shown = counts.filter((_, at) => at % step === 0 || at === counts.length - 1);
  const top = Math.max(1, ...shown);
  const across = shown.length === 1 ? 0 : width / (shown.length - 1);
  return shown.map((count, at) => `${Math.round(at * across)},${Math.round(height - (count / top) * height)}`).join(' ');
}

/** A picture of how the entries grew. */
export function growthPicture(counts: readonly number[], words: string): SVGElement {
  const make = (name: string, attributes: Readonly<Record<string, string>>): SVGElement => {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
    return made;
  };
  const picture = make('svg', { viewBox: `-4 -4 ${width + 8} ${height + 8}`, role: 'img', 'aria-label': words, class: 'growth' });
  const points = pointsOf(counts);
  // A single version is a point.
  picture.append(make('polyline', { points: points.includes(' ') ? points : `${points} ${width},${points.split(',')[1]}` }));
  return picture;
}
