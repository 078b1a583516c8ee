import type { Asset } from '../../../core/assets/asset.js';
import type { AssetStatus } from '../state/state-tables.js';
import type { parseAsset } from './asset-records.js';

/** An asset in a report, and the status the report asks for. */
export interface Wanted {
  readonly content: string;
  readonly status: AssetStatus;
  readonly brandSlug: string | null;
  readonly asset: ReturnType<typeof parseAsset>;
}

/**
 * Whether a report names an asset twice. The published check compares spellings, in which case and a trailing slash count: such spellings
 * pass and are filed as one if they ask for the same. Other spellings of one asset are rejected; nothing is published about them.
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

/** The first entry for each asset, so that no asset has two proposals. */
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
