import type { ListFile } from 'portcullis/publish';

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
    const sizes = u32(crc32(bytes), bytes.length, bytes.length);
    // Names in UTF-8; stored; without extra fields.
    const common = [...u16(zipVersion, 0x0800, 0), ...time, ...sizes, ...u16(path.length, 0)];
    const header = Uint8Array.of(...u32(0x0403_4b50), ...common);
    // No comment, one disk, no attributes.
    const rest = [...u16(0, 0, 0), ...u32(0, offset)];
    const entry = Uint8Array.of(...u32(0x0201_4b50), ...u16(zipVersion), ...common, ...rest);
    parts.push(header, path, new Uint8Array(bytes));
    directory.push(entry, path);
    offset += header.length + path.length + bytes.length;
    directoryBytes += entry.length + path.length;
    if (++count > maxFiles || offset + directoryBytes > maxBytes) throw new RangeError('the list is too large for a ZIP file');
  }
  const end = Uint8Array.of(...u32(0x0605_4b50), ...u16(0, 0, count, count), ...u32(directoryBytes, offset), ...u16(0));
  return new Blob([...parts, ...directory, end], { type: 'application/zip' });
}

/** Numbers as the format has them, the lowest byte first. */
const u16 = (...values: readonly number[]): number[] => values.flatMap((value) => [value & 0xff, (value >>> 8) & 0xff]);
const u32 = (...values: readonly number[]): number[] => values.flatMap((value) => u16(value & 0xffff, value >>> 16));

/** The format has no time zone; this is UTC, in steps of two seconds. */
function dosTime(ms: number): readonly number[] {
  const date = new Date(ms);
  const clock = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  return u16(clock, day);
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
