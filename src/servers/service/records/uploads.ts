import { pathIn } from '../http/router.js';
import type { State } from '../state/state.js';
import type { AttachmentRecord, TakedownRecord } from '../state/state-tables.js';

/** The path of an uploaded file. */
export const attachmentPath: RegExp = /^\/attachments\/(\d{1,15})\/([0-9a-f]{32})$/;

/** The upload behind a path of this service. */
export function uploadAt(state: State, path: string): AttachmentRecord | undefined {
  const [, id, secret] = attachmentPath.exec(path) ?? [];
  const attachment = state.get('attachments', Number(id));
  return attachment?.token === secret ? attachment : undefined;
}

/**
 * The evidence that goes with a takedown: what the organization uploaded for its reports about the asset, under the uploaded names.
 * provisional: the name of the field.
 */
export function evidenceOf(state: State, { assetId, organizationId }: TakedownRecord): { fileName: string; url: string }[] {
  const reportIds = new Set(state.where('proposals', 'assetId', assetId).map(({ reportId }) => reportId));
  const reports = [...reportIds].map((id) => state.get('reports', id)!).filter((one) => one.organizationId === organizationId);
  const urls = new Set(reports.flatMap(({ attachmentUrls }) => attachmentUrls));
  return [...urls].flatMap((url) => {
    const upload = URL.canParse(url) ? uploadAt(state, pathIn(new URL(url).pathname)) : undefined;
    return upload === undefined ? [] : [{ fileName: upload.fileName, url }];
  });
}
