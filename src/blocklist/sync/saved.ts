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

/** What a worker would forget between two rounds. */
export interface Memo {
  readonly retry: Retry;
  readonly suspicion: Suspicion | null;
  /** Which decoys go with a prefix on this device; `null` before the first writing. */
  readonly secret: string | null;
}

interface SetValue {
  readonly name: string;
  readonly sha256: string;
}

/** The head: which values are the list now, and what is known of it. */
interface HeadRecord extends Omit<Generation, 'sequence' | 'base' | 'recent' | 'removed' | 'allowed'> {
  readonly sets: {
    readonly base: SetValue;
    readonly recent: SetValue;
    readonly removed: SetValue | null;
    readonly allowed: SetValue | null;
  };
}

/** A value no head names is thrown away after this time; another writer may be about to name it. */
const orphanMs = 3_600_000;

/**
 * One source's list in a store (docs/formats.md §7). Sets are values of their own, written before the head that names them, so whatever
 * moment the process dies at, the newest head names whole values.
 */
export class SavedList {
  private readonly store: OpenStore;
  private readonly id: string;
  private readonly now: () => number;
  private readonly random: () => number;
  private readonly onDamaged: (name: string, error: PortcullisError) => void;
  /** Where sets are kept already. */
  private values = new WeakMap<EntrySet, SetValue>();
  /** The sets of the newest list, by the names of their values: another tab's recents come without reading the base again. */
  private named = new Map<string, EntrySet>();
  /** What an earlier process left, at first. */
  private mayHaveOrphans = true;
  /** The newest head's, read or written. */
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

  /** The newest generation that is whole, if it is newer than the one of `known`; what is damaged is told, and the one before is read. */
  async load(known = 0): Promise<Generation | null> {
    if (!this.store.keeps) return null;
    const heads = await this.store.heads(`${this.id}/head`);
    this.sequence = heads[0]?.sequence ?? 0;
    // Somebody has emptied the store: what is kept in it is not there any more.
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
   * Writes what is not written yet, then the head.
   *
   * @returns whether no other writer was first
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
    // It was made from the head before it; one that was only seen since is another writer's.
    const isFirst = await this.store.commit(`${this.id}/head`, encodeJsonRecord('head', head), sequence - 1);
    if (isFirst) {
      // A load may have seen it already.
      this.sequence = Math.max(this.sequence, sequence);
      this.remember([base, recent, removed, allowed]);
    }
    return isFirst;
  }

  /** Removes values that no head names any more. */
  async clean(): Promise<void> {
    if (!this.mayHaveOrphans) return;
    const named = new Set<string>();
    for (const { bytes } of await this.store.heads(`${this.id}/head`)) {
      try {
        const { sets } = decodeJsonRecord('head', bytes) as HeadRecord;
        for (const set of Object.values(sets)) if (set !== null) named.add(set.name);
      } catch {
        // Damaged ones name nothing.
      }
    }
    for (const part of ['base', 'recent']) {
      for (const name of await this.store.list(`${this.id}/${part}/`)) {
        const madeAtMs = Number.parseInt(name.slice(name.lastIndexOf('/') + 1), 36);
        const ageMs = this.now() - madeAtMs;
        // A time to come was written by a wrong clock.
        if (!named.has(name) && !(ageMs >= 0 && ageMs < orphanMs)) await this.store.remove(name);
      }
    }
    this.mayHaveOrphans = false;
  }

  /** Whether the base is what was written, to the last bit. Its frame has said so already, with 32 bits; this takes longer. */
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

  /** Damage of what is beside the list costs only that. */
  private async readOther<T>(kind: RecordKind, decode: (bytes: Uint8Array) => T): Promise<T | null> {
    const name = `${this.id}/${kind}`;
    try {
      const bytes = await this.store.read(name);
      return bytes === null ? null : decode(bytes);
    } catch (error) {
      // Some stores see themselves what is damaged.
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
      throw damaged('its sets do not belong together');
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
    if (bytes === null) throw damaged('a set it names is not there');
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
    // The list before stays until this one was read back.
    const back = await this.store.read(name);
    if (back === null) throw damaged('what was written is not there');
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
  if (!isOne) throw damaged('it names no list');
  return head;
}

function damaged(what: string): PortcullisError {
  return new PortcullisError('INVALID_ARTIFACT', `the stored list is refused: ${what}`);
}
