import { createLogMonitor, type LoggedVersion, PortcullisError } from 'portcullis/publish';
import { countText, numberText } from '../playground/shown.js';

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

/** A line with first and last date and counts. */
export function growthWords(versions: readonly LoggedVersion[]): string {
  const shown = versions.flatMap(({ sequence, count }) =>
    sequence === undefined || count === undefined ? [] : [{ sequence, count }],
  );
  const others = versions.length - shown.length;
  const total = `${countText(versions.length, 'version')}${others === 0 ? '' : `, ${numberText(others)} of them not of a list`}`;
  const [first, last] = [shown[0], shown[shown.length - 1]];
  if (first === undefined || last === undefined) return total;
  const dateOf = (one: typeof first): string => new Date(one.sequence).toISOString().slice(0, 10);
  const at = (one: typeof first): string => `${countText(one.count, 'entry', 'entries')} on ${dateOf(one)}`;
  const most = shown.reduce((so, { count }) => Math.max(so, count), 0);
  return `${total}, from ${at(first)} to ${at(last)}, at most ${numberText(most)}`;
}

const width = 640;
const height = 160;

/**
 * Points of a line from the first version to the last, as SVG writes them. Of more versions than there are pixels, the least and the most of each
 * column are drawn, so that one that jumps is seen.
 */
export function pointsOf(counts: readonly number[]): string {
  const top = counts.reduce((most, count) => Math.max(most, count), 1);
  const columns = Math.min(width, Math.max(1, counts.length - 1));
  const shown: [column: number, count: number][] = [];
  const columnOf = (at: number): number => (counts.length === 1 ? 0 : Math.round((at / (counts.length - 1)) * columns));
  for (let at = 0; at < counts.length; ) {
    const column = columnOf(at);
    let [least, most] = [at, at];
    for (; at < counts.length && columnOf(at) === column; at++) {
      if (counts[at]! < counts[least]!) least = at;
      if (counts[at]! > counts[most]!) most = at;
    }
    for (const one of new Set([Math.min(least, most), Math.max(least, most)])) shown.push([column, counts[one]!]);
  }
  const across = width / columns;
  return shown
    .map(([column, count]) => `${Math.round(column * across)},${Math.round(height - (count / top) * height)}`)
    .join(' ');
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
