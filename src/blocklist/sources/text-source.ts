import type { Algorithm } from '../../core/algorithms/algorithm.js';
import { createRegistry, partKinds } from '../../core/algorithms/registry.js';
import type { Family } from '../../core/assets/asset.js';
import { toHex, utf8 } from '../../core/bytes.js';
import { isPortcullisError, PortcullisError, refuse } from '../../core/errors.js';
import { digestOf, hashOf } from '../../core/hashing/sha256.js';
import { fileUrl } from '../../core/http/address.js';
import {
  boolean,
  bytes,
  type Filled,
  func,
  having,
  type Kind,
  type KindsOf,
  listOf,
  optional,
  readOptions,
  text,
  whole,
} from '../../core/options/read-options.js';
import { runInSlices } from '../../core/slices.js';
import { coveredHostReader, coverOf } from '../../core/sure-miss/covers.js';
import { version as packageVersion } from '../../core/version.js';
import { allReaders } from '../lists/all-readers.js';
import { allFormats, linesFormat } from '../lists/formats.js';
import type { ListColumns, ListEntry, ListFormat } from '../lists/list-entry.js';
import { type FormatReader, formatIn } from '../lists/list-format.js';
import {
  isExcepting,
  type ListReaders,
  type ListRefusal,
  type ListRules,
  listingOf,
  listRulesOf,
  openRulesOf,
  type RuleOptions,
  ruleKinds,
} from '../lists/list-rules.js';
import { listColumns, textReader } from '../lists/read-list.js';
import { type Artifact, type ArtifactCall, type ListVersion, type Source, sourceId, type VersionCall } from '../model/source.js';
import { without } from './asset-sorter.js';
import { type IfChanged, plainValidator } from './download.js';
import { HashCollector } from './hash-collector.js';
import { requireNoPage } from './source-artifact.js';
import { notify, type Signal, type TransportOptions, transportKinds } from './source-options.js';
import { type Content, textOriginOf } from './text-origin.js';
import { Unpacker } from './unpacker.js';

export interface TextSourceOptions extends TransportOptions {
  /** Names the source in verdicts, events and stores. */
  readonly id: string;
  /** The list itself. Exactly one of `text`, `bytes`, `url` and `read` is required. */
  readonly text?: string | undefined;
  /** The list itself in UTF-8, also compressed with gzip. */
  readonly bytes?: Uint8Array | undefined;
  /** The URL to fetch the list from whenever it has changed. */
  readonly url?: string | undefined;
  /** Returns the current list each time it is called: `() => readFile('list.txt')`. */
  readonly read?: (() => string | Uint8Array | Promise<string | Uint8Array>) | undefined;
  /** The format of the list (docs/publishing.md, "Input formats"); `auto` recognizes it. @default 'lines' */
  readonly format?: ListFormat | undefined;
  /** With `format: 'csv'`: which columns hold content, type and status, each by its name or its number from 1. @default by their names */
  readonly columns?: ListColumns | undefined;
  /** The algorithm of the list: one of `ALGORITHM_NAMES`. @default 'portcullis-1' */
  readonly algorithm?: string | undefined;
  /** Bytes of the list, compressed and not; a longer list is rejected. @default 67_108_864 */
  readonly maxBytes?: number | undefined;
  /** Whether a host is a public suffix (`co.uk`), which must not be listed as a whole. @default no host is checked */
  readonly isPublicSuffix?: ((host: string) => boolean) | undefined;
  /** Hosts on which anyone can publish a page, which must not be listed as a whole. @default SHARED_HOSTS and the hosts of the families */
  readonly sharedHosts?: Iterable<string> | undefined;
  /**
   * Called after each reading, even of a list that is rejected, with refusals by line and reason and without any text, which may be a
   * secret. `adviceFor(reason, format)` says what to write instead. Errors it throws are ignored.
   */
  readonly onReport?: ((report: TextSourceReport) => void) | undefined;
  /** Allow plain `http:` from another machine, which lets others on the network change the list. @default false */
  readonly allowInsecureHttp?: boolean | undefined;
}

/** The result of one reading. */
export interface TextSourceReport {
  /** Lines, rows or items with content. */
  readonly entries: number;
  readonly listed: number;
  /** Entries that are a link to an account, a post or a work on a platform, which is listed with the link. */
  readonly accounts: number;
  readonly allowed: number;
  /** The format that was given or recognized; `auto` if the list was rejected before. */
  readonly format: ListFormat;
  /** Statements of the format that name no site, such as cosmetic rules of a filter list. */
  readonly ignored: number;
  /** The first 1,000 entries that are not listed, without their text, which may be a secret. */
  readonly refused: readonly { readonly line: number; readonly list?: string | undefined; readonly reason: ListRefusal }[];
  readonly refusedBy: Readonly<Partial<Record<ListRefusal, number>>>;
  /** `suffixes-unchecked`: `isPublicSuffix` is missing, so a public suffix such as `co.uk` may be listed. */
  readonly warnings: readonly 'suffixes-unchecked'[];
}

/** Refused entries that a report names. */
const maxRefused = 1_000;

/** Options of `createTextSource`. */
export interface CreateTextSourceOptions extends TextSourceOptions {
  /** Asset families to read besides links; other entries are refused. Pass those of the blocklist. @default none */
  readonly families?: readonly Family[] | undefined;
  /** Algorithms besides `portcullis-1`. @default none */
  readonly algorithms?: readonly Algorithm[] | undefined;
  /** Formats besides `lines`, such as `[csvFormat]`, or `allFormats`; `auto` recognizes only these. @default none */
  readonly formats?: readonly FormatReader[] | undefined;
}

/**
 * `textSource` with only the families and formats passed to it, so that a bundle contains no others.
 *
 * @throws PortcullisError `INVALID_INPUT`, `ALGORITHM_UNKNOWN`
 */
export function createTextSource(options: CreateTextSourceOptions): Source {
  const { families, algorithms, formats, ...values } = readOptions('createTextSource', createTextKinds(), options);
  const all = [linesFormat, ...formats];
  formatIn(all)(values.format, 'createTextSource: format');
  return sourceOf(values, { families, algorithms: createRegistry(families, algorithms) }, all);
}

export const createTextKinds = (): KindsOf<
  TextValues & Filled<Pick<CreateTextSourceOptions, 'families' | 'algorithms' | 'formats'>>
> => ({
  ...textKinds(),
  ...partKinds(),
  formats: optional(listOf(having<FormatReader>('a format of portcullis/core', 'read')), []),
});

/**
 * A list in a text format, hashed on the device into entries of 8 bytes by the rules of `buildList`. It needs no confirmation.
 *
 * @throws PortcullisError `INVALID_INPUT`, `ALGORITHM_UNKNOWN`
 */
export function textSource(options: TextSourceOptions): Source {
  return sourceOf(
    readOptions('textSource', { ...textKinds(), format: optional(formatIn(allFormats), 'lines') }, options),
    allReaders,
    allFormats,
    `those of ${packageVersion}`,
  );
}

export type TextValues = Omit<Filled<TextSourceOptions, OpenTextOptions>, 'sharedHosts'> & Pick<RuleOptions, 'sharedHosts'>;

type OpenTextOptions = 'text' | 'bytes' | 'url' | 'read' | 'columns' | 'isPublicSuffix' | 'onReport' | 'fetch';

export const textKinds = (): KindsOf<TextValues> => ({
  ...transportKinds(),
  ...ruleKinds(),
  id: sourceId(),
  // Unlike a base URL, the URL of a list may have a query.
  url: optional(fileUrl),
  bytes: optional(bytes),
  text: optional(text()),
  read: (value, path, given) => {
    const read = optional(func)(value, path);
    const ways = ['text', 'bytes', 'url', 'read'].filter((way) => given?.[way] !== undefined);
    const caller = path.slice(0, path.lastIndexOf(' ') + 1);
    if (ways.length !== 1) refuse(`${caller}options must have exactly one of text, bytes, url and read`);
    return read;
  },
  format: optional(text() as Kind<ListFormat>, 'lines'),
  columns: optional(listColumns),
  algorithm: optional(text(), 'portcullis-1'),
  maxBytes: optional(whole(1, 2 ** 30), 64 * 1024 * 1024),
  onReport: optional(func),
  allowInsecureHttp: optional(boolean, false),
});

/** @param builtIn stands for the shared hosts that are not an option, if only another version of the package has others */
function sourceOf(options: TextValues, readers: ListReaders, formats: readonly FormatReader[], builtIn?: string): Source {
  const { format, columns, maxBytes } = options;
  const rules = listRulesOf(options, readers);
  const origin = textOriginOf(options);
  /** Content that was read for a version's token, so that it is not read twice. */
  const contents = new WeakMap<object, Content>();

  // Different options make a different list. Hashing all shared hosts takes longer than anything else that a short list needs.
  const hosts = builtIn !== undefined && options.sharedHosts === undefined ? builtIn : [...rules.sharedHosts];
  const name = toHex(hashOf(JSON.stringify([format, ...(columns === undefined ? [] : [columns]), rules.algorithm.name, hosts])));

  async function tokenOf(content: Content, signal: Signal): Promise<string> {
    const digest = toHex(await runInSlices(digestOf(typeof content === 'string' ? utf8(content) : content), signal));
    return toHex(hashOf(`${name} ${digest}`)).slice(0, 32);
  }

  /** The token of the content that was fetched last, from a host that says whether it has changed only when it is fetched. */
  let last: string | undefined;

  async function version({ signal, previous }: VersionCall): Promise<ListVersion> {
    const algoVersion = rules.algorithm.name;
    const validator = await origin.validator?.(signal);
    if (validator !== undefined) return { algoVersion, snapshot: { token: toHex(hashOf(`${name} ${validator}`)).slice(0, 32) } };
    const owner = toHex(hashOf(`${name} ${options.url}`)).slice(0, 8);
    const held = last ?? previous?.token ?? '';
    const { content, ifChanged } = await origin.content(signal, undefined, conditionIn(held, owner));
    if (content === null) return { algoVersion, snapshot: { token: held } };
    last = (await tokenOf(content, signal)) + (ifChanged === undefined ? '' : markedBy(ifChanged, owner));
    const listed: ListVersion = { algoVersion, snapshot: { token: last } };
    contents.set(listed, content);
    return listed;
  }

  async function artifact(
    part: 'snapshot' | 'recent',
    current: ListVersion,
    { signal, onProgress }: ArtifactCall,
  ): Promise<Artifact> {
    if (part === 'recent') refuse('a text source has no recent feed');
    const content =
      contents.get(current) ?? (origin.stream === undefined ? (await origin.content(signal, onProgress)).content! : undefined);
    const entries = new HashCollector();
    const allow = new HashCollector();
    const withdrawn = new HashCollector();
    const covers = rules.algorithm.name === 'portcullis-1' ? new HashCollector() : null;
    const coveredHost = coveredHostReader();
    const cover = (expression: string): void => {
      const host = covers === null ? null : coveredHost(expression);
      if (host === null) return;
      const hash = coverOf(host);
      covers!.addHash(hash);
      entries.addHash(hash);
    };
    const report = new Report(format);
    const openRules = openRulesOf(rules);
    const take = (entry: ListEntry): void => {
      if (entry.isIgnored) {
        report.ignored++;
        return;
      }
      const isException = isExcepting(entry);
      const listing = isException ? listingOf({ ...entry, problem: undefined }, openRules) : listingOf(entry, rules);
      report.entries++;
      if ('refused' in listing) {
        report.refuse(entry, listing.refused);
        return;
      }
      const set = !isException ? entries : entry.problem === 'withdrawn' ? withdrawn : allow;
      set.add(listing.expression);
      if (set !== withdrawn) cover(listing.expression);
      if (listing.named === undefined) return;
      set.add(listing.named.expression);
      if (set === entries) report.accounts++;
    };
    const reader = textReader({ format, columns }, take, { signal, families: rules.families, formats });
    const unpacker = new Unpacker(maxBytes, signal, (part) => reader.take(part));
    try {
      if (typeof content === 'string') {
        requireNoPage(utf8(content.slice(0, 64)));
        await reader.take(content);
      } else if (content !== undefined) await unpacker.take(content);
      else await origin.stream!((part) => unpacker.take(part), signal, onProgress);
      if (typeof content !== 'string') await unpacker.end();
      report.format = reader.end();
    } catch (error) {
      // Malformed JSON, CSV or YAML, or an unrecognized format.
      if (isPortcullisError(error) && error.code === 'INVALID_INPUT') throw invalid(error.message);
      throw error;
    }
    const listedSet = await runInSlices(entries.finish(), signal);
    const sets = {
      entries: await runInSlices(without(listedSet, await runInSlices(withdrawn.finish(), signal)), signal),
      allow: await runInSlices(allow.finish(), signal),
    };
    const coverCount = covers === null ? 0 : (await runInSlices(covers.finish(), signal)).size;
    const listed = sets.entries.size - coverCount;
    notify(options.onReport, report.finish(listed, sets.allow.size, rules));
    // An HTML page, an error message or a list in another format must not empty the list.
    if (listed + sets.allow.size === 0) {
      if (report.has('odd-host')) throw invalid('none of its entries can be listed; a table needs the format csv');
      if (report.entries + report.ignored > 0) throw invalid('none of its entries can be listed');
      // A list of one's own may be empty, and then says so. A host that answers with nothing would make everything clear.
      if (options.url !== undefined) throw invalid('it has no entries; check its URL, and its format');
      if (isBlank(content)) throw invalid('it is empty; if that is meant, write a comment into it');
    }
    // Few lines of another format name a host as a line does, and everything else would be clear.
    if (report.format === 'lines' && report.unread() > report.entries / 2)
      throw invalid('most of its lines cannot be read; set its format, or look at onReport');
    // It would be a list of one page, and everything else would be clear.
    if (options.text !== undefined && listAddress.test(options.text))
      throw invalid('the text is the URL of a list; pass it as url');
    return {
      entries: sets.entries,
      ...(sets.allow.size > 0 && { allow: sets.allow }),
      ...(covers !== null && { covers: coverCount }),
      isProven: origin.isProven,
      isPinned: content !== undefined && contents.has(current),
    };
  }

  return {
    id: options.id,
    moves: false,
    origin: toHex(hashOf(`${name} ${options.url ?? ''}`)).slice(0, 16),
    ...(origin.own !== undefined && { onlyToken: () => tokenOf(origin.own!, undefined) }),
    version,
    artifact,
  };
}

/** One URL that ends like a list, and not like the page of a scam. */
const listAddress = /^\s*https?:\/\/[^\s?#]+\.(?:txt|csv|json|ya?ml|list|hosts|gz)(?:[?#]\S*)?\s*$/i;

/** A file that was truncated, or not written yet. */
function isBlank(content: Content | undefined): boolean {
  return typeof content === 'string' ? content.trim() === '' : content?.every((byte) => byte <= 0x20) === true;
}

/** The condition with which the next request is made, as a part of the token, so that it is stored with the list. */
function markedBy(condition: IfChanged, owner: string): string {
  const [[field, value]] = Object.entries(condition) as [[string, string]];
  return `-${owner}-${field}-${value}`;
}

/** The condition that a token has; `undefined` if it has none, or one for another URL or other options. */
function conditionIn(token: string, owner: string): IfChanged | undefined {
  const [, whose, field = '', value = ''] = /^[\da-f]{32}-([\da-f]{8})-(if-none-match|if-modified-since)-(.+)$/.exec(token) ?? [];
  return whose === owner && plainValidator.test(value) ? { [field]: value } : undefined;
}

const unreadable: readonly ListRefusal[] = ['malformed', 'not-a-host', 'not-text', 'odd-host', 'pattern', 'several', 'unknown'];

class Report {
  entries = 0;
  accounts = 0;
  ignored = 0;
  format: ListFormat;
  private readonly refused: { line: number; list?: string; reason: ListRefusal }[] = [];
  private readonly refusedBy = new Map<ListRefusal, number>();

  constructor(format: ListFormat) {
    this.format = format;
  }

  refuse({ line, list }: ListEntry, reason: ListRefusal): void {
    if (this.refused.length < maxRefused) this.refused.push({ line, ...(list !== undefined && { list }), reason });
    this.refusedBy.set(reason, (this.refusedBy.get(reason) ?? 0) + 1);
  }

  has(reason: ListRefusal): boolean {
    return this.refusedBy.has(reason);
  }

  /** Entries that are no assets, as if the list had another format. */
  unread(): number {
    return unreadable.reduce((sum, reason) => sum + (this.refusedBy.get(reason) ?? 0), 0);
  }

  finish(listed: number, allowed: number, { isPublicSuffix }: ListRules): TextSourceReport {
    const warnings = isPublicSuffix === undefined ? (['suffixes-unchecked'] as const) : [];
    const { entries, accounts, ignored, format, refused, refusedBy } = this;
    return { format, entries, listed, accounts, allowed, ignored, refused, refusedBy: Object.fromEntries(refusedBy), warnings };
  }
}

function invalid(what: string): PortcullisError {
  return new PortcullisError('INVALID_ARTIFACT', `the list is invalid: ${what}`);
}
