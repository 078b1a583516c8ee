import { ed25519 } from '../../blocklist/signatures/ed25519.js';
import { readEnvelope } from '../../blocklist/signatures/envelope.js';
import { transportOf } from '../../blocklist/sources/source-options.js';
import { equalBytes, fromUtf8, toHex, utf8 } from '../../core/bytes.js';
import { hasCode, isPortcullisError, PortcullisError, type SignalLike } from '../../core/errors.js';
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
import { isTimelyCosignature, type OpenCheckpoint, openCheckpoint } from '../../core/tlog/checkpoint.js';
import { type LogProof, readLogProof } from '../../core/tlog/log-proof.js';
import { hashBytes, leafHash, nodesOf, type ReadNode, treeRoot, verifyInclusion } from '../../core/tlog/merkle.js';
import { maxBundleBytes, maxTileBytes, readBundle, type Tile, tilePath, tilesOf, tileWidth } from '../../core/tlog/tiles.js';
import { type LogPolicy, logKeyIn } from './log-policy.js';
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
  /** Those that were not handed out before, in their order: all at the first reading. */
  readonly versions: readonly LoggedVersion[];
  /** The signed checkpoint. */
  readonly note: string;
  /**
   * The witnesses that have cosigned it, by their names in the policy, and when, in epoch milliseconds. Only those whose time clients accept: not
   * more than seven days ago.
   */
  readonly cosigned: ReadonlyMap<string, number>;
}

/** What a witness has seen. */
export interface WitnessView {
  readonly name: string;
  /** The size of its newest checkpoint; `undefined` if it did not answer. */
  readonly size?: number | undefined;
  /** It has a larger tree than the log shows here, so that the two could not be compared: an upload in progress, or entries that are hidden. */
  readonly isAhead?: boolean | undefined;
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
   * What `verifyProof` and `askWitnesses` have read because the log had grown; `null` if nothing. Each version is handed out once, here or by `read`.
   */
  takeReading(): LogReading | null;
  /**
   * The place of a version in the log; -1 if the log does not have it.
   *
   * @param version The parsed `version.json`
   * @throws PortcullisError `SIGNATURE_MISSING` for a version that is not signed
   */
  indexOf(version: unknown): number;
  /**
   * Verifies the `version.proof` of a version. That of a later version is accepted, if clients find this one in the log: it is uploaded first.
   *
   * @throws PortcullisError `LOG_PROOF_INVALID`, `LOG_FORKED`, `LOG_NOT_WITNESSED`, `SIGNATURE_MISSING`; `OLDER_LIST` if the log shown here is
   * shorter than that of the proof; and whatever `read` throws
   */
  verifyProof(proof: string, version: unknown): Promise<void>;
  /**
   * Compares with the newest checkpoint of each witness. A witness that does not answer has a `problem`. If one has a larger tree, the log is
   * read again first.
   *
   * @throws PortcullisError `LOG_FORKED` with both checkpoints if a witness has another tree; and whatever `read` throws
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
  const key = logKeyIn(vkey, 'key', policy);
  const witnesses = policy?.witnesses ?? [];
  const { fetch } = transportOf({ fetch: rest.fetch, now: Date.now });
  let leaves: readonly Uint8Array[] = [];
  let seen: OpenCheckpoint | undefined;
  let nodes: ReadNode = nodesOf(leaves);
  /** Not handed out yet. */
  let pending: LoggedVersion[] = [];
  const rootAt = (size: number): Promise<Uint8Array> => treeRoot(size, nodes);

  async function opened(note: string, who: string): Promise<OpenCheckpoint> {
    const keys = witnesses.map((witness) => witness.key);
    const checkpoint = await openCheckpoint(note, key, keys, ed25519.verify);
    if (checkpoint === null) throw invalid(`${who} is not signed by this key, or has a wrong cosignature`, []);
    if (checkpoint.size > maxEntries) throw new PortcullisError('LIMIT_EXCEEDED', `the log has more than ${maxEntries} entries`);
    return checkpoint;
  }

  function cosignedIn({ cosigned }: OpenCheckpoint): ReadonlyMap<string, number> {
    const timeOf = ({ key: by }: LogPolicy['witnesses'][number]): number => cosigned.get(by) ?? Number.NEGATIVE_INFINITY;
    const timely = witnesses.filter((one) => isTimelyCosignature(timeOf(one), Date.now()));
    return new Map(timely.map((one) => [one.name, timeOf(one) * 1_000]));
  }

  /** What the log has signed: evidence, if its files are something else. */
  const notesWith = ({ note }: OpenCheckpoint): string[] =>
    seen === undefined || seen.note === note ? [note] : [seen.note, note];

  /** @throws LOG_FORKED unless the checkpoint is of the tree that was read, and no larger one */
  async function requireSame(checkpoint: OpenCheckpoint, who: string): Promise<void> {
    if (!equalBytes(await rootAt(checkpoint.size), checkpoint.root))
      throw fork(`${who} has another tree of ${checkpoint.size} entries`, [seen!.note, checkpoint.note]);
  }

  async function file(path: string, maxBytes: number): Promise<Uint8Array | null> {
    const bytes = await read(path, maxBytes);
    if (bytes !== null && bytes.length > maxBytes)
      throw new PortcullisError('LIMIT_EXCEEDED', `${path} of the log is larger than ${maxBytes} bytes`);
    return bytes;
  }

  /** A tile or a bundle. A publisher removes the partial ones once the full one is there, and caches keep older checkpoints. */
  async function tileFile(level: number | 'entries', { index, width }: Tile, checkpoint: OpenCheckpoint): Promise<Uint8Array> {
    const maxFileBytes = level === 'entries' ? maxBundleBytes : maxTileBytes;
    const path = tilePath(level, index, width);
    const bytes =
      (await file(path, maxFileBytes)) ?? (width < tileWidth ? await file(tilePath(level, index), maxFileBytes) : null);
    if (bytes === null) throw new PortcullisError('NOT_FOUND', `the log has no ${path}`, { checkpoints: notesWith(checkpoint) });
    return bytes;
  }

  async function readOn(): Promise<OpenCheckpoint> {
    const note = await file('checkpoint', maxNoteBytes);
    if (note === null) throw new PortcullisError('NOT_FOUND', 'the log has no checkpoint');
    const checkpoint = await opened(fromUtf8(note) ?? '', 'the checkpoint');
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
    for (const tile of tilesOf(size, before)) {
      if (tile.level > 0) break;
      const { index, width } = tile;
      const entries = readBundle(await tileFile('entries', tile, checkpoint), width);
      if (entries === null) throw invalid(`${tilePath('entries', index, width)} is malformed`, notesWith(checkpoint));
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
    await requireTiles(checkpoint, before, allNodes);
    leaves = all;
    nodes = allNodes;
    seen = checkpoint;
    pending.push(...versions);
    return checkpoint;
  }

  function readingOf(checkpoint: OpenCheckpoint): LogReading {
    const versions = pending;
    pending = [];
    return { size: checkpoint.size, versions, note: checkpoint.note, cosigned: cosignedIn(checkpoint) };
  }

  /** A fork is one only if the log has signed it: its tiles lead to the new checkpoint, and not to the old one. Otherwise a file is damaged. */
  async function contradiction(checkpoint: OpenCheckpoint): Promise<PortcullisError> {
    const { size, root } = checkpoint;
    const hashes: Uint8Array[] = [];
    for (const tile of tilesOf(size)) {
      if (tile.level > 0) break;
      const bytes = await tileFile(0, tile, checkpoint).catch((error: unknown) => {
        // Whoever forks a log may well withhold its tiles.
        if (hasCode(error, 'NOT_FOUND')) return new Uint8Array(0);
        throw error;
      });
      for (let at = 0; at < tile.width; at++) hashes.push(bytes.slice(hashBytes * at, hashBytes * (at + 1)));
    }
    const signed = nodesOf(hashes);
    const isSigned = hashes.every(({ length }) => length === hashBytes) && equalBytes(await treeRoot(size, signed), root);
    if (seen === undefined || !isSigned || equalBytes(await treeRoot(seen.size, signed), seen.root))
      return invalid('the entries are not those of the checkpoint', notesWith(checkpoint));
    return fork(`the log of ${size} entries does not continue the ${seen.size} that were read before`, notesWith(checkpoint));
  }

  /** Clients and witnesses read tiles, so they must be those of the entries. */
  async function requireTiles(checkpoint: OpenCheckpoint, before: number, all: ReadNode): Promise<void> {
    for (const tile of tilesOf(checkpoint.size, before)) {
      const { level, index, width } = tile;
      const path = tilePath(level, index, width);
      const bytes = await tileFile(level, tile, checkpoint);
      const first = index * tileWidth;
      for (let at = 0; at < width; at++) {
        const hash = await all(8 * level, first + at);
        if (!equalBytes(bytes.subarray(hashBytes * at, hashBytes * (at + 1)), hash))
          throw invalid(`${path} is not of its entries`, notesWith(checkpoint));
      }
      if (bytes.length !== hashBytes * width && bytes.length !== maxTileBytes)
        throw invalid(`${path} has the wrong length`, notesWith(checkpoint));
    }
  }

  /** The newest checkpoint of a witness, or why there is none. */
  async function newestOf({ key: witnessKey, url }: LogPolicy['witnesses'][number]): Promise<OpenCheckpoint | string> {
    if (url === undefined) return 'the policy has no URL for it';
    let note: string | null;
    try {
      const path = `${toHex(sha256(utf8(key!.name)))}/checkpoint`;
      const request = { method: 'GET', url: `${url.replace(/\/$/, '')}/${path}`, headers: {} };
      const answer = await send(request, { fetch, timeoutMs, maxBytes: maxNoteBytes, signal });
      requireOk(answer, Date.now());
      note = fromUtf8(answer.bytes);
    } catch (error) {
      if (!isPortcullisError(error) || error.code === 'ABORTED') throw error;
      return error.message;
    }
    const checkpoint = await openCheckpoint(note ?? '', key!, [witnessKey], ed25519.verify);
    return checkpoint?.cosigned.has(witnessKey) === true ? checkpoint : 'its checkpoint is not signed by the log and by itself';
  }

  async function viewOf(name: string, newest: OpenCheckpoint | string): Promise<WitnessView> {
    if (typeof newest === 'string') return { name, problem: newest };
    const { size } = newest;
    if (size > leaves.length) return { name, size, isAhead: true };
    await requireSame(newest, `the witness ${name}`);
    return { name, size };
  }

  const indexOf = (leaf: Uint8Array): number => leaves.findIndex((one) => equalBytes(one, leaf));

  /** Whether clients accept the version with the proof of a later one: they look for it among the last entries. */
  function isRecent(leaf: Uint8Array, { index, hashes }: LogProof, { size, root }: OpenCheckpoint): boolean {
    const place = indexOf(leaf);
    const later = leaves[index];
    if (later === undefined || place < 0 || place >= index || place < size - tileWidth) return false;
    return verifyInclusion(later, index, size, hashes, root);
  }

  return {
    read: async () => readingOf(await readOn()),
    takeReading: () => (pending.length === 0 ? null : readingOf(seen!)),
    indexOf: (version) => indexOf(leafHash(readEnvelope(version).payload)),
    async verifyProof(text, version) {
      const proof = readLogProof(text);
      if (proof === null || seen === undefined) throw invalid('version.proof is malformed, or the log was not read', []);
      const checkpoint = await opened(proof.checkpoint, 'the checkpoint of version.proof');
      const { size, root } = checkpoint;
      if (size > leaves.length) await readOn();
      if (size > leaves.length)
        throw new PortcullisError(
          'OLDER_LIST',
          `version.proof is of a log of ${size} entries, and the log shown here has ${leaves.length}`,
          { checkpoints: notesWith(checkpoint) },
        );
      await requireSame(checkpoint, 'version.proof');
      const leaf = leafHash(readEnvelope(version).payload);
      if (!verifyInclusion(leaf, proof.index, size, proof.hashes, root) && !isRecent(leaf, proof, checkpoint))
        throw invalid('version.proof does not prove the version', [checkpoint.note]);
      if (policy?.isQuorum(new Set(cosignedIn(checkpoint).keys())) === false)
        throw new PortcullisError(
          'LOG_NOT_WITNESSED',
          'version.proof lacks cosignatures that the policy demands, or they are older than seven days; publish again, or use log refresh',
        );
    },
    async askWitnesses() {
      if (seen === undefined) await readOn();
      const newest = await Promise.all(witnesses.map(newestOf));
      // The log may have grown since it was read.
      if (newest.some((one) => typeof one !== 'string' && one.size > leaves.length)) await readOn();
      return Promise.all(witnesses.map(({ name }, at) => viewOf(name, newest[at]!)));
    },
  };
}

function invalid(what: string, checkpoints: readonly string[]): PortcullisError {
  const message = `${what}; ask the publisher, and keep what was read as evidence`;
  return new PortcullisError('LOG_PROOF_INVALID', message, { ...(checkpoints.length > 0 && { checkpoints }) });
}

function fork(what: string, checkpoints: readonly string[]): PortcullisError {
  return new PortcullisError('LOG_FORKED', `${what}; keep both checkpoints as evidence, and use neither list`, { checkpoints });
}
