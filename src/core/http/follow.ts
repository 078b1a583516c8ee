import { type Abortable, PortcullisError } from '../errors.js';
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

/** How long a redirect that failed is not followed again. Longer would keep a list away whose second host was away for a minute. */
const failedMs = 1_800_000;

/**
 * For platforms that follow redirects themselves: a loop takes them 21 requests, and then looks like a network that failed. So a redirect
 * that cannot be followed is REDIRECTED, and for half an hour it is not followed.
 */
export function rememberingLoops(fetch: FetchLike, now: () => number): FetchLike {
  let failed = { url: '', atMs: 0 };
  return async (url, init) => {
    if (init?.redirect !== 'follow') return fetch(url, init);
    try {
      if (failed.url !== url || Math.abs(now() - failed.atMs) >= failedMs) return await fetch(url, init);
    } catch (error) {
      if ((init.signal as Abortable | undefined)?.aborted) throw error;
      failed = { url, atMs: now() };
    }
    throw new PortcullisError('REDIRECTED', 'the redirect could not be followed, perhaps because it leads in a loop');
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
