import type { Assets } from '../../core/algorithms/create-assets.js';
import type { Asset } from '../../core/assets/asset.js';
import type { AssetType } from '../../core/assets/asset-types.js';

/** The part of a verified webhook event that matters here. */
export interface ReceivedEvent {
  readonly type: string;
  readonly data: unknown;
}

/**
 * The asset an event blocks, or `{ asset: null }` if the list changed in another way. `null` for events that do not concern the list.
 */
export function recentOf(event: ReceivedEvent, assets: Assets): { readonly asset: Asset | null } | null {
  if (typeof event !== 'object' || event === null) throw new TypeError('event must be a verified webhook event');
  if (event.type !== 'asset.status-updated') return null;
  const { status, content, type } = Object(event.data) as Record<string, unknown>;
  if (status !== 'BLOCKED' || typeof content !== 'string') return { asset: null };
  const hint = typeof type === 'string' ? { type: type.toUpperCase() as AssetType } : {};
  const asset = assets.normalizeAsset(content, hint);
  return { asset: 'refused' in asset ? null : asset };
}
