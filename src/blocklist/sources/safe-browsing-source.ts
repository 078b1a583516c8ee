import { toBase64 } from '../../core/base64.js';
import { readU32, writeU32 } from '../../core/bytes.js';
import { unusable } from '../../core/http/http-api.js';
import { type Filled, type KindsOf, readOptions } from '../../core/options/read-options.js';
import { maxConfirmBytes } from '../formats/confirm-answer.js';
import { objectOf } from '../formats/spelling.js';
import { type Source, sourceId } from '../model/source.js';
import { createListsRequest } from './hash-lists-request.js';
import { createHashSearch, type FoundHashes } from './hash-search.js';
import { transportOf } from './source-options.js';
import { createThreatList } from './threat-list.js';
import {
  bytesIn,
  createAsk,
  durationIn,
  listIn,
  queryOf,
  someOf,
  type ThreatServiceOptions,
  type ThreatSettings,
  threatKinds,
} from './threat-service.js';

/** What the entries of each list are listed for. */
const threatsOfLists = {
  'se-4b': 'SOCIAL_ENGINEERING',
  'mw-4b': 'MALWARE',
  'uws-4b': 'UNWANTED_SOFTWARE',
  'uwsa-4b': 'UNWANTED_SOFTWARE',
  'pha-4b': 'POTENTIALLY_HARMFUL_APPLICATION',
} as const;

/** A list of Safe Browsing v5. */
export type SafeBrowsingList = keyof typeof threatsOfLists;

export interface SafeBrowsingSourceOptions extends ThreatServiceOptions {
  /** The lists to use. `uwsa-4b` and `pha-4b` are about Android. @default ['se-4b', 'mw-4b', 'uws-4b'] */
  readonly lists?: readonly SafeBrowsingList[] | undefined;
  /** Begins the id of each list's source, which is `safe-browsing.se-4b`. @default 'safe-browsing' */
  readonly id?: string | undefined;
  /** The API, or a proxy in front of it. @default 'https://safebrowsing.googleapis.com/v5' */
  readonly baseUrl?: string | undefined;
}

/** Two lists of `maxEntries` take 96 MB in base64; a list with few changes takes a kilobyte. */
const maxListsBytes: number = 128 * 1024 * 1024;

/** The service accepts 1,000. A hundred are 2.6 kB of the URL. */
const maxPrefixes = 100;

/**
 * The lists of Google Safe Browsing v5, for non-commercial use with a key of your own: one source for each list, so that each has its own
 * version and may fail alone. They share their requests. Pass the result to `sources` as it is.
 *
 * @throws TypeError, PortcullisError `INVALID_INPUT`
 */
export function safeBrowsingSource(options: SafeBrowsingSourceOptions): readonly Source[] {
  const { id, lists, ...given } = readOptions('safeBrowsingSource', safeBrowsingKinds(), options);
  const settings = transportOf(given);
  const threats = [...new Set(lists.map((list) => threatsOfLists[list]))];
  const askLists = createListsRequest(createAsk(settings, settings.artifactTimeoutMs, maxListsBytes), settings.now);
  const askHashes = createAsk(settings, settings.timeoutMs, maxConfirmBytes);
  const confirm = createHashSearch(maxPrefixes, async (prefixes, signal) => {
    const query = queryOf(prefixes.map((prefix) => ['hashPrefixes', toBase64(prefixBytes(prefix))]));
    const { body } = await askHashes(`/hashes:search?${query}`, signal);
    return readFullHashes(body, prefixes, threats);
  });
  return lists.map((name) => ({
    id: `${id}.${name}`,
    threats,
    ...createThreatList({
      algorithm: 'safe-browsing-5',
      ask: (version, signal) => askLists.ask(name, version, signal),
      onHeld: (version, waitMs) => askLists.hold(name, version, waitMs),
    }),
    confirm,
  }));
}

export const safeBrowsingKinds = (): KindsOf<ThreatSettings & Filled<Pick<SafeBrowsingSourceOptions, 'id' | 'lists'>>> => ({
  ...threatKinds('https://safebrowsing.googleapis.com/v5'),
  id: sourceId('safe-browsing'),
  lists: someOf(Object.keys(threatsOfLists) as SafeBrowsingList[], ['se-4b', 'mw-4b', 'uws-4b']),
});

/** @throws PortcullisError `INVALID_RESPONSE` */
function readFullHashes(answer: unknown, prefixes: readonly number[], threats: readonly string[]): FoundHashes {
  const { fullHashes, cacheDuration } = objectOf(answer);
  const hashes = new Map(prefixes.map((prefix): [number, Uint8Array[]] => [prefix, []]));
  const kinds = new Map<Uint8Array, number>();
  for (const one of listIn(fullHashes)) {
    const { fullHash, fullHashDetails } = objectOf(one);
    const hash = bytesIn(fullHash);
    const group = hash.length === 32 ? hashes.get(readU32(hash, 0)) : undefined;
    if (group === undefined) throw unusable('has a hash that was not asked for');
    let kind = 0;
    for (const detail of listIn(fullHashDetails)) kind |= kindOf(objectOf(detail), threats);
    if (kind === 0) continue;
    group.push(hash);
    kinds.set(hash, kind);
  }
  const countsMs = durationIn(cacheDuration) ?? 0;
  return { hashes, kinds, positiveMs: countsMs, negativeMs: countsMs };
}

/** 0 for a detail that is not enforced, and for one with a threat or an attribute that is unknown here or not wanted. */
function kindOf({ threatType, attributes }: Readonly<Record<string, unknown>>, threats: readonly string[]): number {
  const at = threats.indexOf(threatType as string);
  const names = listIn(attributes);
  const isEnforced = names.every((name) => name === 'FRAME_ONLY');
  return at < 0 || !isEnforced ? 0 : 1 << (names.length > 0 ? at + 8 : at);
}

function prefixBytes(prefix: number): Uint8Array {
  const bytes = new Uint8Array(4);
  writeU32(bytes, 0, prefix);
  return bytes;
}
