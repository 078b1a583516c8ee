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
 * The entries for an asset that the report names before. The published check compares spellings, in which case and a trailing slash count:
 * such spellings pass and are filed as one if they ask for the same. Other spellings of one asset are rejected; nothing is published about
 * them.
 */
export function duplicatesIn(all: readonly Wanted[]): ReadonlySet<Wanted> {
  // By asset, because a report has room for a hundred thousand.
  const before = new Map<string, { readonly spellings: Set<string>; readonly wishes: Set<string> }>();
  const duplicates = all.filter((wanted) => {
    const { content, status, brandSlug } = wanted;
    const key = keyOf(wanted);
    const { spellings, wishes } = before.get(key) ?? { spellings: new Set(), wishes: new Set() };
    before.set(key, { spellings, wishes });
    const isRepeated = spellings.has(content);
    spellings.add(content);
    wishes.add(JSON.stringify([plain(content), status, brandSlug]));
    return isRepeated || wishes.size > 1;
  });
  return new Set(duplicates);
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
