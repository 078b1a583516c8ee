import type { UploadedFile } from '../http/read-body.js';
import type { Context } from './handler-context.js';

/** Stores files as Base64, because the state is JSON. */
export function storeFiles(call: Context & { readonly base: string }, files: readonly UploadedFile[]) {
  return {
    attachments: files.map(({ fileName, type, bytes }) => {
      const token = Array.from({ length: 4 }, () =>
        Math.floor(call.random() * 2 ** 32)
          .toString(16)
          .padStart(8, '0'),
      ).join('');
      const attachment = call.state.add('attachments', { fileName, type, bytes: base64Of(bytes), token });
      return { url: `${call.base}/attachments/${attachment.id}/${token}`, fileName, sizeBytes: bytes.length };
    }),
  };
}

function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}

export function bytesOfBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** A name as the extended value of a header (RFC 8187 §3.2.1), which escapes more characters than a URL does. */
export function extendedValue(text: string): string {
  const escaped = encodeURIComponent(text).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  return `UTF-8''${escaped}`;
}
