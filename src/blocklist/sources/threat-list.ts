import { fromBase64, toBase64 } from '../../core/base64.js';
import { equalBytes, toHex } from '../../core/bytes.js';
import { hasCode, known, PortcullisError, throwIfAborted } from '../../core/errors.js';
import { sha256 } from '../../core/hashing/sha256.js';
import { unusable } from '../../core/http/http-api.js';
import { invalidArtifact } from '../../core/prefixes/invalid.js';
import { PrefixSet } from '../../core/prefixes/prefix-set.js';
import { runInSlices, type Sliced } from '../../core/slices.js';
import type { Artifact, ListVersion, PreviousPart, Source, VersionCall } from '../model/source.js';
import { emptyList, type ListUpdate, listOfSet, pack, type SortedList, setOf, sumOf, updatedList } from './sorted-list.js';
import { refuseForeignVersion, type Signal } from './source-options.js';
import { isVersion, wrongChecksum } from './threat-service.js';

/** What a service says about a list. */
export interface ThreatListAnswer {
  /** In base64, as the service wrote it; `undefined` if the answer has none. */
  readonly version: string | undefined;
  readonly update: ListUpdate;
  readonly waitMs?: number | undefined;
  /** Whether there is more to fetch at once. */
  readonly hasMore: boolean;
}

/** How a list is held: as the sorted list itself, and as what checks look up. */
export interface ListForm<List> {
  readonly empty: List;
  /** The list behind a snapshot that the client has; `null` if it cannot be made from that. */
  held(previous: PreviousPart, rest: string): (() => Sliced<List | null>) | null;
  updated(list: List, update: ListUpdate): Sliced<List>;
  /** SHA-256 of its entries. */
  sum(list: List): Sliced<Uint8Array>;
  /** What belongs in the token besides the version, after a dot. */
  rest(list: List): string;
  part(list: List): Sliced<HeldSets>;
}

/** What checks look up. */
export type HeldSets = Pick<Artifact, 'entries' | 'common'>;

export interface ThreatListOptions<List> {
  readonly algorithm: string;
  readonly form: ListForm<List>;
  /** Asks what has changed since a version, or for the whole list. */
  readonly ask: (version: string | null, signal: Signal) => Promise<ThreatListAnswer>;
  /** Called when the client has this version, with the pause that the service asked for. */
  readonly onHeld?: (version: string, waitMs: number) => void;
}

/**
 * Answers of one round: an update is limited in size by the service, which then sends the rest when it is asked again. More than this is
 * left for the next round.
 */
const maxAnswers = 32;

/** Longer entries in a token, which every head of the store has. A list with more is fetched as a whole after a restart. */
const maxPackedBytes = 64 * 1024;

interface Held<List> {
  readonly version: string;
  /** The rest of the token. */
  readonly rest: readonly string[];
  readonly sets: HeldSets;
  readonly list: () => Sliced<List | null>;
}

interface ThreatListVersion extends ListVersion {
  readonly sets: HeldSets | null;
}

/**
 * The lists of hashes' beginnings. The token holds entries that do not fit in the set:
 *
 *     token: <version>            all entries have four bytes
 *            <version>.<base64>   the longer entries (`pack`)
 *            <version>.-<hex>     they are too many, and only in memory
 */
export function sortedForm(): ListForm<SortedList> {
  /** Longer entries that do not fit in the token. */
  let kept: { readonly mark: string; readonly bytes: Uint8Array } | null = null;
  return {
    empty: emptyList,
    held({ entries }, rest) {
      const bytes = rest === kept?.mark ? kept.bytes : fromBase64(rest);
      return bytes === null || !(entries instanceof PrefixSet) ? null : () => listOfSet(entries, bytes);
    },
    updated: updatedList,
    sum: sumOf,
    rest(list) {
      if (list.long.length === 0) return '';
      const bytes = pack(list);
      if (bytes.length <= maxPackedBytes) return `.${toBase64(bytes)}`;
      kept = { mark: `-${toHex(sha256(bytes)).slice(0, 16)}`, bytes };
      return `.${kept.mark}`;
    },
    *part(list) {
      return { entries: yield* setOf(list) };
    },
  };
}

/**
 * The version and the snapshot of a list whose service sends what has changed since a version. The new list is made and verified before the
 * version is returned, because its token may hold a part of it.
 */
export function createThreatList<List>({
  algorithm,
  form,
  ask,
  onHeld,
}: ThreatListOptions<List>): Pick<Source, 'version' | 'artifact'> {
  function heldOf(previous: PreviousPart | undefined): Held<List> | null {
    const [version, ...rest] = previous?.token.split('.') ?? [];
    if (previous === undefined || !isVersion(version)) return null;
    const list = form.held(previous, rest[0] ?? '');
    const { entries, common } = previous;
    return list && { version, rest, sets: { entries, ...(common !== undefined && { common }) }, list };
  }

  async function version({ previous, signal }: VersionCall): Promise<ThreatListVersion> {
    const held = heldOf(previous);
    try {
      return await versionFrom(held, signal);
    } catch (error) {
      throwIfAborted(signal);
      // A version that the service refuses, or changes that do not fit, would fail in every later round and after every restart.
      if (held === null || !(hasCode(error, 'BAD_REQUEST') || hasCode(error, 'INVALID_ARTIFACT'))) throw error;
      return versionFrom(null, signal);
    }
  }

  async function versionFrom(held: Held<List> | null, signal: Signal): Promise<ThreatListVersion> {
    const updates: ListUpdate[] = [];
    let at = held?.version ?? null;
    let minWaitMs: number | undefined;
    for (let count = 0; count < maxAnswers; count++) {
      const answer = await ask(at, signal).catch((error: unknown) => {
        throwIfAborted(signal);
        if (updates.length === 0) throw error;
        return null;
      });
      // The updates received so far remain usable.
      if (answer === null) break;
      const { version: next = at, update, waitMs, hasMore } = answer;
      if (next === null) throw unusable('has no version of the list');
      const isSame = next === at;
      // A version moves only with a list that its checksum proves. One that moves without content would skip what changed.
      if (!isSame || !isWithoutChanges(update)) updates.push(update);
      at = next;
      minWaitMs = waitMs;
      if (!hasMore || isSame) break;
    }
    const found = at!;
    let sets: HeldSets;
    let token: string;
    if (updates.length === 0 && held !== null) {
      sets = held.sets;
      token = [found, ...held.rest].join('.');
    } else {
      try {
        const after = await runInSlices(made(form, held, updates), signal);
        sets = after.sets;
        token = found + form.rest(after.list);
      } catch (error) {
        throwIfAborted(signal);
        if (!hasCode(error, 'INVALID_ARTIFACT')) throw error;
        throw new PortcullisError('INVALID_ARTIFACT', error.message, known({ cause: error, retryAfterMs: minWaitMs }));
      }
    }
    onHeld?.(found, minWaitMs ?? 0);
    return { algoVersion: algorithm, snapshot: { token }, minWaitMs, sets };
  }

  return {
    version,
    async artifact(part, listed): Promise<Artifact> {
      const { sets } = listed as Partial<ThreatListVersion>;
      if (part !== 'snapshot' || !(sets?.entries instanceof PrefixSet)) refuseForeignVersion();
      return { ...sets, isProven: true };
    },
  };
}

/** Whether it says that the list is the one that the client has. A whole list may be empty, but then it has a checksum. */
function isWithoutChanges({ isPartial, removals, additions, raw, sum }: ListUpdate): boolean {
  const isEmpty =
    (removals === null || ('length' in removals && removals.length === 0)) && additions === null && raw.length === 0;
  return isEmpty && (isPartial || sum.length === 0);
}

function* made<List>(
  form: ListForm<List>,
  held: Held<List> | null,
  updates: readonly ListUpdate[],
): Sliced<{ readonly list: List; readonly sets: HeldSets }> {
  let list: List | null = held === null ? form.empty : yield* held.list();
  for (const update of updates) {
    if (update.isPartial && (list === null || (held === null && update === updates[0]))) {
      throw invalidArtifact('the answer has changes of a list that the client does not have');
    }
    list = yield* form.updated(list ?? form.empty, update);
  }
  // The checksum of the last step covers all before it.
  if (!equalBytes(yield* form.sum(list!), updates[updates.length - 1]!.sum)) throw wrongChecksum();
  return { list: list!, sets: yield* form.part(list!) };
}
