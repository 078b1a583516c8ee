import { toBase64 } from '../../core/base64.js';
import { writeU32 } from '../../core/bytes.js';
import type { SignalLike } from '../../core/errors.js';
import { unusable } from '../../core/http/http-api.js';
import { type Filled, type KindsOf, readOptions } from '../../core/options/read-options.js';
import { objectOf } from '../formats/spelling.js';
import { type Source, sourceId } from '../model/source.js';
import { createHashSearch, type FoundHashes, foundHashes, joined } from './hash-search.js';
import type { ListUpdate, RawEntries } from './sorted-list.js';
import { transportOf } from './source-options.js';
import { createThreatList, sortedForm, type ThreatListAnswer } from './threat-list.js';
import {
  answerObject,
  bytesIn,
  createAsk,
  googleTerms,
  listIn,
  queryOf,
  riceIn,
  type ServiceAnswer,
  someOf,
  type ThreatServiceOptions,
  type ThreatSettings,
  threatKinds,
  versionIn,
} from './threat-service.js';

const threatTypeNames = ['MALWARE', 'SOCIAL_ENGINEERING', 'UNWANTED_SOFTWARE', 'SOCIAL_ENGINEERING_EXTENDED_COVERAGE'] as const;

/** A list of Web Risk. */
export type WebRiskThreatType = (typeof threatTypeNames)[number];

export interface WebRiskSourceOptions extends ThreatServiceOptions {
  /** The lists to use. @default ['SOCIAL_ENGINEERING', 'MALWARE', 'UNWANTED_SOFTWARE'] */
  readonly threatTypes?: readonly WebRiskThreatType[] | undefined;
  /** Begins the id of each list's source, which is `web-risk.malware`. @default 'web-risk' */
  readonly id?: string | undefined;
  /** The API, or a proxy in front of it. @default 'https://webrisk.googleapis.com/v1' */
  readonly baseUrl?: string | undefined;
}

/** A list of `maxEntries` takes 48 MB in base64. */
const maxListBytes: number = 64 * 1024 * 1024;

/** Prefixes that share a wait. Each needs a request of its own, six at a time: the browsers' own limit per host. */
const maxPrefixes = 100;
const maxConcurrent = 6;

/** Bytes of one answer: two thousand hashes. */
const maxAnswerBytes: number = 512 * 1024;

/**
 * The lists of Google Web Risk, for commercial use with a key of your own: one source for each threat type. Pass the result to `sources`
 * as it is.
 *
 * @throws TypeError, PortcullisError `INVALID_INPUT`
 */
export function webRiskSource(options: WebRiskSourceOptions): readonly Source[] {
  const { id, threatTypes, ...given } = readOptions('webRiskSource', webRiskKinds(), options);
  const settings = transportOf(given);
  const askList = createAsk(settings, settings.artifactTimeoutMs, maxListBytes);
  const askHashes = createAsk(settings, settings.timeoutMs, maxAnswerBytes);
  const terms = googleTerms('https://cloud.google.com/web-risk/docs/advisory');
  const wanted = threatTypes.map((type) => ['threatTypes', type] as const);

  async function search(prefixes: readonly number[], signal: SignalLike): Promise<FoundHashes> {
    const answers: FoundHashes[] = [];
    const left = [...prefixes];
    const next = async (): Promise<void> => {
      for (let prefix = left.pop(); prefix !== undefined; prefix = left.pop()) {
        const bytes = new Uint8Array(4);
        writeU32(bytes, 0, prefix);
        const query = queryOf([['hashPrefix', toBase64(bytes)], ...wanted]);
        answers.push(readThreats(await askHashes(`/hashes:search?${query}`, signal), prefix, threatTypes));
      }
    };
    try {
      await Promise.all(Array.from({ length: maxConcurrent }, next));
    } finally {
      // Start no further requests.
      left.length = 0;
    }
    return joined(answers);
  }

  const confirm = createHashSearch(maxPrefixes, search);
  return threatTypes.map((type) => ({
    id: `${id}.${type.toLowerCase().replace(/_/g, '-')}`,
    threats: [...threatTypes],
    terms,
    ...createThreatList({
      algorithm: 'safe-browsing-4',
      form: sortedForm(),
      async ask(version, signal) {
        const query = queryOf([
          ['threatType', type],
          ...(version === null ? [] : [['versionToken', version] as const]),
          ['constraints.supportedCompressions', 'RICE'],
        ]);
        return readDiff(await askList(`/threatLists:computeDiff?${query}`, signal));
      },
    }),
    confirm,
  }));
}

export const webRiskKinds = (): KindsOf<ThreatSettings & Filled<Pick<WebRiskSourceOptions, 'id' | 'threatTypes'>>> => ({
  ...threatKinds('https://webrisk.googleapis.com/v1'),
  id: sourceId('web-risk'),
  threatTypes: someOf(threatTypeNames, ['SOCIAL_ENGINEERING', 'MALWARE', 'UNWANTED_SOFTWARE']),
});

/** @throws PortcullisError `INVALID_RESPONSE` */
function readDiff({ body, atMs }: ServiceAnswer): ThreatListAnswer {
  const { responseType, additions, removals, newVersionToken, checksum, recommendedNextDiff } = answerObject(body);
  if (responseType !== 'DIFF' && responseType !== 'RESET') throw unusable('has an unknown response type');
  const { rawHashes, riceHashes } = objectOf(additions);
  const { rawIndices, riceIndices } = objectOf(removals);
  const update: ListUpdate = {
    isPartial: responseType === 'DIFF',
    removals: riceIn(riceIndices, 'entryCount') ?? indicesIn(objectOf(rawIndices)['indices']),
    additions: riceIn(riceHashes, 'entryCount'),
    isLittleEndian: true,
    raw: listIn(rawHashes).map(rawIn),
    sum: bytesIn(objectOf(checksum)['sha256']),
  };
  const waitMs = recommendedNextDiff === undefined ? undefined : Math.max(0, timeIn(recommendedNextDiff) - atMs);
  return { version: versionIn(newVersionToken), update, waitMs, hasMore: false };
}

function indicesIn(value: unknown): readonly number[] {
  const indices = listIn(value);
  if (!indices.every((place) => Number.isInteger(place) && (place as number) >= 0)) throw unusable('has a malformed number');
  return indices as readonly number[];
}

function rawIn(value: unknown): RawEntries {
  const { prefixSize: size, rawHashes } = objectOf(value);
  const bytes = bytesIn(rawHashes);
  const isOne = typeof size === 'number' && Number.isInteger(size) && size >= 4 && size <= 32 && bytes.length % size === 0;
  if (!isOne) throw unusable('has malformed entries');
  return { size, bytes };
}

/** @throws PortcullisError `INVALID_RESPONSE` */
function readThreats({ body, atMs }: ServiceAnswer, prefix: number, wanted: readonly string[]): FoundHashes {
  const { threats, negativeExpireTime } = answerObject(body);
  const forMs = (time: unknown): number | undefined => (time === undefined ? undefined : Math.max(0, timeIn(time) - atMs));
  const said = listIn(threats).map((threat) => {
    const { threatTypes, hash, expireTime } = objectOf(threat);
    const places = listIn(threatTypes).map((type) => wanted.indexOf(type as string));
    const kind = places.reduce((bits, at) => (at < 0 ? bits : bits | (1 << at)), 0);
    return { hash: bytesIn(hash), kind, countsMs: forMs(expireTime) };
  });
  return foundHashes([prefix], said, forMs(negativeExpireTime));
}

/** Epoch milliseconds of an RFC 3339 time, which may have more digits than every engine reads. */
function timeIn(text: unknown): number {
  const timeMs = typeof text === 'string' ? Date.parse(text.replace(/(\.\d{3})\d+/, '$1')) : Number.NaN;
  if (Number.isNaN(timeMs)) throw unusable('has a malformed time');
  return timeMs;
}
