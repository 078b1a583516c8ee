import * as z from 'zod/mini';
import { number, text } from './fields.js';
import { listOf, made, plain, ruled, sized, strict } from './kinds.js';
import { type About, write } from './operation.js';

/** Files of one upload. */
export const maxUploadFiles = 10;

/** Bytes of one upload, the framing of its parts included: "4 MB" by the service's document, read as 4 × 2^20. */
export const maxUploadBytes: number = 4 * 1024 * 1024;

/** A file to upload: bytes in whatever form they are at hand, or on Node the path of a file. */
export type UploadSource =
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>
  | { readonly path: string };

/** Which of them it is shows when it is read. */
const source = /* @__PURE__ */ plain<UploadSource>(
  { type: 'string', contentMediaType: 'application/octet-stream' },
  'must be an object',
  (value) => typeof value === 'object' && value !== null,
);

/** The name of a `File` or of a path is taken where none is given. */
const fileName = /* @__PURE__ */ made(() => z.optional(sized(1)));

/** Files that go with a report. */
export const attachments = /* @__PURE__ */ made(() => ({
  /** Store up to ten files as evidence, 4 MB together. The answer has their addresses, for `attachmentUrls` of a report. */
  upload: write('attachmentUpload', 'POST /attachment/upload', {
    upload: true,
    input: ruled(
      strict({
        file: z.optional(source),
        fileName,
        files: z.optional(listOf(strict({ file: source, fileName }), 1, maxUploadFiles)),
      }),
      {
        'give either file or files': ({ file, fileName: name, files }) =>
          files === undefined ? file !== undefined : file === undefined && name === undefined,
      },
    ),
    output: z.object({ attachments: z.array(z.object({ url: text, fileName: text, sizeBytes: number })) }),
  }),
}));

export const aboutAttachments: About<typeof attachments> = {
  upload: [
    'Store up to ten files as evidence, 4 MB together. The answer has their addresses, for `attachmentUrls` of a report.',
    'provisional seed seed seed',
  ],
};
