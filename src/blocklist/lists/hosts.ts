import { canonicalIpv4, canonicalIpv6 } from '../../core/assets/web/ip.js';
import { type EntryProblem, type EntrySink, type ListReader, maxLineNames } from './list-entry.js';
import { eachLine, isCosmetic, Separators, withoutComment } from './list-lines.js';

/**
 * A hosts file: `0.0.0.0 host` and optionally more hosts, with `#` comments. Standard local names are skipped, and a line with a real
 * address blocks nothing. A line with a single host is that host, because lists derived from hosts files contain such lines.
 */
export function readHosts(sink: EntrySink): ListReader {
  const separators = new Separators();
  const reader = eachLine(sink, (line, number) => {
    const text = withoutComment(line);
    if (text === '') return;
    if (addressKind(text.split(/[ \t]/, 1)[0] ?? '') === 'none') separators.add(text);
    readHostsLine(text, number, sink);
  });
  return {
    write: (text) => reader.write(text),
    end() {
      reader.end();
      separators.refuseTable();
    },
  };
}

/** A line of a hosts file without its comment. */
export function readHostsLine(text: string, line: number, sink: EntrySink): void {
  const [address = '', ...hosts] = text.split(/[ \t]+/, maxLineNames + 2);
  const kind = addressKind(address);
  // Any other line is passed on whole, because a secret is only recognizable as a whole; so is a line of an access log.
  if (kind === 'none') sink({ line, text, ...(isCosmetic(text) && { problem: 'pattern' }) });
  else if (hosts.length > maxLineNames) sink({ line, text: '', problem: 'too-long' });
  else if (!hosts.every((host) => hostToken.test(host))) sink({ line, text, problem: 'malformed' });
  else {
    for (const host of hosts) {
      if (localNames.has(host.toLowerCase())) continue;
      sink({ line, text: host, ...(kind === 'real' && { problem: 'not-blocked' as const }) });
    }
  }
}

/** No host has a quote, a bracket or a slash. */
const hostToken = /^[^\s/:@"'()[\]<>?=\\-][^\s/:@"'()[\]<>?=\\]*$/;

/** `sink` for an address to which lists send the names they block, `real` for any other. */
export function addressKind(text: string): 'sink' | 'real' | 'none' {
  const plain = text.replace(/%.*/s, '');
  const ip = plain.indexOf(':') >= 0 ? canonicalIpv6(plain) : fourNumbers.test(plain) ? canonicalIpv4(plain) : null;
  if (ip === null) return 'none';
  return ip === '0.0.0.0' || ip.startsWith('127.') || ip === '[::]' || ip === '[::1]' ? 'sink' : 'real';
}

/** What a record with this address does to its name: nothing if it is a real one. */
export function addressProblem(text: string): EntryProblem | undefined {
  const kind = addressKind(text);
  return kind === 'sink' ? undefined : kind === 'real' ? 'not-blocked' : 'malformed';
}

/** A rank or a version in front of a name is not an address. Some lists shorten `0.0.0.0` to `0`. */
const fourNumbers = /^(?:0|(?:\d+\.){3}\d+)$/;

/** Names that systems put into their own hosts file. */
const localNames: ReadonlySet<string> = new Set([
  ...['localhost', 'localhost.localdomain', 'local', 'broadcasthost', '0.0.0.0', 'localhost4', 'localhost6'],
  ...['localhost4.localdomain4', 'localhost6.localdomain6', 'ip6-localhost', 'ip6-loopback', 'ip6-localnet'],
  ...['ip6-mcastprefix', 'ip6-allnodes', 'ip6-allrouters', 'ip6-allhosts'],
]);
