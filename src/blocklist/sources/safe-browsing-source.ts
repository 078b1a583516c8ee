import { toBase64 } from '../../core/base64.js';
import { readU32, writeU32 } from '../../core/bytes.js';
import { isPortcullisError, type SignalLike } from '../../core/errors.js';
import { sleep } from '../../core/http/bounded.js';
import { unusable } from '../../core/http/http-api.js';
import { maxConfirmBytes } from '../formats/confirm-answer.js';
import { objectOf } from '../formats/spelling.js';
import type { Source } from '../source.js';
import { createHashSearch, type FoundHashes } from './hash-search.js';
import { type SharedWork, shareWork } from './shared-work.js';
import { idOf, type Signal } from './source-options.js';
import { createThreatList, type ThreatListAnswer } from './threat-list.js';
import {
  type Ask,
  bytesIn,
  createAsk,
  durationIn,
  isVersion,
  listIn,
  queryOf,
  requireSome,
  riceIn,
  type ThreatServiceOptions,
  threatSettingsOf,
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

/** How long an answer waits for the round of its list. Polls vary by a fifth of five minutes. */
const maxWaitMs = 120_000;

/**
 * The lists of Google Safe Browsing v5, for non-commercial use with a key of your own: one source for each list, so that each has its own
 * version and may fail alone. They share their requests. Pass the result to `sources` as it is.
 *
 * @throws TypeError, PortcullisError `INVALID_INPUT`
 */
export function safeBrowsingSource(options: SafeBrowsingSourceOptions): readonly Source[] {
  const settings = threatSettingsOf(options, 'https://safebrowsing.googleapis.com/v5');
  const { id = 'safe-browsing', lists = ['se-4b', 'mw-4b', 'uws-4b'] } = options;
  requireSome(lists, Object.keys(threatsOfLists) as SafeBrowsingList[], 'lists');
  const threats = [...new Set(lists.map((list) => threatsOfLists[list]))];
  const askLists = createListsRequest(createAsk(settings, settings.artifactTimeoutMs, maxListsBytes), lists, settings.now);
  const askHashes = createAsk(settings, settings.timeoutMs, maxConfirmBytes);
  const confirm = createHashSearch(maxPrefixes, async (prefixes, signal) => {
    const query = queryOf(prefixes.map((prefix) => ['hashPrefixes', toBase64(bytesOf(prefix))]));
    return readFullHashes(await askHashes(`/hashes:search?${query}`, signal), prefixes, threats);
  });
  return lists.map((name) => ({
    id: idOf(`${id}.${name}`),
    threats,
    ...createThreatList({
      algorithm: 'safe-browsing-5',
      ask: (version, signal) => askLists.ask(name, version, signal),
      onHeld: (version) => askLists.hold(name, version),
    }),
    confirm,
  }));
}

/** An answer about a list that came with another list's request. */
interface Came {
  readonly from: string | null;
  readonly atMs: number;
  readonly answer: ThreatListAnswer;
}

interface Member {
  readonly name: string;
  /** The version to ask from; `undefined` if it is not known what the client has. */
  from: string | null | undefined;
  isWaiting: boolean;
  /** Epoch time before which the service does not want to be asked. */
  dueAtMs: number;
  came: Came | null;
}

interface ListsRequest {
  ask(name: string, from: string | null, signal: Signal): Promise<ThreatListAnswer>;
  /** The client has this version now, so that the list may join the next request of another. */
  hold(name: string, version: string): void;
}

/** Several lists in one request: those that are asked for at the same time, and those that are due. */
function createListsRequest(ask: Ask, names: readonly string[], now: () => number): ListsRequest {
  const members = names.map((name): Member => ({ name, from: undefined, isWaiting: false, dueAtMs: 0, came: null }));
  const memberOf = (name: string): Member => members.find((member) => member.name === name)!;
  let gathering: SharedWork<ReadonlyMap<string, unknown>> | null = null;
  /** Whether a request for several lists was refused, perhaps because of one of them. */
  let isApart = false;

  const isFresh = ({ atMs }: Came): boolean => now() >= atMs && now() - atMs < maxWaitMs;

  function mayJoin({ from, isWaiting, dueAtMs, came }: Member): boolean {
    return isWaiting || (!isApart && from !== undefined && now() >= dueAtMs && (came === null || !isFresh(came)));
  }

  async function fetchSome(some: readonly Member[], signal: SignalLike): Promise<readonly unknown[]> {
    const versions = some.flatMap(({ from }) => (typeof from === 'string' ? [['version', from] as const] : []));
    const query = queryOf([...some.map(({ name }) => ['names', name] as const), ...versions]);
    return listIn(objectOf(await ask(`/hashLists:batchGet?${query}`, signal))['hashLists']);
  }

  /** The answer about each list, or the error. */
  async function fetchAll(signal: SignalLike): Promise<ReadonlyMap<string, unknown>> {
    await sleep(0, signal);
    gathering = null;
    const some = members.filter(mayJoin);
    const waiting = some.filter(({ isWaiting }) => isWaiting);
    const froms = new Map(some.map(({ name, from }) => [name, from ?? null]));
    for (const member of some) member.isWaiting = false;
    let groups = isApart ? waiting.map((member) => [member]) : [some];
    const answers = new Map<string, unknown>();
    for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
      try {
        const lists = await fetchSome(group, signal);
        for (const { name } of group)
          answers.set(
            name,
            lists.find((list) => objectOf(list)['name'] === name),
          );
      } catch (error) {
        const { code, status } = isPortcullisError(error) ? error : {};
        if (group.length > 1 && (code === 'LIMIT_EXCEEDED' || status === 400 || status === 404 || status === 413)) {
          isApart = true;
          groups = waiting.map((member) => [member]);
        } else for (const { name } of group) answers.set(name, error);
      }
    }
    for (const member of some) {
      if (waiting.includes(member) || answers.get(member.name) === undefined) continue;
      try {
        const from = froms.get(member.name)!;
        member.came = { from, atMs: now(), answer: readHashList(answers.get(member.name), from) };
      } catch {
        // The list asks for itself.
      }
    }
    return answers;
  }

  return {
    hold(name, version) {
      memberOf(name).from = version;
    },
    async ask(name, from, signal) {
      const member = memberOf(name);
      const { came } = member;
      member.came = null;
      member.from = undefined;
      let answer: ThreatListAnswer;
      let waitedMs = 0;
      if (came !== null && came.from === from && isFresh(came)) {
        answer = came.answer;
        waitedMs = now() - came.atMs;
      } else {
        member.from = from;
        member.isWaiting = true;
        if (gathering === null || gathering.isEnded()) gathering = shareWork(fetchAll);
        const found = (await gathering.join(signal)).get(name);
        member.from = undefined;
        answer = readHashList(found, from);
      }
      const waitMs = Math.max(0, (answer.waitMs ?? 0) - waitedMs);
      member.dueAtMs = now() + waitMs;
      return { ...answer, waitMs };
    },
  };
}

/** @throws PortcullisError `INVALID_RESPONSE`, or the error itself */
function readHashList(value: unknown, from: string | null): ThreatListAnswer {
  if (isPortcullisError(value)) throw value;
  if (value === undefined) throw unusable('leaves out a list');
  const {
    version = from,
    partialUpdate,
    compressedRemovals,
    additionsFourBytes,
    sha256Checksum,
    minimumWaitDuration,
  } = objectOf(value);
  if (!isVersion(version)) throw unusable('has no usable version of a list');
  const waitMs = durationIn(minimumWaitDuration);
  const sum = bytesIn(sha256Checksum);
  const update = {
    isPartial: partialUpdate === true,
    removals: riceIn(compressedRemovals, 'entriesCount'),
    additions: riceIn(additionsFourBytes, 'entriesCount'),
    isLittleEndian: false,
    raw: [],
    sum,
  };
  const isUnchanged = sha256Checksum === undefined && update.removals === null && update.additions === null;
  return { version, update: isUnchanged ? null : update, waitMs, hasMore: !waitMs };
}

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

function bytesOf(prefix: number): Uint8Array {
  const bytes = new Uint8Array(4);
  writeU32(bytes, 0, prefix);
  return bytes;
}
