import type { Family } from '../../core/assets/asset.js';
import { readText } from '../../core/assets/read-text.js';
import { refuse } from '../../core/errors.js';
import { headerColumns } from './csv.js';
import { addressKind } from './hosts.js';
import type { ListFormat } from './list-entry.js';
import { isCosmetic, jsonStart, withoutComment } from './list-lines.js';

/** Characters by which a format is recognized, unless they are all comments. */
export const sampleLength: number = 16 * 1024;

/** Characters of comments, white space and all else after which recognition gives up. */
export const maxSampleLength: number = 256 * 1024;

type Recognized = Exclude<ListFormat, 'auto'>;

/**
 * The format of a text that begins with `sample`; `null` if the sample has only comments so far. Half of the lines must have marks that only
 * one format has. A list of the wrong format would be refused line by line, but a text that is no list could name good sites.
 *
 * @throws PortcullisError `INVALID_INPUT` if no format, or more than one, is recognized
 */
export function formatOf(sample: string, isWhole: boolean, families: readonly Family[]): Recognized | null {
  const start = sample.slice(sample.search(/\S/));
  if (/^\s*$/.test(sample)) return isWhole ? 'lines' : null;
  if (/^\[(?:adblock|adguard|ublock|abp)/i.test(start)) return 'filter';
  if (jsonStart.test(start)) return 'json';
  const lines = sample.split('\n');
  // The last line may be cut.
  if (!isWhole && lines.length > 1) lines.pop();
  const counts = new Map<Recognized | 'other', number>();
  let count = 0;
  let numbers = 0;
  let isFilter = false;
  let comment = '';
  let columns = 0;
  for (const line of lines) {
    const text = line.trim();
    if (text === '' || commentMark.test(text)) {
      if (text.startsWith('#') && count === 0 && /[,;\t]/.test(text)) comment = text.slice(1);
      if (text.startsWith('!')) isFilter = true;
      continue;
    }
    if (count++ === 0 && text.length <= maxMarkedLength) columns = headerColumns(line.replace('\r', ''), comment);
    if (columns > 0) return 'csv';
    if (count > maxLines) break;
    if (zoneNumbers.test(text)) {
      numbers++;
      continue;
    }
    const format = text.length > maxMarkedLength ? 'other' : lineFormat(line, families);
    counts.set(format, (counts.get(format) ?? 0) + 1);
  }
  if (count === 0) return isFilter ? 'filter' : isWhole ? 'lines' : null;
  const isZone = counts.has('rpz');
  counts.set(isZone ? 'rpz' : 'other', (counts.get(isZone ? 'rpz' : 'other') ?? 0) + numbers);
  return decided(counts, isFilter);
}

/** Characters of a line that can have a mark: a name has 253, and statements are short. */
const maxMarkedLength = 4_096;

/** More lines would only take longer. */
const maxLines = 200;

/** `! why`, `# why`, `; why`, `[Adblock Plus]`, `---`. */
const commentMark = /^(?:!|#(?![#@?$%])|#+(?:\s|$)|;|\[[^\]]*\]$|---$|%)/;

function decided(counts: ReadonlyMap<Recognized | 'other', number>, isFilter: boolean): Recognized {
  const of = (...formats: readonly (Recognized | 'other')[]): number =>
    formats.reduce((sum, format) => sum + (counts.get(format) ?? 0), 0);
  const isMost = (...formats: readonly Recognized[]): boolean => 2 * of(...formats) >= of(...counts.keys());
  // A few odd lines do not make another format.
  const marked = marks.filter((format) => of(format) > 0 && 10 * of(format) >= of(...counts.keys()));
  // Settings of unbound look like fields of YAML.
  const [format, ...others] = marked.includes('unbound') ? marked.filter((name) => name !== 'yaml') : marked;
  if (others.length > 0) refuse(`the list could be ${marked.join(' or ')}; set its format`);
  if (format === 'unbound' && isMost('unbound', 'yaml')) return 'unbound';
  if (format !== undefined && format !== 'filter' && isMost(format)) return format;
  // Filter lists may have hosts and lines of hosts files.
  if ((format === 'filter' || (format === undefined && isFilter)) && isMost('filter', 'hosts', 'lines')) return 'filter';
  if (format === undefined && isMost('csv')) return 'csv';
  // A path may have a comma.
  if (format === undefined && isMost('hosts', 'lines', 'csv')) return of('hosts') > 0 ? 'hosts' : 'lines';
  return refuse('the format of the list is not recognized; set it, and check that this is a list');
}

/** Each has statements that no other format has. */
const marks: readonly Recognized[] = ['filter', 'dnsmasq', 'unbound', 'rpz', 'yaml'];

/** The format of which a line has a mark. */
function lineFormat(line: string, families: readonly Family[]): Recognized | 'other' {
  const text = line.trim();
  const plain = withoutComment(text);
  const [first = '', second] = plain.split(/\s+/, 2);
  if (second !== undefined && /[.:]/.test(first) && addressKind(first) !== 'none')
    return /["'()/]/.test(plain) ? 'other' : 'hosts';
  if (/^(?:@@)?\|\|?[^|\s]/.test(text) || isCosmetic(text.startsWith('#') ? text : plain)) return 'filter';
  if (/^(?:address|server|local)\s*=\s*\//i.test(text)) return 'dnsmasq';
  if (/^(?:local-(?:zone|data)\s*:|server:$)/i.test(text)) return 'unbound';
  if (/^-\s/.test(text)) return 'yaml';
  if (zoneLine.test(text)) return 'rpz';
  if (/^\s+[\w-]+:(?:\s|$)/.test(line) || /^[\w-]+:$/.test(text)) return 'yaml';
  if (/[,;\t]/.test(plain)) return 'csv';
  if (second !== undefined) return 'other';
  const { links, typed, within } = readText(first, {}, families);
  // `host=evil.example` is a host that browsers open, but no host that exists.
  const isUsual = links.every(({ host }) => /^[\w.*:[\]-]+$/.test(host));
  return isUsual && links.length + typed.length + within.length > 0 ? 'lines' : 'other';
}

/** Directives, SOA records, and the records that policies are written as. */
const zoneLine = /^\$(?:TTL|ORIGIN)\s|\sSOA\s|\s(?:CNAME\s+\S+|NS\s+\S+\.|A\s+[\d.]+|AAAA\s+[\da-f:]+)(?:\s*;|$)/i;

/** The numbers of a SOA record on lines of their own. In another format they are no mark. */
const zoneNumbers = /^\d+(?:\s+\d+)*\s*(?:\)\s*)?(?:;|$)/;
