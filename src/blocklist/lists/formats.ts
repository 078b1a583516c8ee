import { readCsv } from './csv.js';
import { readDnsmasq, readUnbound } from './dns-lists.js';
import { readFilterList } from './filter-list.js';
import { readHosts } from './hosts.js';
import { readJson, readPhishingJson } from './json-lists.js';
import type { FormatReader } from './list-format.js';
import { AutoReader } from './list-format.js';
import { readLines } from './list-lines.js';
import { readRpz } from './rpz.js';
import { readYaml } from './yaml-list.js';

/** Recognizes the format of a text among the others that are passed with it. */
export const autoFormat: FormatReader = { format: 'auto', read: (sink, _, context) => new AutoReader(sink, context) };
/** One entry per line. Always passed. */
export const linesFormat: FormatReader = { format: 'lines', read: readLines };
/** Rows with a column of assets, which is named or found. */
export const csvFormat: FormatReader = { format: 'csv', read: readCsv };
/** A hosts file: an address, and the names it stands for. */
export const hostsFormat: FormatReader = { format: 'hosts', read: readHosts };
/** Lists of texts or of objects, in the shapes that public lists have. */
export const jsonFormat: FormatReader = { format: 'json', read: readJson };
/** The format `eth-phishing-detect`. */
export const phishingFormat: FormatReader = { format: 'eth-phishing-detect', read: readPhishingJson };
/** Filter lists of ad blockers: `||host^`. */
export const filterFormat: FormatReader = { format: 'filter', read: readFilterList };
/** Lists of texts or of `- url:`. */
export const yamlFormat: FormatReader = { format: 'yaml', read: readYaml };
/** Configurations of dnsmasq: `address=/host/`. */
export const dnsmasqFormat: FormatReader = { format: 'dnsmasq', read: readDnsmasq };
/** Configurations of unbound: `local-zone:`. */
export const unboundFormat: FormatReader = { format: 'unbound', read: readUnbound };
/** Response policy zones. */
export const rpzFormat: FormatReader = { format: 'rpz', read: readRpz };

/** Every format, with `auto`. */
export const allFormats: readonly FormatReader[] = [
  autoFormat,
  linesFormat,
  csvFormat,
  hostsFormat,
  jsonFormat,
  phishingFormat,
  filterFormat,
  yamlFormat,
  dnsmasqFormat,
  unboundFormat,
  rpzFormat,
];
