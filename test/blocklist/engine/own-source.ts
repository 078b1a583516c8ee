import { hashOf, PortcullisError, PrefixSet, prefixOf } from 'portcullis';
import { HashSet } from 'portcullis/assets';
import {
  type Artifact,
  type Confirmation,
  type ListVersion,
  type Sample,
  type Source,
  type TokenHistory,
  WholeHashes,
} from 'portcullis/sources';
import { compareBytes, encodeShard } from '../../../src/blocklist/formats/shards.js';
import { coversOf } from '../../support/covers.js';

/** A list as its publisher holds it, which a test changes as it likes. */
export interface OwnList {
  algoVersion: string;
  snapshotToken: string;
  recentToken: string | undefined;
  /** The listed expressions. */
  snapshot: readonly string[];
  recent: readonly string[];
  /** Of which whole hashes come with the recent entries. */
  hot: readonly string[] | undefined;
  /** Expressions whose full hashes are known; by default all that are listed. */
  confirmed: readonly string[] | undefined;
  allow: readonly string[] | undefined;
  remove: readonly string[] | undefined;
  isProven: boolean;
  /** Whether both parts have covers, and the version says so; `missing`: it says so, and they have none. */
  covers: 'right' | 'missing' | undefined;
  calibration: ListVersion['calibration'];
  minWaitMs: number | undefined;
  listName: string | undefined;
  sequence: number | undefined;
  expiresAtMs: number | undefined;
}

export interface OwnSource extends Source {
  readonly list: OwnList;
  /** The names of all calls, in order. */
  readonly calls: string[];
  /** The prefixes of each question. */
  readonly asked: (readonly number[])[];
  /** Runs before each call; an error it throws fails the call. */
  before: (call: 'version' | 'snapshot' | 'recent' | 'confirm' | 'samples') => void | Promise<void>;
}

export interface OwnOptions extends Partial<OwnList> {
  readonly id?: string;
  /** Entries of 8 bytes, which need no confirmation. */
  readonly whole?: boolean;
  readonly algorithms?: Readonly<Record<string, string>>;
  readonly samples?: readonly Sample[];
  readonly moves?: boolean;
  readonly tokenHistory?: TokenHistory;
  readonly origin?: string;
  /** The name that the app wants, and whether the list may be empty. */
  readonly wantedName?: string;
  readonly mayBeEmpty?: boolean;
}

const hashes = (expressions: readonly string[]): HashSet => HashSet.from(expressions.map((expression) => hashOf(expression)));

function wholeHashes(expressions: readonly string[]): WholeHashes {
  const rows = expressions.map((expression) => hashOf(expression)).sort(compareBytes);
  const file = encodeShard(0, 1, rows.length, (bytes) => {
    for (const [at, row] of rows.entries()) bytes.set(row, 32 * at);
  });
  return new WholeHashes(file);
}

/** A custom source, as a user may write it. */
export function ownSource({
  id = 'own',
  whole = false,
  algorithms,
  samples,
  moves,
  tokenHistory,
  origin,
  wantedName,
  mayBeEmpty,
  ...list
}: OwnOptions = {}): OwnSource {
  const entries = (expressions: readonly string[]): Artifact['entries'] => {
    const covers = source.list.covers === 'right' ? coversOf([...expressions, ...(source.list.allow ?? [])]) : [];
    if (whole) return HashSet.from([...hashes(expressions), ...covers]);
    return PrefixSet.from([...expressions.map(prefixOf), ...covers.map((cover) => Buffer.from(cover).readUInt32BE(0))]);
  };
  const source: OwnSource = {
    id,
    list: {
      algoVersion: 'portcullis-1',
      snapshotToken: 's1',
      recentToken: undefined,
      snapshot: [],
      recent: [],
      hot: undefined,
      confirmed: undefined,
      allow: undefined,
      remove: undefined,
      isProven: false,
      covers: undefined,
      calibration: undefined,
      minWaitMs: undefined,
      listName: undefined,
      sequence: undefined,
      expiresAtMs: undefined,
      ...list,
    },
    calls: [],
    asked: [],
    before: () => {},
    ...(algorithms !== undefined && { algorithms }),
    ...(moves !== undefined && { moves }),
    ...(tokenHistory !== undefined && { tokenHistory }),
    ...(origin !== undefined && { origin }),
    ...(wantedName !== undefined && { listName: wantedName }),
    ...(mayBeEmpty !== undefined && { mayBeEmpty }),
    async version(): Promise<ListVersion> {
      source.calls.push('version');
      await source.before('version');
      const { algoVersion, snapshotToken, recentToken, hot, covers, calibration, minWaitMs, listName, sequence, expiresAtMs } =
        source.list;
      return {
        algoVersion,
        snapshot: { token: snapshotToken },
        ...(recentToken !== undefined && { recent: { token: recentToken } }),
        ...(hot !== undefined && { hot: { sha256: hot.join() } }),
        ...(covers !== undefined && { covers: covers === 'right' ? coversOf(source.list.snapshot).length : 0 }),
        calibration,
        minWaitMs,
        listName,
        sequence,
        expiresAtMs,
      };
    },
    async artifact(part, version): Promise<Artifact> {
      source.calls.push(part);
      await source.before(part);
      const { allow, remove, hot, isProven } = source.list;
      const token = part === 'snapshot' ? source.list.snapshotToken : source.list.recentToken;
      // A file that changed since has another checksum.
      if (isProven && version[part]?.token !== token) throw new PortcullisError('INVALID_ARTIFACT', 'wrong checksum');
      return {
        entries: entries(source.list[part]),
        isProven,
        ...(allow !== undefined && { allow: hashes(allow) }),
        ...(remove !== undefined && part === 'recent' && { remove: hashes(remove) }),
        ...(hot !== undefined && part === 'recent' && { hot: wholeHashes(hot) }),
      };
    },
  };
  if (!whole) {
    source.confirm = async (prefixes): Promise<Confirmation> => {
      source.calls.push('confirm');
      source.asked.push(prefixes);
      await source.before('confirm');
      const known = (source.list.confirmed ?? [...source.list.snapshot, ...source.list.recent]).map((expression) =>
        hashOf(expression),
      );
      return {
        hashes: new Map(
          prefixes.map((prefix) => [
            prefix,
            known.filter((hash) => new DataView(hash.buffer).getUint32(hash.byteOffset) === prefix),
          ]),
        ),
      };
    };
  }
  if (samples !== undefined) {
    source.samples = async () => {
      source.calls.push('samples');
      await source.before('samples');
      return samples;
    };
  }
  return source;
}
