import { getPublicSuffix } from 'tldts';

/** Whether a host is a public suffix, including private ones such as `github.io`: listing it would block what belongs to others. */
export function isPublicSuffix(host: string): boolean {
  return getPublicSuffix(host, { allowPrivateDomains: true }) === host;
}
