import { maxUploadBytes } from '../../../api/operations/attachments.js';
import { toBase64 } from '../../../core/base64.js';
import type { HandlerCall } from '../handlers/handler-context.js';
import { Problem } from '../http/problem.js';
import type { UploadedFile } from '../http/read-body.js';
import { pathIn } from '../http/router.js';
import { randomHex } from '../state/chance.js';
import type { State } from '../state/state.js';
import type { AttachmentRecord, TakedownRecord } from '../state/state-tables.js';

/** The path of an uploaded file. */
export const attachmentPath: RegExp = /^\/attachments\/(\d{1,15})\/([0-9a-f]{32})$/;

/** Characters that organizations share for their uploads: 25 MB of files, half of what a state file may have. */
const maxStoredChars = 32 * 1024 * 1024;

const charsOf = (byteCount: number): number => 4 * Math.ceil(byteCount / 3);

/** Stores files as Base64, because the state is JSON. Those of a key that reaches several organizations count for its first one. */
export function storeFiles(call: HandlerCall, files: readonly UploadedFile[]) {
  const organizationId = call.organization?.id ?? call.key.organizationIds[0] ?? null;
  requireRoom(call.state, organizationId, files);
  return {
    attachments: files.map(({ fileName, type, bytes }) => {
      const token = randomHex(call.random, 4);
      const attachment = call.state.add('attachments', { fileName, type, bytes: toBase64(bytes), token, organizationId });
      return { url: `${call.base}/attachments/${attachment.id}/${token}`, fileName, sizeBytes: bytes.length };
    }),
  };
}

/**
 * Rejects files beyond the share of an organization, so that none uses up the room of another. A share is at least one upload: seven
 * organizations and more have more together, up to what a state file may have.
 */
function requireRoom(state: State, organizationId: number | null, files: readonly UploadedFile[]): void {
  const share = Math.max(charsOf(maxUploadBytes), Math.floor(maxStoredChars / state.all('organizations').length));
  const own = state.all('attachments').filter((one) => one.organizationId === organizationId);
  const stored = own.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const added = files.reduce((sum, { bytes }) => sum + charsOf(bytes.length), 0);
  if (stored + added <= share) return;
  const megabytes = Math.floor((share * 3) / 4 / 1_000_000);
  throw new Problem(400, `The uploads of the organization would exceed ${megabytes} MB together; send smaller files or fewer.`);
}

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
