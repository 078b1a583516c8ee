import { crc32 } from 'node:zlib';

/** The files of a ZIP archive of stored files, read from its directory as programs do (APPNOTE 4.3). Fails if any part disagrees with another. */
export function unzipped(archive: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.length);
  const u16 = (at: number): number => view.getUint16(at, true);
  const u32 = (at: number): number => view.getUint32(at, true);
  const require = (isSo: boolean, what: string): void => {
    if (!isSo) throw new Error(`malformed archive: ${what}`);
  };
  const end = archive.length - 22;
  require(u32(end) === 0x0605_4b50, 'no end record');
  const [count, size, start] = [u16(end + 10), u32(end + 12), u32(end + 16)];
  require(start + size === end, 'the directory does not reach the end record');
  const files = new Map<string, Uint8Array>();
  let at = start;
  for (let index = 0; index < count; index++) {
    require(u32(at) === 0x0201_4b50, 'no directory entry');
    const [method, sum, stored, length, nameLength] = [u16(at + 10), u32(at + 16), u32(at + 20), u32(at + 24), u16(at + 28)];
    require(method === 0 && stored === length, 'not stored');
    const name = new TextDecoder().decode(archive.subarray(at + 46, at + 46 + nameLength));
    const local = u32(at + 42);
    require(u32(local) === 0x0403_4b50 &&
      u32(local + 14) === sum &&
      u32(local + 22) === length, 'a header differs from its entry');
    const bytes = archive.subarray(local + 30 + u16(local + 26) + u16(local + 28)).subarray(0, length);
    require(crc32(bytes) === sum, `the checksum of ${name}`);
    require(!files.has(name), `${name} is there twice`);
    files.set(name, new Uint8Array(bytes));
    at += 46 + nameLength + u16(at + 30) + u16(at + 32);
  }
  require(at === end, 'more in the directory than it counts');
  return files;
}
