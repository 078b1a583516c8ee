import { ed25519 } from '../../blocklist/signatures/ed25519.js';
import { readEnvelope } from '../../blocklist/signatures/envelope.js';
import { transportOf } from '../../blocklist/sources/source-options.js';
import { equalBytes, fromUtf8, toHex, utf8 } from '../../core/bytes.js';
import { isPortcullisError, PortcullisError, refuse, type SignalLike } from '../../core/errors.js';
import { sha256 } from '../../core/hashing/sha256.js';
import { maxTimerMs } from '../../core/http/bounded.js';
import type { FetchLike } from '../../core/http/fetch.js';
import { requireOk } from '../../core/http/http-status.js';
import { send } from '../../core/http/send.js';
import {
  type Filled,
  func,
  having,
  type KindsOf,
  number,
  optional,
  readOptions,
  signal,
  text,
} from '../../core/options/read-options.js';
import { type OpenCheckpoint, openCheckpoint } from '../../core/tlog/checkpoint.js';
import { readLogProof } from '../../core/tlog/log-proof.js';
import { hashBytes, leafHash, nodesOf, type ReadNode, treeRoot, verifyInclusion } from '../../core/tlog/merkle.js';
import { logKeyType, readNoteKey } from '../../core/tlog/note.js';
import { maxBundleBytes, maxTileBytes, readBundle, tilePath, tilesOf, tileWidth } from '../../core/tlog/tiles.js';
import type { LogPolicy } from './log-policy.js';
import { type LoggedVersion, loggedVersionOf } from './logged-version.js';

/** Options of `createLogMonitor`. */
export interface LogMonitorOptions {
  /** The public key of the log, as its publisher names it. */
  readonly key: string;
  /** The content of a file of the log, such as `checkpoint` or `tile/0/000`; `null` if there is none. */
  readonly read: (path: string, maxBytes: number) => Promise<Uint8Array | null>;
  /** What `readLogPolicy` returns: whose cosignatures count, and which witnesses `askWitnesses` asks. @default no witnesses */
  readonly policy?: LogPolicy | undefined;
  /** Longest wait for an answer of a witness, in milliseconds. @default 10_000 */
  readonly timeoutMs?: number | undefined;
  /** Sends the questions to witnesses. @default the platform's `fetch` */
  readonly fetch?: FetchLike | undefined;
  readonly signal?: SignalLike | undefined;
}

/** What a reading of the log has found. */
export interface LogReading {
  /** How many versions the log has. */
  readonly size: number;
  /** Those that came since the last reading, all at the first. */
  readonly versions: readonly LoggedVersion[];
  /** The signed checkpoint. */
  readonly note: string;
  /** The witnesses that have cosigned it, by their names in the policy, and when, in epoch milliseconds. */
  readonly cosigned: ReadonlyMap<string, number>;
}

/** What a witness has seen. */
export interface WitnessView {
  readonly name: string;
  /** The size of its newest checkpoint; `undefined` if it did not answer. */
  readonly size?: number | undefined;
  readonly problem?: string | undefined;
}

/** Reads a log, and everything that is appended to it. It keeps a hash of each entry, and compares all that comes later with them. */
export interface LogMonitor {
  /**
   * Reads and verifies what was appended: the checkpoint, the entries, and every tile.
   *
   * @throws PortcullisError `LOG_FORKED` with both checkpoints if it does not continue what was read before; `LOG_PROOF_INVALID` for a
   * checkpoint, entry or tile that does not fit; `OLDER_LIST` for an older checkpoint than before; `NOT_FOUND`, `LIMIT_EXCEEDED`, and whatever
   * `read` throws
   */
  read(): Promise<LogReading>;
  /**
   * The place of a version in the log; -1 if the log does not have it.
   *
   * @param version The parsed `version.json`
   * @throws PortcullisError `SIGNATURE_MISSING` for a version that is not signed
   */
  indexOf(version: unknown): number;
  /**
   * Verifies the `version.proof` of a version.
   *
   * @throws PortcullisError `LOG_PROOF_INVALID`, `LOG_FORKED`, `LOG_NOT_WITNESSED`, `SIGNATURE_MISSING`
   */
  verifyProof(proof: string, version: unknown): Promise<void>;
  /**
   * Compares with the newest checkpoint of each witness. A witness that does not answer has a `problem`.
   *
   * @throws PortcullisError `LOG_FORKED` with both checkpoints if a witness has another tree, or a larger one
   */
  askWitnesses(): Promise<readonly WitnessView[]>;
}

/** A million versions are one a minute for two years; their hashes take 100 MB. */
const maxEntries = 1_000_000;

/** A note with 64 signatures of ML-DSA. */
const maxNoteBytes = 262_144;

export const logMonitorKinds = (): KindsOf<Filled<LogMonitorOptions, 'policy' | 'fetch' | 'signal'>> => ({
  key: text(),
  read: func,
  policy: optional(having<LogPolicy>('what readLogPolicy returns', 'isQuorum')),
  timeoutMs: optional(number(1, maxTimerMs), 10_000),
  fetch: optional(func),
  signal: optional(signal),
});

/**
 * @throws PortcullisError `INVALID_INPUT`
 */
export function createLogMonitor(options: LogMonitorOptions): LogMonitor {
  const { key: vkey, read, policy, timeoutMs, signal, ...rest } = readOptions('createLogMonitor', logMonitorKinds(), options);
  const key = readNoteKey(vkey);
  if (key?.type !== logKeyType) refuse('createLogMonitor: key must be the vkey of a log, as portcullis keygen --log prints it');
  const witnesses = policy?.witnesses ?? [];
  const { fetch } = transportOf({ fetch: rest.fetch, now: Date.now });
  let leaves: readonly Uint8Array[] = [];
  let seen: OpenCheckpoint | undefined;
  let nodes: ReadNode = nodesOf(leaves);
  const rootAt = (size: number): Promise<Uint8Array> => treeRoot(size, nodes);

  async function opened(note: string, who: string): Promise<OpenCheckpoint> {
    const keys = witnesses.map((witness) => witness.key);
    const checkpoint = await openCheckpoint(note, key!, keys, ed25519.verify);
    if (checkpoint === null) throw invalid(`${who} is not signed by this key, or has a wrong cosignature`);
    if (checkpoint.size > maxEntries) throw new PortcullisError('LIMIT_EXCEEDED', `the log has more than ${maxEntries} entries`);
    return checkpoint;
  }

  const cosignedIn = ({ cosigned }: OpenCheckpoint): ReadonlyMap<string, number> =>
    new Map(witnesses.flatMap((one) => (cosigned.has(one.key) ? [[one.name, cosigned.get(one.key)! * 1_000] as const] : [])));

  /** @throws LOG_FORKED unless the checkpoint is of the tree that was read */
  async function requireSame(checkpoint: OpenCheckpoint, who: string): Promise<void> {
    const notes = [seen!.note, checkpoint.note];
    if (checkpoint.size > leaves.length)
      throw fork(`${who} has ${checkpoint.size} entries, and the log shown here ${leaves.length}`, notes);
    if (!equalBytes(await rootAt(checkpoint.size), checkpoint.root))
      throw fork(`${who} has another tree of ${checkpoint.size} entries`, notes);
  }

  async function file(path: string, maxBytes: number): Promise<Uint8Array> {
    const bytes = await read(path, maxBytes);
    if (bytes === null) throw new PortcullisError('NOT_FOUND', `the log has no ${path}`);
    if (bytes.length > maxBytes)
      throw new PortcullisError('LIMIT_EXCEEDED', `${path} of the log is larger than ${maxBytes} bytes`);
    return bytes;
  }

  async function readOn(): Promise<LogReading> {
    const note = fromUtf8(await file('checkpoint', maxNoteBytes));
    const checkpoint = await opened(note ?? '', 'the checkpoint');
    const { size } = checkpoint;
    const before = leaves.length;
    if (seen !== undefined && size <= before) {
      await requireSame(checkpoint, 'the log');
      // A copy in a cache, or somebody takes back what was logged. Witnesses tell.
      if (size < before)
        throw new PortcullisError('OLDER_LIST', `the log had ${before} entries, and now shows its first ${size}`);
    }
    const added: Uint8Array[] = [];
    let isOther = false;
    const versions: LoggedVersion[] = [];
    for (const { level, index, width } of tilesOf(size, before)) {
      if (level > 0) break;
      const path = tilePath('entries', index, width);
      const entries = readBundle(await file(path, maxBundleBytes), width);
      if (entries === null) throw invalid(`${path} is malformed`);
      for (const [at, entry] of entries.entries()) {
        const place = index * tileWidth + at;
        const leaf = leafHash(entry);
        if (place < before) isOther ||= !equalBytes(leaf, leaves[place]!);
        else {
          added.push(leaf);
          versions.push(loggedVersionOf(entry, place));
        }
      }
    }
    const all = [...leaves, ...added];
    const allNodes = nodesOf(all);
    if (isOther || !equalBytes(await treeRoot(size, allNodes), checkpoint.root)) throw await contradiction(checkpoint);
    await requireTiles(size, before, allNodes);
    leaves = all;
    nodes = allNodes;
    seen = checkpoint;
    return { size, versions, note: checkpoint.note, cosigned: cosignedIn(checkpoint) };
  }

  /** A fork is one only if the log has signed it: its tiles lead to the new checkpoint, and not to the old one. Otherwise a file is damaged. */
  async function contradiction(checkpoint: OpenCheckpoint): Promise<PortcullisError> {
    const { size, root } = checkpoint;
    const hashes: Uint8Array[] = [];
    for (const { level, index, width } of tilesOf(size)) {
      if (level > 0) break;
      const bytes = await read(tilePath(level, index, width), maxTileBytes);
      for (let at = 0; at < width; at++) hashes.push((bytes ?? new Uint8Array(0)).slice(hashBytes * at, hashBytes * (at + 1)));
    }
    const signed = nodesOf(hashes);
    const isSigned = hashes.every(({ length }) => length === hashBytes) && equalBytes(await treeRoot(size, signed), root);
    if (seen === undefined || !isSigned || equalBytes(await treeRoot(seen.size, signed), seen.root))
      return invalid('the entries are not those of the checkpoint');
    return fork(`the log of ${size} entries does not continue the ${seen.size} that were read before`, [
      seen.note,
      checkpoint.note,
    ]);
  }

  /** Clients and witnesses read tiles, so they must be those of the entries. */
  async function requireTiles(size: number, before: number, all: ReadNode): Promise<void> {
    for (const { level, index, width } of tilesOf(size, before)) {
      const path = tilePath(level, index, width);
      const bytes = await file(path, maxTileBytes);
      const first = index * tileWidth;
      for (let at = 0; at < width; at++) {
        const hash = await all(8 * level, first + at);
        if (!equalBytes(bytes.subarray(hashBytes * at, hashBytes * (at + 1)), hash))
          throw invalid(`${path} is not of its entries`);
      }
      if (bytes.length !== hashBytes * width) throw invalid(`${path} has the wrong length`);
    }
  }

  async function viewOf({ name, key: witnessKey, url }: LogPolicy['witnesses'][number]): Promise<WitnessView> {
    if (url === undefined) return { name, problem: 'the policy has no URL for it' };
    let note: string | null;
    try {
      const path = `${toHex(sha256(utf8(key!.name)))}/checkpoint`;
      const request = { method: 'GET', url: `${url.replace(/\/$/, '')}/${path}`, headers: {} };
      const answer = await send(request, { fetch, timeoutMs, maxBytes: maxNoteBytes, signal });
      requireOk(answer, Date.now());
      note = fromUtf8(answer.bytes);
    } catch (error) {
      if (!isPortcullisError(error) || error.code === 'ABORTED') throw error;
      return { name, problem: error.message };
    }
    const checkpoint = await openCheckpoint(note ?? '', key!, [witnessKey], ed25519.verify);
    if (checkpoint?.cosigned.has(witnessKey) !== true)
      return { name, problem: 'its checkpoint is not signed by the log and by itself' };
    await requireSame(checkpoint, `the witness ${name}`);
    return { name, size: checkpoint.size };
  }

  return {
    read: readOn,
    indexOf(version) {
      const leaf = leafHash(readEnvelope(version).payload);
      return leaves.findIndex((one) => equalBytes(one, leaf));
    },
    async verifyProof(proof, version) {
      const read = readLogProof(proof);
      if (read === null || seen === undefined) throw invalid('version.proof is malformed, or the log was not read');
      const checkpoint = await opened(read.checkpoint, 'the checkpoint of version.proof');
      if (checkpoint.size > leaves.length) await readOn();
      await requireSame(checkpoint, 'version.proof');
      if (!verifyInclusion(leafHash(readEnvelope(version).payload), read.index, checkpoint.size, read.hashes, checkpoint.root))
        throw invalid('version.proof does not prove the version');
      if (policy?.isQuorum(new Set(cosignedIn(checkpoint).keys())) === false)
        throw new PortcullisError('LOG_NOT_WITNESSED', 'version.proof lacks cosignatures that the policy demands; publish again');
    },
    async askWitnesses() {
      if (seen === undefined) await readOn();
      return Promise.all(witnesses.map(viewOf));
    },
  };
}

function invalid(what: string): PortcullisError {
  return new PortcullisError('LOG_PROOF_INVALID', `${what}; ask the publisher, and keep what was read as evidence`);
}

function fork(what: string, checkpoints: readonly string[]): PortcullisError {
  return new PortcullisError('LOG_FORKED', `${what}; keep both checkpoints as evidence, and use neither list`, { checkpoints });
}
