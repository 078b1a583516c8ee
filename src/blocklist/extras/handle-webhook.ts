import { listedExpression } from '../../core/algorithms/algorithm.js';
import type { Assets } from '../../core/algorithms/create-assets.js';
import type { Asset } from '../../core/assets/asset.js';
import type { AssetType } from '../../core/assets/asset-types.js';
import { refuse } from '../../core/errors.js';
import { type Filled, type KindsOf, optional, readOptions, text } from '../../core/options/read-options.js';
import { internalsOf } from '../engine/internals.js';
import type { Blocklist, SyncResult } from '../model/blocklist-interface.js';

/** The part of a verified webhook event that matters here. */
export interface ReceivedEvent {
  readonly type: string;
  readonly data: unknown;
}

/** Options of `handleWebhook`. */
export interface HandleWebhookOptions {
  /** The source whose service sent the event. @default every source that can confirm hits */
  readonly source?: string | undefined;
}

export const handleWebhookKinds = (): KindsOf<Filled<HandleWebhookOptions, 'source'>> => ({ source: optional(text()) });

/**
 * Applies a verified webhook event: a blocked asset takes effect at once, and a round fetches the rest. Without `source` the asset is
 * added to the list of every source that can confirm hits; lists of whole hashes only run their round. Resolves to `null` for events
 * that do not concern the list.
 */
export async function handleWebhook(
  blocklist: Blocklist,
  event: ReceivedEvent,
  options?: HandleWebhookOptions,
): Promise<SyncResult | null> {
  const { lists, session, parts, syncSome } = internalsOf(blocklist);
  const { source } = readOptions('handleWebhook', handleWebhookKinds(), options);
  session.requireOpen();
  const concerned = lists.filter(({ id }) => source === undefined || id === source);
  if (concerned.length === 0) refuse('no source has that id; use the id of one of the sources');
  const recent = recentOf(event, parts.assets);
  if (recent === null) return null;
  await session.loaded();
  const { asset } = recent;
  if (asset !== null) {
    // Without a source, only lists whose hits are confirmed: an event from one source must not block on behalf of another.
    const extended = concerned.filter((list) => source !== undefined || lists.length === 1 || list.confirmer !== null);
    await Promise.all(extended.map(({ sync }) => sync.addRecent((algorithm) => listedExpression(algorithm, asset))));
  }
  return syncSome(concerned);
}

/**
 * The asset an event blocks, or `{ asset: null }` if the list changed in another way. `null` for events that do not concern the list.
 */
function recentOf(event: ReceivedEvent, assets: Assets): { readonly asset: Asset | null } | null {
  if (typeof event !== 'object' || event === null) throw new TypeError('event must be a verified webhook event');
  if (event.type !== 'asset.status-updated') return null;
  const { status, content, type } = Object(event.data) as Record<string, unknown>;
  if (status !== 'BLOCKED' || typeof content !== 'string') return { asset: null };
  const hint = typeof type === 'string' ? { type: type.toUpperCase() as AssetType } : {};
  const asset = assets.normalizeAsset(content, hint);
  return { asset: 'refused' in asset ? null : asset };
}
