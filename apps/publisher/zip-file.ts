import type { ListFile } from 'portcullis/publish';

/** A field of an archive: its width in bytes and its value. */
type Field = readonly [width: 2 | 4, value: number];

/** Beyond these a ZIP file needs other records. A list has at most 4,096 shards and some twenty files. */
const maxFiles = 0xffff;
const maxBytes = 0xffff_ffff;

/** 2.0, with folders; nothing here is newer. */
const zipVersion = 20;

/**
 * A ZIP file with these files in a folder. They are stored as they are, because hashes cannot be compressed. The browser may keep the
 * parts of a blob on disk, so that a large list is not twice in memory.
 */
export function zipOf(folder: string, files: Iterable<Pick<ListFile, 'name' | 'bytes'>>, atMs: number): Blob {
  const time = dosTime(atMs);
  const parts: BlobPart[] = [];
  const directory: BlobPart[] = [];
  let count = 0;
  let offset = 0;
  let directoryBytes = 0;
  for (const { name, bytes } of files) {
    const path = new TextEncoder().encode(`${folder}/${name}`);
    const common: readonly Field[] = [
      [2, zipVersion],
      // Names in UTF-8; stored.
      ...([
        [2, 0x0800],
        [2, 0],
      ] as const),
      ...time,
      [4, crc32(bytes)],
      [4, bytes.length],
      [4, bytes.length],
      [2, path.length],
      [2, 0],
    ];
    const header = joined([[4, 0x0403_4b50], ...common]);
    const entry = joined([
      ...([
        [4, 0x0201_4b50],
        [2, zipVersion],
      ] as const),
      ...common,
      // No comment, one disk, no attributes.
      ...([
        [2, 0],
        [2, 0],
        [2, 0],
        [4, 0],
      ] as const),
      [4, offset],
    ]);
    parts.push(header, path, new Uint8Array(bytes));
    directory.push(entry, path);
    offset += header.length + path.length + bytes.length;
    directoryBytes += entry.length + path.length;
    if (++count > maxFiles || offset + directoryBytes > maxBytes) throw new RangeError('the list is too large for a ZIP file');
  }
  const end = joined([
    ...([
      [4, 0x0605_4b50],
      [2, 0],
      [2, 0],
    ] as const),
    [2, count],
    [2, count],
    [4, directoryBytes],
    [4, offset],
    [2, 0],
  ]);
  return new Blob([...parts, ...directory, end], { type: 'application/zip' });
}

function joined(fields: readonly Field[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(fields.reduce((sum, [width]) => sum + width, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [width, value] of fields) {
    if (width === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += width;
  }
  return bytes;
}

/** The format has no time zone; this is UTC, in steps of two seconds. */
function dosTime(ms: number): readonly Field[] {
  const date = new Date(ms);
  const clock = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  return [
    [2, clock],
    [2, day],
  ];
}

/** The reversed polynomial of ISO 3309, by byte. */
const remainders = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb8_8320 : rest >>> 1;
  return rest;
});

function crc32(bytes: Uint8Array): number {
  let sum = 0xffff_ffff;
  for (const byte of bytes) sum = remainders[(sum ^ byte) & 0xff]! ^ (sum >>> 8);
  return (sum ^ 0xffff_ffff) >>> 0;
}
