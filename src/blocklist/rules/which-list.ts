import { type ErrorCode, PortcullisError } from '../../core/errors.js';
import type { Generation, VersionOrder } from '../model/generation.js';
import type { ConfirmCall, ListVersion, SeenCheckpoint, Source } from '../model/source.js';
import { emptiedList } from './doubt.js';
import { isOlder, newestSequence, olderList, requireNear } from './version-order.js';

/**
 * Whether a stored list can be one of this source: another source may have the same id, and the app may have changed this one. A list without
 * a name is from before it had one.
 */
export function isOfSource({ origin, listName }: VersionOrder, source: Pick<Source, 'listName' | 'origin'>): boolean {
  return origin === (source.origin ?? '') && (source.listName === undefined || listName === null || source.listName === listName);
}

/** The name that a list must have: the one that the app gave, or that of the first version which was accepted. */
export function pinnedName(
  { listName, origin = '' }: Pick<Source, 'listName' | 'origin'>,
  ...known: readonly (VersionOrder | null)[]
): string | null {
  const named = known.find((order) => order !== null && order.origin === origin && order.listName !== null);
  return listName ?? named?.listName ?? null;
}

/**
 * What a question about hits says about the list: an older or another one would deny what this one holds.
 *
 * @param held The list. Only its keys were verified: `newest` may be from a store that others can write to.
 */
export function askedList(
  source: Pick<Source, 'listName' | 'origin'>,
  newest: VersionOrder | null,
  held: Pick<Generation, 'order'> | null,
  checkpoint: SeenCheckpoint | undefined,
  nowMs: number,
): Pick<ConfirmCall, 'sequence' | 'listName' | 'ohttpKeys' | 'expiresAtMs' | 'checkpoint'> {
  return {
    sequence: newestSequence(newest, source.origin, nowMs),
    listName: pinnedName(source, newest) ?? undefined,
    ohttpKeys: held?.order.ohttpKeys,
    expiresAtMs: held?.order.expiresAtMs,
    checkpoint,
  };
}

/** Why a version may not answer questions about hits. */
export const mayNotAnswer: readonly ErrorCode[] = ['OTHER_LIST', 'LIST_AHEAD', 'OLDER_LIST', 'SUSPICIOUS_LIST'];

/**
 * Whether the files of a version may answer a question about hits: not those of an older or another list, nor those of a version that a round
 * would not take over.
 *
 * @throws PortcullisError with a code of `mayNotAnswer`
 */
export function requireAnswering(
  version: ListVersion,
  { listName, sequence = 0 }: Pick<ConfirmCall, 'listName' | 'sequence'>,
  nowMs: number,
  mayBeEmpty: boolean,
): void {
  requireName(version.listName, listName);
  requireNear(version, version.signedBy === undefined ? 0 : sequence, nowMs);
  if (isOlder(version, sequence)) throw olderList();
  // The list that was hit has entries.
  if (!mayBeEmpty && version.snapshot.count === 0 && version.recent?.count === 0) throw emptiedList();
}

/**
 * Refuses another list, also one that the same key has signed: its misses say nothing about the list that is wanted.
 *
 * @throws PortcullisError `OTHER_LIST`
 */
export function requireName(name: string | undefined, pinned: string | null | undefined): void {
  if (pinned === null || pinned === undefined || name === pinned) return;
  const found = name === undefined ? 'a list without a name' : `the list ${name}`;
  throw new PortcullisError(
    'OTHER_LIST',
    `the source offers ${found} instead of ${pinned}; if that is intended, give the source the name as \`listName\``,
  );
}
