import { fromBase64 } from '../../../core/base64.js';
import { extendedValue } from '../handlers/attachment-handlers.js';
import type { Context } from '../handlers/handler-context.js';
import { Problem } from '../http/problem.js';
import * as answers from '../http/service-answer.js';
import { encodings } from '../service-options.js';
import { artifactOf, namedArtifact, type Part } from './service-lists.js';

/**
 * The files that are served without a key: the OpenAPI document, artifacts and attachments. `null` for any other path.
 */
export async function fileAt(context: Context, request: Request, path: string): Promise<Response | null> {
  const [, part, token] = /^\/blocklist\/(snapshot|recent)\/([0-9a-f]{16})$/.exec(path) ?? [];
  const [, id, secret] = /^\/attachments\/(\d{1,15})\/([0-9a-f]{32})$/.exec(path) ?? [];
  if (path !== '/openapi.json' && part === undefined && id === undefined) return null;
  if (request.method !== 'GET' && request.method !== 'HEAD') return answers.notAllowed(['GET']);
  if (part !== undefined) return artifactAt(context, request, part as Part, token!);
  if (id !== undefined) return attachmentAt(context, Number(id), secret!);
  return answers.json((await import('../../../api/operations/openapi.js')).openApi());
}

/** An uploaded file, which no browser may run or guess the type of. */
function attachmentAt({ state }: Context, id: number, secret: string): Response {
  const attachment = state.get('attachments', id);
  if (attachment === undefined || attachment.token !== secret)
    return answers.refusal(new Problem(404, 'There is no such file.'), false);
  return answers.bytes(fromBase64(attachment.bytes) ?? new Uint8Array(0), {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename*=${extendedValue(attachment.fileName)}`,
    'content-security-policy': "sandbox; default-src 'none'",
  });
}

function artifactAt(context: Context, request: Request, part: Part, token: string): Response {
  const set = namedArtifact(context, part, token);
  if (set === null) return answers.refusal(new Problem(404, 'The artifact does not exist or is no longer available.'), false);
  const asked = new URL(request.url).searchParams.get('encoding') ?? context.settings.encoding;
  const encoding = encodings.find((one) => one === asked);
  if (encoding === undefined) return answers.refusal(new Problem(400, 'Unknown encoding.'), false);
  const headers = { etag: `"${token}-${encoding}"`, 'cache-control': 'public, max-age=31536000, immutable' };
  if (isNamed(headers.etag, request.headers.get('if-none-match'))) return answers.empty(304, headers);
  return answers.bytes(artifactOf(set, encoding), { ...headers, 'content-type': 'application/octet-stream' });
}

/** Whether If-None-Match contains a tag (RFC 9110 §13.1.2): `*`, or a list in which caches may have weakened it. */
function isNamed(etag: string, header: string | null): boolean {
  return header?.trim() === '*' || header?.split(',').some((one) => one.trim().replace(/^W\//, '') === etag) === true;
}
