import { hasCode } from '../../../src/core/errors.js';
import { bounded } from '../../../src/core/http/bounded.js';
import { readBody } from '../../../src/core/http/bounded-body.js';
import { HttpRefusal } from '../../../src/core/http/http-refusal.js';
import type { ActionRequest } from '../../shared/playground-config.js';

/** The largest content that the service accepts, and the longest link that browsers open. */
const maxBodyBytes = 16 * 1024;

/** Rejects cross-origin requests: another site's page sends another `Origin`, or a content type that needs no preflight. */
export function requireOwnPage(request: Request, origin: string): void {
  const site = request.headers.get('sec-fetch-site');
  if (request.headers.get('origin') !== origin || (site !== null && site !== 'same-origin')) {
    throw new HttpRefusal(403, 'FORBIDDEN', 'cross-origin request rejected; use the buttons of the page itself');
  }
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '')) {
    throw new HttpRefusal(415, 'BAD_REQUEST', 'unsupported content type; send application/json');
  }
}

/** A page sends its few bytes at once. Without a limit, a slow body would keep a connection open. */
const maxBodyMs = 10_000;

const bodyLimit = {
  maxBytes: maxBodyBytes,
  tooLarge: (): HttpRefusal =>
    new HttpRefusal(413, 'PAYLOAD_TOO_LARGE', `the body is longer than ${maxBodyBytes} bytes; send less`),
};

export async function readAction(request: Request): Promise<ActionRequest> {
  let body: unknown;
  try {
    const bytes = await bounded(maxBodyMs, undefined, (signal) => readBody(request, { ...bodyLimit, signal }));
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof HttpRefusal) throw error;
    if (hasCode(error, 'TIMEOUT'))
      throw new HttpRefusal(408, 'TIMEOUT', `the body did not arrive within ${maxBodyMs / 1_000} seconds; send it at once`);
    throw new HttpRefusal(400, 'BAD_REQUEST', 'malformed body; send a JSON object');
  }
  const content: unknown = Object(body).content;
  if (typeof content !== 'string' || content.trim() === '') {
    throw new HttpRefusal(400, 'BAD_REQUEST', 'content is missing; send a non-empty string');
  }
  return { content };
}
