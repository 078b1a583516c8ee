import { allReaders } from '../../blocklist/lists/all-readers.js';
import type { ListEntry, ListFormat } from '../../blocklist/lists/list-entry.js';
import type { Listing, ListRefusal, NotListed } from '../../blocklist/lists/list-rules.js';
import { withoutSecrets } from '../../blocklist/lists/list-secrets.js';
import type { AssetType } from '../../core/assets/asset-types.js';
import { known } from '../../core/errors.js';

/** The result of a build. */
export interface BuildReport {
  /** Entries read: listed, refused and duplicate ones. */
  readonly entries: number;
  /** Statements of a format that name no site, such as cosmetic rules of a filter list. */
  readonly ignored: number;
  /** Entries that an exception of the same text has taken out. */
  readonly excepted: number;
  /** The formats of the texts, given or recognized, in the order of the list. */
  readonly formats: readonly { readonly source?: string | undefined; readonly format: ListFormat }[];
  /** Unique expressions in the list. */
  readonly listed: number;
  /** Entries that are a link to an account, a post or a work on a platform: `listed` and `byType` count the link and what it names. */
  readonly accounts: number;
  readonly byType: Readonly<Partial<Record<AssetType, number>>>;
  /** The first refused entries of each reason, in the order of the list; `refusedBy` has the totals. */
  readonly refused: readonly RefusedEntry[];
  readonly refusedBy: Readonly<Partial<Record<ListRefusal, number>>>;
  /** The first warnings, each kind in the order of the list; `warningsBy` has the totals. */
  readonly warnings: readonly BuildWarning[];
  readonly warningsBy: Readonly<Partial<Record<WarningCode, number>>>;
}

interface EntryPlace {
  /** Line number from 1; in JSON, and for assets passed as objects, the index from 0. */
  readonly line: number;
  /** The name of the array in a JSON document that `line` counts in; with `unread-list`, of the list that is not read. */
  readonly list?: string | undefined;
  /** The name of the text, if it has one. */
  readonly source?: string | undefined;
}

/** An entry that is not listed. Its text is not included, because it may be a secret. */
export interface RefusedEntry extends EntryPlace {
  readonly reason: ListRefusal;
  /** The rejected host, for `allowlisted`, `public-suffix` and `shared-host`. */
  readonly host?: string | undefined;
}

/**
 * `changed`: the listed expression differs from the entry in more than a scheme and a trailing slash; `…` replaces userinfo, query,
 * fragment and anything that looks like a secret. `exact-only`: the entry does not cover subdomains or subpages. `duplicate`: an earlier
 * line lists the same expression. `popular`: the entry is listed and covers a host of `popular`. `suffixes-unchecked`: `isPublicSuffix` is missing.
 */
export type BuildWarning =
  | (EntryPlace & { readonly code: 'changed'; readonly from: string; readonly to: string })
  | (EntryPlace & { readonly code: 'exact-only'; readonly to: string })
  | (EntryPlace & { readonly code: 'duplicate'; readonly firstLine: number; readonly firstSource?: string | undefined })
  | (EntryPlace & { readonly code: 'popular'; readonly host: string })
  | { readonly code: 'suffixes-unchecked' };

/** The kind of a warning. */
export type WarningCode = BuildWarning['code'];

/** Collects a report with a maximum number of refused entries of each reason, and of warnings of each kind. */
export class ReportWriter {
  private readonly max: number;
  private entries = 0;
  private listed = 0;
  private accounts = 0;
  private ignored = 0;
  private excepted = 0;
  private readonly formats: { source?: string | undefined; format: ListFormat }[] = [];
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

  ignore(): void {
    this.ignored++;
  }

  endText(format: ListFormat, source: string | undefined): void {
    if (this.formats.length < this.max) this.formats.push({ ...(source !== undefined && { source }), format });
  }

  /** Takes back an expression that was counted, and its entry. */
  except({ type, isNamed }: { readonly type: AssetType; readonly isNamed: boolean }): void {
    if (isNamed) this.accounts--;
    else this.excepted++;
    this.count(type, -1);
  }

  warn(warning: BuildWarning): void {
    this.warnOf(warning.code, () => warning);
  }

  /** Creates the warning only if it is kept: a list can have a million of them. */
  private warnOf(code: WarningCode, make: () => BuildWarning): void {
    const count = this.warningsBy[code] ?? 0;
    this.warningsBy[code] = count + 1;
    // Each kind has its own limit, so that many of one kind do not hide another.
    if (count < this.max) this.warnings.push(make());
  }

  /** Counts warnings beyond the limit. */
  countMore(code: WarningCode, more: number): void {
    if (more > 0) this.warningsBy[code] = (this.warningsBy[code] ?? 0) + more;
  }

  refuse({ line, list }: ListEntry, source: string | undefined, { refused: reason, host }: NotListed): void {
    this.entries++;
    const count = this.refusedBy[reason] ?? 0;
    this.refusedBy[reason] = count + 1;
    // Each reason has its own limit, so that many of one do not hide another.
    if (count >= this.max) return;
    this.refused.push(known({ line, list, source, reason, host: host && short(host) }));
  }

  take(
    { line, list, text }: ListEntry,
    source: string | undefined,
    { expression, isChanged, isExactOnly, isPopular, named }: Listing,
  ): void {
    this.entries++;
    if (named !== undefined) this.accounts++;
    if (!isChanged && !isExactOnly && !isPopular) return;
    const place = known({ line, list, source });
    if (isChanged) this.warnOf('changed', () => ({ ...place, code: 'changed', from: shown(text), to: shown(expression) }));
    if (isPopular) this.warnOf('popular', () => ({ ...place, code: 'popular', host: shown(expression) }));
    if (isExactOnly) this.warnOf('exact-only', () => ({ ...place, code: 'exact-only', to: shown(expression) }));
  }

  /** Counts an expression of the list, and `-1` a duplicate that was counted. */
  count(type: AssetType, by: 1 | -1): void {
    this.listed += by;
    this.byType[type] = (this.byType[type] ?? 0) + by;
  }

  finish(): BuildReport {
    const { entries, ignored, excepted, formats, listed, accounts, byType, refused, refusedBy, warnings, warningsBy } = this;
    return { entries, ignored, excepted, formats, listed, accounts, byType, refused, refusedBy, warnings, warningsBy };
  }
}

function shown(text: string): string {
  return short(withoutSecrets(text, allReaders.families));
}

/** Copies the text: a slice of a large text would keep all of it in memory. */
function short(text: string): string {
  const shown = text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text;
  return JSON.parse(JSON.stringify(shown)) as string;
}

/** Characters of an entry that a report shows. */
const maxShownLength = 200;
