import { type AssetIssue, isPortcullisError } from '../../../core/errors.js';
import type { CallOptions, InputOf, OutputOf, PartialClient } from '../client-types.js';
import type { ReportGroup } from './task-clients.js';

/** The report that was filed, without the assets that the service rejected. */
export interface AcceptedReport {
  /** `null` if the service refuses every asset; then nothing was reported. */
  readonly report: OutputOf<'reports.create'> | null;
  /** Why the other assets were left out. */
  readonly refused: readonly AssetIssue[];
}

/** Attempts without the refused assets. The service names all of them at once, so a second round is rare. */
const maxRounds = 5;

/**
 * Creates a report. If the service refuses some of its assets, sends it again without them, because it files nothing otherwise.
 *
 * @throws PortcullisError for any other failure, and for a refusal that names none of the remaining assets or is the fifth. Its `assets`
 * has every refusal so far.
 */
export async function reportAcceptable(
  client: Pick<PartialClient<ReportGroup>, 'reports'>,
  input: InputOf<'reports.create'>,
  options: CallOptions = {},
): Promise<AcceptedReport> {
  let left = input;
  const refused: AssetIssue[] = [];
  for (let round = 1; ; round++) {
    try {
      return { report: await client.reports.create(left, options), refused };
    } catch (error) {
      if (!isPortcullisError(error)) throw error;
      const issues = error.assets ?? [];
      refused.push(...issues);
      const assets = error.code === 'UNPROCESSABLE_CONTENT' ? without(left.assets, issues) : left.assets;
      if (assets?.length === left.assets?.length || round === maxRounds) {
        throw refused.length > 0 ? Object.assign(error, { assets: refused }) : error;
      }
      if (assets.length === 0) return { report: null, refused };
      left = { ...left, assets };
    }
  }
}

type Assets = InputOf<'reports.create'>['assets'];

/** The assets that may be accepted. Of those that are refused as duplicates of each other, the first stays. */
function without(assets: Assets, issues: readonly AssetIssue[]): Assets {
  const counts = new Map<string, number>();
  for (const { content } of assets) counts.set(content, (counts.get(content) ?? 0) + 1);
  // By the exact text if an asset has it, and a duplicate if two have it; else by the plain one, which starts with a space.
  const dropped = new Set<string>();
  const repeated = new Set<string>();
  for (const { asset, errorType } of issues) {
    const isDuplicate = errorType === 'DUPLICATE_ASSETS';
    const isExact = (counts.get(asset) ?? 0) > (isDuplicate ? 1 : 0);
    (isDuplicate ? repeated : dropped).add(isExact ? asset : plainOf(asset));
  }
  const kept = new Set<string>();
  const left = assets.filter(({ content }) => {
    const names = [content, plainOf(content)];
    if (names.some((name) => dropped.has(name))) return false;
    const duplicates = names.filter((name) => repeated.has(name));
    const isFirst = duplicates.every((name) => !kept.has(name));
    for (const name of duplicates) kept.add(name);
    return isFirst;
  });
  if (left.length < assets.length) return left;
  // Duplicates that only the service recognizes. It may name all of them, so one stays; if it names it again, that one is left out.
  const named = new Set(issues.map(({ asset }) => asset));
  const [first, ...others] = assets.filter(({ content }) => named.has(content));
  const refused = new Set(others.length > 0 ? others : [first]);
  return assets.filter((one) => !refused.has(one));
}

/** A service may name an asset as it was sent, or in another form: without its scheme, or with that of a chain. */
function plainOf(asset: string): string {
  const plain = asset
    .trim()
    .replace(/^(https?:\/\/|eip155:\d{1,20}:)/i, '')
    .replace(/\/$/, '')
    // The case of a path matters.
    .replace(/^[^/]+/, (start) => start.toLowerCase());
  return ` ${plain}`;
}
