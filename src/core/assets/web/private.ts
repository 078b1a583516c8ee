import { canonicalIpv4, canonicalIpv6 } from './ip.js';

/**
 * Hosts that name a different machine on every network, or none, so that no list can hold them. The ranges are those of RFC 6890 that are
 * not routed: 0/8 and `::` (this host), 127/8 and `::1` (loopback), 10/8, 172.16/12, 192.168/16 and fc00::/7 (private), 100.64/10
 * (carrier-grade NAT), 169.254/16 and fe80::/10 (link-local).
 *
 * @param host canonical: an IPv6 address that carries an IPv4 address is given as IPv4. A name is never private, whatever it resolves to.
 */
export function isPrivateHost(host: string): boolean {
  return privateIpv4.test(host) || privateIpv6.test(host);
}

const privateIpv4 =
  /^(?=[\d.]+$)(?:0|10|127|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])|169\.254|172\.(?:1[6-9]|2\d|3[01])|192\.168)\./;

const privateIpv6 = /^\[(?:::1?\]|f[cd][\da-f]{2}:|fe[89ab][\da-f]:)/;

/**
 * Names that belong to one network or machine: those of RFC 6761, 6762, 7686 and 8375, `internal`, and what routers and offices use in their
 * place. A list may hold them, and a service far away must not hear of them.
 */
export function isLocalName(host: string): boolean {
  return localName.test(host);
}

const localName =
  /(?:^|\.)(?:local|localhost|localdomain|internal|intranet|private|lan|home|corp|onion|test|invalid|home\.arpa)\.?$/i;

/**
 * Whether an IPv4 or IPv6 address is not on the public internet: what `isPrivateHost` names, and the ranges of RFC 6890 and its registries
 * that a list can hold, because texts name them, but no server should be sent to: protocol assignments, documentation, benchmarks,
 * multicast, relays and tunnels, and all IPv6 outside of 2000::/3. Text that only looks like an address is private; names are not.
 */
export function isPrivateAddress(address: string): boolean {
  const isSix = address.includes(':');
  const ip = isSix ? canonicalIpv6(address.replace(/%.*/s, '')) : /^[\d.]+$/.test(address) ? canonicalIpv4(address) : '';
  return ip === null ? isSix : isPrivateHost(ip) || (isSix && unusedIpv6.test(ip)) || unusedIpv4.test(ip);
}

const unusedIpv4 = /^(?:192\.0\.[02]\.|192\.88\.99\.|198\.(?:1[89]|51\.100)\.|203\.0\.113\.|(?:22[4-9]|2[3-5]\d)\.)/;

const unusedIpv6 = /^\[(?![23][\da-f]{3}:)|^\[(?:2001:(?:1?[\da-f]{0,2}:|db8:)|2002:|3fff:[\da-f]{0,3}:)/;
