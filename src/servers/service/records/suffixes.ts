import { createRequire } from 'node:module';

/**
 * Whether a host is a public suffix, private ones such as `github.io` among them: listing it would block what belongs to others.
 * Loaded when it is first asked, because the data take 10 ms to load and most services never publish such a host.
 */
export function isPublicSuffix(host: string): boolean {
  tldts ??= createRequire(import.meta.url)('tldts') as typeof import('tldts');
  return tldts.getPublicSuffix(host, { allowPrivateDomains: true }) === host;
}

let tldts: typeof import('tldts') | undefined;
