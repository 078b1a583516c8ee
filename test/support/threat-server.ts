import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { originOf } from './listen.js';
import { toProtobuf } from './threat-protobuf.js';

/**
 * Safe Browsing v5 and Web Risk on this machine, written from their public documentation and without any code of the package. Lists are
 * arrays of hex, and bits are text.
 */

export const apiKey = 'AIza-test-key-of-nobody-0123456789';

/** What is wrong with the next answer about a list. */
export type ListFault = (typeof listFaults)[number];
/** Those in an answer with changes; the client then fetches the whole list in the same round. */
export const recoverableFaults = ['checksum', 'index', 'truncated', 'repeated', 'no-checksum', 'stripped'] as const;
export const listFaults = [...recoverableFaults, 'version', 'left-out', 'number'] as const;

/** What is wrong from now on: versions of clients are refused, or something about changes or also about whole lists. */
export type LastingFault = 'version-refused' | 'checksum' | 'checksum-of-all' | 'stripped' | 'stripped-of-all';

/** What is wrong with the next answer as a whole. */
export type AnswerFault = (typeof answerFaults)[number];
export const answerFaults = ['reset', 'cut', 'html', 'pause-429', 'pause-503', 'bad-request', 'redirect', 'hang'] as const;

export interface FullHashDetail {
  readonly threatType: string;
  readonly attributes?: readonly string[];
}

export interface ServedList {
  /** Every state since the oldest that is still known, the current one last. Entries in hex, sorted. */
  readonly states: { readonly version: string; readonly entries: readonly string[] }[];
  fault: ListFault | null;
  lastingFault: LastingFault | null;
  /** How long the service asks to wait. */
  waitSeconds: number;
  /** Whether an update leads to the next state only, so that there is more to fetch. In Safe Browsing only. */
  isStepwise: boolean;
  /** The answers of updates so far. */
  readonly sent: ('whole' | 'partial')[];
}

export interface ThreatServer {
  readonly origin: string;
  /** Paths and queries. */
  readonly requests: string[];
  readonly lists: Map<string, ServedList>;
  /** Full hashes in hex. */
  readonly full: Map<string, readonly FullHashDetail[]>;
  /** For the next requests, in order. */
  readonly faults: AnswerFault[];
  /** Whether every request is refused with 400, as one with an invalid key is. */
  isKeyRefused: boolean;
  /** Whether it refuses requests that do not have the key in the header. */
  needsKey: boolean;
  cacheSeconds: number;
  /** What Safe Browsing answers in: JSON is what a proxy makes of it. Web Risk always answers in JSON. */
  speaks: 'protobuf' | 'json';
  /** Sent for each search instead of an answer, with status 200. */
  insteadOfSearch: { readonly type: string; readonly body: string | Buffer } | null;
  /** Sent for each update instead of an answer, with status 200. */
  insteadOfUpdate: { readonly type: string; readonly body: string | Buffer } | null;
  /** The status for what it does not know. */
  unknownStatus: number;
  /** Replaces the entries of a list by a new state. */
  change(name: string, entries: Iterable<string>): void;
  current(name: string): readonly string[];
}

export interface ThreatServerOptions {
  readonly names: readonly string[];
  readonly now: () => number;
  /** 0 to 1. */
  readonly random: () => number;
}

/** The fields of a list for longer additions, and the parts of their first numbers. */
const longerAdditions = {
  additionsEightBytes: ['firstValue'],
  additionsSixteenBytes: ['firstValueHi', 'firstValueLo'],
  additionsThirtyTwoBytes: ['firstValueFirstPart', 'firstValueSecondPart', 'firstValueThirdPart', 'firstValueFourthPart'],
} as const;

let servers = 0;

export async function serveThreats({ names, now, random }: ThreatServerOptions): Promise<ThreatServer> {
  const number = ++servers;
  let versions = 0;
  const newVersion = (): string => Buffer.from(`${number}/${++versions}/${Math.floor(random() * 1e6)}`).toString('base64');
  const first = (): ServedList => ({
    states: [{ version: newVersion(), entries: [] }],
    fault: null,
    lastingFault: null,
    waitSeconds: 300,
    isStepwise: false,
    sent: [],
  });
  const lists = new Map(names.map((name) => [name, first()]));
  const server = createServer((request, response) => {
    const { url = '', headers } = request;
    response.setHeader('date', new Date(now()).toUTCString());
    threats.requests.push(url);
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const isProtobuf = pathname.startsWith('/v5/') && threats.speaks === 'protobuf';
    const fault = threats.faults.shift();
    if (fault !== undefined) return give(fault, response);
    if (threats.isKeyRefused) return give('bad-request', response);
    const isKeyed = headers['x-goog-api-key'] === apiKey && !searchParams.has('key');
    if (threats.needsKey && !isKeyed) return json(response, 403, { error: { code: 403 } });
    if (isProtobuf && searchParams.has('alt'))
      return json(response, 400, { error: { code: 400, message: 'Unsupported Output Format' } });
    const instead = pathname.endsWith('hashes:search') ? threats.insteadOfSearch : threats.insteadOfUpdate;
    if (instead !== null) {
      response.writeHead(200, { 'content-type': instead.type }).end(instead.body);
      return;
    }
    const answer = answerTo(pathname, searchParams);
    if (answer !== null && isProtobuf) {
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end(toProtobuf(answer, random));
    } else if (answer === null) json(response, threats.unknownStatus, { error: { message: `cannot read ${url}` } });
    else json(response, 200, answer);
  });

  function answerTo(path: string, query: URLSearchParams): object | null {
    if (path === '/v5/hashLists:batchGet') return batchGet(query.getAll('names'), query.getAll('version'));
    if (path === '/v5/hashes:search') return searchHashes(query.getAll('hashPrefixes'));
    if (path === '/v1/threatLists:computeDiff') return computeDiff(query);
    if (path === '/v1/hashes:search') return searchHash(query.get('hashPrefix') ?? '', query.getAll('threatTypes'));
    return null;
  }

  /** From which state an update leads where. */
  function stepFrom(list: ServedList, known: readonly (string | null)[]) {
    const { states } = list;
    const from = states.findIndex(({ version }) => known.includes(version));
    const step = from < 0 ? Math.max(0, states.length - 5) : Math.min(from + 1, states.length - 1);
    // Further steps are changes, which would never arrive.
    const to = list.isStepwise && list.lastingFault === null ? step : states.length - 1;
    list.sent.push(from < 0 ? 'whole' : 'partial');
    return { before: from < 0 ? null : states[from]!, after: states[to]!, isLast: to === states.length - 1 };
  }

  /** Whether the version of a client is refused, which makes the service refuse the request. */
  const isRefused = (list: ServedList, known: readonly (string | null)[]): boolean =>
    list.lastingFault === 'version-refused' && list.states.some(({ version }) => known.includes(version));

  function batchGet(some: readonly string[], known: readonly string[]): object | null {
    if (some.length === 0 || some.some((name) => !lists.has(name) || isRefused(lists.get(name)!, known))) return null;
    return { hashLists: some.flatMap((name) => hashList(name, known) ?? []), unknownField: { more: [1] } };
  }

  function takeFault(list: ServedList, before: object | null): ListFault | null {
    const { fault, lastingFault } = list;
    list.fault = null;
    const [lasting, ofAll] = (lastingFault ?? '').split('-of-') as [ListFault, string?];
    const isWrong = (lasting === 'checksum' || lasting === 'stripped') && (ofAll !== undefined || before !== null);
    return fault ?? (isWrong ? lasting : null);
  }

  function hashList(name: string, known: readonly string[]): object | null {
    const list = lists.get(name)!;
    if (list.fault === 'left-out') {
      list.fault = null;
      return null;
    }
    const { before, after, isLast } = stepFrom(list, known);
    const fault = takeFault(list, before);
    const wait = isLast ? { minimumWaitDuration: `${list.waitSeconds}${random() < 0.5 ? '.5' : ''}s` } : {};
    if (before === after || fault === 'stripped') return { name, version: after.version, partialUpdate: true, ...wait };
    const [removed, added] = changes(before?.entries ?? [], after.entries);
    const additions = added.filter(({ length }) => length === 8).map((entry) => Number.parseInt(entry, 16));
    const longer = Object.entries(longerAdditions).flatMap(([key, names]) => {
      const some = added.filter(({ length }) => length === 16 * names.length);
      return some.length === 0 ? [] : [[key, riceOfLonger(some, names, fault)] as const];
    });
    return {
      name,
      version: fault === 'version' ? 'not base64' : after.version,
      ...(before === null ? (random() < 0.5 ? { partialUpdate: false } : {}) : { partialUpdate: true }),
      ...(removed.length > 0 || fault === 'index'
        ? { compressedRemovals: rice(fault === 'index' ? [before?.entries.length ?? 0] : removed, 'entriesCount', fault) }
        : {}),
      ...(additions.length > 0 ? { additionsFourBytes: rice(additions, 'entriesCount', fault) } : {}),
      ...Object.fromEntries(longer),
      ...(fault === 'no-checksum' ? {} : { sha256Checksum: checksum(after.entries, fault) }),
      futureField: 'ignored',
      ...wait,
    };
  }

  function searchHashes(prefixes: readonly string[]): object | null {
    const asked = prefixes.map((prefix) => Buffer.from(prefix, 'base64').toString('hex'));
    if (asked.length === 0 || asked.length > 1000 || asked.some((prefix) => prefix.length !== 8)) return null;
    const found = [...threats.full].filter(([hash]) => asked.includes(hash.slice(0, 8)));
    return {
      ...(found.length === 0
        ? {}
        : {
            fullHashes: found.map(([hash, details]) => ({
              fullHash: Buffer.from(hash, 'hex').toString('base64'),
              fullHashDetails: details.map(({ threatType, attributes = [] }) => ({
                threatType,
                ...(attributes.length > 0 ? { attributes } : {}),
              })),
            })),
          }),
      cacheDuration: `${threats.cacheSeconds}s`,
    };
  }

  function computeDiff(query: URLSearchParams): object | null {
    const list = lists.get(query.get('threatType') ?? '');
    if (list === undefined || query.get('constraints.supportedCompressions') !== 'RICE') return null;
    const known = [query.get('versionToken')];
    if (isRefused(list, known)) return null;
    const { before, after } = stepFrom(list, known);
    const fault = takeFault(list, before);
    if (fault === 'stripped') return { responseType: before === null ? 'RESET' : 'DIFF', newVersionToken: after.version };
    const [removed, added] = changes(before?.entries ?? [], after.entries);
    const indices = fault === 'index' ? [before?.entries.length ?? 0] : removed;
    const sizes = [...new Set(added.map((entry) => entry.length / 2))].sort();
    const isRaw = random() < 0.3;
    const rawSizes = sizes.filter((size) => size > 4 || isRaw);
    // Read backwards, as the service does.
    const numbers = added.filter(({ length }) => length === 8 && !isRaw).map((entry) => Buffer.from(entry, 'hex').readUInt32LE());
    return {
      responseType: before === null ? 'RESET' : 'DIFF',
      additions: {
        ...(rawSizes.length === 0
          ? {}
          : {
              rawHashes: rawSizes.map((prefixSize) => {
                const rawHashes = Buffer.from(added.filter(({ length }) => length === 2 * prefixSize).join(''), 'hex');
                return { prefixSize, rawHashes: rawHashes.toString('base64') };
              }),
            }),
        ...(numbers.length === 0
          ? {}
          : {
              riceHashes: rice(
                numbers.sort((a, b) => a - b),
                'entryCount',
                fault,
              ),
            }),
      },
      ...(indices.length === 0
        ? {}
        : { removals: random() < 0.5 ? { rawIndices: { indices } } : { riceIndices: rice(indices, 'entryCount', fault) } }),
      newVersionToken: fault === 'version' ? 'not base64' : after.version,
      checksum: fault === 'no-checksum' ? {} : { sha256: checksum(after.entries, fault) },
      recommendedNextDiff: new Date(now() + list.waitSeconds * 1000).toISOString().replace('Z', '123456Z'),
    };
  }

  function searchHash(prefix: string, types: readonly string[]): object | null {
    const asked = Buffer.from(prefix, 'base64').toString('hex');
    if (asked.length !== 8 || types.length === 0) return null;
    const until = new Date(now() + threats.cacheSeconds * 1000).toISOString();
    const found = [...threats.full].filter(([hash]) => hash.startsWith(asked));
    const matching = found.flatMap(([hash, details]) => {
      const threatTypes = details.map(({ threatType }) => threatType).filter((type) => types.includes(type));
      return threatTypes.length === 0
        ? []
        : [{ threatTypes, hash: Buffer.from(hash, 'hex').toString('base64'), expireTime: until }];
    });
    return { ...(matching.length === 0 ? {} : { threats: matching }), negativeExpireTime: until };
  }

  /** Some coding of ascending numbers that the documentation allows. */
  function rice(numbers: readonly number[], countName: string, fault: ListFault | null): object {
    const gaps = numbers.slice(1).map((value, at) => value - numbers[at]!);
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / Math.max(1, gaps.length);
    const parameter = Math.min(30, Math.max(3, Math.floor(Math.log2(Math.max(1, mean))) + Math.floor(random() * 4) - 1));
    if (fault === 'repeated' && gaps.length > 0) gaps[gaps.length - 1] = 0;
    const bits = gaps
      .map((gap) => {
        const rest = (gap % 2 ** parameter).toString(2).padStart(parameter, '0');
        return `${'1'.repeat(Math.floor(gap / 2 ** parameter))}0${[...rest].reverse().join('')}`;
      })
      .join('');
    const bytes = (bits.match(/.{1,8}/g) ?? []).map((byte) => Number.parseInt([...byte].reverse().join(''), 2));
    if (fault === 'truncated') bytes.splice(Math.floor(bytes.length / 2));
    const firstValue = countName === 'entryCount' ? String(numbers[0]) : numbers[0];
    return {
      ...(numbers[0] === 0 ? {} : { firstValue: fault === 'number' ? -1 : firstValue }),
      ...(gaps.length === 0
        ? {}
        : { [countName]: gaps.length, riceParameter: parameter, encodedData: Buffer.from(bytes).toString('base64') }),
    };
  }

  /** The same of entries of 8, 16 or 32 bytes. */
  function riceOfLonger(entries: readonly string[], names: readonly string[], fault: ListFault | null): object {
    const size = 8 * names.length;
    const values = entries.map((entry) => BigInt(`0x${entry}`));
    const gaps = values.slice(1).map((value, at) => value - values[at]!);
    // The largest quotient is one of 2 bits less than the range of parameters allows, or the parameter is larger.
    const largest = gaps.reduce((max, gap) => (gap > max ? gap : max), 1n).toString(2).length;
    const parameter = Math.min(8 * size - 2, Math.max(8 * size - 29, largest - 1 - Math.floor(random() * 4)));
    if (fault === 'repeated' && gaps.length > 0) gaps[gaps.length - 1] = 0n;
    const bits = gaps
      .map((gap) => {
        const rest = (gap % 2n ** BigInt(parameter)).toString(2).padStart(parameter, '0');
        return `${'1'.repeat(Number(gap >> BigInt(parameter)))}0${[...rest].reverse().join('')}`;
      })
      .join('');
    const bytes = (bits.match(/.{1,8}/g) ?? []).map((byte) => Number.parseInt([...byte].reverse().join(''), 2));
    if (fault === 'truncated') bytes.splice(Math.floor(bytes.length / 2));
    const parts = names.map((name, at) => [name, BigInt(`0x${entries[0]!.slice(16 * at, 16 * (at + 1))}`)] as const);
    return {
      ...Object.fromEntries(parts.filter(([, part]) => part !== 0n).map(([name, part]) => [name, String(part)])),
      ...(gaps.length === 0
        ? {}
        : { entriesCount: gaps.length, riceParameter: parameter, encodedData: Buffer.from(bytes).toString('base64') }),
    };
  }

  const threats: ThreatServer = {
    origin: await originOf(server),
    requests: [],
    lists,
    full: new Map(),
    faults: [],
    isKeyRefused: false,
    needsKey: true,
    cacheSeconds: 300,
    speaks: 'protobuf',
    insteadOfSearch: null,
    insteadOfUpdate: null,
    unknownStatus: 400,
    change(name, entries) {
      lists.get(name)!.states.push({ version: newVersion(), entries: [...new Set(entries)].sort() });
    },
    current: (name) => lists.get(name)!.states.at(-1)!.entries,
  };
  return threats;
}

/** Places of removed entries in the old list, and added entries. */
function changes(before: readonly string[], after: readonly string[]): [removed: number[], added: string[]] {
  const [old, now] = [new Set(before), new Set(after)];
  return [before.flatMap((entry, at) => (now.has(entry) ? [] : at)), after.filter((entry) => !old.has(entry))];
}

function checksum(entries: readonly string[], fault: ListFault | null): string {
  const sum = createHash('sha256')
    .update(Buffer.from(entries.join(''), 'hex'))
    .digest();
  if (fault === 'checksum') sum[7]! ^= 1;
  return sum.toString('base64');
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8' }).end(JSON.stringify(body));
}

function give(fault: AnswerFault, response: ServerResponse): void {
  if (fault === 'hang') return;
  if (fault === 'reset') response.socket?.destroy();
  else if (fault === 'cut') {
    response.writeHead(200, { 'content-length': '900' });
    response.write('{"hashLists":[', () => response.socket?.destroy());
  } else if (fault === 'html') response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>Log in');
  else if (fault === 'bad-request') json(response, 400, { error: { code: 400 } });
  else if (fault === 'redirect') response.writeHead(302, { location: 'https://elsewhere.example/' }).end();
  else response.writeHead(fault === 'pause-429' ? 429 : 503, { 'retry-after': '120' }).end('{}');
}
