import { refuse } from '../../core/errors.js';
import { addressProblem } from './hosts.js';
import type { EntryProblem, EntrySink, ListReader } from './list-entry.js';
import { eachLine } from './list-lines.js';

/**
 * A response policy zone in the format of zone files (RFC 1035 §5): `evil.example CNAME .`, with names relative to the zone or below it. A
 * name blocks if its policy is NXDOMAIN, NODATA or DROP or its address is a sink; `rpz-passthru.` makes an exception. Triggers other than
 * names, such as addresses, are refused.
 */
export function readRpz(sink: EntrySink): ListReader {
  const zone = new Zone();
  /** Open parentheses, in which a record continues on the next line. */
  let depth = 0;
  let openLine = 0;
  let owner = '';
  const lines = eachLine(sink, (line, number) => {
    const isInside = depth > 0;
    const { text, opened } = statementOf(line);
    if (!isInside) openLine = number;
    depth = Math.max(0, depth + opened);
    if (isInside || text.trim() === '') return;
    const words = text.trim().split(/\s+/);
    const ignore = (): void => sink({ line: number, text: '', isIgnored: true });
    if (words[0]!.startsWith('$')) {
      if (/^\$ORIGIN$/i.test(words[0]!)) zone.moveTo(words[1] ?? '');
      return ignore();
    }
    if (!/^\s/.test(text)) owner = words.shift()!;
    const at = words.findIndex((word) => !ttlOrClass.test(word));
    const [type = '', target = ''] = words.slice(Math.max(0, at)).map((word) => word.toUpperCase());
    if (type === 'SOA') zone.startAt(owner);
    if (!/^(?:CNAME|A|AAAA)$/.test(type)) return ignore();
    const name = zone.triggerOf(owner);
    if (name === null || escaped.test(name)) return sink({ line: number, text, problem: 'malformed' });
    if (otherTrigger.test(name)) return sink({ line: number, text: name, problem: 'pattern' });
    const problem = type === 'CNAME' ? policyProblem(target, name) : addressProblem(target);
    // An exception for the subdomains alone cannot be expressed.
    const isWide = problem === 'allow-entry' && name.startsWith('*');
    sink({ line: number, text: name, ...(isWide ? { problem: 'pattern' } : problem && { problem }) });
  });
  return {
    write: (text) => lines.write(text),
    end: () => {
      lines.end();
      if (depth > 0) refuse(`the zone is malformed: a parenthesis in line ${openLine} is not closed`);
    },
  };
}

const ttlOrClass = /^(?:\d[\dsmhdw]{0,30}|IN|CH|HS)$/i;
const escaped = /[\\"()@]/;
const otherTrigger = /(?:^|\.)rpz-(?:ip|client-ip|nsip|nsdname)$/i;

function policyProblem(target: string, name: string): EntryProblem | undefined {
  if (target === '.' || target === '*.' || target === 'RPZ-DROP.') return undefined;
  // The second is the older spelling.
  const isPassed = target === 'RPZ-PASSTHRU.' || target === `${name.toUpperCase()}.`;
  return isPassed ? 'allow-entry' : target === '' ? 'malformed' : 'not-blocked';
}

/** The line up to a comment, and how many more parentheses it opens than it closes. */
function statementOf(line: string): { text: string; opened: number } {
  let opened = 0;
  let isQuoted = false;
  for (let at = 0; at < line.length; at++) {
    const mark = line[at]!;
    if (mark === '\\') at++;
    else if (mark === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (mark === ';') return { text: line.slice(0, at), opened };
    else if (mark === '(') opened++;
    else if (mark === ')') opened--;
  }
  return { text: line, opened };
}

/** The names of a zone: absolute ones end in a dot, others are relative to the origin. */
class Zone {
  /** Absolute, without the last dot; `null` while it is unknown. */
  private origin: string | null = null;
  private apex: string | null = null;

  moveTo(name: string): void {
    const isFirst = this.origin === null;
    this.origin = this.absolute(name) ?? name;
    if (isFirst && this.origin !== '') this.apex ??= this.origin;
  }

  /** The owner of the SOA record is the zone itself. */
  startAt(owner: string): void {
    this.apex = this.absolute(owner) ?? this.apex;
  }

  /** The name that a record is about; `null` for one that is not in the zone. */
  triggerOf(owner: string): string | null {
    const name = this.absolute(owner);
    if (name === null) return owner === '@' ? null : owner;
    if (this.apex === null) return owner.endsWith('.') ? null : owner;
    if (this.apex === '') return name;
    const end = name.length - this.apex.length - 1;
    return end > 0 && name[end] === '.' && name.slice(end + 1).toLowerCase() === this.apex.toLowerCase()
      ? name.slice(0, end)
      : null;
  }

  private absolute(name: string): string | null {
    if (name.endsWith('.')) return name.slice(0, -1);
    if (name === '@') return this.origin;
    if (this.origin === null) return null;
    return this.origin === '' ? name : `${name}.${this.origin}`;
  }
}
