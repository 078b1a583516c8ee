import { type AssetIssue, isPortcullisError } from '../../../core/errors.js';
import type { CallOptions, InputOf, OutputOf, PartialClient } from '../client-types.js';
import type { ReportGroup } from './task-clients.js';

/** A report of what the service accepts. */
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
 * @throws PortcullisError for any other failure, and for a refusal that names none of the remaining assets
 */
export async function reportAcceptable(
  client: Pick<PartialClient<ReportGroup>, 'reports'>,
  input: InputOf<'reports.create'>,
  options: CallOptions = {},
): Promise<AcceptedReport> {
  let { assets } = input;
  const refused: AssetIssue[] = [];
  for (let round = 1; ; round++) {
    try {
      return { report: await client.reports.create({ ...input, assets }, options), refused };
    } catch (error) {
      const issues = isPortcullisError(error) && error.code === 'UNPROCESSABLE_CONTENT' ? (error.assets ?? []) : [];
      const left = without(assets, issues);
      if (left.length === assets.length || round === maxRounds) throw error;
      refused.push(...issues);
      assets = left;
      if (assets.length === 0) return { report: null, refused };
    }
  }
}

type Assets = InputOf<'reports.create'>['assets'];

/** Of an asset that is refused as a duplicate, the first stays. */
function without(assets: Assets, issues: readonly AssetIssue[]): Assets {
  const dropped = new Set<Assets[number]>();
  for (const { asset, errorType } of issues) {
    const exact = assets.filter(({ content }) => content === asset);
    const found = exact.length > 0 ? exact : assets.filter(({ content }) => plainOf(content) === plainOf(asset));
    for (const one of errorType === 'DUPLICATE_ASSETS' ? found.slice(1) : found) dropped.add(one);
  }
  return assets.filter((one) => !dropped.has(one));
}

/** A service may name an asset as it was sent, or in another form: without its scheme, or with that of a chain. */
function plainOf(asset: string): string {
  return asset
    .trim()
    .toLowerCase()
    .replace(/^(https?:\/\/|eip155:\d{1,20}:)/, '')
    .replace(/\/$/, '');
}
