import type { CallOptions, InputOf, OutputOf, PartialClient } from '../client-types.js';
import type { UploadGroups } from './task-clients.js';

/** A report with files as evidence. */
export type ReportWithFiles = InputOf<'reports.create'> & {
  /** Up to ten files, 4 MB together. */
  readonly files: NonNullable<InputOf<'attachments.upload'>['files']>;
};

/**
 * Uploads files, then creates a report that they are attached to. If the report fails, the files remain uploaded and attached to nothing.
 */
export async function uploadAndReport(
  client: Pick<PartialClient<UploadGroups>, 'reports' | 'attachments'>,
  { files, ...report }: ReportWithFiles,
  options: CallOptions = {},
): Promise<OutputOf<'reports.create'>> {
  const { attachments } = await client.attachments.upload({ files }, options);
  const attachmentUrls = [...(report.attachmentUrls ?? []), ...attachments.map(({ url }) => url)];
  return client.reports.create({ ...report, attachmentUrls }, options);
}
