/** A request that a relay answers. */
export type RelayRoute = 'version' | 'artifact' | 'confirm';

export interface Target {
  readonly route: RelayRoute;
  /** The artifact's id; empty for the other routes. */
  readonly id: string;
}

/**
 * The service's own paths below any mount path, so that a client can use the relay's address in place of the service's. A path with an
 * escape, an empty or dotted segment, or a query does not match. The host is ignored.
 */
const pattern =
  /^https?:\/\/[^/?#]*(?:\/(?!\.{1,2}\/)[^/?#%\\]+)*\/(?:asset\/blocklist\/(version|confirm)|artifact\/([0-9a-f]{32}))$/;

/** Load balancers add a query, such as the time, against caches. */
const monitorPattern = /^https?:\/\/[^/?#]*(?:\/(?!\.{1,2}\/)[^/?#%\\]+)*\/(healthz|metrics)\/?(?:\?|$)/;

/** The page about the relay itself that a URL asks for, below any mount path. */
export function monitorOf(url: string): 'healthz' | 'metrics' | null {
  return (monitorPattern.exec(url)?.[1] as 'healthz' | 'metrics' | undefined) ?? null;
}

/** The path of the gateway below any mount path, without a query. */
const gatewayPattern = /^https?:\/\/[^/?#]*(?:\/(?!\.{1,2}\/)[^/?#%\\]+)*\/ohttp$/;

export function isGateway(url: string): boolean {
  return gatewayPattern.test(url);
}

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
