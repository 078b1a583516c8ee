import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { createRelay, type Relay, type RelayContext, type RelayEvent, type RelayOptions } from 'portcullis/relay';
import { expect, onTestFinished } from 'vitest';
import { readVersion } from '../../../src/blocklist/formats/version-document.js';
import { listen } from '../../support/listen.js';
import { type Answer, type Recorded, type ScriptedServer, serve } from '../../support/scripted-server.js';

export const key = 'k3y-0f-the-0rganization';
export const publicUrl = 'https://relay.example/list';
export const versionPath = '/asset/blocklist/version';
export const confirmPath = '/asset/blocklist/confirm';
export const v2Version = `/v2${versionPath}`;
export const v2Confirm = `/v2${confirmPath}`;

export const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export const snapshotBytes = Buffer.from(Array.from({ length: 40_000 }, (_, at) => (at * 7) & 0xff));
export const recentBytes = Buffer.from('0000000a\n0000000b\n');

export interface Upstream {
  /** Replaces the regular answers, by path. */
  answers: Map<string, Answer | ((request: Recorded) => Answer)>;
  server: ScriptedServer;
  /** The requests to this path. */
  asked(path: string): readonly Recorded[];
  /** Changes the version response. */
  publish(changes: VersionChanges): void;
}

/** A healthy service; a test replaces single answers. */
export async function upstreamOf(): Promise<Upstream> {
  const answers: Upstream['answers'] = new Map();
  const server: ScriptedServer = await serve((request) => {
    const path = request.url.replace(/\?.*$/, '');
    const answer = answers.get(path);
    if (answer !== undefined) return typeof answer === 'function' ? answer(request) : answer;
    if (path === v2Version) return { body: versionOf(server.origin) };
    if (path === v2Confirm) return { body: confirmationOf(request) };
    if (path === '/files/snapshot') return { body: snapshotBytes, headers: { 'content-type': 'application/octet-stream' } };
    if (path === '/files/recent') return { body: recentBytes, headers: { 'content-type': 'text/plain' } };
    return { status: 404, body: { message: 'no', code: 'NOT_FOUND' } };
  });
  return {
    answers,
    server,
    asked: (path) => server.requests.filter(({ url }) => url.replace(/\?.*$/, '') === path),
    publish: (changes) => answers.set(v2Version, { body: versionOf(server.origin, changes) }),
  };
}

interface VersionChanges {
  snapshot?: object;
  recent?: object;
  [name: string]: unknown;
}

export const versionOf = (origin: string, changes: VersionChanges = {}): object => ({
  algoVersion: 3,
  ...changes,
  snapshot: { token: 's1', count: 10_000, url: `${origin}/files/snapshot?signature=abc`, ...changes.snapshot },
  recent: { token: 'r1', count: 2, url: `${origin}/files/recent`, ...changes.recent },
});

/** Every prefix that begins with `a` has one hash. */
export const hashFor = (prefix: string): string => prefix + 'e'.repeat(56);
export function confirmationOf({ body }: Recorded): object {
  const { prefixes } = JSON.parse(body.toString()) as { prefixes: string[] };
  return {
    hashes: Object.fromEntries(prefixes.map((prefix) => [prefix, prefix.startsWith('a') ? [hashFor(prefix)] : []])),
  };
}

export interface Running {
  relay: Relay;
  events: RelayEvent[];
  clock: { nowMs: number };
  options: RelayOptions;
}

export function relayOf(origin: string, options: Partial<RelayOptions> = {}): Running {
  const events: RelayEvent[] = [];
  const clock = { nowMs: 1_800_000_000_000 };
  const all: RelayOptions = {
    baseUrl: `${origin}/v2`,
    apiKey: key,
    publicUrl,
    now: () => clock.nowMs,
    onEvent: (event) => events.push(event),
    timeoutMs: 2_000,
    ...options,
  };
  const relay = createRelay(all);
  onTestFinished(() => relay.close());
  return { relay, events, clock, options: all };
}

/** A healthy service and a relay in front of it. */
export async function relayed(options: Partial<RelayOptions> = {}): Promise<Upstream & Running> {
  const upstream = await upstreamOf();
  return { ...upstream, ...relayOf(upstream.server.origin, options) };
}

/** The same, with the relay behind a real server. */
export async function listening(options: Partial<RelayOptions> = {}): Promise<Upstream & Running & { origin: string }> {
  const both = await relayed(options);
  return { ...both, origin: await listen(both.relay) };
}

export interface Got {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

interface RawRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  agent?: Agent | false;
}

/** Sends a raw request: Node does not normalize the path, and any header can be set. */
export async function get(origin: string, path: string, { body, ...options }: RawRequest = {}): Promise<Got> {
  const { hostname, port } = new URL(origin);
  const request = httpRequest({ hostname, port, path, agent: false, ...options });
  // The server may answer and close before it has read the body, which fails the rest of the write.
  request.on('error', () => {});
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, body: await buffer(response) };
}

/** @param path Below the relay, or an artifact's URL. */
export const ask = (relay: Relay, path: string, init: RequestInit = {}, context?: RelayContext): Promise<Response> =>
  relay.fetch(new Request(`http://anything.example${path.replace(publicUrl, '')}`, init), context);

export const confirm = (
  relay: Relay,
  prefixes: readonly unknown[],
  algoVersion: unknown = 3,
  context?: RelayContext,
): Promise<Response> => ask(relay, confirmPath, { method: 'POST', body: JSON.stringify({ algoVersion, prefixes }) }, context);

export async function versionFrom(relay: Relay): Promise<ReturnType<typeof readVersion>> {
  const answer = await ask(relay, versionPath);
  expect(answer.status).toBe(200);
  return readVersion(await answer.json());
}

export const fileOf = async (relay: Relay, url: string): Promise<Buffer> =>
  Buffer.from(await (await ask(relay, url)).arrayBuffer());

export const pathOf = (url: string): string => url.slice(publicUrl.length);

export async function expectRefused(answer: Response, status: number, code: string): Promise<void> {
  expect(answer.status).toBe(status);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const envelope = (await answer.json()) as { message: string };
  expect(envelope).toEqual({ message: expect.any(String), code });
}

export const prefixesOf = ({ body }: Recorded): string[] => (JSON.parse(body.toString()) as { prefixes: string[] }).prefixes;
