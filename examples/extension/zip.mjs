import { crc32 } from 'node:zlib';

/** 1 January 1980, the first day that the format knows: the time of a build would change the bytes. */
const date = 0x21;
const version = 20;
const namesAreUtf8 = 0x800;

/**
 * A zip of these files, uncompressed: what zlib makes of the same bytes differs between its versions, and the stores compress packages
 * themselves. The layout is that of APPNOTE.TXT, 4.3.7, 4.3.12 and 4.3.16: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 *
 * @param files names and bytes
 */
export function zip(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [path, bytes] of [...files].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const name = Buffer.from(path);
    const about = fields(
      'hhhhhwwwhh',
      version,
      namesAreUtf8,
      0,
      0,
      date,
      crc32(bytes),
      bytes.length,
      bytes.length,
      name.length,
      0,
    );
    const entry = [fields('w', 0x04034b50), about, name, bytes];
    directory.push(fields('wh', 0x02014b50, version), about, fields('hhhww', 0, 0, 0, 0, offset), name);
    parts.push(...entry);
    offset += lengthOf(entry);
  }
  const end = fields('whhhhwwh', 0x06054b50, 0, 0, files.size, files.size, lengthOf(directory), offset, 0);
  return Buffer.concat([...parts, ...directory, end]);
}

const lengthOf = (buffers) => buffers.reduce((sum, { length }) => sum + length, 0);

/** Numbers of two (`h`) and four (`w`) bytes. */
function fields(kinds, ...values) {
  return Buffer.concat(
    values.map((value, at) => {
      const bytes = Buffer.alloc(kinds[at] === 'h' ? 2 : 4);
      bytes.writeUIntLE(value, 0, bytes.length);
      return bytes;
    }),
  );
}
