import { PortcullisError } from '../errors.js';
import { resolved } from './address.js';
import { type FetchInit, type FetchLike, type FetchResponse, globals } from './fetch.js';

/** Enough for a mirror and its storage, with one to spare. The error message below states this number. */
const maxHops = 3;

/**
 * Follows redirects, each of which must lead to an allowed address. Where a platform hides redirects or follows them itself, the last
 * address is checked.
 */
export function following(fetch: FetchLike, mayFetch: (url: string) => boolean): FetchLike {
  return async (first, init) => {
    for (let hop = 0, url = first; ; hop++) {
      let response = await fetch(url, { ...init, redirect: 'manual' });
      // Browsers hide the target of a redirect that they do not follow.
      if (response.type === 'opaqueredirect') response = await fetch(url, { ...init, redirect: 'follow' });
      const { status } = response;
      if (isFollowed(response, url) && !mayFetch(response.url ?? '')) throw refused(response);
      const location = status >= 300 && status < 400 ? response.headers.get('location') : null;
      if (location === null) return response;
      const target = resolved(location, url);
      drop(response);
      if (!mayFetch(target)) throw refused(response);
      if (hop === maxHops) throw refused(response, 'more than 3 redirects, perhaps in a loop');
      url = target;
    }
  };
}

function isFollowed({ redirected, url }: FetchResponse, asked: string): boolean {
  return redirected === true || (url !== undefined && url !== '' && withoutFragment(url) !== withoutFragment(asked));
}

function withoutFragment(url: string): string {
  return url.replace(/#.*/s, '');
}

function refused(
  response: FetchResponse,
  what = 'a redirect leads to an address that files may not be fetched from',
): PortcullisError {
  drop(response);
  return new PortcullisError('REDIRECTED', what, { status: response.status });
}

/** Cancels a body that will not be read. */
export function drop({ body }: FetchResponse): void {
  try {
    body
      ?.getReader?.()
      .cancel()
      .catch(() => {});
  } catch {
    // A locked body is being read; its reader cancels it.
  }
}

/** Shows which options the platform's `Request` supports. */
interface Requests {
  readonly Request?: { readonly prototype: object };
}

/**
 * The options without cookies, and with `cache` where it is supported. Workers throw for `credentials` and `cache`, and keep no cookies.
 * React Native's `Request` exposes neither; it accepts `credentials`, but would change the address for `cache`.
 */
export function plainInit({ cache, ...init }: FetchInit = {}): FetchInit {
  const known = (globals as Requests).Request?.prototype ?? {};
  const isWorker = 'redirect' in known && !('credentials' in known);
  if (isWorker) return init;
  return { ...init, ...(cache !== undefined && 'cache' in known && { cache }), credentials: 'omit' };
}
