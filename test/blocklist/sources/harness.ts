import { gzipSync } from 'node:zlib';
import { hashOf, isPortcullisError, prefixOf } from 'portcullis';
import type { BuiltList } from 'portcullis/publish';
import { createRelay, type RelayOptions } from 'portcullis/relay';
import { createService, type ServedService, type ServerOptions } from 'portcullis/testing';
import { expect, onTestFinished } from 'vitest';
import type { Artifact, ListVersion, Source } from '../../../src/blocklist/model/source.js';
import type { TextSourceOptions } from '../../../src/blocklist/sources/text-source.js';
import { textSource } from '../../../src/blocklist/sources/text-source.js';
import type { HashSet } from '../../../src/core/prefixes/hash-set.js';
import { listen } from '../../support/listen.js';
import { type Answer, serve } from '../../support/scripted-server.js';

export const key = 'k3y-0f-the-0rganization';
export const dayMs = 86_400_000;

/** Short timeouts, only for tests with an unresponsive server: on a busy machine any server is slow. */
export const hasty = { timeoutMs: 400, artifactTimeoutMs: 800, idleTimeoutMs: 300 };

/** The embedded service on a real HTTP server. */
export async function listening(options: ServerOptions = {}): Promise<{ service: ServedService; url: string }> {
  const service = createService({ keys: { [key]: ['example-wallet'] }, ...options });
  onTestFinished(() => service.close());
  return { service, url: (await service.listen()).url };
}

/** The code of the error; fails if anything else is thrown. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  return (await errorOf(work)).code;
}

export async function errorOf(work: Promise<unknown>) {
  const thrown = await work.then(
    () => new Error('the work did not fail'),
    (error: unknown) => error,
  );
  if (!isPortcullisError(thrown)) throw thrown;
  return thrown;
}

/** The result, or the code of the error. */
export const orCode = <T>(work: Promise<T>): Promise<T | string | undefined> =>
  work.catch((error: { code?: string }) => error.code);

/** Aborts the work while it waits. */
export async function expectAborted(run: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error('enough')), 30);
  const error = await errorOf(run(stop.signal));
  expect([error.code, (error.cause as Error).message]).toEqual(['ABORTED', 'enough']);
}

/** All strings of an error, at any depth. */
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

/** Reads the version and both parts of a source. */
export async function readAll(source: Source): Promise<{ version: ListVersion; snapshot: Artifact; recent: Artifact | null }> {
  const version = await source.version({});
  const snapshot = await source.artifact('snapshot', version, {});
  const recent = version.recent === undefined ? null : await source.artifact('recent', version, {});
  return { version, snapshot, recent };
}

export function hexOf(set: Iterable<Uint8Array>): string[] {
  return [...set].map((hash) => Buffer.from(hash).toString('hex'));
}

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The name of the shard that has the hash of an expression. */
export function shardWith(expression: string, names: Iterable<string>): string {
  const digits = prefixOf(expression).toString(16).padStart(8, '0');
  const found = [...names].filter((name) => {
    const [, of] = /^confirm\/(\w+)-[\da-f]{16}\.bin$/.exec(name) ?? [];
    return of === 'all' || (of !== undefined && digits.startsWith(of));
  });
  expect(found).toHaveLength(1);
  return found[0]!;
}

/** The entries that a text source makes of a list. */
export async function textListedBy(options: Omit<TextSourceOptions, 'id'>) {
  const { snapshot } = await readAll(textSource({ id: 'mine', ...options }));
  const { entries, allow, covers } = snapshot;
  return { listed: hexOf(entries as HashSet), allowed: allow === undefined ? [] : hexOf(allow), covers };
}

/** Entries without covers. */
export function listedIn({ entries, covers = 0 }: Artifact): number {
  return entries.size - covers;
}

/** The entries that are listed after applying the recent feed, by the rules of `src/blocklist/model/source.ts`. */
export function listedBy(base: HashSet, recent: Artifact): Set<string> {
  const listed = new Set([...hexOf(base), ...hexOf(recent.entries as HashSet)]);
  for (const gone of hexOf(recent.remove!)) listed.delete(gone);
  return listed;
}

/** A relay of that service on a real HTTP server. */
export async function relaying(baseUrl: string, options: Partial<RelayOptions> = {}): Promise<string> {
  const url = await listen({ fetch: (request) => relay.fetch(request) });
  const relay = createRelay({ baseUrl, apiKey: key, publicUrl: `${url}/list`, ...options });
  onTestFinished(() => relay.close());
  return `${url}/list`;
}

/** A static host with these files; `answers` replaces single files. */
export async function hosting(files: ReadonlyMap<string, Uint8Array>) {
  const answers = new Map<string, Answer>();
  const { origin, requests } = await serve(({ method, url }) => {
    const path = url.slice(1);
    // Like a static host, which ignores a query that it has no file for.
    const name = files.has(path) ? path : path.split('?')[0]!;
    const bytes = files.get(name);
    const usual: Answer =
      bytes === undefined
        ? { status: 404, body: '<!doctype html><h1>Not found' }
        : { body: Buffer.from(bytes), headers: { etag: `"${Buffer.from(hashOf(String(bytes))).toString('hex')}"` } };
    const answer = answers.get(name) ?? usual;
    // HEAD has no body.
    return method === 'HEAD' && answer.fault === 'endless' ? usual : answer;
  });
  return { origin, requests, answers };
}

/** Faults of a static host or a proxy in front of it, and the error codes they may cause; the argument is the correct body. */
export const hostFaults: readonly (readonly [string, (bytes: Buffer) => Answer, ...string[]])[] = [
  ['hangs', () => ({ fault: 'hang' }), 'TIMEOUT'],
  ['stalls', (body) => ({ fault: 'stall', body }), 'TIMEOUT'],
  ['sends one byte at a time', () => ({ fault: 'slow', body: Buffer.alloc(10_000, 'a') }), 'TIMEOUT'],
  ['resets the connection', () => ({ fault: 'reset' }), 'NETWORK'],
  ['truncates the body', (body) => ({ fault: 'cut', body }), 'NETWORK'],
  ['sends endless bytes', () => ({ fault: 'endless' }), 'LIMIT_EXCEEDED'],
  ['sends a gzip bomb', () => ({ body: bomb, headers: { 'content-encoding': 'gzip' } }), 'LIMIT_EXCEEDED'],
  ['sends invalid gzip', (body) => ({ body, headers: { 'content-encoding': 'gzip' } }), 'NETWORK'],
  ['answers 404', () => ({ status: 404, body: '<!doctype html>' }), 'NOT_FOUND'],
  ['answers 503', () => ({ status: 503, headers: { 'retry-after': '7' } }), 'INTERNAL_SERVER_ERROR'],
  ['answers 429', () => ({ status: 429, headers: { 'retry-after': '7' } }), 'TOO_MANY_REQUESTS'],
  ['redirects to plain http', () => ({ status: 302, headers: { location: 'http://elsewhere.invalid/' } }), 'REDIRECTED'],
  ['answers 206', (body) => ({ status: 206, body }), 'UNEXPECTED_STATUS'],
  [
    'answers with a login page',
    () => ({ body: '<!doctype html><title>Welcome</title>' }),
    'INVALID_ARTIFACT',
    'INVALID_RESPONSE',
  ],
];

const bomb = gzipSync(Buffer.alloc(70 * 1024 * 1024, 0x20));

/** All files of a list, by name. */
export function filesOf(list: BuiltList): Map<string, Uint8Array> {
  return new Map([...list.files].map(({ name, bytes }) => [name, bytes]));
}
