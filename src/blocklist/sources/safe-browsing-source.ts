import { toBase64 } from '../../core/base64.js';
import { writeU32 } from '../../core/bytes.js';
import { boolean, type Filled, type KindsOf, optional, readOptions } from '../../core/options/read-options.js';
import { maxConfirmBytes } from '../formats/confirm-answer.js';
import { type Source, sourceId } from '../model/source.js';
import { globalCacheForm } from './global-cache.js';
import { createListsRequest } from './hash-lists-request.js';
import { createHashSearch, foundHashes } from './hash-search.js';
import { type HashDetail, protobufFormat, readFullHashes } from './safe-browsing-answers.js';
import { transportOf } from './source-options.js';
import { createThreatList, type ListForm, sortedForm } from './threat-list.js';
import {
  createAsk,
  googleTerms,
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
  /**
   * Whether `check` asks Google at once about each page that is not in its cache of common pages, which is fetched as a list of its own. That
   * sends the first four bytes of all hashes of the page, also for a page that is on no list. @default false
   */
  readonly realTime?: boolean | undefined;
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
  const { id, lists, realTime, ...given } = readOptions('safeBrowsingSource', safeBrowsingKinds(), options);
  // The service refuses to answer in JSON; a proxy in front of it may.
  const settings = { ...transportOf(given), binary: protobufFormat };
  const terms = googleTerms('https://developers.google.com/safe-browsing/v4/advisory');
  const threats = [...new Set(lists.map((list) => threatsOfLists[list]))];
  const askLists = createListsRequest(createAsk(settings, settings.artifactTimeoutMs, maxListsBytes), settings.now);
  const askHashes = createAsk(settings, settings.timeoutMs, maxConfirmBytes);
  const confirm = createHashSearch(maxPrefixes, async (prefixes, signal) => {
    const query = queryOf(prefixes.map((prefix) => ['hashPrefixes', toBase64(prefixBytes(prefix))]));
    const { body } = await askHashes(`/hashes:search?${query}`, signal);
    const { hashes, cacheMs } = readFullHashes(body);
    const said = hashes.map(({ hash, details }) => ({
      hash,
      kind: details.reduce((bits, detail) => bits | kindOf(detail, threats), 0),
      countsMs: cacheMs,
    }));
    return foundHashes(prefixes, said, cacheMs);
  });
  const sourceOf = <List>(name: string, form: ListForm<List>): Source => ({
    id: `${id}.${name}`,
    threats,
    terms,
    ...createThreatList({
      algorithm: 'safe-browsing-5',
      form,
      ask: (version, signal) => askLists.ask(name, version, signal),
      onHeld: (version, waitMs) => askLists.hold(name, version, waitMs),
    }),
    confirm,
  });
  const sources = lists.map((name) => sourceOf(name, sortedForm()));
  return realTime ? [...sources, { ...sourceOf('gc-32b', globalCacheForm()), isGlobalCache: true }] : sources;
}

export const safeBrowsingKinds = (): KindsOf<
  ThreatSettings & Filled<Pick<SafeBrowsingSourceOptions, 'id' | 'lists' | 'realTime'>>
> => ({
  ...threatKinds('https://safebrowsing.googleapis.com/v5'),
  id: sourceId('safe-browsing'),
  realTime: optional(boolean, false),
  lists: someOf(Object.keys(threatsOfLists) as SafeBrowsingList[], ['se-4b', 'mw-4b', 'uws-4b']),
});

/** 0 for a detail that is not enforced, and for one with a threat or an attribute that is unknown here or not wanted. */
function kindOf({ threat, attributes }: HashDetail, threats: readonly string[]): number {
  const at = threats.indexOf(threat as string);
  const isEnforced = attributes.every((name) => name === 'FRAME_ONLY');
  return at < 0 || !isEnforced ? 0 : 1 << (attributes.length > 0 ? at + 8 : at);
}

function prefixBytes(prefix: number): Uint8Array {
  const bytes = new Uint8Array(4);
  writeU32(bytes, 0, prefix);
  return bytes;
}
