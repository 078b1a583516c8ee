import { u32ToHex } from '../../core/bytes.js';
import { fetchableFrom } from '../../core/http/address.js';
import { createApi } from '../../core/http/http-api.js';
import { readConfirm } from '../formats/confirm-answer.js';
import { objectOf } from '../formats/spelling.js';
import { algorithmNamed } from '../formats/version-document.js';
import type { Artifact, Confirmation, ConfirmCall, ListVersion, Sample, SamplesCall, Source, SourceCall } from '../source.js';
import { dayOf, readAssets } from './assets-page.js';
import { artifactOf, versionOf } from './source-artifact.js';
import { type ApiSourceOptions, algorithmsOf, apiSettingsOf, idOf, transportOf } from './source-options.js';

export interface ServiceSourceOptions extends ApiSourceOptions {
  /** @default 'service' */
  readonly id?: string | undefined;
  /**
   * Which algorithm of ours each `algoVersion` of the service means: `{ '3': 'portcullis-1' }`. Its real rules are not public; what is
   * written here is checked against known entries where the key may ask for them. A name of ours means itself.
   */
  readonly algorithms?: Readonly<Record<string, string>> | undefined;
}

/** Bytes of a version answer: two tokens and two addresses of the greatest length that is read. */
const versionBytesMax = 64 * 1024;

/** Bytes of a confirmation: 2,000 prefixes with fifteen hashes each, where one is usual. */
const confirmBytesMax = 2 * 1024 * 1024;

/** Assets asked for when samples are wanted, of each type: enough for some to be of the time that is asked for. */
const samplesPageSize = 1_000;
const samplesBytesMax = 4 * 1024 * 1024;

/** Types whose spelling the service and we agree on. */
const sampleTypes = ['URL', 'ADDRESS'] as const;

/**
 * The service's own list, or a relay's: prefixes of 4 bytes, whose hits are confirmed.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function serviceSource(options: ServiceSourceOptions): Source {
  const settings = apiSettingsOf(options);
  const { id = 'service' } = options;
  const algorithms = algorithmsOf(options.algorithms);
  const call = createApi(settings);
  /** Without the key: the service names addresses of anybody's. */
  const files = { ...transportOf(options), mayFetch: fetchableFrom(settings.baseUrl) };
  /** Whether the service writes `algoVersion` as a number, which may be all it takes; known from its last version answer. */
  let writesNumbers: boolean | undefined;

  async function version({ signal }: SourceCall): Promise<ListVersion> {
    const answer = await call({ method: 'GET', path: '/asset/blocklist/version' }, { bytesMax: versionBytesMax, signal });
    const document = versionOf(answer, files.mayFetch);
    const { algoVersion, data } = objectOf(answer);
    writesNumbers = typeof (algoVersion ?? objectOf(data)['algoVersion']) === 'number';
    return document;
  }

  async function spellingOf({ algoVersion, signal }: ConfirmCall): Promise<string | number> {
    if (String(Number(algoVersion)) !== algoVersion) return algoVersion;
    if (writesNumbers === undefined) {
      // A list from the store. Without an answer the text is as good a guess as any.
      await version({ signal }).catch((error: unknown) => {
        if (signal?.aborted) throw error;
      });
    }
    return writesNumbers ? Number(algoVersion) : algoVersion;
  }

  async function samples({ maxCount, fromMs, toMs, signal }: SamplesCall): Promise<readonly Sample[]> {
    const found: Sample[] = [];
    for (const type of sampleTypes) {
      const body = { type, status: 'BLOCKED', startDate: dayOf(fromMs), endDate: dayOf(toMs), per_page: samplesPageSize };
      const answer = await call({ method: 'POST', path: '/asset/list', body }, { bytesMax: samplesBytesMax, signal });
      const inTime = readAssets(answer).assets.filter(
        (asset) => asset.status === 'BLOCKED' && asset.type === type && asset.updatedAtMs >= fromMs && asset.updatedAtMs <= toMs,
      );
      found.push(...inTime.map(({ content }) => ({ content, type })));
    }
    // From everywhere in it: a page may have an order.
    const step = Math.max(1, found.length / maxCount);
    return Array.from({ length: Math.min(maxCount, found.length) }, (_, at) => found[Math.floor(at * step)]!);
  }

  return {
    id: idOf(id),
    algorithms,
    version,
    artifact(part, listed, artifactCall): Promise<Artifact> {
      const algorithm = algorithmNamed(listed.algoVersion, algorithms);
      return artifactOf(part, listed, algorithm, files, artifactCall);
    },
    async confirm(prefixes, confirmCall): Promise<Confirmation> {
      const body = {
        algoVersion: await spellingOf(confirmCall),
        prefixes: prefixes.map(u32ToHex),
      };
      const request = { method: 'POST', path: '/asset/blocklist/confirm', body } as const;
      const answer = await call(request, { bytesMax: confirmBytesMax, signal: confirmCall.signal });
      return { hashes: readConfirm(answer, prefixes) };
    },
    // Without a key nobody is told which assets are blocked.
    ...(settings.apiKey !== undefined && { samples }),
  };
}
