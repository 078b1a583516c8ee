import { writeCheckpoint } from '../../src/core/tlog/checkpoint.js';
import { writeLogProof } from '../../src/core/tlog/log-proof.js';
import { inclusionProof, leafHash, nodesOf, treeRoot } from '../../src/core/tlog/merkle.js';
import { writeNote } from '../../src/core/tlog/note.js';
import { tilePath, tilesOf } from '../../src/core/tlog/tiles.js';
import type { NoteSigner } from './note-keys.js';

/** The signed bytes of the version document in a folder. */
export function payloadOf(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const version = JSON.parse(Buffer.from(files.get('version.json')!).toString()) as { signed: { payload: string } };
  return new Uint8Array(Buffer.from(version.signed.payload, 'base64'));
}

/** A log in memory that does whatever it is told, unlike that of a publisher: any entries, any signatures. */
export class TestLog {
  readonly log: NoteSigner;

  constructor(log: NoteSigner) {
    this.log = log;
  }

  /** A checkpoint of these entries, with the signatures of the log and of others. */
  async checkpoint(entries: readonly Uint8Array[], cosigners: readonly NoteSigner[] = []): Promise<string> {
    const root = await treeRoot(entries.length, nodesOf(entries.map(leafHash)));
    const text = writeCheckpoint({ origin: this.log.key.name, size: entries.length, root });
    return writeNote(
      text,
      [this.log, ...cosigners].map((signer) => signer.sign(text)),
    );
  }

  /** `version.proof` of an entry. */
  async proof(entries: readonly Uint8Array[], index: number, cosigners: readonly NoteSigner[] = []): Promise<Uint8Array> {
    const hashes = await inclusionProof(index, entries.length, nodesOf(entries.map(leafHash)));
    return Buffer.from(writeLogProof({ index, hashes, checkpoint: await this.checkpoint(entries, cosigners) }));
  }

  /** The hash tiles. */
  async tiles(entries: readonly Uint8Array[]): Promise<Map<string, Uint8Array>> {
    const read = nodesOf(entries.map(leafHash));
    const files = new Map<string, Uint8Array>();
    for (let size = 1; size <= entries.length; size++)
      for (const { level, index, width } of tilesOf(size, size - 1)) {
        const nodes = await Promise.all(Array.from({ length: width }, (_, at) => read(8 * level, 256 * index + at)));
        files.set(`log/${tilePath(level, index, width)}`, Buffer.concat(nodes));
      }
    return files;
  }

  /** A list's folder as its publisher leaves it, after the last entry was added. */
  async published(
    files: ReadonlyMap<string, Uint8Array>,
    entries: readonly Uint8Array[],
    cosigners: readonly NoteSigner[] = [],
  ): Promise<Map<string, Uint8Array>> {
    const index = entries.findIndex((entry) => Buffer.from(entry).equals(payloadOf(files)));
    const proof = await this.proof(entries, Math.max(0, index), cosigners);
    return new Map([...files, ...(await this.tiles(entries)), ['version.proof', proof]]);
  }
}
