import type { ListEntry } from '../../blocklist/lists/list-entry.js';
import type { Listing, ListRefusal, NotListed } from '../../blocklist/lists/list-rules.js';
import { withoutSecrets } from '../../blocklist/lists/list-secrets.js';
import type { AssetType } from '../../core/assets/asset-types.js';

/** What became of a list, line by line. */
export interface BuildReport {
  /** Entries read: `listed`, the refused ones and the duplicates. */
  readonly entries: number;
  /** Different expressions the list holds now. */
  readonly listed: number;
  readonly byType: Readonly<Partial<Record<AssetType, number>>>;
  /** The first ones, in the order they were met; a reason's whole number stands in `refusedBy`. */
  readonly refused: readonly RefusedEntry[];
  readonly refusedBy: Readonly<Partial<Record<ListRefusal, number>>>;
  /** The first ones, of each kind in the order of the list; a kind's whole number stands in `warningsBy`. */
  readonly warnings: readonly BuildWarning[];
  readonly warningsBy: Readonly<Partial<Record<WarningCode, number>>>;
}

interface EntryPlace {
  /** Of the line, from 1 on; in JSON of the item in its array, and of an asset handed in, from 0 on. */
  readonly line: number;
  /** The name of the text it stands in, where one was given. */
  readonly source?: string | undefined;
}

/** Something that is not listed. What was written is never repeated: it may be a secret. */
export interface RefusedEntry extends EntryPlace {
  readonly reason: ListRefusal;
  /** The host that was refused as a whole, for `public-suffix` and `shared-host`. */
  readonly host?: string | undefined;
}

/**
 * `changed`: what is listed is not what was written, but for `http://` in front and a slash at the end; `…` stands for userinfo, query,
 * fragment and whatever has the shape of a secret. `exact-only`: it covers nothing below it.
 * `duplicate`: an earlier line lists the same. `suffixes-unchecked`: nobody said what a public suffix is.
 */
export type BuildWarning =
  | (EntryPlace & { readonly code: 'changed'; readonly from: string; readonly to: string })
  | (EntryPlace & { readonly code: 'exact-only'; readonly to: string })
  | (EntryPlace & { readonly code: 'duplicate'; readonly firstLine: number; readonly firstSource?: string | undefined })
  | { readonly code: 'suffixes-unchecked' };

/** What a warning is about. */
export type WarningCode = BuildWarning['code'];

/** Takes down what happens; holds no more than it was told to. */
export class ReportWriter {
  private readonly max: number;
  private entries = 0;
  private listed = 0;
  private readonly byType: Partial<Record<AssetType, number>> = { URL: 0, PAGE: 0, ADDRESS: 0 };
  private readonly refused: RefusedEntry[] = [];
  private readonly refusedBy: Partial<Record<ListRefusal, number>> = {};
  private readonly warnings: BuildWarning[] = [];
  private readonly warningsBy: Partial<Record<WarningCode, number>> = {};

  constructor(max: number) {
    this.max = max;
  }

  get entryCount(): number {
    return this.entries;
  }

  warn(warning: BuildWarning): void {
    this.warnOf(warning.code, () => warning);
  }

  /** Made only if it is held: a list can have a million of them. */
  private warnOf(code: WarningCode, make: () => BuildWarning): void {
    const count = this.warningsBy[code] ?? 0;
    this.warningsBy[code] = count + 1;
    // Each kind has its own bound, so that a flood of one does not hide another.
    if (count < this.max) this.warnings.push(make());
  }

  /** Of those that are past the bound anyway. */
  countMore(code: WarningCode, more: number): void {
    if (more > 0) this.warningsBy[code] = (this.warningsBy[code] ?? 0) + more;
  }

  refuse({ line }: ListEntry, source: string | undefined, { refused: reason, host }: NotListed): void {
    this.entries++;
    this.refusedBy[reason] = (this.refusedBy[reason] ?? 0) + 1;
    if (this.refused.length >= this.max) return;
    this.refused.push({
      line,
      ...(source !== undefined && { source }),
      reason,
      ...(host !== undefined && { host: short(host) }),
    });
  }

  take({ line, text }: ListEntry, source: string | undefined, { expression, isChanged, isExactOnly }: Listing): void {
    this.entries++;
    if (!isChanged && !isExactOnly) return;
    const place = { line, ...(source !== undefined && { source }) };
    if (isChanged) this.warnOf('changed', () => ({ ...place, code: 'changed', from: shown(text), to: shown(expression) }));
    if (isExactOnly) this.warnOf('exact-only', () => ({ ...place, code: 'exact-only', to: shown(expression) }));
  }

  /** A different expression is in the list. */
  count(type: AssetType): void {
    this.listed++;
    this.byType[type] = (this.byType[type] ?? 0) + 1;
  }

  finish(): BuildReport {
    const { entries, listed, byType, refused, refusedBy, warnings, warningsBy } = this;
    return { entries, listed, byType, refused, refusedBy, warnings, warningsBy };
  }
}

function shown(text: string): string {
  return short(withoutSecrets(text));
}

/** A copy as well: a part of a large text would keep the whole of it in memory. */
function short(text: string): string {
  const shown = text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}…` : text;
  return JSON.parse(JSON.stringify(shown)) as string;
}

/** Characters of a line that a report shows. */
const shownLengthMax = 200;
