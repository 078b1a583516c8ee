import type { ListRefusal } from './list-rules.js';

/** What to write instead of an entry that is not listed: in a report, or for the person who keeps the list. */
export function adviceFor(reason: ListRefusal): string {
  return advice[reason];
}

const fixTheFile = 'fix the row';

const advice: Readonly<Record<ListRefusal, string>> = {
  allowlisted: 'write the page or the subdomain, or remove it from the allowlist',
  'allow-entry': 'leave it out: a published list cannot allow a site, only leave out the entry of the same host',
  'broken-quote': fixTheFile,
  columns: fixTheFile,
  'fuzzy-entry': 'write the hosts it means: hashes cannot express "similar to"',
  'internal-scheme': 'leave it out: only the browser itself opens it',
  malformed: 'write it as the format requires',
  'not-a-host': 'write a host that others can reach',
  'not-a-page': 'write a path too, or the type URL for the whole host',
  'not-blocked': 'leave it out, or correct its status if the site is hostile',
  'not-text': 'save the file as UTF-8 without tabs inside an entry',
  number: 'write an address with all four numbers (192.0.2.1), or as a link (http://…); leave out anything else',
  option: 'write ||host^ without options if the whole host is hostile',
  pattern: 'write ||host^, or ||host/path for a page',
  'private-address': 'leave it out: it is another machine in every network',
  'public-suffix': 'write the host below it',
  secret: 'remove it and treat it as compromised',
  several: 'write one entry per line',
  'several-targets': 'write the link inside it, one link per line',
  'shared-host': 'write the page or the subdomain',
  'too-deep': 'write the link inside it',
  'too-long': 'shorten it',
  'too-wide': 'write the whole host if it is hostile, or a page without #',
  'two-readings': 'write the page as the address bar of a browser shows it',
  'type-unknown': fixTheFile,
  'type-without-rule': 'write the link, or use portcullis-1',
  unknown: 'write a link, a host, an address or another asset',
  wildcard: 'write the host or the folder without *',
  withdrawn: 'leave out both rules',
};
