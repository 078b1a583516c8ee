import { createBlocklist, hashOf, PrefixSet, prefixOf } from 'portcullis';
import { encodeArtifact } from 'portcullis/assets';
import { lightPublishedSource, lightRelaySource } from 'portcullis/light';
import { type BuiltList, buildList, signList } from 'portcullis/publish';
import { ed25519, generateKeys, publishedSource, type Signer, serviceSource, signerOf, textSource } from 'portcullis/sources';
import { memoryStore } from 'portcullis/stores';
import { beforeAll, expect, test } from 'vitest';
import { dayMs, hourMs, minuteMs } from './engine/harness.js';
import { lightBlocklist } from './light/engines.js';
import { filesOf } from './sources/harness.js';

/**
 * A week with a fault from its second to its fifth day, for every source and engine: no wrong `clear`, and nothing stays stuck. A list that is
 * frozen is missing here: without a signature nobody can tell it from one that does not change (`attacks.test.ts`).
 */

const startMs = Date.UTC(2026, 0, 5);
const weekMs = 7 * dayMs;
const changeMs = 6 * hourMs;
/** Longer than the interval of polls, for the sake of the test's own time. */
const stepMs = 15 * minuteMs;
const core = Array.from({ length: 60 }, (_, at) => `core-${at}.example`);

/** Each version has one host more, and after three days it is removed again. */
const addedAt = (version: number): string => `added-${version}.example`;
const listedIn = (version: number): string[] => [
  ...core,
  ...Array.from({ length: 12 }, (_, back) => version - back).flatMap((at) => (at > 0 ? [addedAt(at)] : [])),
];
const versionAt = (ms: number): number => Math.floor((ms - startMs) / changeMs);

interface Reply {
  readonly status: number;
  readonly bytes: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a host has, by the path of the request. `other` is a list with another name, and `future` one that nothing follows. */
interface Host {
  reply(path: string, version: number, body: string | undefined): Reply;
}

const notFound: Reply = { status: 404, bytes: new Uint8Array(0) };
const ok = (value: unknown): Reply => ({
  status: 200,
  bytes:
    typeof value === 'string' ? Buffer.from(value) : value instanceof Uint8Array ? value : Buffer.from(JSON.stringify(value)),
});

/** The versions of a published list, each with the files of the ones before it. */
async function publisher(signer: Signer | null, listName: string, shift: number): Promise<Host> {
  const folders: Map<string, Uint8Array>[] = [];
  let previous: BuiltList | undefined;
  for (let version = 0; version <= weekMs / changeMs; version++) {
    const nowMs = startMs + version * changeMs + shift;
    const hosts = listName === 'mine' ? listedIn(version) : ['fine.example'];
    const built = await buildList(hosts, {
      listName,
      isPublicSuffix: () => false,
      now: () => nowMs,
      ...(previous && { previous }),
    });
    previous = built;
    const list = signer === null ? built : await signList(built, { signers: [signer], now: () => nowMs });
    folders.push(new Map([...(folders.at(-1) ?? []), ...filesOf(list)]));
  }
  return {
    reply: (path, version) => {
      const bytes = folders[Math.min(version, folders.length - 1)]!.get(path.slice(1));
      return bytes === undefined ? notFound : ok(bytes);
    },
  };
}

const text: Host = { reply: (_, version) => ok(`${listedIn(version).join('\n')}\n`) };

/** The service, or a relay of it. */
const service: Host = {
  reply(path, version, body) {
    const hosts = listedIn(version);
    const token = `t${version}`;
    if (path.endsWith('/version')) {
      const ref = (part: string, count: number) => ({
        token: `${part}${token}`,
        count,
        url: `https://host.example/${part}/${version}`,
      });
      return ok({ algoVersion: 'portcullis-1', snapshot: ref('snapshot', hosts.length), recent: ref('recent', 0) });
    }
    const part = /^\/(snapshot|recent)\/(\d+)$/.exec(path);
    if (part !== null) return ok(fileOf(part[1] === 'recent' ? [] : listedIn(Number(part[2]))));
    const { prefixes } = JSON.parse(body!) as { prefixes: string[] };
    const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
    const behind = (prefix: string) => hosts.map((host) => hex(hashOf(host))).filter((hash) => hash.startsWith(prefix));
    return ok({ hashes: Object.fromEntries(prefixes.map((prefix) => [prefix, behind(prefix)])) });
  },
};

function fileOf(hosts: readonly string[]): Uint8Array {
  return encodeArtifact(PrefixSet.from(hosts.map(prefixOf)), { encoding: 'portcullis', algorithm: 'portcullis-1' });
}

interface Kind {
  readonly hosts: { readonly own: Host; readonly other?: Host; readonly future?: Host };
  /** Whether its answers say which list and version they are of. */
  readonly isOrdered: boolean;
  readonly open: (tools: {
    fetch: typeof fetch;
    now: () => number;
    store: ReturnType<typeof memoryStore>;
  }) => ReturnType<typeof createBlocklist>;
}

const net = ({ fetch, now }: Parameters<Kind['open']>[0]) => ({ fetch, now });

let kinds: Record<string, Kind>;
beforeAll(async () => {
  const keys = await generateKeys();
  const signer = await signerOf(keys.privateKey);
  const common = ({ now, store }: { now: () => number; store: ReturnType<typeof memoryStore> }) => ({
    now,
    store,
    pollMs: 0,
    random: () => 0.5,
  });
  const published = async (own: Signer | null): Promise<Kind['hosts']> => ({
    own: await publisher(own, 'mine', 0),
    other: await publisher(own, 'others', hourMs),
    future: await publisher(own, 'mine', 400 * dayMs),
  });
  const [unsigned, signed] = [await published(null), await published(signer)];
  const url = 'https://host.example';
  const trust = { publicKeys: [keys.publicKey], verifier: ed25519 };
  kinds = {
    published: {
      ...{ hosts: unsigned, isOrdered: true },
      open: (tools) => createBlocklist({ sources: [publishedSource({ url, ...net(tools) })], ...common(tools) }),
    },
    'published, signed': {
      ...{ hosts: signed, isOrdered: true },
      open: (tools) => createBlocklist({ sources: [publishedSource({ url, ...trust, ...net(tools) })], ...common(tools) }),
    },
    light: {
      ...{ hosts: unsigned, isOrdered: true },
      open: (tools) => lightBlocklist({ source: lightPublishedSource({ url, ...net(tools) }), ...common(tools) }),
    },
    'light, signed': {
      ...{ hosts: signed, isOrdered: true },
      open: (tools) => lightBlocklist({ source: lightPublishedSource({ url, ...trust, ...net(tools) }), ...common(tools) }),
    },
    text: {
      ...{ hosts: { own: text }, isOrdered: false },
      open: (tools) =>
        createBlocklist({ sources: [textSource({ id: 'text', url: `${url}/list.txt`, ...net(tools) })], ...common(tools) }),
    },
    service: {
      ...{ hosts: { own: service }, isOrdered: false },
      open: (tools) =>
        createBlocklist({ sources: [serviceSource({ baseUrl: url, apiKey: 'k', ...net(tools) })], ...common(tools) }),
    },
    'light with a relay': {
      ...{ hosts: { own: service }, isOrdered: false },
      open: (tools) => lightBlocklist({ source: lightRelaySource({ baseUrl: url, ...net(tools) }), ...common(tools) }),
    },
  };
});

/** What happens to a request from the second to the fifth day; `null` if nothing does. */
type Fault = (request: Request) => Reply | null;

interface Request {
  readonly hosts: Kind['hosts'];
  readonly path: string;
  readonly version: number;
  readonly body: string | undefined;
  readonly random: () => number;
}

const own = ({ hosts, path, version, body }: Request): Reply => hosts.own.reply(path, version, body);
const away = (): never => {
  throw new TypeError('fetch failed');
};
/** Many links, but none that is listed, as the page of a hotel's network has. */
const portal = Array.from({ length: 50 }, (_, at) => `<a href="https://hotel-${at}.example/">`).join('\n');

const faults: Record<string, Fault> = {
  away,
  'away at times': (request) => (request.random() < 0.5 ? away() : null),
  'busy, and says when to come back': () => ({ ...notFound, status: 503, headers: { 'retry-after': '1800' } }),
  'too many requests until the year 2201': () => ({ ...notFound, status: 429, headers: { 'retry-after': '5500000000' } }),
  'refuses the key': () => ({ ...notFound, status: 401 }),
  'has lost its files': () => notFound,
  'cut anywhere': (request) => {
    const reply = own(request);
    const bytes = reply.bytes.subarray(0, Math.floor(reply.bytes.length * request.random()));
    return { ...reply, bytes, headers: { 'content-length': String(reply.bytes.length) } };
  },
  'a page of another network': ({ random }) => ok(random() < 0.5 ? `<!doctype html>${portal}` : portal),
  'a list of another network, for a few minutes an hour': ({ random }) =>
    random() < 0.1 ? ok(portal.replaceAll(/<a href="|\/">/g, '')) : null,
  null: () => ok('null'),
  'words about limits': () => ok({ hashes: [], message: 'rate limited' }),
  'an older copy behind every other request': (request) =>
    request.random() < 0.5 ? own({ ...request, version: Math.max(0, request.version - 3) }) : null,
  'another list': ({ hosts, path, version, body }) => hosts.other?.reply(path, version, body) ?? null,
  'a list from the future': ({ hosts, path, version, body }) => hosts.future?.reply(path, version, body) ?? null,
};

/** By how much the clock of the device is wrong. */
const clocks: Record<string, number> = { 'a clock three days behind': -3 * dayMs, 'a clock three days ahead': 3 * dayMs };

async function week(kind: Kind, fault: Fault | null, clockMs: number, seed: number): Promise<void> {
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  let realMs = startMs + minuteMs;
  const isFaulty = (): boolean => realMs >= startMs + dayMs && realMs < startMs + 5 * dayMs;
  const now = (): number => realMs + (isFaulty() ? clockMs : 0);
  let requests = 0;
  const fetch = (async (url: string, init?: { body?: string; method?: string }) => {
    requests++;
    const request = { hosts: kind.hosts, path: new URL(url).pathname, version: versionAt(realMs), body: init?.body, random };
    const { status, bytes, headers } = (isFaulty() && fault?.(request)) || own(request);
    return new Response(bytes as BodyInit, { status, headers: headers ?? {} });
  }) as unknown as typeof globalThis.fetch;
  const store = memoryStore();
  let blocklist = kind.open({ fetch, now, store });
  await blocklist.ready();
  const checked = async (names: readonly string[]) =>
    (await Promise.all(names.map((name) => blocklist.check(name)))).map(({ status }) => status);
  for (let step = 0; realMs < startMs + weekMs - hourMs; step++) {
    realMs += stepMs;
    if (blocklist.status().sources[0]!.nextSyncAtMs <= now()) await blocklist.sync();
    if (step % (hourMs / stepMs) !== 0) continue;
    // Listed for so long that every client has it, or says that its list is too old.
    const known = versionAt(realMs - (clockMs === 0 ? 26 : 51) * hourMs);
    const names = [
      ...core.slice(0, 5),
      core.at(-1)!,
      ...listedIn(versionAt(realMs))
        .filter((name) => listedIn(known).includes(name))
        .slice(-3),
    ];
    for (const [at, status] of (await checked(names)).entries())
      expect(status, `${names[at]} after ${Math.round((realMs - startMs) / hourMs)} hours`).not.toBe('clear');
    if (step % (dayMs / stepMs) !== 0) continue;
    await blocklist.close();
    blocklist = kind.open({ fetch, now, store });
    await blocklist.ready();
  }
  const listed = listedIn(versionAt(realMs));
  await checked(listed);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(new Set(await checked(listed))).toEqual(new Set(['blocked']));
  expect(await checked(['fine.example', addedAt(1)])).toEqual(['clear', 'clear']);
  expect(blocklist.status().sources[0]).toMatchObject({ lastError: null, failures: 0, list: { isStale: false } });
  expect(requests).toBeLessThan(10_000);
  await blocklist.close();
}

const names = ['published', 'published, signed', 'light', 'light, signed', 'text', 'service', 'light with a relay'];

test.each(names)('%s: a week without a fault', (name) => week(kinds[name]!, null, 0, 1));

test.each(names.flatMap((name) => Object.keys(faults).map((fault) => [name, fault] as const)))('%s: %s', (name, fault) =>
  week(kinds[name]!, faults[fault]!, 0, 7),
);

test.each(names.flatMap((name) => Object.keys(clocks).map((clock) => [name, clock] as const)))('%s: %s', (name, clock) =>
  week(kinds[name]!, null, clocks[clock]!, 7),
);
