import { number, text } from './fields.js';
import { listOf, made, object, objects, plainValue, ruled, sized, strict } from './kinds.js';
import { type About, write } from './operation.js';
import * as z from './zod.js';

/** Files in one upload. */
export const maxUploadFiles = 10;

/** Bytes of one upload, including the framing of its parts. The service's document says "4 MB", read as 4 × 2^20. */
export const maxUploadBytes: number = 4 * 1024 * 1024;

/** A file to upload: its bytes in any form, or on Node its path. */
export type UploadSource =
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>
  | {
      /** The path of a file; on Node only. */
      readonly path: string;
    };

/** The form is detected when the content is read. */
const source = /* @__PURE__ */ plainValue<UploadSource>(
  { type: 'string', contentMediaType: 'application/octet-stream' },
  'must be an object',
  (value) => typeof value === 'object' && value !== null,
);

/** Defaults to the name of a `File` or of the path. */
const fileName = /* @__PURE__ */ made(() => z.optional(sized(1)));

/** Files attached to a report. */
export const attachments = /* @__PURE__ */ made(() => ({
  /** Upload up to ten files as evidence, 4 MB in total. The response has their URLs, for `attachmentUrls` of a report. */
  upload: write('attachmentUpload', 'POST', {
    upload: true,
    input: ruled(
      strict({
        /** One file to upload. */ file: z.optional(source),
        /** The name of the file. */ fileName,
        /** Up to ten files, 4 MB together. */ files: z.optional(
          listOf(
            strict({
              /** The file. */ file: source,
              /** The name of the file. */ fileName,
            }),
            1,
            maxUploadFiles,
          ),
        ),
      }),
      {
        'give either file or files': ({ file, fileName: name, files }) =>
          files === undefined ? file !== undefined : file === undefined && name === undefined,
      },
    ),
    essential: 'attachments.url',
    output: object({
      /** The attached files. */ attachments: objects({
        /** Where the file is, for `attachmentUrls` of a report. */ url: text,
        /** The name of the file. */ fileName: text,
        /** The size, in bytes. */ sizeBytes: number,
      }),
    }),
  }),
}));

export const aboutAttachments: About<typeof attachments> = {
  upload: ['provisional seed seed seed', { effect: ['stays', 'Gives the files to the service; no operation deletes them.'] }],
};
