import { equalBytes, toHex } from '../../core/bytes.js';
import { hasCode, type PortcullisError, type SignalLike } from '../../core/errors.js';
import { digestOf } from '../../core/hashing/sha256.js';
import { AscendingSet } from '../../core/prefixes/ascending-set.js';
import { HashSet } from '../../core/prefixes/hash-set.js';
import { PrefixSet } from '../../core/prefixes/prefix-set.js';
import { runInSlices, type Sliced } from '../../core/slices.js';
import {
  decodeJsonRecord,
  encodeJsonRecord,
  type RecordKind,
  readRecord,
  readSetRecord,
  writeRecord,
  writeSetRecord,
} from '../formats/record.js';
import { algorithmNamed } from '../formats/version-document.js';
import { WholeHashes } from '../formats/whole-hashes.js';
import { coversAmong, type EntrySet, type Generation, ofUnknownAge, type VersionOrder } from '../model/generation.js';
import type { SeenCheckpoint, Source } from '../model/source.js';
import { type Doubt, readDoubt, readTime } from '../rules/doubt.js';
import { type Retry, readRetry } from '../rules/next-round.js';
import { orderOf, readOrder } from '../rules/version-order.js';
import { isOfSource } from '../rules/which-list.js';
import type { OpenStore } from './open-store.js';
import { damagedList, decodeHead, type HeadRecord, isYoung, namesIn, type SetValue } from './saved-head.js';

/** The state of rounds that must outlive a worker. */
interface Memo {
  readonly retry: Retry;
  readonly doubt: Doubt | null;
  /** Determines which decoys accompany a prefix on this device; `null` before the first write. */
  readonly secret: string | null;
  readonly newest: VersionOrder | null;
  readonly checkpoint: SeenCheckpoint | undefined;
  readonly seen: unknown;
  /** When the source last offered an older version; `null` if it never did. */
  readonly olderAtMs: number | null;
  /** When the source last offered a list that was not taken over. */
  readonly refusedAtMs: number | null;
}

type ConfirmedAge = 'newest' | 'older';

const confirmedNames = { newest: 'confirmed', older: 'confirmed-older' } as const satisfies Record<ConfirmedAge, string>;

/**
 * One source's list in a store (docs/formats.md §7). Sets are separate values, written before the head that names them. So the
 * newest head names complete values, even if the process dies.
 */
export interface SavedList {
  /** The sequence of the newest head that was read or written. */
  sequence(): number;
  /** Reads the newest generation after the sequence `known`. Reports damage, and then reads the one before. */
  load(known: number): Promise<Generation | null>;
  /**
   * Writes the sets that are not stored yet, then the head.
   *
   * @returns `false` if another writer was first
   */
  save(generation: Generation): Promise<boolean>;
  /** Writes sets that are stored already again with the next `save`. */
  forget(): void;
  /** Removes values without a head. */
  clean(): Promise<void>;
  /** Compares the base with its SHA-256, which takes longer than the 32-bit checksum verified at reading. */
  isIntact(generation: Generation, signal?: SignalLike): Promise<boolean>;
  readMemo(): Promise<Memo>;
  writeMemo(memo: Memo): Promise<void>;
  /** The newest confirmed hits, or those before them. */
  readConfirmed(age?: ConfirmedAge): Promise<Uint8Array | null>;
  writeConfirmed(payload: Uint8Array, age?: ConfirmedAge): Promise<void>;
}

export function createSavedList(
  store: OpenStore,
  source: Source,
  pollMs: number,
  now: () => number,
  onDamaged: (name: string, error: PortcullisError) => void,
  onForeign: () => void,
): SavedList {
  const { id } = source;
  const sets: SavedSets = { store, values: new WeakMap(), newest: [], mayHaveOrphans: true };
  let newest = 0;
  let lastMemo: Uint8Array | undefined;
  const headName = `${id}/head`;

  /** Runs `read`, or reports the value as damaged, or as signed by a key that is not trusted any more. */
  async function unlessDamaged<T>(name: string, read: () => Promise<T | null>): Promise<T | null> {
    try {
      return await read();
    } catch (error) {
      // Some stores detect damage themselves.
      if (!unusableCodes.some((code) => hasCode(error, code))) throw error;
      onDamaged(name, error as PortcullisError);
      return null;
    }
  }

  /** Damage of a value beside the list costs only that value. */
  function readOther<T>(
    part: string,
    kind: RecordKind,
    decode: (kind: RecordKind, bytes: Uint8Array) => T | Promise<T>,
  ): Promise<T | null> {
    const name = `${id}/${part}`;
    return unlessDamaged(name, async () => {
      const bytes = await store.read(name);
      return bytes === null ? null : decode(kind, bytes);
    });
  }

  return {
    sequence: () => newest,
    async load(known) {
      if (!store.keeps()) return null;
      const heads = await store.heads(headName);
      const before = newest;
      newest = heads[0]?.sequence ?? 0;
      // The store was emptied, or fell back to an older copy of itself, so sets may be missing.
      if (newest < before) sets.values = new WeakMap();
      let isNewest = true;
      for (const { sequence, bytes } of heads) {
        if (sequence <= known) break;
        let isForeign = false;
        const generation = await unlessDamaged(headName, async () => {
          const head = decodeHead(bytes);
          isForeign = !(await isOwn(head, source));
          if (!isForeign) {
            // Without them hits are confirmed, and the next round fetches them again.
            const hot = await unlessDamaged(headName, () => readHot(sets, head));
            return readList(sets, head, hot, newest, source, now());
          }
          if (known > 0) onForeign();
          return null;
        });
        // What was listed after it is lost, so its age is unknown.
        if (generation !== null) return isNewest ? generation : ofUnknownAge(generation);
        isNewest &&= isForeign;
      }
      // Their writer removes sets that its heads do not name.
      if (newest > known) sets.values = new WeakMap();
      return null;
    },
    async save(generation) {
      if (!store.keeps()) {
        newest++;
        return true;
      }
      const { base, recent, removed, allowed, hot, common, signed, sequence, ...rest } = generation;
      const write = (part: 'base' | 'recent', set: AnySet): Promise<SetValue> =>
        writeSet(sets, set, async (sha256) => {
          const createdAtMs = await store.now(now());
          return `${id}/${part}/${createdAtMs.toString(36)}-${sequence}-${sha256.slice(0, 32)}`;
        });
      const values = {
        base: await write('base', base),
        recent: await write('recent', recent),
        removed: removed === null ? null : await write('recent', removed),
        allowed: allowed === null ? null : await write('recent', allowed),
        ...(hot !== null && { hot: await write('recent', hot) }),
        ...(common !== undefined && { common: await write('base', common) }),
        ...(signed !== null && { feed: await write('recent', signed.feed) }),
      };
      const head: HeadRecord = { ...rest, sets: values, ...(signed !== null && { signed: signed.document }) };
      // The new head must follow the head that it was made from. A head that was read since then belongs to another writer.
      const isFirst = await store.commit(headName, encodeJsonRecord('head', head), sequence - 1);
      if (isFirst) {
        // A concurrent load may have read a later one.
        newest = Math.max(newest, sequence);
        sets.newest = setsOf(generation);
      }
      return isFirst;
    },
    forget() {
      sets.values = new WeakMap();
    },
    async clean() {
      if (!sets.mayHaveOrphans) return;
      const inUse = new Set((await store.heads(headName)).flatMap(({ bytes }) => namesIn(bytes)));
      const nowMs = await store.now(now());
      for (const part of ['base', 'recent']) {
        for (const name of await store.list(`${id}/${part}/`)) {
          if (!inUse.has(name) && !isYoung(name, nowMs)) await store.remove(name);
        }
      }
      sets.mayHaveOrphans = false;
    },
    async isIntact({ base }, signal) {
      const value = sets.values.get(base);
      return value === undefined || toHex(await runInSlices(digestOf(base.memoryBytes), signal)) === value.sha256;
    },
    readMemo: async () => memoFrom(await readOther('retry', 'retry', decodeJsonRecord), pollMs),
    async writeMemo(memo) {
      const bytes = encodeJsonRecord('retry', memo);
      if (lastMemo !== undefined && equalBytes(lastMemo, bytes)) return;
      await store.write(`${id}/retry`, bytes);
      lastMemo = bytes;
    },
    readConfirmed: (age = 'newest') =>
      readOther(confirmedNames[age], 'confirmed', (kind, bytes) => runInSlices(readRecord(kind, bytes))),
    writeConfirmed: async (payload, age = 'newest') =>
      store.write(`${id}/${confirmedNames[age]}`, await runInSlices(writeRecord('confirmed', payload))),
  };
}

/** The list, or the value beside it, cannot be used, but the store works. */
const unusableCodes = ['INVALID_ARTIFACT', 'SIGNATURE_UNTRUSTED', 'SIGNATURE_INVALID', 'SIGNATURE_MISSING'] as const;

/** Whether a stored list is one of this source. */
async function isOwn({ order, snapshotToken, signed }: HeadRecord, source: Source): Promise<boolean> {
  if (!isOfSource(order, source)) return false;
  // A list that was stored before the app trusted keys, or before a release stored signatures.
  if (source.trustedKeys !== undefined && (source.reopen === undefined || signed === undefined)) return false;
  return source.onlyToken === undefined || snapshotToken === (await source.onlyToken());
}

type AnySet = EntrySet | WholeHashes;

/** The sets of one list in a store. */
interface SavedSets {
  readonly store: OpenStore;
  /** The stored values of sets. */
  values: WeakMap<AnySet, SetValue>;
  /** The sets of the newest list, so that another tab's recents come without reading the base again. */
  newest: readonly AnySet[];
  /** Whether unused values may exist; initially true, because an earlier process may have left some. */
  mayHaveOrphans: boolean;
}

async function readHot(sets: SavedSets, { sets: { hot: value } }: HeadRecord): Promise<WholeHashes | null> {
  if (value === undefined) return null;
  const hot = await readSet(sets, value);
  if (!(hot instanceof WholeHashes)) throw damagedList('its whole hashes are something else');
  return hot;
}

async function readList(
  sets: SavedSets,
  { sets: values, signed: document, hotSum, ...rest }: HeadRecord,
  hot: WholeHashes | null,
  sequence: number,
  source: Source,
  nowMs: number,
): Promise<Generation> {
  const feedIsRecent = values.feed?.name === values.recent.name;
  const [base, recent, removed, allowed, common, other] = await Promise.all([
    readSet(sets, values.base),
    readSet(sets, values.recent),
    values.removed === null ? null : readSet(sets, values.removed),
    values.allowed === null ? null : readSet(sets, values.allowed),
    values.common === undefined ? undefined : readSet(sets, values.common),
    values.feed === undefined || feedIsRecent ? null : readSet(sets, values.feed),
  ]);
  const feed = feedIsRecent ? recent : other;
  if (
    base instanceof WholeHashes ||
    recent instanceof WholeHashes ||
    (feed !== null && feed instanceof WholeHashes) ||
    base instanceof AscendingSet !== recent instanceof AscendingSet ||
    !(removed === null || removed instanceof HashSet) ||
    !(allowed === null || allowed instanceof HashSet) ||
    !(common === undefined || common instanceof WholeHashes)
  ) {
    throw damagedList('its sets are of the wrong kinds');
  }
  const signed = document === undefined || feed === null ? null : { document, feed };
  const isLost = hot === null && values.hot !== undefined;
  const lists = { base, recent, removed, allowed, hot, ...(common !== undefined && { common }) };
  const generation = { ...rest, ...lists, hotSum: isLost ? null : hotSum, signed, sequence };
  const trusted = source.trustedKeys === undefined ? generation : await verified(generation, source, nowMs);
  sets.newest = setsOf(trusted);
  return trusted;
}

/** Takes everything that decides what is listed from what was signed, because others can write to a shared store. */
async function verified(generation: Generation, source: Source, nowMs: number): Promise<Generation> {
  const { base, recent, removed, allowed, hot, signed, currentAtMs, order } = generation;
  // A published file only adds entries.
  if (signed === null || removed !== null || allowed !== null) throw damagedList('it is not what was signed');
  const { feed, document } = signed;
  const version = await source.reopen!(document, { snapshot: base, recent: feed, hot: hot ?? undefined });
  // More entries cost a confirmation, and clear nothing.
  if (feed !== recent && !includes(recent, feed)) throw damagedList('signed recent entries are missing');
  const { algoVersion, snapshot, recent: { token: recentToken } = { token: null }, expiresAtMs = nowMs } = version;
  return {
    ...generation,
    algoVersion,
    algorithm: algorithmNamed(algoVersion, source.algorithms),
    snapshotToken: snapshot.token,
    recentToken,
    covers: coversAmong(version.covers, generation),
    currentAtMs: Math.min(currentAtMs, expiresAtMs),
    order: orderOf(version, source.origin ?? '', order.seenAtMs),
  };
}

function includes(all: EntrySet, some: EntrySet): boolean {
  for (const entry of some) {
    if (!(all instanceof AscendingSet ? all.has(entry as number) : all.has(entry as Uint8Array))) return false;
  }
  return true;
}

async function readSet(sets: SavedSets, value: SetValue): Promise<AnySet> {
  const known = sets.newest.find((set) => sets.values.get(set)?.name === value.name);
  if (known !== undefined) return known;
  const bytes = await sets.store.read(value.name);
  if (bytes === null) throw damagedList('a set it names is missing');
  const { payload, sha256 } = await runInSlices(readSetRecord(bytes));
  if (sha256 !== value.sha256) throw damagedList('a set it names was replaced by another one');
  const set = await runInSlices<AnySet>(opening(payload));
  sets.values.set(set, value);
  return set;
}

/** The header of a set says which kind it is; that of a file of hashes is the one of a shard. */
function* opening(payload: Uint8Array): Sliced<AnySet> {
  if (payload[9] === 12) return yield* WholeHashes.opening(payload.slice());
  return yield* payload[9] === 8 ? HashSet.opening(payload) : PrefixSet.opening(payload);
}

/** @param nameFor Two names are equal only if the sets are, so no write replaces a different set. */
async function writeSet(sets: SavedSets, set: AnySet, nameFor: (sha256: string) => Promise<string>): Promise<SetValue> {
  const known = sets.values.get(set);
  if (known !== undefined) return known;
  const payload = set.memoryBytes;
  const digest = await runInSlices(digestOf(payload));
  const sha256 = toHex(digest);
  const name = await nameFor(sha256);
  await sets.store.write(name, await runInSlices(writeSetRecord(payload, digest)));
  // The old list stays until the new one was read back.
  const back = await sets.store.read(name);
  if (back === null) throw damagedList('a written set is missing');
  await runInSlices(readSetRecord(back));
  sets.mayHaveOrphans = true;
  const value = { name, sha256 };
  sets.values.set(set, value);
  return value;
}

function setsOf({ base, recent, removed, allowed, hot, common, signed }: Generation): AnySet[] {
  return [base, recent, removed, allowed, hot, common, signed?.feed].flatMap((set) => set ?? []);
}

function memoFrom(value: unknown, pollMs: number): Memo {
  const { retry, doubt, secret, newest, checkpoint, seen, olderAtMs, refusedAtMs } = Object(value) as Partial<Memo>;
  return {
    retry: readRetry(retry, pollMs),
    doubt: readDoubt(doubt),
    secret: typeof secret === 'string' ? secret : null,
    newest: readOrder(newest),
    checkpoint,
    seen,
    olderAtMs: readTime(olderAtMs),
    // Earlier releases stored only the time of an older version.
    refusedAtMs: readTime(refusedAtMs) ?? readTime(olderAtMs),
  };
}
