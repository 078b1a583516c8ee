import { toHex, u32ToHex } from '../../core/bytes.js';
import { PortcullisError } from '../../core/errors.js';
import { digestOf } from '../../core/hashing/sha256.js';
import { checkedUrl, isLoopback } from '../../core/http/address.js';
import { bounded } from '../../core/http/bounded.js';
import { announcedBytes, readBody } from '../../core/http/bounded-body.js';
import type { FetchLike } from '../../core/http/fetch.js';
import { rememberingLoops } from '../../core/http/follow.js';
import { unusable } from '../../core/http/http-api.js';
import { requireOk } from '../../core/http/http-status.js';
import { maxEntries } from '../../core/limits.js';
import { boolean, type Filled, func, type Kind, type KindsOf, optional, readOptions } from '../../core/options/read-options.js';
import { AscendingSet } from '../../core/prefixes/ascending-set.js';
import { decodeContainer, readHeader } from '../../core/prefixes/container.js';
import { invalidArtifact } from '../../core/prefixes/invalid.js';
import { runInSlices, type Sliced } from '../../core/slices.js';
import { maxConfirmBytes, readConfirm } from '../formats/confirm-answer.js';
import { requireShard, shardCounts } from '../formats/shards.js';
import { shortNameForm } from '../formats/short-name.js';
import {
  type ArtifactRef,
  algorithmNamed,
  hotIn,
  maxVersionBytes,
  rawAlgoVersion,
  type VersionDocument,
  waitIn,
} from '../formats/version-document.js';
import { type Source, type SourceCall, sourceId } from '../model/source.js';
import type { Download } from '../sources/download.js';
import { createPublishedSource, type PublishedSourceOptions, publishedKinds } from '../sources/published-source.js';
import type { ServiceSourceOptions } from '../sources/service-source.js';
import { artifactOf, type DecodePrefixes, versionOf } from '../sources/source-artifact.js';
import {
  algorithmNames,
  type ListOptions,
  listKinds,
  ohttpKinds,
  originOf,
  signatureKinds,
  type Transport,
  type TransportOptions,
  transportKinds,
  trustOf,
} from '../sources/source-options.js';
import { uniqueTokens } from '../sources/unique-tokens.js';

/** Options of `lightPublishedSource` in `portcullis/light`. */
export type LightPublishedOptions = Pick<
  PublishedSourceOptions,
  | 'url'
  | 'id'
  | 'allowInsecureHttp'
  | Listed
  | 'publicKeys'
  | 'verifier'
  | 'log'
  | 'ohttp'
  | 'timeoutMs'
  | 'artifactTimeoutMs'
  | 'fetch'
  | 'now'
>;

/**
 * A list made by `portcullis/publish`, on any static host, for a light list in a browser. It reads files as `buildList` writes them, and
 * always fetches a new snapshot as a whole.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function lightPublishedSource(options: LightPublishedOptions): Source {
  return createPublishedSource(lightTransportOf(readOptions('lightPublishedSource', lightPublishedKinds(), options)), {
    checkShard: requireShard,
    decode: decodeLight,
    fetchableFrom: lightFetchableFrom,
    download: lightDownload,
    textOf: lightTextOf,
    versionOf: lightVersionOf,
  });
}

export const lightPublishedKinds = (): KindsOf<Filled<LightPublishedOptions, Open | 'log'>> => {
  const { idleTimeoutMs: _, ...kinds } = publishedKinds(lightUrl);
  return kinds;
};

type Open = 'fetch' | 'listName' | 'ohttp' | 'publicKeys' | 'verifier';

type Listed = keyof ListOptions;

/** Options of `lightRelaySource`. */
export interface LightRelayOptions
  extends Pick<
    ServiceSourceOptions,
    | 'baseUrl'
    | 'id'
    | 'algorithms'
    | 'allowInsecureHttp'
    | Listed
    | 'publicKeys'
    | 'verifier'
    | 'ohttp'
    | 'timeoutMs'
    | 'artifactTimeoutMs'
    | 'fetch'
    | 'now'
  > {
  /** `decodeArtifact` of `portcullis/assets`, for files that are not containers. @default containers only */
  readonly decode?: DecodePrefixes | undefined;
}

/**
 * The list of a relay, for a light list in a browser. It sends no key: a page cannot keep one.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function lightRelaySource(options: LightRelayOptions): Source {
  return createRelaySource(lightTransportOf(readOptions('lightRelaySource', lightRelayKinds(), options)));
}

function createRelaySource(settings: RelaySettings & Pick<Transport, 'fetch' | 'idleTimeoutMs'>): Source {
  const { baseUrl: href, id, algorithms, decode, listName, mayBeEmpty, ohttp } = settings;
  const mayFetch = lightFetchableFrom(href);
  const trust = trustOf(settings);
  const transport = { ...settings, mayFetch };
  let writesNumbers: boolean | undefined;
  async function call(path: string, maxBytes: number, signal: SourceCall['signal'], body?: object): Promise<unknown> {
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    const init = body === undefined ? { cache: 'no-cache' } : { method: 'POST', headers, body: JSON.stringify(body) };
    const limits = { artifactTimeoutMs: transport.timeoutMs, maxBytes };
    const { bytes } = await lightDownload(href + path, { ...transport, ...limits, init, signal });
    try {
      return JSON.parse(lightTextOf(bytes));
    } catch {
      throw unusable('is not JSON');
    }
  }

  const version: Source['version'] = async ({ signal }) => {
    const answer = await call('/asset/blocklist/version', maxVersionBytes, signal);
    const document = versionOf(answer, mayFetch);
    writesNumbers = typeof rawAlgoVersion(answer) === 'number';
    return trust === undefined ? document : trust.open(answer, document);
  };

  const confirm: Source['confirm'] = async (prefixes, { algoVersion, signal }) => {
    const isNumber = String(Number(algoVersion)) === algoVersion;
    // No version was asked for yet: the list came from the store, or this source only asks about hits.
    if (isNumber && writesNumbers === undefined) await version({ signal });
    const spelled = isNumber && writesNumbers ? Number(algoVersion) : algoVersion;
    const body = { algoVersion: spelled, prefixes: prefixes.map(u32ToHex) };
    return { hashes: readConfirm(await call('/asset/blocklist/confirm', maxConfirmBytes, signal, body), prefixes) };
  };

  const unseen = (fetch: FetchLike): Source => createRelaySource({ ...settings, fetch, ohttp: undefined });

  return {
    id,
    algorithms,
    origin: originOf(href, trust),
    listName,
    mayBeEmpty,
    trustedKeys: trust?.ids,
    tokenHistory: uniqueTokens,
    version,
    artifact: (part, listed, artifactCall) =>
      artifactOf(part, listed, algorithmNamed(listed.algoVersion, algorithms), transport, artifactCall, {
        decode,
        download: lightDownload,
      }),
    confirm: ohttp ? ohttp.confirmWith(href, unseen) : confirm,
  };
}

type RelaySettings = Filled<LightRelayOptions, Open>;

export const lightRelayKinds = (): KindsOf<RelaySettings> => {
  const { idleTimeoutMs: _, ...kinds } = transportKinds();
  return {
    ...kinds,
    ...signatureKinds(),
    ...listKinds(),
    ...ohttpKinds(),
    baseUrl: lightUrl,
    id: sourceId('service'),
    algorithms: algorithmNames(),
    allowInsecureHttp: optional(boolean, false),
    decode: optional(func, decodeLight),
  };
};

/** What a browser has is used here: `URL` and `TextDecoder`, and its own way to follow redirects. */

const lightUrl: Kind<string> = (value, path, given) =>
  checkedUrl(value, path, given, (url) => {
    const read = parsed(url);
    return read && { scheme: read.protocol === 'http:' ? 'http' : 'https', host: read.hostname };
  });

/** Decides like `fetchableFrom`. */
function lightFetchableFrom(base: string): (url: string) => boolean {
  const { origin, hostname } = new URL(base);
  return (url) => {
    const target = parsed(url);
    // A remote server must not direct requests into this machine.
    if (target === null || (isLoopback(target.hostname) && !isLoopback(hostname))) return false;
    return target.protocol === 'https:' || target.origin === origin;
  };
}

function parsed(url: string): URL | null {
  try {
    return new URL(url);
  } catch {
    return null;
  }
}

function lightTransportOf<Values extends Filled<Pick<TransportOptions, 'artifactTimeoutMs' | 'fetch' | 'now'>, 'fetch'>>(
  values: Values,
): Values & Pick<Transport, 'fetch' | 'idleTimeoutMs'> {
  const { fetch: given, artifactTimeoutMs, now } = values;
  const plain: FetchLike = (url, init) => (given ?? (fetch as unknown as FetchLike))(url, { ...init, credentials: 'omit' });
  return {
    ...values,
    fetch: rememberingLoops(plain, now),
    idleTimeoutMs: artifactTimeoutMs,
  };
}

const lightTextOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** `download` for browsers, which follow redirects themselves: only the address that they lead to can be checked. */
const lightDownload: Download = async (url, { fetch, mayFetch, artifactTimeoutMs, maxBytes, init, ifChanged, signal, now }) => {
  const requireAllowed = (address: string): void => {
    if (!mayFetch(address)) throw new PortcullisError('REDIRECTED', 'the file has a URL that must not be fetched');
  };
  const tooLarge = (): PortcullisError => new PortcullisError('LIMIT_EXCEEDED', `the file is larger than ${maxBytes} bytes`);
  requireAllowed(url);
  return bounded(artifactTimeoutMs, signal, async (ended) => {
    const request = { ...init, ...(ifChanged && { headers: ifChanged }), signal: ended };
    let response = await fetch(url, { ...request, redirect: 'manual' });
    // Browsers hide a redirect behind status 0.
    if (/^(0|30[12378])$/.test(`${response.status}`)) response = await fetch(url, { ...request, redirect: 'follow' });
    requireAllowed(response.url || url);
    const { status, headers, type } = response;
    const isUnchanged = status === 304 && ifChanged !== undefined;
    if (!isUnchanged) requireOk(response, now());
    // A 304 may announce the length of what it does not send.
    const minBytes = isUnchanged ? 0 : announcedBytes(response);
    const bytes = await readBody(response, { maxBytes, tooLarge, minBytes, signal: ended });
    return { status, headers, isCrossOrigin: type === 'cors', bytes };
  });
};

type Json = Readonly<Record<string, unknown>>;

/** `versionOf` for documents as `buildList` writes them: each name has one spelling, and every file a checksum. */
function lightVersionOf(answer: unknown, mayFetch: (url: string) => boolean, folder: string): VersionDocument {
  const addressOf = (given: unknown): string | null => {
    const form = /^(https?:\/\/[^\s\\]+|(?!\.)[\w.-]+(\/(?!\.)[\w.-]+)*)$/;
    if (typeof given !== 'string' || !form.test(given)) return null;
    return /^https?:/.test(given) ? given : `${folder}/${given}`;
  };
  const fileOf = (name: string): { readonly url: string; readonly sha256: string } & Json => {
    const ref = Object(Object(answer)[name]) as Json;
    const sha256 = requireText(ref['sha256'], /^[0-9a-f]{64}$/);
    const url = addressOf(ref['url']);
    if (url === null) throw invalid();
    if (!mayFetch(url)) throw unusable('has a file URL that must not be fetched');
    return { ...ref, url, sha256 };
  };
  const partOf = (name: string): ArtifactRef => {
    const { token, count, url, sha256 } = fileOf(name);
    return { token: requireText(token, /^[\w-]{1,64}$/), count: requireWhole(count, maxEntries), url, sha256 };
  };
  const { algoVersion, listName, hot: named, sequence, expiresAtMs, minWaitMs, shards } = Object(answer) as Json;
  const newest = hotIn(named, addressOf);
  const hot = newest !== null && mayFetch(newest.url) ? newest : null;
  if (shardCounts.indexOf(shards as 1) < 0) throw invalid();
  return {
    algoVersion: requireText(algoVersion, /^.{1,64}$/),
    snapshot: partOf('snapshot'),
    recent: partOf('recent'),
    confirm: fileOf('confirm'),
    shards: shards as 1,
    ...waitIn(minWaitMs),
    ...(hot !== null && { hot }),
    ...(listName !== undefined && { listName: requireText(listName, shortNameForm) }),
    sequence: requireWhole(sequence),
    ...(expiresAtMs !== undefined && { expiresAtMs: requireWhole(expiresAtMs) }),
  };
}

/** The latest time of a `Date`. */
const maxTimeMs = 8.64e15;

function requireText(value: unknown, form: RegExp): string {
  if (typeof value === 'string' && form.test(value)) return value;
  throw invalid();
}

function requireWhole(value: unknown, max = maxTimeMs): number {
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max) return value as number;
  throw invalid();
}

const invalid = () => unusable('is not the version document of a published list');

/** `decodeArtifact` for containers with entries of 4 bytes, the form in which `buildList` publishes. */
const decodeLight: DecodePrefixes = (bytes, expected, { signal }) => runInSlices(decoding(bytes, expected), signal);

function* decoding(bytes: Uint8Array, { count, sha256, algorithm }: Parameters<DecodePrefixes>[1]): Sliced<AscendingSet> {
  if (sha256 !== undefined && toHex(yield* digestOf(bytes)) !== sha256) throw invalidArtifact('the checksum does not match');
  const header = readHeader(bytes);
  const isExpected = header.entryBytes === 4 && header.count === count && header.algorithm === algorithm;
  if (!isExpected) throw invalidArtifact('its header does not match the version document');
  return yield* AscendingSet.ofAscending((yield* decodeContainer(bytes, header)).high);
}
