import type { RelayRoute } from './relay-options.js';

export interface Target {
  readonly route: RelayRoute;
  /** Of an artifact. */
  readonly id: string;
}

/**
 * The service's own paths, so that a client takes the relay's address for the service's, below any mount path. Whatever else a path
 * can be, an escape, an empty or a dotted part, a query, is another path. The host is not looked at.
 */
const pattern =
  /^https?:\/\/[^/?#]*(?:\/(?!\.{1,2}\/)[^/?#%\\]+)*\/(?:asset\/blocklist\/(version|confirm)|artifact\/([0-9a-f]{32}))$/;

export const artifactPath = '/artifact/';
export const versionPath = '/asset/blocklist/version';
export const confirmPath = '/asset/blocklist/confirm';

export const methods: Readonly<Record<RelayRoute, readonly string[]>> = {
  version: ['GET', 'HEAD'],
  artifact: ['GET', 'HEAD'],
  confirm: ['POST'],
};

export function targetOf(url: string): Target | null {
  const found = pattern.exec(url);
  if (found === null) return null;
  const [, route, id = ''] = found;
  return { route: (route as RelayRoute | undefined) ?? 'artifact', id };
}
