import { createHash, verify } from 'node:crypto';

/**
 * A second reader and writer of logs, after the texts of c2sp.org and RFC 6962 in their plainest form and with Node's own hashes, to compare
 * with. It takes nothing from `src/core/tlog`.
 */
const sha256 = (...parts: readonly (Uint8Array | string)[]): Buffer =>
  createHash('sha256')
    .update(Buffer.concat(parts.map((part) => Buffer.from(part as Uint8Array))))
    .digest();

export const leafOf = (entry: Uint8Array): Buffer => sha256('\0', entry);

/** RFC 6962 §2.1, recursively. */
export function rootOf(leaves: readonly Uint8Array[]): Buffer {
  if (leaves.length < 2) return leaves.length === 0 ? sha256('') : Buffer.from(leaves[0]!);
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return sha256('\x01', rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)));
}

/** RFC 6962 §2.1.1. */
export function pathOf(index: number, leaves: readonly Uint8Array[]): Buffer[] {
  if (leaves.length === 1) return [];
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return index < split
    ? [...pathOf(index, leaves.slice(0, split)), rootOf(leaves.slice(split))]
    : [...pathOf(index - split, leaves.slice(split)), rootOf(leaves.slice(0, split))];
}

const nameOf = (index: number, width: number): string => {
  const groups = [String(index % 1_000).padStart(3, '0')];
  for (let rest = Math.floor(index / 1_000); rest > 0; rest = Math.floor(rest / 1_000))
    groups.unshift(`x${String(rest % 1_000).padStart(3, '0')}`);
  return groups.join('/') + (width === 256 ? '' : `.p/${width}`);
};

const chunked = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / 256) }, (_, at) => all.slice(at * 256, at * 256 + 256));

/** Every tile and bundle that a checkpoint of these entries needs. */
export function filesOf(entries: readonly Uint8Array[]): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const [index, some] of chunked(entries).entries()) {
    const parts = some.flatMap((entry) => [Buffer.of(entry.length >> 8, entry.length & 255), Buffer.from(entry)]);
    files.set(`tile/entries/${nameOf(index, some.length)}`, Buffer.concat(parts));
  }
  let hashes = entries.map(leafOf);
  for (let level = 0; hashes.length > 0; level++) {
    const tiles = chunked(hashes);
    for (const [index, some] of tiles.entries()) files.set(`tile/${level}/${nameOf(index, some.length)}`, Buffer.concat(some));
    hashes = tiles.filter((some) => some.length === 256).map(rootOf);
  }
  return files;
}

interface ReadKey {
  readonly name: string;
  readonly id: Buffer;
  readonly type: number;
  readonly key: Buffer;
}

export function keyOf(vkey: string): ReadKey {
  const [, name = '', id = '', data = ''] = /^([^+]+)\+([^+]+)\+(.+)$/.exec(vkey) ?? [];
  const bytes = Buffer.from(data, 'base64');
  if (sha256(`${name}\n`, bytes).toString('hex', 0, 4) !== id) throw new Error('wrong key id');
  return { name, id: Buffer.from(id, 'hex'), type: bytes[0]!, key: bytes.subarray(1) };
}

/** @returns the checkpoint, and the names of those of the keys that have signed */
export function openNote(note: string, keys: readonly ReadKey[]) {
  const at = note.lastIndexOf('\n\n');
  const text = note.slice(0, at + 1);
  const [origin, size, root] = text.split('\n');
  const signedBy: string[] = [];
  for (const line of note.slice(at + 2, -1).split('\n')) {
    const [dash, name, data] = line.split(' ');
    const bytes = Buffer.from(data!, 'base64');
    if (dash !== '\u2014') throw new Error('no signature line');
    for (const { key, type, ...one } of keys) {
      if (one.name !== name || !one.id.equals(bytes.subarray(0, 4))) continue;
      const time = type === 4 ? `cosignature/v1\ntime ${bytes.readBigUInt64BE(4)}\n` : '';
      const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), key]);
      const isSigned = verify(
        null,
        Buffer.from(time + text),
        { key: der, format: 'der', type: 'spki' },
        bytes.subarray(type === 4 ? 12 : 4),
      );
      if (!isSigned) throw new Error(`wrong signature of ${name}`);
      signedBy.push(name);
    }
  }
  return { origin, size: Number(size), root: Buffer.from(root!, 'base64'), signedBy };
}

export function readProof(text: string) {
  const end = text.indexOf('\n\n');
  const [first, index, ...hashes] = text.slice(0, end).split('\n');
  if (first !== 'c2sp.org/tlog-proof@v1') throw new Error('another format');
  return {
    index: Number(index!.replace('index ', '')),
    hashes: hashes.map((hash) => Buffer.from(hash, 'base64')),
    note: text.slice(end + 2),
  };
}
