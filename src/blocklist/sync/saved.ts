import { equalBytes, toHex } from '../../core/bytes.js';
import { hasCode, PortcullisError, type SignalLike } from '../../core/errors.js';
import { digestOf } from '../../core/hashing/sha256.js';
import { HashSet } from '../../core/prefixes/hash-set.js';
import { PrefixSet } from '../../core/prefixes/prefix-set.js';
import { runInSlices } from '../../core/slices.js';
import { decodeJsonRecord, decodeRecord, encodeJsonRecord, encodeRecord, type RecordKind } from '../formats/record.js';
import type { CalibrationResult, EntrySet, Generation } from '../generation.js';
import type { StoreHead } from '../store.js';
import { noRetry, type Retry, readRetry } from './backoff.js';
import type { OpenStore } from './open-store.js';
import { readSuspicion, type Suspicion } from './shrink.js';

/** The state of rounds that must outlive a worker. */
export interface Memo {
  readonly retry: Retry;
  readonly suspicion: Suspicion | null;
  /** Determines which decoys accompany a prefix on this device; `null` before the first write. */
  readonly secret: string | null;
}

interface SetValue {
  readonly name: string;
  readonly sha256: string;
}

/** The head: the names of the list's values, and what is known about the list. */
interface HeadRecord extends Omit<Generation, 'sequence' | 'base' | 'recent' | 'removed' | 'allowed'> {
  readonly sets: {
    readonly base: SetValue;
    readonly recent: SetValue;
    readonly removed: SetValue | null;
    readonly allowed: SetValue | null;
  };
}

/** Age at which a value without a head is removed. A younger one may belong to a head that is being written. */
const orphanMs = 3_600_000;

/**
 * One source's list in a store (docs/formats.md §7). Sets are separate values, written before the head that names them. So the newest
 * head names complete values, even if the process dies.
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
  /** Removes values without a head. */
  clean(): Promise<void>;
  /** Compares the base with its SHA-256, which takes longer than the 32-bit checksum verified at reading. */
  isIntact(generation: Generation, signal?: SignalLike): Promise<boolean>;
  readMemo(): Promise<Memo>;
  writeMemo(memo: Memo): Promise<void>;
  readConfirmed(): Promise<Uint8Array | null>;
  writeConfirmed(payload: Uint8Array): Promise<void>;
}

export function createSavedList(
  store: OpenStore,
  id: string,
  { now, random }: { readonly now: () => number; readonly random: () => number },
  onDamaged: (name: string, error: PortcullisError) => void,
): SavedList {
  /** The stored values of sets. */
  let values = new WeakMap<EntrySet, SetValue>();
  /** The sets of the newest list, by value name, so that another tab's recents come without reading the base again. */
  let named = new Map<string, EntrySet>();
  /** Initially true: an earlier process may have left some. */
  let mayHaveOrphans = true;
  let newest = 0;
  let lastMemo: Uint8Array | undefined;
  const headName = `${id}/head`;

  function remember(sets: readonly (EntrySet | null)[]): void {
    named = new Map(sets.flatMap((set) => (set === null ? [] : [[values.get(set)!.name, set] as const])));
  }

  /** Runs `read`, or reports the value as damaged. */
  async function unlessDamaged<T>(name: string, read: () => Promise<T | null>): Promise<T | null> {
    try {
      return await read();
    } catch (error) {
      // Some stores detect damage themselves.
      if (!hasCode(error, 'INVALID_ARTIFACT')) throw error;
      onDamaged(name, error);
      return null;
    }
  }

  /** Damage of a value beside the list costs only that value. */
  function readOther<T>(kind: RecordKind, decode: (bytes: Uint8Array) => T): Promise<T | null> {
    const name = `${id}/${kind}`;
    return unlessDamaged(name, async () => {
      const bytes = await store.read(name);
      return bytes === null ? null : decode(bytes);
    });
  }

  async function readSet(value: SetValue): Promise<EntrySet> {
    const known = named.get(value.name);
    if (known !== undefined) return known;
    const bytes = await store.read(value.name);
    if (bytes === null) throw damaged('a set it names is missing');
    const payload = decodeRecord('set', bytes);
    const set = payload[9] === 8 ? HashSet.fromBytes(payload) : PrefixSet.fromBytes(payload);
    values.set(set, value);
    return set;
  }

  async function readList(head: HeadRecord, sequence: number): Promise<Generation> {
    const { sets, ...rest } = requireHead(head);
    const [base, recent, removed, allowed] = await Promise.all([
      readSet(sets.base),
      readSet(sets.recent),
      sets.removed === null ? null : readSet(sets.removed),
      sets.allowed === null ? null : readSet(sets.allowed),
    ]);
    if (
      base instanceof PrefixSet !== recent instanceof PrefixSet ||
      removed instanceof PrefixSet ||
      allowed instanceof PrefixSet
    ) {
      throw damaged('its sets have different entry lengths');
    }
    remember([base, recent, removed, allowed]);
    return { ...rest, base, recent, removed, allowed, sequence };
  }

  async function writeSet(part: 'base' | 'recent', set: EntrySet): Promise<SetValue> {
    const known = values.get(set);
    if (known !== undefined) return known;
    const payload = set.toBytes();
    const sha256 = toHex(await runInSlices(digestOf(payload)));
    const name = `${id}/${part}/${now().toString(36)}-${Math.floor(random() * 2 ** 40).toString(36)}`;
    await store.write(name, encodeRecord('set', payload));
    // The old list stays until the new one was read back.
    const back = await store.read(name);
    if (back === null) throw damaged('a written set is missing');
    decodeRecord('set', back);
    mayHaveOrphans = true;
    const value = { name, sha256 };
    values.set(set, value);
    return value;
  }

  return {
    sequence: () => newest,
    async load(known) {
      if (!store.keeps()) return null;
      const heads = await store.heads(headName);
      newest = heads[0]?.sequence ?? 0;
      // The store was emptied, so no set is stored any more.
      if (heads.length === 0) {
        values = new WeakMap();
        named = new Map();
      }
      for (const { sequence, bytes } of heads) {
        if (sequence <= known) return null;
        const read = async (): Promise<Generation> => readList(decodeJsonRecord('head', bytes) as HeadRecord, newest);
        const generation = await unlessDamaged(headName, read);
        if (generation !== null) return generation;
      }
      return null;
    },
    async save(generation) {
      if (!store.keeps()) {
        newest++;
        return true;
      }
      const { base, recent, removed, allowed, sequence, ...rest } = generation;
      const sets = {
        base: await writeSet('base', base),
        recent: await writeSet('recent', recent),
        removed: removed === null ? null : await writeSet('recent', removed),
        allowed: allowed === null ? null : await writeSet('recent', allowed),
      };
      const head: HeadRecord = { ...rest, sets };
      // It follows the head it was made from. A head that was read since belongs to another writer.
      const isFirst = await store.commit(headName, encodeJsonRecord('head', head), sequence - 1);
      if (isFirst) {
        // A concurrent load may have read a later one.
        newest = Math.max(newest, sequence);
        remember([base, recent, removed, allowed]);
      }
      return isFirst;
    },
    async clean() {
      if (!mayHaveOrphans) return;
      const inUse = new Set((await store.heads(headName)).flatMap(namesIn));
      for (const part of ['base', 'recent']) {
        for (const name of await store.list(`${id}/${part}/`)) {
          const madeAtMs = Number.parseInt(name.slice(name.lastIndexOf('/') + 1), 36);
          const ageMs = now() - madeAtMs;
          // A time in the future comes from a wrong clock.
          if (!inUse.has(name) && !(ageMs >= 0 && ageMs < orphanMs)) await store.remove(name);
        }
      }
      mayHaveOrphans = false;
    },
    async isIntact({ base }, signal) {
      const value = values.get(base);
      return value === undefined || toHex(await runInSlices(digestOf(base.toBytes()), signal)) === value.sha256;
    },
    async readMemo() {
      const value = (await readOther('retry', (bytes) => decodeJsonRecord('retry', bytes))) as Partial<Memo> | null;
      return {
        retry: value === null ? noRetry : readRetry(value.retry),
        suspicion: readSuspicion(value?.suspicion),
        secret: typeof value?.secret === 'string' ? value.secret : null,
      };
    },
    async writeMemo(memo) {
      const bytes = encodeJsonRecord('retry', memo);
      if (lastMemo !== undefined && equalBytes(lastMemo, bytes)) return;
      await store.write(`${id}/retry`, bytes);
      lastMemo = bytes;
    },
    readConfirmed: () => readOther('confirmed', (bytes) => decodeRecord('confirmed', bytes)),
    writeConfirmed: (payload) => store.write(`${id}/confirmed`, encodeRecord('confirmed', payload)),
  };
}

function namesIn({ bytes }: StoreHead): string[] {
  try {
    const { sets } = decodeJsonRecord('head', bytes) as HeadRecord;
    return Object.values(sets).flatMap((set) => (set === null ? [] : [set.name]));
  } catch {
    // A damaged head names nothing.
    return [];
  }
}

function requireHead(head: HeadRecord): HeadRecord {
  const { algoVersion, algorithm, snapshotToken, recentToken, snapshotAtMs, currentAtMs, movedAtMs, calibration, sets } = Object(
    head,
  ) as Partial<HeadRecord>;
  const isValue = (value: unknown): boolean => typeof Object(value).name === 'string' && typeof Object(value).sha256 === 'string';
  const isOne =
    [algoVersion, algorithm, snapshotToken].every((text) => typeof text === 'string') &&
    (recentToken === null || typeof recentToken === 'string') &&
    [snapshotAtMs, currentAtMs, movedAtMs].every((time) => typeof time === 'number') &&
    typeof (Object(calibration) as Partial<CalibrationResult>).outcome === 'string' &&
    isValue(sets?.base) &&
    isValue(sets?.recent) &&
    (sets?.removed === null || isValue(sets?.removed)) &&
    (sets?.allowed === null || isValue(sets?.allowed));
  if (!isOne) throw damaged('its head is malformed');
  return head;
}

function damaged(what: string): PortcullisError {
  return new PortcullisError('INVALID_ARTIFACT', `the stored list is invalid: ${what}`);
}
