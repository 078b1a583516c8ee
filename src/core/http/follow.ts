import { PortcullisError } from '../errors.js';
import { resolved } from './address.js';
import { type FetchInit, type FetchLike, type FetchResponse, host } from './fetch.js';

/** Redirects of a file's address: to a mirror and its storage, and one to spare. */
const hopsMax = 3;

/**
 * Fetches over redirects, each of which must lead to where files may be fetched from. Where a platform hides them or follows by itself,
 * the last address is judged.
 */
export function following(fetch: FetchLike, mayFetch: (url: string) => boolean): FetchLike {
  return async (first, init) => {
    for (let hop = 0, url = first; ; hop++) {
      let response = await fetch(url, { ...init, redirect: 'manual' });
      // Browsers hide where a redirect leads to.
      if (response.type === 'opaqueredirect') response = await fetch(url, { ...init, redirect: 'follow' });
      const { status } = response;
      if (isFollowed(response, url) && !mayFetch(response.url ?? '')) throw refused(response);
      const location = status >= 300 && status < 400 ? response.headers.get('location') : null;
      // What is a redirect still, is no answer.
      if (location === null) return response;
      const target = resolved(location, url);
      drop(response);
      if (hop === hopsMax || !mayFetch(target)) throw refused(response);
      url = target;
    }
  };
}

function isFollowed({ redirected, url }: FetchResponse, asked: string): boolean {
  return redirected === true || (url !== undefined && url !== '' && withoutFragment(url) !== withoutFragment(asked));
}

function withoutFragment(url: string): string {
  return url.replace(/#.*$/, '');
}

function refused(response: FetchResponse): PortcullisError {
  drop(response);
  return new PortcullisError('REDIRECTED', 'an artifact lies where none may be fetched', { status: response.status });
}

/** Nobody reads it. */
export function drop({ body }: FetchResponse): void {
  try {
    body
      ?.getReader?.()
      .cancel()
      .catch(() => {});
  } catch {
    // It is being read, and ends with that.
  }
}

/** What a platform's `Request` says of itself. */
interface Requests {
  readonly Request?: { readonly prototype: object };
}

/**
 * Without cookies, and with the cache as asked for. Workers throw for options they have no use for, and keep no cookies. React Native's
 * `Request` says nothing of itself; it takes the one, and for the other it would change the address.
 */
export function plainInit({ cache, ...init }: FetchInit = {}): FetchInit {
  const known = (host as Requests).Request?.prototype ?? {};
  const isWorker = 'redirect' in known && !('credentials' in known);
  if (isWorker) return init;
  return { ...init, ...(cache !== undefined && 'cache' in known && { cache }), credentials: 'omit' };
}
