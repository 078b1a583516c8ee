import { type AssetIssue, isPortcullisError, PortcullisError, requireObject } from '../../core/errors.js';
import { sleep } from '../../core/http/bounded.js';
import { type Filled, type KindsOf, number, optional } from '../../core/options/read-options.js';
import type { OperationGroups } from '../operations/operation-groups.js';
import { reports } from '../operations/reports.js';
import { callKinds, callOptionsOf } from './client-options.js';
import { checkedInput } from './client-request.js';
import type { CallOptions, InputOf, OutputOf, PartialClient } from './client-types.js';

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
  requireGroup(client, 'reports');
  requireObject(input, 'input');
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

/** What one health check found. */
export type HealthcheckOutcome =
  | {
      /** The id of the check. */
      readonly id: string;
      /** Whether the check ran. */
      readonly outcome: 'ran';
      /** What it found. */
      readonly result: OutputOf<'healthchecks.reviewingBacklog'>;
    }
  /** The check failed to run. */
  | {
      readonly id: string;
      readonly outcome: 'failed';
      /** Why it failed. */
      readonly error: PortcullisError;
    }
  /** The service announces it only, or has it under a name that this version does not know. */
  | {
      readonly id: string;
      readonly outcome: 'skipped';
      /** Why it was skipped. */
      readonly reason: string;
    };

type Check = (
  input: InputOf<'healthchecks.reviewingBacklog'>,
  options: CallOptions,
) => Promise<OutputOf<'healthchecks.reviewingBacklog'>>;

/**
 * Runs every health check that the service has, and returns one outcome for each, in the order of its list. A check that fails does not
 * stop the others.
 *
 * @throws PortcullisError if the list cannot be read, or the signal is aborted.
 */
export async function runHealthchecks(
  client: Pick<PartialClient<HealthcheckGroup>, 'healthchecks'>,
  input: InputOf<'healthchecks.reviewingBacklog'> = {},
  options: CallOptions = {},
): Promise<HealthcheckOutcome[]> {
  requireGroup(client, 'healthchecks');
  const { checks } = await client.healthchecks.list({}, options);
  const methods = new Map<string, unknown>(Object.entries(client.healthchecks));
  return Promise.all(
    checks.map(async ({ id, implemented, notImplementedReason }): Promise<HealthcheckOutcome> => {
      if (!implemented) return { id, outcome: 'skipped', reason: notImplementedReason ?? 'not implemented by the service' };
      const check = methods.get(verbOf(id)) as Check | undefined;
      if (check === undefined || id === 'list')
        return { id, outcome: 'skipped', reason: 'unknown to this version of the client' };
      try {
        return { id, outcome: 'ran', result: await check(input, options) };
      } catch (error) {
        if (!isPortcullisError(error) || error.code === 'ABORTED') throw error;
        return { id, outcome: 'failed', error };
      }
    }),
  );
}

/** `reviewing.old-proposals` is `reviewingOldProposals`. */
function verbOf(id: string): string {
  return String(id).replace(/[.-](\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The groups that the tasks call: a full client has them, and so may a partial one. */
type HealthcheckGroup = Pick<OperationGroups, 'healthchecks'>;
type AssetGroup = Pick<OperationGroups, 'assets'>;
type ReportGroup = Pick<OperationGroups, 'reports'>;
type UploadGroups = Pick<OperationGroups, 'reports' | 'attachments'>;

/** A report with files as evidence. */
export type ReportWithFiles = InputOf<'reports.create'> & {
  /** Up to ten files, 4 MB together. */
  readonly files: NonNullable<InputOf<'attachments.upload'>['files']>;
};

/**
 * Uploads files, then creates a report that they are attached to. An invalid report is refused before the upload. `extra` is for the
 * report.
 *
 * If it fails after the upload, its error has the addresses of the uploaded files as `attachmentUrls`: `reports.create` takes them.
 *
 * @throws PortcullisError `INVALID_RESPONSE` if the service did not store every file; then no report is created
 */
export async function uploadAndReport(
  client: Pick<PartialClient<UploadGroups>, 'reports' | 'attachments'>,
  input: ReportWithFiles,
  options: CallOptions = {},
): Promise<OutputOf<'reports.create'>> {
  requireGroup(client, 'reports');
  requireGroup(client, 'attachments');
  requireObject(input, 'input');
  const { files, ...report } = input;
  const { extra, ...shared } = options;
  try {
    checkedInput(reports.create, report, extra);
  } catch (error) {
    throw Object.assign(error as PortcullisError, { operation: 'reportCreate' });
  }
  const { attachments } = await client.attachments.upload({ files }, shared);
  const attachmentUrls = attachments.map(({ url }) => url);
  try {
    if (attachments.length < files.length) {
      const what = `the service stored ${attachments.length} of ${files.length} files`;
      throw new PortcullisError('INVALID_RESPONSE', what, { operation: 'attachmentUpload' });
    }
    return await client.reports.create(
      { ...report, attachmentUrls: [...(report.attachmentUrls ?? []), ...attachmentUrls] },
      options,
    );
  } catch (error) {
    throw isPortcullisError(error) ? Object.assign(error, { attachmentUrls }) : error;
  }
}

/** How to wait for a scan. */
export interface ScanWaitOptions extends Omit<CallOptions, 'deadlineMs'> {
  /** Time between two polls, in milliseconds. @default 2_000 */
  readonly pollMs?: number;
  /** Longest time for all polls together, in milliseconds. @default 120_000 */
  readonly deadlineMs?: number;
}

/** A day: a scan takes seconds to minutes. */
const maxWaitMs = 86_400_000;

export const scanKinds = (): KindsOf<Filled<ScanWaitOptions, keyof ScanWaitOptions>> => ({
  ...callKinds(),
  pollMs: optional(number(1, maxWaitMs)),
  deadlineMs: optional(number(1, maxWaitMs)),
});

/**
 * Polls a scan until its status is `COMPLETED` or `FAILED`, in any case, and returns its result. Any other status is one of a scan that
 * goes on.
 *
 * @throws PortcullisError `TIMEOUT` if the scan takes longer than `deadlineMs`, `INVALID_RESPONSE` for a result without a status,
 * `ABORTED`, and what `assets.scanResult` throws
 */
export async function waitForScan(
  client: Pick<PartialClient<AssetGroup>, 'assets'>,
  scanId: number,
  options?: ScanWaitOptions,
): Promise<OutputOf<'assets.scanResult'>> {
  requireGroup(client, 'assets');
  const {
    pollMs = 2_000,
    deadlineMs = 120_000,
    ...perCall
  } = callOptionsOf<ScanWaitOptions>('waitForScan', scanKinds(), options);
  const endMs = Date.now() + deadlineMs;
  for (;;) {
    const result = await client.assets.scanResult({ scanId }, { ...perCall, deadlineMs: Math.max(1, endMs - Date.now()) });
    const { status } = Object(result) as { status?: unknown };
    if (typeof status !== 'string' || status.trim() === '') {
      throw new PortcullisError('INVALID_RESPONSE', 'the result of the scan has no status', { operation: 'scanResult' });
    }
    if (/^\s*(COMPLETED|FAILED)\s*$/i.test(status)) return result;
    if (Date.now() + pollMs >= endMs) throw new PortcullisError('TIMEOUT', `the scan is not complete after ${deadlineMs} ms`);
    await sleep(pollMs, perCall.signal);
  }
}

function requireGroup(client: object, group: string): void {
  requireObject(client, 'client');
  if (!(group in client)) throw new TypeError(`client must have the group ${group}, as createClient makes it`);
}
