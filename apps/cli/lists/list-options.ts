import { join, resolve } from 'node:path';
import type { ListColumns, ListFormat } from 'portcullis/sources';
import { formatOfName } from '../../shared/list-name.js';
import type { ParsedOptions } from '../arguments/arguments.js';
import type { OptionRows } from '../arguments/option-rows.js';
import { quoted } from '../arguments/quoted.js';
import type { CommandCall } from '../command.js';
import { UsageError } from '../errors/usage.js';
import { cacheDirectory } from '../service/cli-config.js';

export const listFormats: readonly ListFormat[] = [
  ...(['auto', 'lines', 'csv', 'hosts', 'json', 'eth-phishing-detect'] as const),
  ...(['filter', 'yaml', 'dnsmasq', 'unbound', 'rpz'] as const),
];

/** How to read the lists of a call. */
export const formatOptions: OptionRows = {
  format: { value: 'format', choices: listFormats, text: 'The format of the lists; recognized by default' },
  column: { value: 'name', text: 'With CSV: the column with the links, hosts or addresses, by name or number' },
  'allow-shared': {
    value: 'host',
    isMultiple: true,
    text: 'List this host as a whole if a list has it, although anyone can publish on it, such as bit.ly',
  },
};

/** Where the list of a command comes from. */
export const listOptions: OptionRows = {
  local: { text: 'The embedded service with its sample list; nothing leaves this machine' },
  state: { value: 'file', text: 'With --local: keep the state of the service in this file' },
  list: { value: 'place', isMultiple: true, text: 'A list of your own or of others: a file, a URL, or - for standard input' },
  ...formatOptions,
  relay: { value: 'url', text: 'A relay, which needs no key' },
  published: { value: 'url', text: 'A list published as static files' },
  'public-key': {
    value: 'key',
    isMultiple: true,
    text: 'With --published, --relay or --url: accept only a list that this key signed; the key or a file with it',
  },
  'list-name': {
    value: 'name',
    text: 'With --published, --relay or --url: accept only the list with this name; defaults to the name it had first',
  },
  url: { value: 'url', text: 'The URL of the API; defaults to PORTCULLIS_API_URL, then to the stored one' },
  store: { value: 'folder', text: 'Where to keep the copy of the list; defaults to the cache folder' },
  'no-store': { text: 'Keep no copy; fetch the list for this call' },
};

const originNames = ['local', 'list', 'relay', 'published', 'url'] as const;

/**
 * The options that name the list of a call and its copy, to repeat them in a command that is suggested: ` --list hosts.txt`. A value that may hold a
 * secret is left to the user.
 *
 * @param rows The options of the command, which may give the same names another meaning
 */
export function originWords(options: ParsedOptions, rows: OptionRows = listOptions): string {
  const words = [...originNames, 'store' as const].flatMap((name) => {
    if (!options.has(name) || rows[name]?.text !== listOptions[name]!.text) return [];
    const { value } = listOptions[name]!;
    return value === undefined ? [` --${name}`] : options.all(name).map((given) => ` --${name} ${shownWord(given, value)}`);
  });
  return words.join('');
}

/** An argument as a word of a command, or a placeholder for one that may hold a secret. */
export function shownWord(text: string, placeholder: string): string {
  // The path of a service or a relay may be a secret; that of a list is named in every error about it.
  const isOpen = !isUrl(text) || (placeholder === 'url' ? /^https?:..[^/?#@]+\/?$/i : /^[^?#@]+$/).test(text);
  if (!isOpen || quoted(text) === '') return `<${placeholder}>`;
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The format of a list: from the options, from the file name, or detected. */
export function readingOf({ options }: CommandCall, place: string): { format: ListFormat; columns?: ListColumns } {
  const column = options.text('column');
  const given = options.text('format') as ListFormat | undefined;
  if (column === undefined) return { format: given ?? formatOfName(place) };
  if (given !== undefined && given !== 'csv') throw new UsageError('--column needs --format csv');
  return { format: 'csv', columns: { content: /^[1-9]\d*$/.test(column) ? Number(column) : column } };
}

export function isUrl(place: string): boolean {
  return /^https?:\/\//i.test(place);
}

/** @throws UsageError for a URL that would be taken for the name of a file */
export function requirePlace(place: string): void {
  const [, scheme] = /^([a-z][a-z\d+.-]+):\/\//i.exec(place) ?? [];
  if (scheme === undefined || isUrl(place)) return;
  throw new UsageError(
    `lists cannot be fetched over ${scheme.toLowerCase()}`,
    'use an https URL, or download the list and pass the file',
  );
}

/** The kind of source of a list. */
export type ListOrigin = 'local' | 'list' | 'relay' | 'published' | 'service';

/** @throws UsageError if options contradict each other */
export function listOriginOf(
  { options, positionals }: CommandCall,
  shown: (name: string) => string = (name) => name,
): ListOrigin {
  const ways = originNames.filter((name) => options.has(name));
  if (ways.length > 1) {
    const [one = '', other = ''] = ways.map(shown);
    throw new UsageError(`--${one} and --${other} cannot be combined`, 'use only one of them');
  }
  const readers = [...options.all('list'), ...positionals].filter((place) => place === '-').length;
  if (readers > 1) throw new UsageError('standard input is used twice', 'use it for the list or for the inputs');
  if (options.has('state') && !options.has('local')) throw new UsageError('--state needs --local');
  for (const name of Object.keys(formatOptions)) {
    if (options.has(name) && !options.has('list')) throw new UsageError(`--${name} needs --${shown('list')}`);
  }
  for (const name of ['public-key', 'list-name']) {
    if (options.has(name) && (options.has('local') || options.has('list')))
      throw new UsageError(`--${name} needs --published, --relay or --url`);
  }
  if (options.has('store') && options.has('no-store')) throw new UsageError('--store and --no-store cannot be combined');
  return ways[0] === undefined || ways[0] === 'url' ? 'service' : ways[0];
}

/** The folder for the copy of a list, one for each place, because services that shared one would mix up their lists. */
export function storeDirectoryOf({ options, env }: CommandCall, origin: ListOrigin, place: string): string | null {
  const given = options.text('store');
  if (given !== undefined) return resolve(given);
  // A list on this machine needs no copy.
  if (options.has('no-store') || place === '') return null;
  // Loaded only here, because a list in a file does not need it.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return join(cacheDirectory(env), `${origin}-${createHash('sha256').update(place).digest('hex').slice(0, 16)}`);
}
