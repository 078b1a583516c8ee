import type { Assets } from '../../core/algorithms/create-assets.js';
import type { Asset } from '../../core/assets/asset.js';
import type { AssetType } from '../../core/assets/asset-types.js';

/** What `verifyWebhook` gives, as far as it is looked at. */
export interface ReceivedEvent {
  readonly type: string;
  readonly data: unknown;
}

/**
 * What an event says about the list: the asset that is blocked now, or only that something changed. `null` for events that are about
 * something else.
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
