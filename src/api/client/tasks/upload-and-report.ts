import { isPortcullisError, PortcullisError, requireObject } from '../../../core/errors.js';
import { reports } from '../../operations/reports.js';
import { checkedInput } from '../client-request.js';
import type { CallOptions, InputOf, OutputOf, PartialClient } from '../client-types.js';
import type { UploadGroups } from './task-clients.js';

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
