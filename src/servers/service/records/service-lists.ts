import type { VersionDocument } from '../../../blocklist/formats/version-document.js';
import { listingOf } from '../../../blocklist/lists/list-rules.js';
import { toHex } from '../../../core/bytes.js';
import { prefixOf } from '../../../core/hashing/prefix.js';
import { hashOf } from '../../../core/hashing/sha256.js';
import { type ArtifactEncoding, encodeArtifact } from '../../../core/prefixes/artifact.js';
import { PrefixSet } from '../../../core/prefixes/prefix-set.js';
import type { Context } from '../handlers/handler-context.js';
import type { AssetRecord, ListRecord, State } from '../state/state.js';

/** The algorithm this service's lists are made with. */
export const algorithm = 'portcullis-1';

/** A list of this many recent additions becomes a snapshot at the next publishing by itself. */
const recentCountMax = 10_000;

/**
 * Snapshots and recent feeds that can still be fetched, of each the last that version documents named. A client fetches within a
 * minute of asking; eight changes of the list are more than a minute has, and eight lists of 10,000 assets are half a megabyte.
 */
const artifactsKept = 8;

/** What an asset is listed under, or why it is not: no rule for its type, or listing it would block what belongs to others. */
export function listingFor({ settings }: Pick<Context, 'settings'>, { type, content }: Pick<AssetRecord, 'type' | 'content'>) {
  return listingOf({ text: content, type, line: 0 }, settings.rules);
}

function listedExpression(context: Pick<Context, 'settings'>, asset: AssetRecord): string | null {
  const listing = listingFor(context, asset);
  return 'refused' in listing ? null : listing.expression;
}

export type Part = 'snapshot' | 'recent';

/** The list as it was last published; the first time it is asked for, a snapshot is made. */
export function currentList({ state }: Context): ListRecord | undefined {
  return state.all('lists')[0];
}

/** Makes a snapshot of all that is blocked now; the recent feed begins empty. */
export function publishSnapshot({ state, clock }: Context): ListRecord {
  const snapshotIds = state
    .all('assets')
    .filter((asset) => asset.status === 'BLOCKED')
    .map(({ id }) => id);
  const fields = { snapshotIds, recentIds: [], publishedAtMs: clock.now() };
  const list = currentList({ state } as Context);
  return list === undefined ? state.add('lists', fields) : state.change('lists', list.id, fields);
}

/** A block is in the recent feed at once. An unblock leaves the artifacts at the next snapshot, and confirmations at once. */
export function addRecent(context: Context, asset: AssetRecord): void {
  const list = currentList(context);
  if (list === undefined || list.snapshotIds.includes(asset.id) || list.recentIds.includes(asset.id)) return;
  if (list.recentIds.length >= recentCountMax) publishSnapshot(context);
  else context.state.change('lists', list.id, { recentIds: [...list.recentIds, asset.id] });
}

/** Prefixes by the assets they are of. Assets are never removed, so what was published can always be made again. */
function prefixesOf(context: Context, ids: readonly number[]): PrefixSet {
  const { state } = context;
  const known = sets.get(ids);
  if (known !== undefined) return known;
  const expressions = ids.flatMap((id) => {
    const asset = state.get('assets', id);
    return (asset && listedExpression(context, asset)) ?? [];
  });
  const set = PrefixSet.from(expressions.map(prefixOf));
  sets.set(ids, set);
  return set;
}

/** Sets that were made, by the list of ids they are of. */
const sets = new WeakMap<readonly number[], PrefixSet>();

function idsOf({ snapshotIds, recentIds }: ListRecord, part: Part): readonly number[] {
  return part === 'snapshot' ? snapshotIds : recentIds;
}

/** Keeps what a version document names, and forgets the oldest of its part. */
function keepNamed({ state }: Context, part: Part, token: string, assetIds: readonly number[]): void {
  const named = state.all('artifacts').filter((one) => one.part === part);
  if (named[named.length - 1]?.token === token) return;
  // A list can become again what it was, and is then the latest.
  const forgotten = named.find((one) => one.token === token) ?? (named.length >= artifactsKept ? named[0] : undefined);
  if (forgotten !== undefined) state.remove('artifacts', forgotten.id);
  state.add('artifacts', { part, token, assetIds });
}

/** What a version document named; `null` where none did, or too many since. */
export function namedArtifact(context: Context, part: Part, token: string): PrefixSet | null {
  const named = context.state.all('artifacts').find((one) => one.part === part && one.token === token);
  if (named === undefined) return null;
  const set = prefixesOf(context, named.assetIds);
  // Kept in a file, it may be of a service that listed other hosts.
  return tokenOf(set, part) === token ? set : null;
}

/** Another token is another content, and the same content has the same one. */
function tokenOf(set: PrefixSet, part: Part): string {
  return toHex(hashOf(`${part} ${algorithm} ${toHex(set.toBytes())}`)).slice(0, 16);
}

export function artifactOf(set: PrefixSet, encoding: ArtifactEncoding): Uint8Array {
  return encodeArtifact(set, { encoding, algorithm });
}

/** Where the artifacts of a request's service are. What it names can be fetched for a while, however the list moves. */
export function versionOf(context: Context, list: ListRecord, base: string, encoding: ArtifactEncoding): VersionDocument {
  const refOf = (part: Part) => {
    const set = prefixesOf(context, idsOf(list, part));
    const token = tokenOf(set, part);
    keepNamed(context, part, token, idsOf(list, part));
    return { token, count: set.size, url: `${base}/blocklist/${part}/${token}?encoding=${encoding}` };
  };
  return { algoVersion: algorithm, snapshot: refOf('snapshot'), recent: refOf('recent') };
}

/** The full hashes of what is blocked now and listed, behind each prefix that is asked for. */
export function hashesBehind(context: Context, prefixes: readonly number[]): Map<number, Uint8Array[]> {
  const blocked = blockedBy(context);
  return new Map(prefixes.map((prefix) => [prefix, (blocked.get(prefix) ?? []).map((expression) => hashOf(expression))]));
}

interface Index {
  readonly revision: number;
  readonly expressions: ReadonlyMap<number, readonly string[]>;
}

const indexes = new WeakMap<State, Index>();

/** Expressions of all blocked assets by their prefix; made anew after a change. */
function blockedBy(context: Context): Index['expressions'] {
  const { state } = context;
  const revision = state.revisionOf('assets');
  const known = indexes.get(state);
  if (known?.revision === revision) return known.expressions;
  const expressions = new Map<number, string[]>();
  for (const asset of state.all('assets')) {
    const expression = asset.status === 'BLOCKED' ? listedExpression(context, asset) : null;
    if (expression === null) continue;
    const prefix = prefixOf(expression);
    const found = expressions.get(prefix);
    if (found === undefined) expressions.set(prefix, [expression]);
    else found.push(expression);
  }
  indexes.set(state, { revision, expressions });
  return expressions;
}
