import type { ListFormat } from 'portcullis/publish';

/** The format that the name of a file decides; `auto` for most names. */
export function formatOfName(place: string): ListFormat {
  const name = place.replace(/[?#].*/s, '').toLowerCase();
  return name.endsWith('.csv') ? 'csv' : 'auto';
}

/** Whether a file is compressed with gzip. */
export function isGzipName(place: string): boolean {
  return /\.gz$/i.test(place);
}
