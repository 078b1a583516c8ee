import { joined } from '../../core/bytes.js';
import { Refusal } from './playground-answers.js';
import type { ActionRequest } from './playground-config.js';

/** Bytes of an action: the longest link a browser opens is no longer, and no list holds more. */
const bodyBytesMax = 16 * 1024;

/** Only the page itself acts: what another site makes a browser send has another origin, or is no JSON. */
export function requireOwnPage(request: Request, origin: string): void {
  const site = request.headers.get('sec-fetch-site');
  if (request.headers.get('origin') !== origin || (site !== null && site !== 'same-origin')) {
    throw new Refusal(403, 'FORBIDDEN', 'only the page itself does this');
  }
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '')) {
    throw new Refusal(415, 'BAD_REQUEST', 'the body must be application/json');
  }
}

export async function readAction(request: Request): Promise<ActionRequest> {
  let body: unknown;
  const bytes = await bodyOf(request);
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Refusal(400, 'BAD_REQUEST', 'the body is no JSON');
  }
  const content: unknown = Object(body).content;
  if (typeof content !== 'string' || content.trim() === '') throw new Refusal(400, 'BAD_REQUEST', 'content must be a text');
  return { content };
}

async function bodyOf(request: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body?.getReader();
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    length += part.value.length;
    if (length > bodyBytesMax) {
      await reader?.cancel();
      throw new Refusal(413, 'PAYLOAD_TOO_LARGE', `the body is longer than ${bodyBytesMax} bytes`);
    }
    chunks.push(part.value);
  }
  return joined(chunks, length);
}
