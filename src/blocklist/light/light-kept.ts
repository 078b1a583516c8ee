import { equalBytes, joined, readU32, writeU32 } from '../../core/bytes.js';
import { PortcullisError, wrapError } from '../../core/errors.js';
import { digestOf } from '../../core/hashing/sha256.js';
import { bounded } from '../../core/http/bounded.js';
import { inTurn } from '../../core/in-turn.js';
import { AscendingSet } from '../../core/prefixes/ascending-set.js';
import { decodeRaw, encodeRaw } from '../../core/prefixes/raw-codec.js';
import { runInSlices, runNow, type Sliced } from '../../core/slices.js';
import type { ConfirmCache } from '../ask/answers.js';
import { decodeAnswers, encodeAnswers } from '../ask/stored-answers.js';
import { WholeHashes } from '../formats/whole-hashes.js';
import { type EntrySet, type Generation, type Lists, ofUnknownAge, type VersionOrder } from '../model/generation.js';
import type { Source } from '../model/source.js';
import type { LightStore } from '../model/store.js';
import { readDoubt, readTime } from '../rules/doubt.js';
import { readRetry } from '../rules/next-round.js';
import { credible, readOrder, sequenceIn } from '../rules/version-order.js';
import { isOfSource } from '../rules/which-list.js';
import type { SyncState } from '../sync/sync-state.js';

/** Longest wait for the store. Another tab may sleep with an open transaction. */
const timeoutMs = 10_000;

/** The state of rounds that outlives a page. */
export type LightState = Pick<SyncState, 'retry' | 'doubt' | 'newest' | 'checkpoint' | 'seen' | 'refusedAtMs'>;

/** What is stored of a list besides its sets. */
type LightAge = Omit<Generation, keyof Lists | 'signed'>;

interface Memo extends LightState {
  /** Of the list with these tokens, if there is one. */
  readonly age: Partial<LightAge>;
}

/** Earlier releases stored no whole hashes. */
type StoredList = LightAge & { readonly baseLength: number; readonly hotLength?: number };

/** A list, and what is known about it, in a store: two values, each replaced in one step. */
export interface LightKept {
  /** What is stored; damaged values are reported and left out. */
  load(): Promise<{ readonly list: Generation | null; readonly state: LightState | null }>;
  saveList(list: Generation): Promise<void>;
  /** Stores what is known when its turn comes: calls until then are one write. */
  saveState(): Promise<unknown>;
  close(): Promise<unknown>;
}

export function createLightKept(
  given: LightStore | undefined,
  source: Source,
  pollMs: number,
  /** The answers to store. */
  cache: ConfirmCache | undefined,
  known: () => readonly [list: Generation | null, state: LightState],
  now: () => number,
  /** What another tab has stored: it may have been offered a list that was not taken over, or have seen more of the log. */
  onShared: (state: Partial<LightState>) => void,
  onError: (error: PortcullisError) => void,
  onDamaged: (name: string, error: PortcullisError) => void,
): LightKept {
  const { id, origin, trustedKeys } = source;
  let store = given;
  const queue = inTurn();
  let saving: Promise<unknown> | undefined;
  /** Whether a state was read or written, so that the store has one unless it was emptied. */
  let hasState = false;
  const listName = `${id}/light`;
  const stateName = `${id}/light-state`;

  /** One call after the other. A store that fails leaves the list in memory. */
  const answer = <T>(call: (store: LightStore) => Promise<T>): Promise<T | null> =>
    queue(async () => {
      if (store === undefined) return null;
      const called = store;
      try {
        return await bounded(timeoutMs, undefined, () => call(called));
      } catch (cause) {
        onError(wrapError(cause, 'STORE_UNAVAILABLE', 'the list is kept in memory only'));
        return null;
      }
    });

  async function readValue<T>(name: string, read: (bytes: Uint8Array) => Sliced<T>): Promise<T | null> {
    const bytes = await answer((opened) => opened.read(name));
    try {
      return bytes && (await runInSlices(read(bytes)));
    } catch (error) {
      onDamaged(name, error as PortcullisError);
      return null;
    }
  }

  function* listIn(bytes: Uint8Array): Sliced<Generation | null> {
    const { json, rest } = yield* readLightRecord<StoredList>(bytes, 'baseLength');
    const { baseLength, hotLength = 0, hotSum = null, ...list } = json;
    if (!isOwn(readOrder(list.order))) return null;
    const hotAt = rest.length - hotLength;
    const base = yield* setIn(rest.subarray(0, baseLength));
    const recent = yield* setIn(rest.subarray(baseLength, hotAt));
    // A copy: a view would keep the whole record in memory.
    const hot = hotLength === 0 ? null : new WholeHashes(rest.slice(hotAt));
    return { ...list, hotSum, base, recent, removed: null, allowed: null, hot, signed: null };
  }

  async function writeList(opened: LightStore, list: Generation): Promise<void> {
    /** Another tab may have stored a newer version. */
    const isNewer = (stored: Uint8Array): boolean => {
      const order = readOrder(sharedIn<StoredList>(stored, 'baseLength').order);
      // One that is not used must not keep this one out.
      return isOwn(order) && sequenceIn(order, origin, now()) > sequenceIn(list.order, origin, now());
    };
    const base = await runInSlices(rawOf(list.base));
    const hot = list.hot?.memoryBytes ?? new Uint8Array(0);
    const json = { ...ageOf(list), baseLength: base.length, hotLength: hot.length };
    const bytes = await runInSlices(writeLightRecord(json, base, await runInSlices(rawOf(list.recent)), hot));
    await opened.write(listName, bytes, isNewer);
  }

  /** A list stored before the app trusted these keys is unverified. */
  function isOwn(order: VersionOrder): boolean {
    return trustedKeys?.includes(order.signedBy ?? '') !== false && isOfSource(order, source);
  }

  return {
    async load() {
      const isOpen = await answer(async (opened) => {
        await opened.open();
        return true;
      });
      if (!isOpen) store = undefined;
      let list = await readValue(listName, listIn);
      const memo = await readValue(stateName, (bytes) => readLightRecord<Memo>(bytes, 'age'));
      if (memo === null) return { list, state: null };
      const { age, retry, doubt, newest, checkpoint, seen, refusedAtMs } = memo.json;
      hasState = true;
      const order = readOrder(age.order);
      if (list !== null && isOwn(order)) {
        const isSame = list.snapshotToken === age.snapshotToken && list.recentToken === age.recentToken;
        // With other whole hashes, an entry that was taken back would still be blocked by those of before.
        const isWhole = isSame && list.hotSum === (age.hotSum ?? null);
        // One of the two could not be stored, or is lost: what was listed since is unknown.
        list = isWhole ? { ...list, ...age, order } : ofUnknownAge(list);
      }
      for (const answer of decodeAnswers(memo.rest)) cache?.restore(answer, now());
      const known = credible(readOrder(newest), trustedKeys, list?.order ?? null, now());
      const times = { retry: readRetry(retry, pollMs), refusedAtMs: readTime(refusedAtMs) };
      return { list, state: { ...times, doubt: readDoubt(doubt), newest: known, checkpoint, seen } };
    },
    saveList: async (list) => void (await answer((opened) => writeList(opened, list))),
    saveState() {
      saving ??= answer(async (opened) => {
        saving = undefined;
        const before = await opened.read(stateName);
        if (before !== null) onShared(sharedIn<Memo>(before, 'age'));
        const [list, { retry, doubt, newest, checkpoint, seen, refusedAtMs }] = known();
        const memo: Memo = { retry, doubt, newest, checkpoint, seen, refusedAtMs, age: list === null ? {} : ageOf(list) };
        const answers = encodeAnswers(cache?.stored() ?? [], now() - (cache?.times.earlierMs ?? 0));
        // A store that was emptied while the page is open has lost the list too.
        const isEmptied = hasState && before === null;
        await opened.write(stateName, await runInSlices(writeLightRecord(memo, answers)));
        hasState = true;
        if (isEmptied && list !== null) await writeList(opened, list);
      });
      return saving;
    },
    close: () => answer((opened) => opened.close()),
  };
}

/** What another tab has stored; nothing if it is damaged, and will be replaced. */
function sharedIn<T>(bytes: Uint8Array, has: keyof T): Partial<T> {
  try {
    return runNow(readLightRecord<T>(bytes, has)).json;
  } catch {
    return {};
  }
}

function ageOf({ base: _, recent: __, removed: ___, allowed: ____, hot: _____, signed: ______, ...age }: Generation): LightAge {
  return age;
}

function* rawOf(set: EntrySet): Sliced<Uint8Array> {
  return yield* encodeRaw(yield* (set as AscendingSet).readEntries());
}

function* setIn(bytes: Uint8Array): Sliced<AscendingSet> {
  return yield* AscendingSet.ofAscending((yield* decodeRaw(bytes, bytes.length / 4, 4)).high);
}

/**
 * What a light list stores, so that truncated, damaged or foreign bytes are never read as one (docs/formats.md §9): SHA-256 of everything
 * that follows, the length of the JSON in 4 bytes, big-endian, the JSON, and raw entries.
 */
const jsonAt = 36;

interface LightRecord<Json> {
  readonly json: Json;
  /** The bytes after the JSON, as a view. */
  readonly rest: Uint8Array;
}

/** Stored with the list. A release that stores another layout ignores records with a different number. */
const format = 2;

function* writeLightRecord(json: object, ...sets: readonly Uint8Array[]): Sliced<Uint8Array> {
  const text = new TextEncoder().encode(JSON.stringify({ ...json, format }));
  const parts = [new Uint8Array(jsonAt), text, ...sets];
  const bytes = joined(
    parts,
    parts.reduce((sum, part) => sum + part.length, 0),
  );
  writeU32(bytes, jsonAt - 4, text.length);
  bytes.set(yield* digestOf(bytes.subarray(32)));
  return bytes;
}

/**
 * @param has What only this kind of record has, so that the other one is not read in its place.
 * @throws PortcullisError `INVALID_ARTIFACT`
 */
function* readLightRecord<Json>(bytes: Uint8Array, has: keyof Json): Sliced<LightRecord<Json>> {
  if (equalBytes(yield* digestOf(bytes.subarray(32)), bytes.subarray(0, 32))) {
    const end = jsonAt + readU32(bytes, jsonAt - 4);
    const json = JSON.parse(new TextDecoder().decode(bytes.subarray(jsonAt, end)));
    if (json.format === format && json[has] !== undefined) return { json, rest: bytes.subarray(end) };
  }
  throw new PortcullisError('INVALID_ARTIFACT', 'the stored record is damaged');
}
