import { fromBase64 } from '../../core/base64.js';
import { equalBytes, fromUtf8, toHex } from '../../core/bytes.js';
import { type ErrorCode, hasCode, isLogFault, isPortcullisError, PortcullisError, refuse } from '../../core/errors.js';
import {
  type Filled,
  type Kind,
  type KindsOf,
  listOf,
  number,
  optional,
  readOptions,
  text,
} from '../../core/options/read-options.js';
import { isTimelyCosignature, maxCosignatureAgeMs, type OpenCheckpoint, openCheckpoint } from '../../core/tlog/checkpoint.js';
import { maxLogProofBytes, readLogProof } from '../../core/tlog/log-proof.js';
import { leafHash, type ReadNode, treeRoot, verifyInclusion } from '../../core/tlog/merkle.js';
import { logKeyType, type NoteKey, readNoteKey, witnessKeyType } from '../../core/tlog/note.js';
import { maxTileBytes, tileNodes, tileWidth } from '../../core/tlog/tiles.js';
import { objectOf } from '../formats/spelling.js';
import type { SeenCheckpoint, VersionCall } from '../model/source.js';
import { isOlder, olderList } from '../rules/version-order.js';
import type { SignedVersion, Verifier } from '../signatures/verifier.js';

/** Options of `transparencyLog`. */
export interface TransparencyLogOptions {
  /** The log's key, as `portcullis keygen --log` prints it: `<origin>+<id>+<key>`. */
  readonly key: string;
  /** Keys of witnesses, in the same form: independent servers that sign what the log holds only if it has kept everything. @default none */
  readonly witnesses?: readonly string[] | undefined;
  /**
   * How many of the witnesses must have signed. Two different lists can both have so many if twice the quorum is not more than all witnesses
   * and the dishonest ones together.
   *
   * @default enough even if one witness is dishonest: 3 of 3 or 4, 4 of 5 or 6
   */
  readonly quorum?: number | undefined;
  /**
   * How long ago the last needed witness may have signed, in milliseconds. When witnesses are away for longer, new versions are refused, and the
   * list grows old. `Infinity` accepts any time.
   *
   * @default 7 days
   */
  readonly maxAgeMs?: number | undefined;
  /** The URL of the log's folder, if that is elsewhere. Not together with `ohttp`. @default `log` in the folder of the list */
  readonly url?: string | undefined;
}

/** A log that must hold every version of a list. For the option `log` of a source. */
export interface TransparencyLog {
  /**
   * Called once by a source.
   *
   * @param url Of the version document. The proof is beside it.
   * @param isUnseen Whether its reads go through a gateway, which answers for the list only.
   * @throws PortcullisError `INVALID_INPUT` without a verifier, and for a log elsewhere that would be read through a gateway
   */
  of(url: string, verifier: Verifier | undefined, isUnseen?: boolean): CheckLog;
}

/** What the client has: of a round, or of a question about a hit. */
export type LogState = Pick<VersionCall, 'checkpoint' | 'sequence'>;

/**
 * Called with each version whose signature was verified.
 *
 * @throws PortcullisError `OLDER_LIST`, `LOG_PROOF_MISSING`, `LOG_PROOF_INVALID`, `LOG_FORKED`, `LOG_NOT_WITNESSED`, and whatever `read` throws
 */
export type CheckLog = (
  version: Pick<SignedVersion, 'signed' | 'sequence'>,
  held: LogState,
  nowMs: number,
  read: ReadLog,
) => Promise<SeenCheckpoint>;

/** Fetches a file. Rejects with `NOT_FOUND` if there is none. */
export type ReadLog = (url: string, maxBytes: number) => Promise<{ readonly bytes: Uint8Array }>;

/** More witnesses than there are public ones. */
const maxWitnesses = 32;

/**
 * Demands that each version is in a log which everybody can read, and which never forgets. Without witnesses a device notices only when the
 * log changes what this device has seen; with witnesses, nobody can be shown another log, or given a list that others do not see.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function transparencyLog(options: TransparencyLogOptions): TransparencyLog {
  const { key, witnesses, quorum, maxAgeMs, url: logUrl } = readOptions('transparencyLog', logKinds(), options);

  /** Whether enough witnesses have signed within this time. */
  function isWitnessed({ cosigned }: OpenCheckpoint, nowMs: number, withinMs: number): boolean {
    return [...cosigned.values()].filter((seconds) => isTimelyCosignature(seconds, nowMs, withinMs)).length >= quorum;
  }

  function requireWitnessed(checkpoint: OpenCheckpoint, nowMs: number): void {
    if (isWitnessed(checkpoint, nowMs, maxAgeMs)) return;
    const hours = Math.round(maxAgeMs / 3_600_000);
    const when = checkpoint.cosigned.size < quorum ? '' : ` within ${hours} hours, by the clock of this device`;
    throw fault('LOG_NOT_WITNESSED', `fewer than ${quorum} witnesses have signed what the log holds${when}`);
  }

  const id = `${key.name}+${key.id}`;

  function of(url: string, verifier: Verifier | undefined, isUnseen = false): CheckLog {
    const verify = verifier?.verify ?? refuse('log needs publicKeys, and a verifier such as ed25519');
    /** The last version that was found, so that nothing is fetched until there is another one. */
    let found: Found | undefined;
    const folder = logUrl ?? url.replace(/\/[^/]*$/, '/log');
    if (isUnseen && logUrl !== undefined)
      refuse('log with ohttp must be in the folder of the list, without a url: the gateway answers for the list only');

    return async (version, { checkpoint: seen, sequence: held = 0 }, nowMs, read) => {
      const { signed, sequence = 0 } = version;
      // It will be refused for its age, and what is no attack needs no proof.
      if (isOlder(version, held)) throw olderList();
      const leaf = leafHash(fromBase64(String(objectOf(signed)['payload']))!);
      const entry = toHex(leaf);
      const isKnown = found?.entry === entry && [undefined, found.seen?.note, found.newest.note].includes(seen?.note);
      if (isKnown && isWitnessed(found!.checkpoint, nowMs, maxAgeMs / 2)) return seenOf(found!.newest);
      // The query keeps a cache on the way from answering with the proof of the version before.
      const proofUrl = `${url.replace(/(\.json)?$/i, '.proof')}?${entry.slice(0, 16)}`;
      const bytes = await unlessMissing(read(proofUrl, maxLogProofBytes));
      if (bytes === null) throw fault('LOG_PROOF_MISSING', 'the list has no version.proof; publish it with --log');
      const proof = readLogProof(fromUtf8(bytes) ?? '');
      const opened = proof && (await openCheckpoint(proof.checkpoint, key, witnesses, verify));
      if (proof === null || opened === null)
        throw fault('LOG_PROOF_INVALID', 'version.proof is malformed, or this log or a witness has not signed it');
      const checkpoint = { ...opened, sequence };
      // What another key has signed, or nobody, is no memory. The witnesses may be others since.
      const noted = seen && (await openCheckpoint(String(seen.note), key, [], verify));
      const before = noted ? { ...noted, sequence: seen!.sequence } : undefined;
      /** The trees that this device remembers: the list's, and what a poll, a question or another tab was shown since. */
      let remembered: readonly Proven[] = [];

      async function prove(): Promise<void> {
        requireWitnessed(checkpoint, nowMs);
        const { index, hashes } = proof!;
        if (!verifyInclusion(leaf, index, checkpoint.size, hashes, checkpoint.root))
          await requireRecent(leaf, checkpoint.size, await nodesOf(checkpoint));
        for (const one of remembered) await requireOneLog(one, checkpoint);
        const [first, second] = remembered;
        // A tree that is smaller than both says nothing about them.
        if (first && second && Math.min(first.size, second.size) > checkpoint.size) await requireOneLog(first, second);
      }

      /** The smaller tree must be the beginning of the larger one. */
      async function requireOneLog(seen: Proven, shown: Proven): Promise<void> {
        const [older, newer] = seen.size <= shown.size ? [seen, shown] : [shown, seen];
        const isOne = older.size === newer.size;
        // Witnesses have compared a larger tree with what they had.
        if (!isOne && newer === checkpoint && quorum > 0) return;
        const root = isOne ? newer.root : await treeRoot(older.size, await nodesOf(newer));
        if (!equalBytes(root, older.root)) throw forked([seen, shown]);
      }

      async function nodesOf(tree: Proven): Promise<ReadNode> {
        const nodes = tileNodes(tree.size, (path) => unlessMissing(read(`${folder}/${path}`, maxTileBytes)));
        const root = await treeRoot(tree.size, nodes).catch((error: unknown) => {
          if (tree === checkpoint || !hasCode(error, 'LOG_PROOF_MISSING')) throw error;
          // A slower copy of the host has neither the newest version nor its files.
          throw sequence <= tree.sequence ? olderList() : forked([tree, checkpoint]);
        });
        if (equalBytes(root, tree.root)) return nodes;
        throw fault('LOG_PROOF_INVALID', 'the files of the log are not those of its checkpoint');
      }

      try {
        let known: Found | undefined;
        do {
          known = found;
          remembered = [known?.newest, before].filter(
            (one, at, [first]) => one && (at === 0 || one.note !== first?.note),
          ) as Proven[];
          await prove();
          // A check that ran beside this one may have seen another tree.
        } while (known !== found);
      } catch (error) {
        if (!isPortcullisError(error) || !isLogFault(error) || error.checkpoints) throw error;
        throw fault(error.code, error.message, [...remembered, checkpoint]);
      }
      const newest = [checkpoint, ...remembered].reduce((one, other) => (other.size > one.size ? other : one));
      found = { entry, seen, checkpoint, newest };
      return seenOf(found.newest);
    };
  }

  function seenOf({ size, note, sequence }: Proven): SeenCheckpoint {
    return { log: id, size, note, sequence };
  }

  return { of };
}

/** A checkpoint, with the sequence of the version that came with it. */
interface Proven extends OpenCheckpoint {
  readonly sequence: number;
}

interface Found {
  /** The hash of the version. */
  readonly entry: string;
  readonly seen: SeenCheckpoint | undefined;
  readonly checkpoint: Proven;
  /** The largest that was seen. */
  readonly newest: Proven;
}

export const logKinds = (): KindsOf<Filled<Parsed, 'url'>> => ({
  key: noteKey(logKeyType, 'the key of a log, as portcullis keygen --log prints it'),
  witnesses: distinct(
    optional(listOf(noteKey(witnessKeyType, 'the key of a witness: name, id and key, joined by plus signs'), maxWitnesses), []),
  ),
  quorum(value, path, given) {
    const { length } = Object(given?.['witnesses'] ?? []) as ArrayLike<unknown>;
    if (value === undefined) {
      if (length === 0) return 0;
      // Two trees can both have k of n signatures if b witnesses sign both and 2k <= n + b. Here b is 1.
      const least = Math.floor((length + 1) / 2) + 1;
      return least <= length ? least : refuse(`${path} must be given with one witness, which could deceive alone`);
    }
    const isOne = Number.isInteger(value) && (value as number) >= Math.min(1, length) && (value as number) <= length;
    return isOne ? (value as number) : refuse(`${path} must be a whole number from 1 to the number of witnesses`);
  },
  maxAgeMs: optional(number(60_000, Number.POSITIVE_INFINITY), maxCosignatureAgeMs),
  // The source decides what it may fetch.
  url: optional(text('a URL without a query and a slash at its end', /^https?:\/\/[^\s?#]*[^\s?#/]$/)),
});

interface Parsed extends Pick<TransparencyLogOptions, 'quorum' | 'maxAgeMs' | 'url'> {
  readonly key: NoteKey;
  readonly witnesses: readonly NoteKey[];
}

function noteKey(type: number, words: string): Kind<NoteKey> {
  return (value, path) => {
    const key = typeof value === 'string' ? readNoteKey(value.trim()) : null;
    return key?.type === type ? key : refuse(`${path} must be ${words}`);
  };
}

/** One witness that is named twice would count twice. */
function distinct(kind: Kind<readonly NoteKey[]>): Kind<readonly NoteKey[]> {
  return (value, path) => {
    const keys = kind(value, path);
    const isTwice = new Set(keys.map(({ publicKey }) => toHex(publicKey))).size < keys.length;
    return isTwice ? refuse(`${path} must not contain a key twice`) : keys;
  };
}

/**
 * Finds a version whose proof was replaced by that of the next one: a publisher writes the proof first, so that for a moment the two do not
 * belong together.
 */
async function requireRecent(leaf: Uint8Array, size: number, read: ReadNode): Promise<void> {
  for (let index = size - 1; index >= Math.max(0, size - tileWidth); index--) {
    if (equalBytes(await read(0, index), leaf)) return;
  }
  throw fault('LOG_PROOF_INVALID', 'version.proof does not show that the log has this version');
}

function forked(about: readonly OpenCheckpoint[]): PortcullisError {
  return fault('LOG_FORKED', 'the log shows another past than the one that this device has seen', about);
}

async function unlessMissing(reading: ReturnType<ReadLog>): Promise<Uint8Array | null> {
  return reading
    .then(({ bytes }) => bytes)
    .catch((error: unknown) => {
      if (hasCode(error, 'NOT_FOUND')) return null;
      throw error;
    });
}

function fault(code: ErrorCode, message: string, about: readonly OpenCheckpoint[] = []): PortcullisError {
  return new PortcullisError(code, message, { ...(about.length > 0 && { checkpoints: about.map(({ note }) => note) }) });
}
