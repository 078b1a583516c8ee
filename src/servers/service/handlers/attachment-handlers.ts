import { toBase64 } from '../../../core/base64.js';
import type { UploadedFile } from '../http/read-body.js';
import { randomHex } from '../state/chance.js';
import type { Context } from './handler-context.js';

/** Stores files as Base64, because the state is JSON. */
export function storeFiles(call: Context & { readonly base: string }, files: readonly UploadedFile[]) {
  return {
    attachments: files.map(({ fileName, type, bytes }) => {
      const token = randomHex(call.random, 4);
      const attachment = call.state.add('attachments', { fileName, type, bytes: toBase64(bytes), token });
      return { url: `${call.base}/attachments/${attachment.id}/${token}`, fileName, sizeBytes: bytes.length };
    }),
  };
}

/** A name as the extended value of a header (RFC 8187 §3.2.1), which escapes more characters than a URL does. */
export function extendedValue(text: string): string {
  const escaped = encodeURIComponent(text).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  return `UTF-8''${escaped}`;
}
