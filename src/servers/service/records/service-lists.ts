import type { VersionDocument } from '../../../blocklist/formats/version-document.js';
import { listingOf } from '../../../blocklist/lists/list-rules.js';
import { toHex } from '../../../core/bytes.js';
import { prefixOf } from '../../../core/hashing/prefix.js';
import { hashOf } from '../../../core/hashing/sha256.js';
import { type ArtifactEncoding, encodeArtifact } from '../../../core/prefixes/artifact.js';
import { PrefixSet } from '../../../core/prefixes/prefix-set.js';
import type { Context } from '../handlers/handler-context.js';
import { grouped } from '../state/grouped.js';
import type { AssetRecord, ListRecord } from '../state/state-tables.js';

/** The algorithm of this service's lists. */
export const algorithm = 'portcullis-1';

/** With this many recent additions, the next one publishes a snapshot. */
const maxRecentCount = 10_000;

/**
 * How many snapshots, and how many recent feeds, can still be fetched after a version document named them. A client fetches within
 * a minute, in which a list hardly changes eight times; eight lists of 10,000 assets take half a megabyte.
 */
const artifactsKept = 8;

/** The expression an asset is listed under, or why it cannot be: its type has no rule, or it belongs to many owners. */
export function listingFor({ settings }: Pick<Context, 'settings'>, { type, content }: Pick<AssetRecord, 'type' | 'content'>) {
  return listingOf({ text: content, type, line: 0 }, settings.rules);
}

function listedExpression(context: Pick<Context, 'settings'>, asset: AssetRecord): string | null {
  const listing = listingFor(context, asset);
  return 'refused' in listing ? null : listing.expression;
}

export type Part = 'snapshot' | 'recent';

/** The list as last published; there is none before the first request for it. */
export function currentList({ state }: Context): ListRecord | undefined {
  return state.all('lists')[0];
}

/** Publishes a snapshot of everything that is blocked now, and empties the recent feed. */
export function publishSnapshot({ state, clock }: Context): ListRecord {
  const snapshotIds = state
    .all('assets')
    .filter((asset) => asset.status === 'BLOCKED')
    .map(({ id }) => id);
  const fields = { snapshotIds, recentIds: [], publishedAtMs: clock.now() };
  const list = currentList({ state } as Context);
  return list === undefined ? state.add('lists', fields) : state.change('lists', list.id, fields);
}

/** A block enters the recent feed at once. An unblock leaves confirmations at once, and the files with the next snapshot. */
export function addRecent(context: Context, asset: AssetRecord): void {
  const list = currentList(context);
  if (list === undefined || list.snapshotIds.includes(asset.id) || list.recentIds.includes(asset.id)) return;
  if (list.recentIds.length >= maxRecentCount) publishSnapshot(context);
  else context.state.change('lists', list.id, { recentIds: [...list.recentIds, asset.id] });
}

/** The prefixes of some assets. Assets are never removed, so a published list can always be rebuilt. */
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

/** Cached sets, by the ids that they contain. */
const sets = new WeakMap<readonly number[], PrefixSet>();

/** Keeps a list that a version document names, and drops the oldest one if there are too many. */
function keepNamed({ state }: Context, part: Part, token: string, assetIds: readonly number[]): void {
  const named = state.all('artifacts').filter((one) => one.part === part);
  if (named[named.length - 1]?.token === token) return;
  // A list can change back to earlier content, which then counts as the latest.
  const forgotten = named.find((one) => one.token === token) ?? (named.length >= artifactsKept ? named[0] : undefined);
  if (forgotten !== undefined) state.remove('artifacts', forgotten.id);
  state.add('artifacts', { part, token, assetIds });
}

/** A list that a version document named; `null` if there was none, or too many since. */
export function namedArtifact(context: Context, part: Part, token: string): PrefixSet | null {
  const named = context.state.all('artifacts').find((one) => one.part === part && one.token === token);
  if (named === undefined) return null;
  const set = prefixesOf(context, named.assetIds);
  // A stored state may come from a service with other rules for hosts.
  return token.startsWith(`${digestOf(set, part)}-`) ? set : null;
}

/** Never comes back with earlier content, which clients would take for an older version: a recent feed only grows until the next snapshot. */
function tokenOf(set: PrefixSet, part: Part, { publishedAtMs }: ListRecord): string {
  return `${digestOf(set, part)}-${publishedAtMs.toString(36)}`;
}

function digestOf(set: PrefixSet, part: Part): string {
  return toHex(hashOf(`${part} ${algorithm} ${toHex(set.toBytes())}`)).slice(0, 16);
}

export function artifactOf(set: PrefixSet, encoding: ArtifactEncoding): Uint8Array {
  return encodeArtifact(set, { encoding, algorithm });
}

/** The version document. The files it names can be fetched for a while, even if the list changes. */
export function versionOf(context: Context, list: ListRecord, base: string, encoding: ArtifactEncoding): VersionDocument {
  const refOf = (part: Part) => {
    const ids = list[`${part}Ids`];
    const set = prefixesOf(context, ids);
    const token = tokenOf(set, part, list);
    keepNamed(context, part, token, ids);
    return { token, count: set.size, url: `${base}/blocklist/${part}/${token}?encoding=${encoding}` };
  };
  return { algoVersion: algorithm, snapshot: refOf('snapshot'), recent: refOf('recent') };
}

/** The full hashes of the blocked, listed expressions for each prefix. */
export function hashesBehind(context: Context, prefixes: readonly number[]): Map<number, Uint8Array[]> {
  const blocked = blockedBy(context);
  return new Map(prefixes.map((prefix) => [prefix, (blocked.get(prefix) ?? []).map((expression) => hashOf(expression))]));
}

/** The expressions of all blocked assets by prefix. */
function blockedBy(context: Context): ReadonlyMap<number, readonly string[]> {
  const { state } = context;
  return state.derived('assets', 'blocked by prefix', () => {
    const blocked = state.all('assets').filter(({ status }) => status === 'BLOCKED');
    const listed = blocked.flatMap((asset) => listedExpression(context, asset) ?? []);
    return grouped(listed.map((expression) => [prefixOf(expression), expression]));
  });
}
