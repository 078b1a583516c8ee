import { addressKind, readHostsLine } from './hosts.js';
import type { EntrySink, ListEntry, ListReader } from './list-entry.js';
import { eachLine, isCosmetic, withoutComment } from './list-lines.js';

/**
 * A filter list of an ad blocker: `||evil.example^`, exceptions `@@||…`, plain hosts and lines of a hosts file. A rule is an entry only if it
 * blocks a host, or everything below a path, for whoever opens it; rules for a part of a site, for some kinds of requests or for requests
 * from some sites are refused, and rules that hide parts of pages are counted only.
 */
export function readFilterList(sink: EntrySink): ListReader {
  /** Open `!#if` blocks, whose rules apply to some blockers only. */
  let conditions = 0;
  return eachLine(sink, (line, number) => {
    const text = line.trim();
    if (text === '' || comment.test(text)) return;
    if (text.charCodeAt(0) === 0x21) {
      if (/^!#if\b/i.test(text)) conditions++;
      else if (/^!#endif\b/i.test(text)) conditions = Math.max(0, conditions - 1);
      return;
    }
    const rule = text.startsWith('#') ? text : withoutComment(text);
    if (rule.startsWith('[$') || isCosmetic(rule)) sink({ line: number, text: '', isIgnored: true });
    else if (conditions > 0) sink({ line: number, text: rule, problem: 'option' });
    else if (isHostsLine(rule)) readHostsLine(rule, number, sink);
    else sink(ruleEntry(rule, number));
  });
}

/** `[Adblock Plus 2.0]`, `# why`, `####`. */
const comment = /^(?:\[[^\]$]*\]$|#(?![#@?$%])|#+(?:\s|$))/;

function isHostsLine(text: string): boolean {
  const [first = '', second] = text.split(/[ \t]+/, 2);
  return second !== undefined && addressKind(first) !== 'none';
}

function ruleEntry(text: string, line: number): ListEntry {
  const isException = text.startsWith('@@');
  const rule = isException ? text.slice(2) : text;
  const dollar = rule.lastIndexOf('$');
  const target = targetOf(dollar < 0 ? rule : rule.slice(0, dollar));
  const effect = dollar < 0 ? 'whole' : effectOf(rule.slice(dollar + 1));
  if (target === null || (isException && target.startsWith('*'))) return { line, text, problem: 'pattern' };
  if (effect === 'part' || (isException && effect === 'withdrawn')) return { line, text, problem: 'option' };
  if (isException) return { line, text: target, problem: 'allow-entry' };
  return { line, text: target, ...(effect === 'withdrawn' && { problem: 'withdrawn' }) };
}

/** The host or page to list for a pattern: one whose entry blocks nothing that the pattern does not match. `null` if there is none. */
function targetOf(pattern: string): string | null {
  const isHost = pattern.startsWith('||');
  const isLink = !isHost && /^\|https?:\/\//i.test(pattern);
  let text = pattern.slice(isHost ? 2 : isLink ? 1 : 0);
  if (!isHost && !isLink) return text.indexOf('.') > 0 && plainHost.test(text) ? text : null;
  let end = text.length;
  while (text[end - 1] === '*') end--;
  text = text.slice(0, text[end - 1] === '^' ? end - 1 : end);
  // `|` at the end matches this address only, and a listed page covers what is below it.
  if (notLiteral.test(text.startsWith('*.') ? text.slice(2) : text)) return null;
  const host = text.replace(/^https?:\/\//i, '');
  const slash = host.search(/[/?#]/);
  // A port is a part of the host's sites, and names that begin with `192.0.2.` are not that name. Ad blockers do not match `[`.
  if (/[@[\]\\:]|\.$/.test(slash < 0 ? host : host.slice(0, slash))) return null;
  // `|https://host/` leaves out the subdomains, and `*.host/path` names no page.
  if (isLink && !/^[^/?#]+\/[^/?#]/.test(host)) return null;
  return text.startsWith('*.') && slash >= 0 ? null : text;
}

const plainHost = /^[^\s/^|*?:@$=,"'()[\]\\#]+$/;
const notLiteral = /[*^|\s]|^\.|^$/;

/** What a rule with these options blocks: a host as a whole, or a part of it. */
function effectOf(options: string): 'whole' | 'withdrawn' | 'part' {
  const names = options.split(',').map((name) => name.trim().toLowerCase());
  const opensPages = names.some((name) => name === 'document' || name === 'doc') && !names.includes('all');
  const isWhole = names.every(
    (name) => pages.has(name) || neutral.test(name) || name === 'badfilter' || (opensPages && requests.has(name)),
  );
  if (!isWhole) return 'part';
  return names.includes('badfilter') ? 'withdrawn' : 'whole';
}

/** Options with which a rule blocks the page itself, so that other kinds of requests beside them do not narrow it. */
const pages: ReadonlySet<string> = new Set(['all', 'document', 'doc']);

const neutral = /^(?:important|match-case|reason=.*|_+)$/;

/** Kinds of requests. A rule for them alone leaves the page open. */
const requests: ReadonlySet<string> = new Set(
  [
    'beacon css font frame image inline-font inline-script media object other ping popunder popup script stylesheet subdocument',
    'websocket xhr xmlhttprequest',
  ].flatMap((line) => line.split(' ')),
);
