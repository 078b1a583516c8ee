import { canonicalIpv6 } from './ip.js';

/** Longer than any address. */
const maxAddressLength = 64;

/** The address in one spelling, without quotes and port. For IPv6 the first 64 bits, because clients can choose the rest. */
export function networkOf(address: string): string {
  const text = address
    .slice(0, maxAddressLength)
    .replace(/[\s"]/g, '')
    .replace(/^\[(.*)\](?::\d+)?$/, '$1')
    .toLowerCase();
  const version4 = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)(?::\d+)?$/.exec(text);
  if (version4 !== null) return version4[1]!.replace(/\b0+(?=\d)/g, '');
  // In one spelling, and as IPv4 if it only carries such an address, because that host may come by either protocol.
  const canonical = canonicalIpv6(text.replace(/%.*/s, '')) ?? text;
  if (!canonical.startsWith('[')) return canonical;
  const [head = '', tail] = canonical.slice(1, -1).split('::');
  const groupsOf = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const first = groupsOf(head);
  const last = groupsOf(tail ?? '');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  const groups = [...first, ...Array<string>(zeros).fill('0'), ...last].slice(0, 4);
  return `${groups.join(':')}::/64`;
}
