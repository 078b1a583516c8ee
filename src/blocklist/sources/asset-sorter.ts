import { toHex, utf8 } from '../../core/bytes.js';
import { createDigest } from '../../core/hashing/sha256.js';
import type { HashSet } from '../../core/prefixes/hash-set.js';
import type { Sliced } from '../../core/slices.js';
import { type ListRefusal, type ListRules, listingOf, openRulesOf } from '../lists/list-rules.js';
import type { PageAsset } from './assets-page.js';
import { HashCollector } from './hash-collector.js';

export type AssetStatus = 'BLOCKED' | 'ALLOWED' | 'UNKNOWN';

/** Why an asset is in no set. `unknown-status`: the service says something about it that this package does not know. */
export type SkipReason = ListRefusal | 'unknown-status';

/** The entries of all assets, by status. */
export interface SortedAssets {
  readonly entries: HashSet;
  readonly allow: HashSet;
  readonly remove: HashSet;
}

/** Assets hashed between two pauses: 5 ms. */
const assetsPerSlice = 512;

/** Puts each asset's entry into the set of its status. */
export class AssetSorter {
  readonly skipped: Map<SkipReason, number> = new Map();
  private readonly entries = new HashCollector();
  private readonly allow = new HashCollector();
  private readonly remove = new HashCollector();
  private readonly rules: ListRules;
  private readonly openRules: ListRules;
  private readonly types: ReadonlySet<string>;

  constructor(rules: ListRules, types: readonly string[]) {
    this.rules = rules;
    this.openRules = openRulesOf(rules);
    this.types = new Set(types);
  }

  *take(assets: readonly PageAsset[], requestedType: string, requestedStatus: AssetStatus): Sliced<void> {
    for (let at = 0; at < assets.length; at++) {
      if (at % assetsPerSlice === assetsPerSlice - 1) yield;
      const { content, type, status } = assets[at]!;
      // The asset's own fields win: it may have changed since, and a service may ignore the filter.
      this.sort(content, type === '' ? requestedType : type, status === '' ? requestedStatus : status);
    }
  }

  private sort(text: string, type: string, status: string): void {
    if (!this.types.has(type)) return;
    const isKnown = status === 'BLOCKED' || status === 'ALLOWED' || status === 'UNKNOWN';
    const listing = listingOf({ line: 0, text, type }, status === 'BLOCKED' ? this.rules : this.openRules);
    if (!isKnown || 'refused' in listing) {
      const reason = 'refused' in listing ? listing.refused : 'unknown-status';
      this.skipped.set(reason, (this.skipped.get(reason) ?? 0) + 1);
      return;
    }
    const { expression } = listing;
    if (status === 'BLOCKED') this.entries.add(expression);
    else if (status === 'ALLOWED') {
      this.allow.add(expression);
      this.remove.add(expression);
    } else if (isExactly(text, expression)) this.remove.add(expression);
  }

  *finish(): Sliced<SortedAssets> {
    const entries = yield* this.entries.finish();
    const allow = yield* this.allow.finish();
    const remove = yield* this.remove.finish();
    // Two assets can share an expression, which stays listed while one of them is blocked.
    return { entries, allow, remove: yield* without(remove, entries) };
  }
}

/**
 * Anyone can submit an asset, which is then UNKNOWN. If another spelling of a blocked asset could remove its entry, a submission would
 * lift the block. So only the exact spelling of the entry removes it; all others disappear with the next snapshot.
 */
function isExactly(text: string, expression: string): boolean {
  return text === expression || `address:${text.toLowerCase()}` === expression;
}

/** The hashes of the first set that the second lacks. */
export function* without(set: HashSet, entries: HashSet): Sliced<HashSet> {
  if (entries.size === 0) return set;
  const rest = new HashCollector();
  let at = 0;
  for (const hash of set) {
    if (++at % (64 * assetsPerSlice) === 0) yield;
    if (!entries.has(hash)) rest.addHash(hash);
  }
  return yield* rest.finish();
}

/** Depends on the content only, so that it survives a restart. */
export function tokenOf({ entries, remove, allow }: SortedAssets): string {
  const digest = createDigest();
  for (const set of [entries, remove, allow]) {
    digest.update(utf8(`${set.size} `));
    digest.update(set.toBytes());
  }
  return toHex(digest.digest()).slice(0, 32);
}
