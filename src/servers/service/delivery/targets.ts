import { isPrivateAddress } from '../../../core/assets/web/private.js';
import { fromUtf8 } from '../../../core/bytes.js';
import { type BodyMessage, readBody } from '../../../core/http/bounded-body.js';
import type { FetchDocument } from '../../oauth/oauth-clients.js';
import type { Post } from './deliveries.js';

/** How long a receiver may take. */
export const timeoutMs = 15_000;
/** The user waits for it. */
export const getTimeoutMs = 5_000;

/** Posts with the platform's `fetch`, which cannot pin an address: only the URL is checked. Node uses `pinnedPost`. */
export function postBy(allowPrivateTargets: boolean): Post {
  return async (url, headers, body, ending) => {
    requireTarget(url, allowPrivateTargets);
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ending]);
    // A redirect counts as a failure.
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.body?.cancel();
    return response.status;
  };
}

/** Several times the description of an application. */
const maxDocumentBytes = 16 * 1024;

/** Gets a text with the platform's `fetch`, which cannot pin an address: only the URL is checked. */
export function getBy(allowPrivateTargets: boolean): FetchDocument {
  return async (url) => {
    requireTarget(url, allowPrivateTargets);
    const response = await fetch(url, {
      headers: { accept: 'application/json' },
      redirect: 'manual',
      signal: AbortSignal.timeout(getTimeoutMs),
    });
    const contentType = response.headers.get('content-type') ?? '';
    return { status: response.status, contentType, text: await shortText(response) };
  };
}

export async function shortText(response: BodyMessage): Promise<string> {
  const tooLarge = (): Error => new Error(`the document exceeds ${maxDocumentBytes} bytes`);
  const text = fromUtf8(await readBody(response, { maxBytes: maxDocumentBytes, tooLarge }));
  if (text === null) throw new Error('the document is not UTF-8');
  return text;
}

export const privateTarget = 'the target is a private address; only a service with allowPrivateTargets sends there';

/** Allows HTTPS to public hosts. With private targets allowed, plain HTTP too, for tests. */
export function requireTarget(url: string, allowPrivateTargets: boolean): URL {
  const target = new URL(url);
  if (target.protocol !== 'https:' && !(allowPrivateTargets && target.protocol === 'http:'))
    throw new Error('the target must use https; only a service with allowPrivateTargets sends over http');
  if (target.username !== '' || target.password !== '') throw new Error('the target must not contain a user name');
  if (!allowPrivateTargets && isPrivateHost(target.hostname)) throw new Error(privateTarget);
  return target;
}

function isPrivateHost(hostname: string): boolean {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host.endsWith('.internal') ||
    host.endsWith('.local') ||
    isPrivateAddress(host)
  );
}
