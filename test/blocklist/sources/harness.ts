import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { hashOf, isPortcullisError } from 'portcullis';
import type { BuiltList } from 'portcullis/publish';
import { createRelay, type RelayOptions } from 'portcullis/relay';
import { createService, type ServedService, type ServerOptions } from 'portcullis/service';
import { onTestFinished } from 'vitest';
import type { Artifact, ListVersion, Source } from '../../../src/blocklist/source.js';
import type { HashSet } from '../../../src/core/prefixes/hash-set.js';
import { type Answer, serve } from '../../support/scripted-server.js';

export const key = 'k3y-0f-the-0rganization';
export const dayMs = 86_400_000;

/** Bounds for those tests alone in which somebody is silent: a busy machine is silent too. */
export const hasty = { timeoutMs: 400, artifactTimeoutMs: 800, idleTimeoutMs: 300 };

/** The embedded service behind real HTTP. */
export async function listening(options: ServerOptions = {}): Promise<{ service: ServedService; url: string }> {
  const service = createService({ keys: { [key]: ['example-wallet'] }, ...options });
  onTestFinished(() => service.close());
  return { service, url: (await service.listen()).url };
}

/** Its code, and nothing else may have been thrown. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  return (await errorOf(work)).code;
}

export async function errorOf(work: Promise<unknown>) {
  const thrown = await work.then(
    () => new Error('it was not refused'),
    (error: unknown) => error,
  );
  if (!isPortcullisError(thrown)) throw thrown;
  return thrown;
}

/** Everything an error shows, to whatever depth it is logged. */
export function shown(error: unknown): string {
  const seen = new Set<unknown>();
  const parts: string[] = [];
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return void parts.push(String(value));
    if (seen.has(value)) return;
    seen.add(value);
    for (const name of Object.getOwnPropertyNames(value)) look((value as Record<string, unknown>)[name]);
  };
  look(error);
  return parts.join('\n');
}

/** All that a source has, as synchronisation would read it. */
export async function readAll(source: Source): Promise<{ version: ListVersion; snapshot: Artifact; recent: Artifact | null }> {
  const version = await source.version({});
  const snapshot = await source.artifact('snapshot', version, {});
  const recent = version.recent === undefined ? null : await source.artifact('recent', version, {});
  return { version, snapshot, recent };
}

export function hexOf(set: Iterable<Uint8Array>): string[] {
  return [...set].map((hash) => Buffer.from(hash).toString('hex'));
}

/** What is listed in the end, by the rules of `src/blocklist/source.ts`. */
export function listedBy(base: HashSet, recent: Artifact): Set<string> {
  const listed = new Set([...hexOf(base), ...hexOf(recent.entries as HashSet)]);
  for (const gone of hexOf(recent.remove!)) listed.delete(gone);
  return listed;
}

/** A relay of that service behind real HTTP, as docs/relay.md has it; without the mount path's slash. */
export async function relaying(baseUrl: string, options: Partial<RelayOptions> = {}): Promise<string> {
  const url = await served(async (request) => relay.fetch(request));
  const relay = createRelay({ baseUrl, apiKey: key, publicUrl: `${url}/list`, ...options });
  onTestFinished(() => relay.close());
  return `${url}/list`;
}

/** Files as a static host gives them, and what it answers instead of one. */
export async function hosting(files: ReadonlyMap<string, Uint8Array>) {
  const answers = new Map<string, Answer>();
  const { origin, requests } = await serve(({ method, url }) => {
    const name = url.slice(1);
    const bytes = files.get(name);
    const usual: Answer =
      bytes === undefined
        ? { status: 404, body: '<!doctype html><h1>Not found' }
        : { body: Buffer.from(bytes), headers: { etag: `"${Buffer.from(hashOf(String(bytes))).toString('hex')}"` } };
    const answer = answers.get(name) ?? usual;
    // A HEAD has no body that could be without end.
    return method === 'HEAD' && answer.fault === 'endless' ? usual : answer;
  });
  return { origin, requests, answers };
}

/** What a static host or whatever stands in front of it can do, and the codes that has; `bytes` is what it should have given. */
export const hostFaults: readonly (readonly [string, (bytes: Buffer) => Answer, ...string[]])[] = [
  ['hangs', () => ({ fault: 'hang' }), 'TIMEOUT'],
  ['stalls', (body) => ({ fault: 'stall', body }), 'TIMEOUT'],
  ['is slow without end', () => ({ fault: 'slow', body: Buffer.alloc(10_000) }), 'TIMEOUT'],
  ['breaks the connection', () => ({ fault: 'reset' }), 'NETWORK'],
  ['breaks it half-way', (body) => ({ fault: 'cut', body }), 'NETWORK'],
  ['sends for ever', () => ({ fault: 'endless' }), 'LIMIT_EXCEEDED'],
  ['unpacks to a lot', () => ({ body: bomb, headers: { 'content-encoding': 'gzip' } }), 'LIMIT_EXCEEDED'],
  ['packs what is no gzip', (body) => ({ body, headers: { 'content-encoding': 'gzip' } }), 'NETWORK'],
  ['has nothing there', () => ({ status: 404, body: '<!doctype html>' }), 'NOT_FOUND'],
  ['fails', () => ({ status: 503, headers: { 'retry-after': '7' } }), 'INTERNAL_SERVER_ERROR'],
  ['has had enough', () => ({ status: 429, headers: { 'retry-after': '7' } }), 'TOO_MANY_REQUESTS'],
  ['leads to plain http', () => ({ status: 302, headers: { location: 'http://elsewhere.invalid/' } }), 'REDIRECTED'],
  ['gives a part', (body) => ({ status: 206, body }), 'UNEXPECTED_STATUS'],
  ['wants a login', () => ({ body: '<!doctype html><title>Welcome</title>' }), 'INVALID_ARTIFACT', 'INVALID_RESPONSE'],
];

const bomb = gzipSync(Buffer.alloc(70 * 1024 * 1024, 0x20));

/** All files of a list, by name. */
export function filesOf(list: BuiltList): Map<string, Uint8Array> {
  return new Map([...list.files].map(({ name, bytes }) => [name, bytes]));
}

async function served(answer: (request: Request) => Promise<Response>): Promise<string> {
  const server = createServer(async (incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming;
    const body = method === 'POST' ? (Readable.toWeb(incoming) as ReadableStream<Uint8Array>) : null;
    const init = { method, headers: headers as Record<string, string>, body, duplex: 'half' };
    const response = await answer(new Request(`http://localhost${url}`, init as RequestInit));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(Buffer.from(await response.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
