import { fromBase64 } from '../../../core/base64.js';
import { matchesTag } from '../../../core/http/entity-tags.js';
import { encodings } from '../../../core/prefixes/artifact.js';
import type { Context } from '../handlers/handler-context.js';
import { Problem } from '../http/problem.js';
import * as answers from '../http/service-answer.js';
import { artifactOf, namedArtifact, type Part } from './service-lists.js';
import { attachmentPath, uploadAt } from './uploads.js';

/**
 * The files that are served without a key: the OpenAPI document, artifacts and attachments. `null` for any other path.
 */
export async function fileAt(context: Context, request: Request, path: string): Promise<Response | null> {
  const [, part, token] = /^\/blocklist\/(snapshot|recent)\/([0-9a-f]{16}-[0-9a-z]{1,11})$/.exec(path) ?? [];
  const isAttachment = attachmentPath.test(path);
  if (path !== '/openapi.json' && part === undefined && !isAttachment) return null;
  if (request.method !== 'GET' && request.method !== 'HEAD') return answers.notAllowed(['GET'], false);
  if (part !== undefined) return artifactAt(context, request, part as Part, token!);
  if (isAttachment) return attachmentAt(context, path);
  return answers.json((await import('../../../api/operations/openapi.js')).openApi());
}

/** An uploaded file. An image is shown, as a report shows it; no browser may run or guess the type of anything. */
function attachmentAt({ state }: Context, path: string): Response {
  const attachment = uploadAt(state, path);
  if (attachment === undefined) return answers.refusal(new Problem(404, 'There is no such file.'), false);
  const bytes = fromBase64(attachment.bytes) ?? new Uint8Array(0);
  const image = imageTypeOf(attachment.fileName);
  return answers.bytes(bytes, {
    'content-type': image ?? 'application/octet-stream',
    'content-disposition': `${image === undefined ? 'attachment' : 'inline'}; filename*=${extendedValue(attachment.fileName)}`,
    'content-security-policy': "sandbox; default-src 'none'",
  });
}

/** A name as the extended value of a header (RFC 8187 §3.2.1), which escapes more characters than a URL does. */
function extendedValue(text: string): string {
  const escaped = encodeURIComponent(text).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  return `UTF-8''${escaped}`;
}

/** Images by their extension, without those that can contain scripts; all other files are evidence. provisional: which extensions */
const imageTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

function imageTypeOf(fileName: string): string | undefined {
  const [, extension = ''] = /\.([a-z]{3,4})$/i.exec(fileName) ?? [];
  return imageTypes[extension.toLowerCase()];
}

function artifactAt(context: Context, request: Request, part: Part, token: string): Response {
  const set = namedArtifact(context, part, token);
  if (set === null) return answers.refusal(new Problem(404, 'The artifact does not exist or is no longer available.'), false);
  const asked = new URL(request.url).searchParams.get('encoding') ?? context.settings.encoding;
  const encoding = encodings.find((one) => one === asked);
  if (encoding === undefined) return answers.refusal(new Problem(400, 'Unknown encoding.'), false);
  const headers = { etag: `"${token}-${encoding}"`, 'cache-control': 'public, max-age=31536000, immutable' };
  if (matchesTag(request.headers.get('if-none-match'), headers.etag)) return answers.empty(304, headers);
  return answers.bytes(artifactOf(set, encoding), { ...headers, 'content-type': 'application/octet-stream' });
}
