import type { ListRefusal } from 'portcullis/sources';

/** What to write instead of a line that is not listed. */
export function adviceFor(reason: ListRefusal): string {
  return advice[reason];
}

const fixTheFile = 'fix the row';

const advice: Readonly<Record<ListRefusal, string>> = {
  allowlisted: 'write the page or the subdomain, or remove it from the allowlist',
  'allow-entry': 'leave it out: a published list cannot allow a site',
  'broken-quote': fixTheFile,
  columns: fixTheFile,
  'fuzzy-entry': 'write the hosts it means: hashes cannot express "similar to"',
  'internal-scheme': 'leave it out: only the browser itself opens it',
  'not-a-host': 'write a host that others can reach',
  'not-a-page': 'write a path too, or the type URL for the whole host',
  'not-blocked': 'leave it out, or correct its status if the site is hostile',
  'not-text': 'save the file as UTF-8 without tabs inside an entry',
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
};
