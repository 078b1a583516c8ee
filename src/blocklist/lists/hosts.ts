import { canonicalIpv4, canonicalIpv6 } from '../../core/assets/web/ip.js';
import type { EntrySink, ListReader } from './list-entry.js';
import { LineSplitter, withoutComment } from './list-lines.js';

/**
 * A hosts file: `0.0.0.0 host` and perhaps more hosts, with `#` comments. Names every such file begins with are skipped; a line that
 * leads to a real address blocks nothing. A line of a single host, as lists made of hosts files have it, is that host.
 */
export function readHosts(sink: EntrySink): ListReader {
  return new LineSplitter((line, number) => {
    if (line === null) return sink({ line: number, text: '', problem: 'too-long' });
    const text = withoutComment(line);
    if (text === '') return;
    const [address = '', ...hosts] = text.split(/[ \t]+/);
    const kind = addressKind(address);
    // What is no line of a hosts file goes on whole: it may be a secret, which only the whole line tells.
    if (kind === 'none') return sink({ line: number, text });
    for (const host of hosts) {
      if (localNames.has(host.toLowerCase())) continue;
      sink({ line: number, text: host, ...(kind === 'real' && { problem: 'not-blocked' as const }) });
    }
  });
}

function addressKind(text: string): 'sink' | 'real' | 'none' {
  const plain = text.replace(/%.*$/, '');
  const ip = plain.indexOf(':') >= 0 ? canonicalIpv6(plain) : /^[\d.]+$/.test(plain) ? canonicalIpv4(plain) : null;
  if (ip === null) return 'none';
  return ip === '0.0.0.0' || ip.startsWith('127.') || ip === '[::]' || ip === '[::1]' ? 'sink' : 'real';
}

/** What systems put into their own hosts file. */
const localNames: ReadonlySet<string> = new Set([
  ...['localhost', 'localhost.localdomain', 'local', 'broadcasthost', '0.0.0.0', 'localhost4', 'localhost6'],
  ...['localhost4.localdomain4', 'localhost6.localdomain6', 'ip6-localhost', 'ip6-loopback', 'ip6-localnet'],
  ...['ip6-mcastprefix', 'ip6-allnodes', 'ip6-allrouters', 'ip6-allhosts'],
]);
