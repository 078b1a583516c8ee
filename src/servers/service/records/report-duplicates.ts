import type { Asset } from '../../../core/assets/asset.js';
import type { AssetStatus } from '../state/state.js';
import type { parseAsset } from './asset-records.js';

/** What a report names, and what it wants of it. */
export interface Wanted {
  readonly content: string;
  readonly status: AssetStatus;
  readonly brandSlug: string | null;
  readonly asset: ReturnType<typeof parseAsset>;
}

/**
 * Whether a report names an asset again. The published check goes by the spelling: case and a slash at the end make another text, so
 * those pass, and are filed as one where they want the same. Nothing is published of other spellings of one asset; they are refused.
 */
export function isDuplicate(wanted: Wanted, before: readonly Wanted[]): boolean {
  return before.some(
    (other) =>
      keyOf(other) === keyOf(wanted) &&
      (other.content === wanted.content ||
        plain(other.content) !== plain(wanted.content) ||
        other.status !== wanted.status ||
        other.brandSlug !== wanted.brandSlug),
  );
}

/** Of each asset the first that names it, so that no two proposals are over one asset. */
export function oneOfEach(all: readonly Wanted[]): readonly (Wanted & { readonly asset: Asset })[] {
  const seen = new Set<string>();
  return all.filter((wanted): wanted is Wanted & { readonly asset: Asset } => {
    const isNew = !('refused' in wanted.asset) && !seen.has(keyOf(wanted));
    seen.add(keyOf(wanted));
    return isNew;
  });
}

function keyOf({ asset, content }: Wanted): string {
  return 'refused' in asset ? `? ${content}` : `${asset.type} ${asset.canonical}`;
}

function plain(content: string): string {
  return content.trim().toLowerCase().replace(/\/$/, '');
}
