import { allAlgorithms } from '../../core/algorithms/all-algorithms.js';
import { algorithmIn } from '../../core/algorithms/registry.js';
import { toHex, utf8 } from '../../core/bytes.js';
import { isPortcullisError, PortcullisError, refuse, requireBytes, requireString } from '../../core/errors.js';
import { digestOf, hashOf } from '../../core/hashing/sha256.js';
import { baseAddress, fetchableFrom } from '../../core/http/address.js';
import { bounded } from '../../core/http/bounded.js';
import { runInSlices } from '../../core/slices.js';
import type { ListEntry, ListFormat } from '../lists/list-entry.js';
import { type ListRefusal, listingOf, sharedHostSet } from '../lists/list-rules.js';
import { readList } from '../lists/read-list.js';
import { SHARED_HOSTS } from '../lists/shared-hosts.js';
import type { Artifact, ArtifactCall, ListVersion, Source, SourceCall } from '../source.js';
import { download } from './download.js';
import { HashCollector } from './hash-collector.js';
import { requireNoPage } from './source-artifact.js';
import { idOf, numberOf, requireOptions, type Signal, type TransportOptions, transportOf } from './source-options.js';

export interface TextSourceOptions extends TransportOptions {
  readonly id: string;
  /** The list itself. One of `text`, `bytes`, `url` and `read` is given. */
  readonly text?: string | undefined;
  readonly bytes?: Uint8Array | undefined;
  /** Where it is fetched from, whenever it has changed. */
  readonly url?: string | undefined;
  /** Gives it anew each time it is asked: `() => readFile('list.txt')`. */
  readonly read?: (() => string | Uint8Array | Promise<string | Uint8Array>) | undefined;
  /** How it is written (docs/publishing.md, "What is read"). @default 'lines' */
  readonly format?: ListFormat | undefined;
  /** @default 'portcullis-1' */
  readonly algorithm?: string | undefined;
  /** Bytes of the list; a longer one is refused. @default 67_108_864 */
  readonly bytesMax?: number | undefined;
  /** Whether a host is a public suffix (`co.uk`), which is not listed as a whole. @default nobody is asked */
  readonly isPublicSuffix?: ((host: string) => boolean) | undefined;
  /** Hosts on which everybody can have a page, not listed as a whole. @default SHARED_HOSTS */
  readonly sharedHosts?: Iterable<string> | undefined;
  /** Called after each reading, also of a list that is refused. What it throws is dropped. */
  readonly onReport?: ((report: TextSourceReport) => void) | undefined;
  /** Allow plain `http:` from another machine, where others can change the list. @default false */
  readonly allowInsecureHttp?: boolean | undefined;
}

/** What became of a list's lines. */
export interface TextSourceReport {
  /** Lines, rows or items that name something. */
  readonly entries: number;
  readonly listed: number;
  readonly allowed: number;
  /** The first 1,000 that are not listed. Their text is not repeated: it may be a secret. */
  readonly refused: readonly { readonly line: number; readonly reason: ListRefusal }[];
  readonly refusedBy: Readonly<Partial<Record<ListRefusal, number>>>;
}

/** Refused lines that a report names. */
const refusedMax = 1_000;

/**
 * A list that somebody wrote, hashed here into entries of 8 bytes by the rules of a publisher: nothing is asked of anybody.
 *
 * @throws PortcullisError `INVALID_INPUT`, `ALGORITHM_UNKNOWN`
 */
export function textSource(options: TextSourceOptions): Source {
  const settings = settingsOf(options);
  const { origin, rules, format } = settings;
  /** What was read to make a version's token, so that it is not read twice. */
  const contents = new WeakMap<object, Content>();

  // With other options it is another list.
  const name = JSON.stringify([format, rules.algorithm.name, [...rules.sharedHosts]]);

  async function version({ signal }: SourceCall): Promise<ListVersion> {
    const validator = await origin.validator?.(signal);
    const content = validator === undefined ? await origin.content(signal, undefined) : undefined;
    const mark =
      content === undefined
        ? validator
        : toHex(await runInSlices(digestOf(typeof content === 'string' ? utf8(content) : content), signal));
    const token = toHex(hashOf(`${name} ${mark}`)).slice(0, 32);
    const listed: ListVersion = { algoVersion: rules.algorithm.name, snapshot: { token } };
    if (content !== undefined) contents.set(listed, content);
    return listed;
  }

  async function artifact(
    part: 'snapshot' | 'recent',
    listed: ListVersion,
    { signal, onProgress }: ArtifactCall,
  ): Promise<Artifact> {
    if (part === 'recent') refuse('a text has no recent feed');
    const content = contents.get(listed) ?? (await origin.content(signal, onProgress));
    requireNoPage(typeof content === 'string' ? utf8(content.slice(0, 64)) : content);
    const entries = new HashCollector();
    const allow = new HashCollector();
    const report = new Report();
    const openRules = { algorithm: rules.algorithm, sharedHosts: new Set<string>() };
    const take = (entry: ListEntry): void => {
      const isAllowed = entry.problem === 'allow-entry';
      const listing = isAllowed ? listingOf({ ...entry, problem: undefined }, openRules) : listingOf(entry, rules);
      report.entries++;
      if ('refused' in listing) report.refuse(entry.line, listing.refused);
      else (isAllowed ? allow : entries).add(listing.expression);
    };
    try {
      await readList({ format, data: content }, take, { signal });
    } catch (error) {
      // JSON or CSV that breaks, which its reader calls an input.
      if (isPortcullisError(error) && error.code === 'INVALID_INPUT') throw invalid(error.message);
      throw error;
    }
    const sets = { entries: await runInSlices(entries.finish(), signal), allow: await runInSlices(allow.finish(), signal) };
    report.tell(settings.onReport, sets.entries.size, sets.allow.size);
    // A page, a message, a list in another format: it would empty the list.
    if (report.entries > 0 && sets.entries.size + sets.allow.size === 0) throw invalid('nothing in it can be listed');
    return { entries: sets.entries, ...(sets.allow.size > 0 && { allow: sets.allow }), isProven: origin.isProven };
  }

  return { id: idOf(options.id), moves: false, version, artifact };
}

type Content = string | Uint8Array;

/** Where a list is. */
interface Origin {
  content(signal: Signal, onProgress: ArtifactCall['onProgress']): Promise<Content>;
  /** What changes with the content, where that can be had without it. */
  validator?(signal: Signal): Promise<string | undefined>;
  /** It is what the caller meant, however small. */
  readonly isProven: boolean;
}

class Report {
  entries = 0;
  private readonly refused: { line: number; reason: ListRefusal }[] = [];
  private readonly refusedBy = new Map<ListRefusal, number>();

  refuse(line: number, reason: ListRefusal): void {
    if (this.refused.length < refusedMax) this.refused.push({ line, reason });
    this.refusedBy.set(reason, (this.refusedBy.get(reason) ?? 0) + 1);
  }

  tell(onReport: TextSourceOptions['onReport'], listed: number, allowed: number): void {
    const { entries, refused, refusedBy } = this;
    try {
      onReport?.({ entries, listed, allowed, refused, refusedBy: Object.fromEntries(refusedBy) });
    } catch {
      // A listener is no part of a reading.
    }
  }
}

function settingsOf(options: TextSourceOptions) {
  requireOptions(options);
  const { format = 'lines', onReport, isPublicSuffix } = options;
  if (!formats.includes(format)) refuse(`format must be one of ${formats.join(', ')}`);
  const bytesMax = numberOf(options, 'bytesMax', 64 * 1024 * 1024, [1, 2 ** 30]);
  const rules = {
    algorithm: algorithmIn(allAlgorithms, options.algorithm),
    sharedHosts: sharedHostSet(options.sharedHosts ?? SHARED_HOSTS),
    isPublicSuffix,
  };
  return { format, onReport, rules, origin: originOf(options, bytesMax) };
}

const formats: readonly ListFormat[] = ['lines', 'csv', 'hosts', 'json', 'eth-phishing-detect'];

function originOf(options: TextSourceOptions, bytesMax: number): Origin {
  const { text, bytes, url, read } = options;
  if ([text, bytes, url, read].filter((way) => way !== undefined).length !== 1) refuse('give one of text, bytes, url and read');
  if (url !== undefined) return originOfUrl(options, url, bytesMax);
  const transport = transportOf(options);
  if (read !== undefined) {
    if (typeof read !== 'function') throw new TypeError('read must be a function');
    const content = async (signal: Signal): Promise<Content> => {
      const given = bounded(transport.artifactTimeoutMs, signal, async () => read());
      const content = await given.catch((cause: unknown) => {
        throw isPortcullisError(cause) ? cause : new PortcullisError('NETWORK', 'the read function failed', { cause });
      });
      return checkedContent(content, bytesMax);
    };
    return { content, isProven: false };
  }
  if (text !== undefined) requireString(text, 'text');
  else requireBytes(bytes, 'bytes');
  const content = checkedContent(text ?? bytes, bytesMax);
  return { content: async () => content, isProven: true };
}

function originOfUrl(options: TextSourceOptions, url: string, bytesMax: number): Origin {
  requireString(url, 'url');
  // A list may be behind a query; everything else is as for any address.
  baseAddress('url', url.split('?')[0]!, options.allowInsecureHttp ?? false);
  const transport = transportOf(options);
  const mayFetch = fetchableFrom(url);
  return {
    isProven: false,
    async validator(signal) {
      try {
        const call = { ...transport, artifactTimeoutMs: transport.timeoutMs, mayFetch, bytesMax, signal };
        const { headers } = await download(url, { ...call, method: 'HEAD', init: { cache: 'no-cache' } });
        const found = ['etag', 'last-modified'].map((name) => headers.get(name));
        return found.every((value) => value === null) ? undefined : JSON.stringify([...found, headers.get('content-length')]);
      } catch (error) {
        // Some hosts do not take HEAD.
        const { status = 0 } = error as { status?: number };
        if ((status >= 400 && status < 500 && status !== 429) || status === 501) return undefined;
        throw error;
      }
    },
    async content(signal, onProgress) {
      const call = { ...transport, mayFetch, bytesMax, signal, onProgress };
      return (await download(url, { ...call, init: { cache: 'no-cache' } })).bytes;
    },
  };
}

function checkedContent(content: unknown, bytesMax: number): Content {
  if (typeof content !== 'string') requireBytes(content, 'a list');
  if ((content as Content).length > bytesMax) {
    throw new PortcullisError('LIMIT_EXCEEDED', `the list has more than ${bytesMax} bytes`);
  }
  return content as Content;
}

function invalid(what: string): PortcullisError {
  return new PortcullisError('INVALID_ARTIFACT', `the list is refused: ${what}`);
}
