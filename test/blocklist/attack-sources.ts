import { type Blocklist, createBlocklist, hashOf } from 'portcullis';
import { lightPublishedSource, lightRelaySource } from 'portcullis/light';
import { type BuiltList, buildList } from 'portcullis/publish';
import { publishedSource, serviceSource, textSource } from 'portcullis/sources';
import type { Store } from 'portcullis/testing';
import { onTestFinished } from 'vitest';
import { type Answer, type Recorded, serve } from '../support/scripted-server.js';
import { type Files, mondayMs, versionIn } from './attack-host.js';
import { hourMs, minuteMs } from './engine/harness.js';
import { type Engine, lightBlocklist } from './light/engines.js';
import { filesOf, relaying } from './sources/harness.js';
import { replaceableStore } from './stored-values.js';

/** One version of a list, as every kind of source offers it. */
export interface Version {
  readonly hosts: readonly string[];
  /** The files of the published list. */
  readonly files: Files;
}

/** A source and the engine that reads it. `isRelayed`: the attacked service is behind a relay that is not attacked itself. */
export interface Client {
  readonly name: string;
  readonly source: 'published' | 'text' | 'service';
  readonly engine: Engine;
  readonly isRelayed?: boolean;
}

export const clients = {
  published: { name: 'a published list', source: 'published', engine: 'full' },
  lightPublished: { name: 'a published list, light', source: 'published', engine: 'light' },
  text: { name: 'a text', source: 'text', engine: 'full' },
  service: { name: 'a service', source: 'service', engine: 'full' },
  lightRelay: { name: 'a relay, light', source: 'service', engine: 'light' },
  relayed: { name: 'a service behind a relay', source: 'service', engine: 'full', isRelayed: true },
  lightRelayed: { name: 'a service behind a relay, light', source: 'service', engine: 'light', isRelayed: true },
} as const satisfies Record<string, Client>;

const core = Array.from({ length: 40 }, (_, at) => `core-${at}.example`);

/** The versions of one list, in this order, an hour apart. `newest.example` is in the snapshot of the last one only. */
export async function makeVersions() {
  let previous: BuiltList | undefined;
  const build = async (hosts: readonly string[], snapshot: 'new' | undefined, day: number): Promise<Version> => {
    const built = await buildList([...hosts], {
      listName: 'hosts',
      isPublicSuffix: () => false,
      allowEmpty: true,
      hotEntries: 0,
      now: () => mondayMs + day * hourMs,
      ...(snapshot && { snapshot }),
      ...(previous && { previous }),
    });
    previous = built;
    return { hosts, files: filesOf(built) };
  };
  const first = await build([...core, 'evil.example'], undefined, 0);
  const second = await build([...first.hosts, 'newer.example'], undefined, 1);
  const third = await build([...second.hosts, 'newest.example'], 'new', 2);
  return {
    first,
    second,
    third,
    /** Three in five entries, and a quarter of them. */
    shorter: await build(['evil.example', ...core.slice(0, 24)], 'new', 3),
    short: await build(['evil.example', ...core.slice(0, 9)], 'new', 4),
    empty: await build([], 'new', 5),
    /** As many hosts, all of another network. */
    foreign: await build([...core.map((host) => `portal-${host}`), 'good.example'], 'new', 6),
  };
}

export interface World {
  readonly clock: { nowMs: number };
  readonly requests: readonly Recorded[];
  /** What the host has. */
  version: Version;
  /** Changes what the host answers. */
  attack: (usual: Answer, request: Recorded) => Answer;
  /** Whether the device has no network. */
  isAway: boolean;
  /** Of the source, from the next restart on. */
  options: object;
  blocklist: Blocklist;
  readonly id: string;
  readonly store: Store;
  replaceStore(store: Store): Promise<void>;
  /** Runs a round, five minutes later. */
  poll(version?: Version, afterMs?: number): Promise<{ readonly outcome: string; readonly code: string | undefined }>;
  /** Closes the blocklist, and opens another one with this store. */
  restart(store?: Store): Promise<Blocklist>;
  list(): { readonly count: number; readonly ageMs: number; readonly isStale: boolean } | null;
}

/**
 * A host on loopback in the hands of an attacker, and a client of it that has this version.
 *
 * @param options Of the source.
 * @param isNamed Whether a service says the name, order, checksums and signature of a version; by default it says only tokens.
 */
export async function attacked(client: Client, version: Version, options: object = {}, isNamed = false): Promise<World> {
  const { source, engine, isRelayed } = client;
  const clock = { nowMs: mondayMs + 6 * hourMs };
  const usual = (request: Recorded): Answer => {
    const { pathname } = new URL(request.url, origin);
    if (pathname === '/list.txt') return file(Buffer.from(`# hosts\n${world.version.hosts.join('\n')}\n`));
    if (pathname === '/asset/blocklist/version') return { body: documentOf(world.version, origin, isNamed) };
    if (pathname === '/asset/blocklist/confirm') return confirmation(world.version, request);
    const bytes = world.version.files.get(pathname.slice(1));
    return bytes === undefined ? { status: 404 } : file(Buffer.from(bytes));
  };
  const { origin, requests } = await serve((request) => world.attack(usual(request), request));
  const now = (): number => clock.nowMs;
  const fetch = (url: string, init: object) =>
    world.isAway ? Promise.reject(new TypeError('away')) : globalThis.fetch(url, init);
  const url = isRelayed ? await relaying(origin, { now, calibrate: false, clientPerMinute: 1e9 }) : origin;
  const { store, replace } = replaceableStore();
  await store.open();
  const common = { pollMs: 0, now, random: () => 0.5 };

  function open(own: Store): Blocklist {
    const settings = { ...common, store: own };
    const net = { fetch: fetch as never, now, ...world.options };
    const sources = {
      published: () => (engine === 'full' ? publishedSource({ url, ...net }) : lightPublishedSource({ url, ...net })),
      text: () => textSource({ id: 'text', url: `${url}/list.txt`, isPublicSuffix: () => false, ...net }),
      service: () => (engine === 'full' ? serviceSource({ baseUrl: url, ...net }) : lightRelaySource({ baseUrl: url, ...net })),
    };
    const opened = sources[source]();
    const blocklist =
      engine === 'full' ? createBlocklist({ sources: [opened], ...settings }) : lightBlocklist({ source: opened, ...settings });
    onTestFinished(() => blocklist.close());
    return blocklist;
  }

  const world: World = {
    ...{ clock, requests, version, store },
    attack: (answer) => answer,
    isAway: false,
    options,
    id: source,
    blocklist: undefined as never,
    replaceStore: replace,
    async poll(next = world.version, afterMs = 5 * minuteMs) {
      world.version = next;
      clock.nowMs += afterMs;
      const [result] = (await world.blocklist.sync()).sources;
      return { outcome: result!.outcome, code: result!.error?.code };
    },
    async restart(own = store) {
      await world.blocklist.close();
      world.blocklist = open(own);
      await world.blocklist.ready();
      return world.blocklist;
    },
    list: () => world.blocklist.status().sources[0]!.list,
  };
  world.blocklist = open(store);
  await world.blocklist.ready();
  if (world.list() === null) throw world.blocklist.status().sources[0]!.lastError;
  return world;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const file = (body: Buffer): Answer => ({ body, headers: { etag: `"${hex(hashOf(String(body))).slice(0, 16)}"` } });

/** The document of a service, which a relay passes on. */
function documentOf({ files }: Version, origin: string, isNamed: boolean): object {
  const { algoVersion, snapshot, recent, listName, sequence, expiresAtMs, signed } = versionIn(files) as unknown as Record<
    string,
    never
  >;
  const ref = ({ token, count, url, sha256 }: Record<string, unknown>) => ({
    ...{ token, count, url: `${origin}/${url}` },
    ...(isNamed && { sha256 }),
  });
  return {
    ...{ algoVersion, snapshot: ref(snapshot!), recent: ref(recent!) },
    ...(isNamed && { listName, sequence, expiresAtMs, signed }),
  };
}

function confirmation({ hosts }: Version, { body }: Recorded): Answer {
  const { prefixes } = JSON.parse(body.toString()) as { prefixes: string[] };
  const listed = hosts.map((host) => hex(hashOf(host)));
  return {
    body: { hashes: Object.fromEntries(prefixes.map((prefix) => [prefix, listed.filter((hash) => hash.startsWith(prefix))])) },
  };
}
