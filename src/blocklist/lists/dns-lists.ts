import { addressProblem } from './hosts.js';
import { type EntryProblem, type EntrySink, type ListEntry, type ListReader, maxLineNames } from './list-entry.js';
import { eachLine, withoutComment } from './list-lines.js';

/**
 * A configuration of dnsmasq: `address=/host/0.0.0.0`, `server=/host/` and `local=/host/`, each with one or more hosts. `server=/host/#`
 * makes an exception; a real address, or a server of its own, blocks nothing. All other settings are ignored.
 */
export function readDnsmasq(sink: EntrySink): ListReader {
  return eachLine(sink, (line, number) => {
    const text = withoutComment(line);
    if (text === '') return;
    const [, setting = '', hosts, value = ''] = /^([\w-]+)\s*(?:=\s*(?:\/(.*)\/([^/]*))?)?/.exec(text) ?? [];
    const isAddress = /^address$/i.test(setting);
    if (!isAddress && !/^(?:server|local)$/i.test(setting)) return sink({ line: number, text: '', isIgnored: true });
    if (hosts === undefined) {
      const isAboutHosts = /^[\w-]+\s*=\s*\//.test(text);
      return sink({ line: number, text: '', ...(isAboutHosts ? { problem: 'malformed' } : { isIgnored: true }) });
    }
    const names = hosts.split('/', maxLineNames + 1);
    if (names.length > maxLineNames) return sink({ line: number, text: '', problem: 'too-long' });
    const problem = isAddress ? sinkProblem(value) : value === '#' ? 'allow-entry' : value === '' ? undefined : 'not-blocked';
    for (const host of names) {
      // `#` stands for every name.
      sink({ line: number, text: host, ...(host === '#' ? { problem: 'pattern' } : problem && { problem }) });
    }
  });
}

/** In dnsmasq no address, or `#`, blocks the name too. */
function sinkProblem(value: string): EntryProblem | undefined {
  return value === '' || value === '#' ? undefined : addressProblem(value);
}

/**
 * A configuration of unbound: `local-zone: "host" always_nxdomain`, and `local-data: "host A 0.0.0.0"`, which also decides what a zone of type
 * `redirect` does. `always_transparent` makes an exception. All other settings are ignored.
 */
export function readUnbound(sink: EntrySink): ListReader {
  return eachLine(sink, (line, number) => {
    const words = wordsOf(line);
    if (words === 'unclosed quote') return sink({ line: number, text: '', problem: 'malformed' });
    const [setting, ...values] = words;
    if (setting === undefined) return;
    if (/^local-zone:$/i.test(setting)) sink(zoneEntry(values, number));
    else if (/^local-data:$/i.test(setting))
      sink(dataEntry(values.length === 1 ? values[0]!.trim().split(/\s+/) : values, number));
    else sink({ line: number, text: '', isIgnored: true });
  });
}

/** The words of a line up to a comment, each with or without quotes. */
function wordsOf(line: string): string[] | 'unclosed quote' {
  const words: string[] = [];
  for (let at = 0; at < line.length; ) {
    const mark = line[at]!;
    const isQuoted = mark === '"' || mark === "'";
    if (mark === '#') break;
    if (/\s/.test(mark)) {
      at++;
      continue;
    }
    const start = isQuoted ? at + 1 : at;
    let end = start;
    while (end < line.length && (isQuoted ? line[end] !== mark : /[^\s"'#]/.test(line[end]!))) end++;
    if (isQuoted && end === line.length) return 'unclosed quote';
    words.push(line.slice(start, end));
    at = isQuoted ? end + 1 : end;
    // `local-zone:"evil.example"` and `local-zone : …`.
    if (words.length === 1 && /^\s*:/.test(line.slice(at, at + 8))) {
      words[0] += ':';
      at = line.indexOf(':', at) + 1;
    } else if (words.length === 1 && !words[0]!.endsWith(':') && words[0]!.indexOf(':') > 0) {
      const [name, value] = words[0]!.split(/:(.*)/, 2);
      words.splice(0, 1, `${name}:`, value!);
    }
  }
  return words;
}

function zoneEntry([host = '', type = '', ...rest]: readonly string[], line: number): ListEntry {
  if (type === '' || rest.length > 0) return { line, text: host, problem: 'malformed' };
  const kind = zoneTypes.get(type.toLowerCase());
  if (kind === 'data') return { line, text: '', isIgnored: true };
  return { line, text: host, ...(kind !== 'block' && { problem: kind ?? 'not-blocked' }) };
}

const zoneTypes: ReadonlyMap<string, 'block' | 'data' | 'allow-entry'> = new Map<string, 'block' | 'data' | 'allow-entry'>([
  ...'always_nxdomain always_refuse always_null always_nodata always_deny refuse deny inform_deny static'
    .split(' ')
    .map((type) => [type, 'block'] as const),
  ['redirect', 'data'],
  ['inform_redirect', 'data'],
  ['always_transparent', 'allow-entry'],
]);

/** `host [ttl] [class] A address`; records of other types say nothing about the host. */
function dataEntry([host = '', ...record]: readonly string[], line: number): ListEntry {
  const at = record.findIndex((word) => /^(?:A|AAAA)$/i.test(word));
  const isRecord = at >= 0 && at <= 2 && record.slice(0, at).every((word) => /^(?:\d+|IN)$/i.test(word));
  if (!isRecord) return { line, text: '', isIgnored: true };
  const problem = record.length === at + 2 ? addressProblem(record[at + 1]!) : 'malformed';
  return { line, text: host, ...(problem && { problem }) };
}
