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
