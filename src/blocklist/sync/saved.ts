import { equalBytes, toHex } from '../../core/bytes.js';
import { isPortcullisError, PortcullisError, type SignalLike } from '../../core/errors.js';
import { digestOf } from '../../core/hashing/sha256.js';
import { HashSet } from '../../core/prefixes/hash-set.js';
import { PrefixSet } from '../../core/prefixes/prefix-set.js';
import { runInSlices } from '../../core/slices.js';
import { decodeJsonRecord, decodeRecord, encodeJsonRecord, encodeRecord, type RecordKind } from '../formats/record.js';
import type { CalibrationResult, EntrySet, Generation } from '../generation.js';
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
 * head names whole values whenever the process dies.
 */
export class SavedList {
  private readonly store: OpenStore;
  private readonly id: string;
  private readonly now: () => number;
  private readonly random: () => number;
  private readonly onDamaged: (name: string, error: PortcullisError) => void;
  /** The stored values of sets. */
  private values = new WeakMap<EntrySet, SetValue>();
  /** The sets of the newest list, by value name, so that another tab's recents come without reading the base again. */
  private named = new Map<string, EntrySet>();
  /** Initially true: an earlier process may have left some. */
  private mayHaveOrphans = true;
  /** Of the newest head that was read or written. */
  sequence = 0;
  private memo: Uint8Array | undefined;

  constructor(
    store: OpenStore,
    id: string,
    { now, random }: { readonly now: () => number; readonly random: () => number },
    onDamaged: (name: string, error: PortcullisError) => void,
  ) {
    this.store = store;
    this.id = id;
    this.now = now;
    this.random = random;
    this.onDamaged = onDamaged;
  }

  /** Reads the newest generation after the sequence `known`. Reports damage, and then reads the one before. */
  async load(known = 0): Promise<Generation | null> {
    if (!this.store.keeps) return null;
    const heads = await this.store.heads(`${this.id}/head`);
    this.sequence = heads[0]?.sequence ?? 0;
    // The store was emptied, so no set is stored any more.
    if (heads.length === 0) {
      this.values = new WeakMap();
      this.named = new Map();
    }
    for (const { sequence, bytes } of heads) {
      if (sequence <= known) return null;
      try {
        return await this.read(decodeJsonRecord('head', bytes) as HeadRecord, this.sequence);
      } catch (error) {
        if (!isPortcullisError(error) || error.code !== 'INVALID_ARTIFACT') throw error;
        this.onDamaged(`${this.id}/head`, error);
      }
    }
    return null;
  }

  /**
   * Writes the sets that are not stored yet, then the head.
   *
   * @returns `false` if another writer was first
   */
  async save(generation: Generation): Promise<boolean> {
    if (!this.store.keeps) {
      this.sequence++;
      return true;
    }
    const { base, recent, removed, allowed, sequence, ...rest } = generation;
    const sets = {
      base: await this.write('base', base),
      recent: await this.write('recent', recent),
      removed: removed === null ? null : await this.write('recent', removed),
      allowed: allowed === null ? null : await this.write('recent', allowed),
    };
    const head: HeadRecord = { ...rest, sets };
    // It follows the head it was made from. A head that was read since belongs to another writer.
    const isFirst = await this.store.commit(`${this.id}/head`, encodeJsonRecord('head', head), sequence - 1);
    if (isFirst) {
      // A concurrent load may have read a later one.
      this.sequence = Math.max(this.sequence, sequence);
      this.remember([base, recent, removed, allowed]);
    }
    return isFirst;
  }

  /** Removes values without a head. */
  async clean(): Promise<void> {
    if (!this.mayHaveOrphans) return;
    const named = new Set<string>();
    for (const { bytes } of await this.store.heads(`${this.id}/head`)) {
      try {
        const { sets } = decodeJsonRecord('head', bytes) as HeadRecord;
        for (const set of Object.values(sets)) if (set !== null) named.add(set.name);
      } catch {
        // A damaged head names nothing.
      }
    }
    for (const part of ['base', 'recent']) {
      for (const name of await this.store.list(`${this.id}/${part}/`)) {
        const madeAtMs = Number.parseInt(name.slice(name.lastIndexOf('/') + 1), 36);
        const ageMs = this.now() - madeAtMs;
        // A time in the future comes from a wrong clock.
        if (!named.has(name) && !(ageMs >= 0 && ageMs < orphanMs)) await this.store.remove(name);
      }
    }
    this.mayHaveOrphans = false;
  }

  /** Compares the base with its SHA-256, which takes longer than the 32-bit checksum verified at reading. */
  async isIntact({ base }: Generation, signal?: SignalLike): Promise<boolean> {
    const value = this.values.get(base);
    return value === undefined || toHex(await runInSlices(digestOf(base.toBytes()), signal)) === value.sha256;
  }

  async readMemo(): Promise<Memo> {
    const value = (await this.readOther('retry', (bytes) => decodeJsonRecord('retry', bytes))) as Partial<Memo> | null;
    return {
      retry: value === null ? noRetry : readRetry(value.retry),
      suspicion: readSuspicion(value?.suspicion),
      secret: typeof value?.secret === 'string' ? value.secret : null,
    };
  }

  async writeMemo(memo: Memo): Promise<void> {
    const bytes = encodeJsonRecord('retry', memo);
    if (this.memo !== undefined && equalBytes(this.memo, bytes)) return;
    await this.store.write(`${this.id}/retry`, bytes);
    this.memo = bytes;
  }

  readConfirmed(): Promise<Uint8Array | null> {
    return this.readOther('confirmed', (bytes) => decodeRecord('confirmed', bytes));
  }

  async writeConfirmed(payload: Uint8Array): Promise<void> {
    await this.store.write(`${this.id}/confirmed`, encodeRecord('confirmed', payload));
  }

  /** Damage of a value beside the list costs only that value. */
  private async readOther<T>(kind: RecordKind, decode: (bytes: Uint8Array) => T): Promise<T | null> {
    const name = `${this.id}/${kind}`;
    try {
      const bytes = await this.store.read(name);
      return bytes === null ? null : decode(bytes);
    } catch (error) {
      // Some stores detect damage themselves.
      if (!isPortcullisError(error) || error.code !== 'INVALID_ARTIFACT') throw error;
      this.onDamaged(name, error);
      return null;
    }
  }

  private async read(head: HeadRecord, sequence: number): Promise<Generation> {
    const { sets, ...rest } = requireHead(head);
    const [base, recent, removed, allowed] = await Promise.all([
      this.readSet(sets.base),
      this.readSet(sets.recent),
      sets.removed === null ? null : this.readSet(sets.removed),
      sets.allowed === null ? null : this.readSet(sets.allowed),
    ]);
    if (
      base instanceof PrefixSet !== recent instanceof PrefixSet ||
      removed instanceof PrefixSet ||
      allowed instanceof PrefixSet
    ) {
      throw damaged('its sets have different entry lengths');
    }
    this.remember([base, recent, removed, allowed]);
    return { ...rest, base, recent, removed, allowed, sequence };
  }

  private remember(sets: readonly (EntrySet | null)[]): void {
    this.named = new Map(sets.flatMap((set) => (set === null ? [] : [[this.values.get(set)!.name, set] as const])));
  }

  private async readSet(value: SetValue): Promise<EntrySet> {
    const known = this.named.get(value.name);
    if (known !== undefined) return known;
    const bytes = await this.store.read(value.name);
    if (bytes === null) throw damaged('a set it names is missing');
    const payload = decodeRecord('set', bytes);
    const set = payload[9] === 8 ? HashSet.fromBytes(payload) : PrefixSet.fromBytes(payload);
    this.values.set(set, value);
    return set;
  }

  private async write(part: 'base' | 'recent', set: EntrySet): Promise<SetValue> {
    const known = this.values.get(set);
    if (known !== undefined) return known;
    const payload = set.toBytes();
    const sha256 = toHex(await runInSlices(digestOf(payload)));
    const name = `${this.id}/${part}/${this.now().toString(36)}-${Math.floor(this.random() * 2 ** 40).toString(36)}`;
    await this.store.write(name, encodeRecord('set', payload));
    // The old list stays until the new one was read back.
    const back = await this.store.read(name);
    if (back === null) throw damaged('a written set is missing');
    decodeRecord('set', back);
    this.mayHaveOrphans = true;
    const value = { name, sha256 };
    this.values.set(set, value);
    return value;
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
