import type { GateRule } from './extension-browser.js';

/**
 * What a check found to be listed: a host with its subdomains, or a path of a host with everything below it. Rules of the browser stop its
 * requests from then on, without the worker, also those that skip the gate.
 */
export interface ListedPlace {
  readonly host: string;
  /** `null` for the whole host. */
  readonly path: string | null;
  readonly untilMs: number;
}

/** A day, so that a place whose prefix stays on the list although it was taken off is asked about again. */
const listedMs = 86_400_000;

/** Hosts at a time: two rules hold them all. */
const maxHosts = 500;

/** Each path is two expressions, and Chromium allows an extension 1,000. */
const maxPaths = 100;

/** Ids that rules of listed places may have, from the first id of a worker on. Those of passes follow. */
export const listedRuleCount = 1_000;

/**
 * Chromium compiles an expression into at most 2 kB, which leaves 80 characters for the path. A path of other characters has more than one
 * spelling in a link.
 */
const plainPath = /^\/[\w./~-]{1,79}$/;

/**
 * The place that a verdict's expression names, if it is one of the link's own host and rules can express it: a link may also be blocked for
 * something that it carries.
 */
export function listedPlace(url: string, expression: string, nowMs: number): ListedPlace | null {
  const { hostname } = new URL(url);
  const slash = expression.indexOf('/');
  const host = slash < 0 ? expression : expression.slice(0, slash);
  const path = slash < 0 ? null : expression.slice(slash);
  const isOwn = host !== '' && (hostname === host || hostname.endsWith(`.${host}`));
  return isOwn && (path === null || plainPath.test(path)) ? { host, path, untilMs: nowMs + listedMs } : null;
}

const isSamePlace = (one: ListedPlace, other: ListedPlace): boolean => one.host === other.host && one.path === other.path;

/** The places with another one; the same array if it is among them. The oldest beyond the limits go first. */
export function addPlace(places: readonly ListedPlace[], place: ListedPlace, nowMs: number): readonly ListedPlace[] {
  const isKnown = places.some((other) => isSamePlace(other, place) && other.untilMs > nowMs);
  if (isKnown) return places;
  const all = [...places.filter((other) => other.untilMs > nowMs && !isSamePlace(other, place)), place];
  return [
    ...all.filter(({ path }) => path === null).slice(-maxHosts),
    ...all.filter(({ path }) => path !== null).slice(-maxPaths),
  ];
}

/** Tells for each place whether its rules stop this link, which is parsed once: it may have a million characters. */
export function inPlace(url: string): (place: ListedPlace) => boolean {
  const { hostname, pathname } = new URL(url);
  return ({ host, path }) => {
    const isOnHost = hostname === host || hostname.endsWith(`.${host}`);
    return isOnHost && (path === null || pathname === path || pathname.startsWith(`${path}/`));
  };
}

/** Everything that a page loads, frames first. */
export const subresources: readonly string[] = [
  ...['sub_frame', 'object', 'script', 'stylesheet', 'image', 'font', 'media'],
  ...['xmlhttprequest', 'ping', 'websocket', 'webtransport', 'csp_report', 'other'],
];

/** Pages go to the gate, which checks the link again; everything else is blocked. */
export function listedRules(places: readonly ListedPlace[], gateUrl: string, firstId: number): GateRule[] {
  const rules: GateRule[] = [];
  const add = (regexFilter: string, requestDomains: string[]): void => {
    const where = { regexFilter, isUrlFilterCaseSensitive: true, requestDomains };
    const [id, priority] = [firstId + rules.length, 3];
    const redirect = { regexSubstitution: `${gateUrl}?\\0` };
    rules.push({ id, priority, action: { type: 'redirect', redirect }, condition: { ...where, resourceTypes: ['main_frame'] } });
    rules.push({ id: id + 1, priority, action: { type: 'block' }, condition: { ...where, resourceTypes: [...subresources] } });
  };
  const hosts = places.filter(({ path }) => path === null).map(({ host }) => host);
  if (hosts.length > 0) add('^(?:https?|wss?)://.*', hosts);
  for (const { host, path } of places) {
    if (path !== null) add(`^(?:https?|wss?)://[^/?#]+${path.replace(/[.-]/g, '\\$&')}(?:[/?#].*)?$`, [host]);
  }
  return rules;
}
