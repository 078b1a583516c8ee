import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { ObliviousGateway } from 'portcullis/ohttp';
import { matchesTag } from '../../../src/core/http/entity-tags.js';
import { UsageError } from '../errors/usage.js';
import { artifactPattern } from '../lists/list-folder.js';
import { orNull } from '../lists/replace-file.js';
import { type Served, serveFolder, type Where } from './serving.js';

/** How long caches may keep a file whose content never changes, in seconds. */
const immutableAge = 31_536_000;

/** The files that change, and how long caches may keep them, in seconds. A checkpoint that is older than a tile hides it. */
const changing: Readonly<Record<string, { readonly type: string; readonly age: number }>> = {
  'version.json': { type: 'application/json', age: 60 },
  'version.proof': { type: 'text/plain; charset=utf-8', age: 5 },
  'log/checkpoint': { type: 'text/plain; charset=utf-8', age: 5 },
};

/** A tile or a bundle of the list's log. */
const tilePattern = /^log\/tile\/(?:entries|\d)\/(?:x\d{3}\/)*\d{3}(?:\.p\/[1-9]\d{0,2})?$/;

const cors = { 'access-control-allow-origin': '*' } as const;

/** Serves a folder that `publish` wrote as a static host would, with the page. */
export async function servePublished(folder: string, where: Where, gateway?: ObliviousGateway): Promise<Served> {
  await stat(join(folder, 'version.json')).catch(async () => {
    const found = await stat(folder).catch(() => null);
    const problem = found === null ? 'does not exist' : found.isDirectory() ? 'contains no version.json' : 'is not a folder';
    throw new UsageError(`${folder} ${problem}`, 'publish a list into it with: portcullis publish <list> --out <folder>');
  });
  return serveFolder((request) => answerFiles((name) => orNull(readFile(join(folder, name))), request), where, gateway);
}

/** Answers as a static host of a published list. */
export async function answerFiles(read: (name: string) => Promise<Uint8Array | null>, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const name = pathname.slice(1);
  const isTile = tilePattern.test(name);
  const isImmutable = isTile || artifactPattern.test(name);
  const change = Object.hasOwn(changing, name) ? changing[name] : undefined;
  const headers = { ...cors, 'x-content-type-options': 'nosniff' };
  // Nothing else in the folder is served.
  if (!isImmutable && change === undefined) return new Response(null, { status: 404, headers });
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return new Response(null, { status: 405, headers: { ...headers, allow: 'GET, HEAD' } });
  let bytes: Uint8Array | null;
  try {
    bytes = await read(name);
  } catch {
    return new Response(null, { status: 500, headers });
  }
  if (bytes === null) return new Response(null, { status: 404, headers });
  const etag = isImmutable && !isTile ? `"${name}"` : tagOf(bytes);
  const cacheControl = `max-age=${change === undefined ? `${immutableAge}, immutable` : change.age}`;
  const validators = { etag, 'cache-control': cacheControl };
  const asked = request.headers.get('if-none-match');
  if (matchesTag(asked, etag)) {
    // Sent hundreds of times a day to each client, so it has only what RFC 9110 §15.4.5 and the pages of other origins need.
    const isFromPage = request.headers.get('origin') !== null;
    return new Response(null, { status: 304, headers: { ...validators, ...(isFromPage && cors) } });
  }
  // Half of the first document of each client. Polls are answered without a look at what they accept, so that a 304 needs no `Vary`.
  const isCoded = !isImmutable && asked === null;
  const isGzip = isCoded && takesGzip(request);
  const body = isGzip ? gzipSync(bytes) : new Uint8Array(bytes);
  return new Response(request.method === 'HEAD' ? null : body, {
    headers: {
      ...headers,
      ...validators,
      'content-type': change?.type ?? 'application/octet-stream',
      'content-length': String(body.length),
      ...(isCoded && { vary: 'accept-encoding' }),
      // Weak, because these are other bytes than those without gzip.
      ...(isGzip && { 'content-encoding': 'gzip', etag: `W/${etag}` }),
    },
  });
}

function takesGzip(request: Request): boolean {
  return /(^|,)\s*gzip\s*(,|$)/i.test(request.headers.get('accept-encoding') ?? '');
}

/**
 * Eight characters are 48 bits: enough to tell a document from the one before, and few in the answer that is sent most often. It proves
 * nothing; the checksums in the document do.
 */
function tagOf(bytes: Uint8Array): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 8)}"`;
}
