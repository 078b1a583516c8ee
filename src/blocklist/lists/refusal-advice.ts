import type { ListFormat } from './list-entry.js';
import type { ListRefusal } from './list-rules.js';

/**
 * What to write instead of an entry that is not listed: in a report, or for the person who keeps the list. With the format of the list,
 * which the report has, the example is in that format.
 */
export function adviceFor(reason: ListRefusal, format?: ListFormat): string {
  const example = format === undefined ? undefined : examples[format];
  if (reason === 'malformed') return `write it like ${example ?? 'the examples of its format in docs/publishing.md'}`;
  if (reason === 'pattern' && format !== 'filter' && example !== undefined)
    return `write each host by its name, like ${example}${format === 'lines' ? ', or read the list with the format filter' : ''}`;
  if (reason === 'not-blocked' && example !== undefined && addressFormats.has(format))
    return `leave it out, or write it like ${example} if the site is hostile`;
  if (reason === 'unread-list') return `rename it to ${listNameIn(format)} if all of its entries are hostile, or leave it out`;
  return advice[reason];
}

/** An entry as it should be written. */
const examples: Readonly<Partial<Record<ListFormat, string>>> = {
  lines: 'evil.example, one per line',
  csv: 'evil.example,scam',
  hosts: '0.0.0.0 evil.example',
  filter: '||evil.example^',
  yaml: '"- url: evil.example", without brackets, aliases and tags, and with the value on the same line',
  dnsmasq: 'address=/evil.example/0.0.0.0',
  unbound: 'local-zone: "evil.example" always_nxdomain',
  rpz: '"evil.example CNAME .", with a name in the zone',
};

/** Formats without a status column: the address or the record says that a name is blocked. */
const addressFormats: ReadonlySet<ListFormat | undefined> = new Set<ListFormat>(['hosts', 'dnsmasq', 'unbound', 'rpz']);

function listNameIn(format: ListFormat | undefined): string {
  return format === 'eth-phishing-detect' ? 'blacklist' : 'blocklist';
}

const advice: Readonly<Record<Exclude<ListRefusal, 'malformed' | 'unread-list'>, string>> = {
  allowlisted: 'write the page or the subdomain, or remove it from the allowlist',
  'allow-entry': 'leave it out: a published list cannot allow a site, only leave out the entry of the same host',
  'broken-quote': 'quote the whole cell and double the quotes inside: "a ""fake"" shop"',
  columns: 'give it as many cells as the first row, and quote a cell with a separator: "https://evil.example/a,b"',
  'fuzzy-entry': 'write the hosts it means: hashes cannot express "similar to"',
  'internal-scheme': 'fix its scheme, or leave it out: browsers open no site with it',
  'not-a-host': 'write a host that others can reach',
  'not-a-page': 'write a path too, or the type URL for the whole host',
  'not-blocked':
    'its status is not known to mean blocked; write blocked, malicious, phishing or scam if the site is hostile, or leave it out',
  'not-text': 'save the file as UTF-8 without tabs inside an entry',
  number: 'write an address with all four numbers (192.0.2.1), or as a link (http://…); leave out anything else',
  'odd-host': 'write the host alone, or read a table with the format csv',
  option: 'write ||host^ without options, outside of !#if, if the whole host is hostile',
  pattern:
    'write ||host^ without a port, or ||host/path for a page, each with a name or an IPv4 address; for a list of links, set the format lines',
  'private-address': 'leave it out: it is another machine in every network',
  'public-suffix': 'write the host below it',
  secret: 'remove it and treat it as compromised',
  several: 'write one entry per line',
  'several-targets': 'write the link inside it, one link per line',
  'shared-host': 'write the page or the subdomain',
  'too-deep': 'write the link inside it',
  'too-long': 'shorten it, or write its hosts on several lines',
  'too-wide': 'write the whole host if it is hostile, or a page without #',
  'two-readings': 'write the page as the address bar of a browser shows it',
  'type-unknown': 'write one of the types of docs/asset-types.md, such as URL or ADDRESS, or leave the type out',
  'type-without-rule': 'write the link, or use portcullis-1',
  unknown: 'write a link, a host, an address or another asset',
  wildcard: 'write the host or the folder without *',
  withdrawn: 'leave out both rules',
};
