import { u32ToHex } from '../../core/bytes.js';
import { fetchableFrom } from '../../core/http/address.js';
import type { FetchLike } from '../../core/http/fetch.js';
import { createApi } from '../../core/http/http-api.js';
import { type Filled, type KindsOf, readOptions } from '../../core/options/read-options.js';
import { maxConfirmBytes, readConfirm } from '../formats/confirm-answer.js';
import { algorithmNamed, maxVersionBytes, rawAlgoVersion } from '../formats/version-document.js';
import {
  type Artifact,
  type Confirmation,
  type ConfirmCall,
  type ListVersion,
  type Sample,
  type SamplesCall,
  type Source,
  type SourceCall,
  sourceId,
} from '../model/source.js';
import { dayOf, readAssets } from './assets-page.js';
import { download } from './download.js';
import { reopenWith } from './signed-parts.js';
import { artifactOf, decodeAny, versionOf } from './source-artifact.js';
import {
  type ApiSourceOptions,
  algorithmNames,
  apiKinds,
  type ListOptions,
  listKinds,
  type ObliviousOption,
  ohttpKinds,
  originOf,
  type SignatureOptions,
  signatureKinds,
  type Transport,
  transportOf,
  trustOf,
} from './source-options.js';
import { uniqueTokens } from './unique-tokens.js';

export interface ServiceSourceOptions extends ApiSourceOptions, SignatureOptions, ListOptions, ObliviousOption {
  /** Names the source in verdicts, events and stores. @default 'service' */
  readonly id?: string | undefined;
  /**
   * Maps each `algoVersion` of the service to an algorithm of this package: `{ '3': 'portcullis-1' }`. The service's rules are not
   * public, so the mapping is checked against known entries if the key permits it. An algorithm's own name needs no entry.
   */
  readonly algorithms?: Readonly<Record<string, string>> | undefined;
}

/** Assets requested per type for samples: enough for some to be from the requested time. */
const samplesPageSize = 1_000;
const maxSamplesBytes = 4 * 1024 * 1024;

/** Types that the service and this package spell the same way. */
const sampleTypes = ['URL', 'ADDRESS'] as const;

/**
 * The service's own list, directly or through a relay: prefixes of 4 bytes, whose hits are confirmed.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function serviceSource(options: ServiceSourceOptions): Source {
  return createServiceSource(transportOf(readOptions('serviceSource', serviceKinds(), options)));
}

function createServiceSource(settings: ServiceSettings & Pick<Transport, 'fetch'>): Source {
  const { id, algorithms, listName, mayBeEmpty, ohttp, timeoutMs, artifactTimeoutMs, idleTimeoutMs, fetch, now } = settings;
  const trust = trustOf(settings);
  const call = createApi(settings);
  /** Files are downloaded without the key, because the service may name any URL. */
  const files = { timeoutMs, artifactTimeoutMs, idleTimeoutMs, fetch, now, mayFetch: fetchableFrom(settings.baseUrl) };
  /** Whether the last version answer had `algoVersion` as a number, which may be all the service accepts. */
  let writesNumbers: boolean | undefined;

  async function version({ signal }: SourceCall): Promise<ListVersion> {
    const answer = await call({ method: 'GET', path: '/asset/blocklist/version' }, { maxBytes: maxVersionBytes, signal });
    const document = versionOf(answer, files.mayFetch);
    writesNumbers = typeof rawAlgoVersion(answer) === 'number';
    return trust === undefined ? document : trust.open(answer, document);
  }

  async function spellingOf({ algoVersion, signal }: ConfirmCall): Promise<string | number> {
    if (String(Number(algoVersion)) !== algoVersion) return algoVersion;
    // No version was asked for yet: the list came from the store, or this source only asks about hits.
    if (writesNumbers === undefined) await version({ signal });
    return writesNumbers ? Number(algoVersion) : algoVersion;
  }

  async function samples({ maxCount, fromMs, toMs, signal }: SamplesCall): Promise<readonly Sample[]> {
    const found: Sample[] = [];
    for (const type of sampleTypes) {
      const body = { type, status: 'BLOCKED', startDate: dayOf(fromMs), endDate: dayOf(toMs), per_page: samplesPageSize };
      const answer = await call({ method: 'POST', path: '/asset/list', body }, { maxBytes: maxSamplesBytes, signal });
      const inTime = readAssets(answer).assets.filter(
        (asset) => asset.status === 'BLOCKED' && asset.type === type && asset.updatedAtMs >= fromMs && asset.updatedAtMs <= toMs,
      );
      for (const { content } of inTime) found.push({ content, type });
    }
    // Evenly spread, because pages may be sorted.
    const step = Math.max(1, found.length / maxCount);
    return Array.from({ length: Math.min(maxCount, found.length) }, (_, at) => found[Math.floor(at * step)]!);
  }

  async function confirm(prefixes: readonly number[], confirmCall: ConfirmCall): Promise<Confirmation> {
    const body = { algoVersion: await spellingOf(confirmCall), prefixes: prefixes.map(u32ToHex) };
    const request = { method: 'POST', path: '/asset/blocklist/confirm', body } as const;
    const answer = await call(request, { maxBytes: maxConfirmBytes, signal: confirmCall.signal });
    return { hashes: readConfirm(answer, prefixes) };
  }

  const unseen = (fetch: FetchLike): Source => createServiceSource({ ...settings, fetch, ohttp: undefined });

  return {
    id,
    algorithms,
    origin: originOf(settings.baseUrl, trust),
    listName,
    mayBeEmpty,
    trustedKeys: trust?.ids,
    ...(trust && { reopen: reopenWith(trust, algorithms) }),
    // Assumed: an older version is then refused for an hour at most.
    tokenHistory: uniqueTokens,
    version,
    artifact(part, listed, artifactCall): Promise<Artifact> {
      const algorithm = algorithmNamed(listed.algoVersion, algorithms);
      return artifactOf(part, listed, algorithm, files, artifactCall, { decode: decodeAny, download });
    },
    confirm: ohttp ? ohttp.confirmWith(settings.baseUrl, unseen) : confirm,
    // The service lists assets only for a key.
    ...(settings.apiKey !== undefined && { samples }),
  };
}

/** `ServiceSourceOptions` with their defaults. */
export type ServiceSettings = Filled<ServiceSourceOptions, 'apiKey' | 'fetch' | 'listName' | 'ohttp' | keyof SignatureOptions>;

export const serviceKinds = (): KindsOf<ServiceSettings> => ({
  ...apiKinds(),
  ...signatureKinds(),
  ...listKinds(),
  ...ohttpKinds(),
  id: sourceId('service'),
  algorithms: algorithmNames(),
});
