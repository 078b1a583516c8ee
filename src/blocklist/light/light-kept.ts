import { equalBytes, joined, readU32, toHex, writeU32 } from '../../core/bytes.js';
import { PortcullisError, wrapError } from '../../core/errors.js';
import { digestOf } from '../../core/hashing/sha256.js';
import { bounded } from '../../core/http/bounded.js';
import { AscendingSet } from '../../core/prefixes/ascending-set.js';
import { decodeRaw, encodeRaw } from '../../core/prefixes/raw-codec.js';
import { runInSlices, runNow, type Sliced } from '../../core/slices.js';
import type { VersionOrder } from '../generation.js';
import type { Retry } from '../rules/retry.js';
import { sequenceIn } from '../rules/version-order.js';
import type { LightStore } from '../store.js';
import { inTurn } from '../sync/in-turn.js';
import { earlierMs, type Remembered } from './light-confirm.js';
import type { LightSource } from './light-options.js';
import type { LightList } from './light-round.js';

/** Longest wait for the store. Another tab may sleep with an open transaction. */
const timeoutMs = 10_000;

/** The state of rounds that outlives a page. */
export interface LightState {
  readonly retry: Retry;
  /** The order of the newest version that this device has seen; older ones are refused. */
  readonly newest: VersionOrder | null;
  /** What the source's `tokenHistory` remembers. */
  readonly seen: unknown;
}

interface Memo extends LightState {
  /** Of the list with these tokens, if there is one. */
  readonly age: Partial<Omit<LightList, 'base' | 'recent'>>;
  readonly blocks: readonly (readonly [atMs: number, positiveUntilMs: number, ...hashes: string[]])[];
}

type StoredList = Omit<LightList, 'base' | 'recent'> & { readonly baseLength: number };

/** A list, and what is known about it, in a store: two values, each replaced in one step. */
export interface LightKept {
  /** What is stored; damaged values are reported and left out. */
  load(): Promise<{ readonly list: LightList | null; readonly state: LightState | null }>;
  saveList(list: LightList): Promise<void>;
  saveState(list: LightList | null, state: LightState): Promise<unknown>;
  close(): Promise<unknown>;
}

export function createLightKept(
  given: LightStore | undefined,
  { id, origin, trustedKeys }: LightSource,
  blocks: Map<number, Remembered>,
  now: () => number,
  onError: (error: PortcullisError) => void,
  onDamaged: (name: string, error: PortcullisError) => void,
): LightKept {
  let store = given;
  const queue = inTurn();
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

  function* listIn(bytes: Uint8Array): Sliced<LightList | null> {
    const { json, rest } = yield* readLightRecord<StoredList>(bytes);
    const { baseLength, ...list } = json;
    // A list stored before the app trusted these keys is unverified.
    if (trustedKeys?.includes(list.order.signedBy ?? '') === false) return null;
    // Another list, whose source has the same id, or had another address.
    if (list.order.origin !== (origin ?? '')) return null;
    return { ...list, base: yield* setIn(rest.subarray(0, baseLength)), recent: yield* setIn(rest.subarray(baseLength)) };
  }

  return {
    async load() {
      const isOpen = await answer(async (opened) => {
        await opened.open();
        return true;
      });
      if (!isOpen) store = undefined;
      let list = await readValue(listName, listIn);
      const memo = await readValue(stateName, function* (bytes) {
        return (yield* readLightRecord<Memo>(bytes)).json;
      });
      if (memo === null) return { list, state: null };
      const { age, retry, newest, seen } = memo;
      if (list?.snapshotToken === age?.snapshotToken && list?.recentToken === age?.recentToken)
        list = list && { ...list, ...age };
      const nowMs = now();
      for (const [atMs, positiveUntilMs, ...texts] of memo.blocks) {
        const hashes = texts.map((text) => Uint8Array.from(text.match(/../g)!, (digits) => Number.parseInt(digits, 16)));
        // A time in the future comes from a wrong clock: the age is unknown, and counts from now.
        const times = atMs <= nowMs ? { atMs, positiveUntilMs } : { atMs: nowMs, positiveUntilMs: 0 };
        if (nowMs < times.atMs + earlierMs) blocks.set(readU32(hashes[0]!, 0), { hashes, ...times, negativeUntilMs: 0 });
      }
      return { list, state: { retry, newest, seen } };
    },
    async saveList({ base, recent, ...rest }) {
      /** Another tab may have stored a newer version. */
      const isNewer = (stored: Uint8Array): boolean => {
        try {
          const { order } = runNow(readLightRecord<StoredList>(stored)).json;
          return sequenceIn(order, origin, now()) > sequenceIn(rest.order, origin, now());
        } catch {
          // A damaged value is replaced.
          return false;
        }
      };
      await answer(async (opened) => {
        const sets = [await runInSlices(rawOf(base)), await runInSlices(rawOf(recent))] as const;
        const bytes = await runInSlices(writeLightRecord({ ...rest, baseLength: sets[0].length }, ...sets));
        await opened.write(listName, bytes, isNewer);
      });
    },
    saveState: (list, state) =>
      answer(async (opened) => {
        const { base: _, recent: __, ...age } = list ?? ({} as LightList);
        const memo: Memo = {
          ...state,
          age,
          blocks: [...blocks.values()].map(({ hashes, atMs, positiveUntilMs }) => [atMs, positiveUntilMs, ...hashes.map(toHex)]),
        };
        await opened.write(stateName, await runInSlices(writeLightRecord(memo)));
      }),
    close: () => answer((opened) => opened.close()),
  };
}

function* rawOf(set: AscendingSet): Sliced<Uint8Array> {
  return yield* encodeRaw(yield* set.readEntries());
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
const format = 1;

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

/** @throws PortcullisError `INVALID_ARTIFACT` */
function* readLightRecord<Json>(bytes: Uint8Array): Sliced<LightRecord<Json>> {
  if (equalBytes(yield* digestOf(bytes.subarray(32)), bytes.subarray(0, 32))) {
    const end = jsonAt + readU32(bytes, jsonAt - 4);
    const json = JSON.parse(new TextDecoder().decode(bytes.subarray(jsonAt, end)));
    if (json.format === format) return { json, rest: bytes.subarray(end) };
  }
  throw new PortcullisError('INVALID_ARTIFACT', 'the stored record is damaged');
}
