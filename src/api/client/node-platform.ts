import { constants, type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { PortcullisError, refuse } from '../../core/errors.js';
import type { BodyReader, FetchLike, FetchResponse } from '../../core/http/fetch.js';
import type { PlatformMaker } from './client-platform.js';
import { version } from './client-version.js';
import { tooLarge } from './upload.js';

/** Other platforms send their own. */
const userAgent = `portcullis/${version}`;

/** Node: one pool of connections per client, and files by path. */
export const nodePlatform: PlatformMaker = ({ maxConnections = 16, keepAliveMs = 10_000, proxyFromEnvironment = false }) => {
  // The client limits each attempt as a whole, so the agent's own timeouts are off.
  const settings = { connections: maxConnections, keepAliveTimeout: keepAliveMs, headersTimeout: 0, bodyTimeout: 0 };
  let agent: Promise<Dispatcher> | undefined;
  // Loaded with the first request: undici takes 60 ms, and a client with its own `fetch` never needs it.
  const agentOnce = (): Promise<Dispatcher> => {
    agent ??= import('undici').then(({ Agent, EnvHttpProxyAgent }) =>
      proxyFromEnvironment ? new EnvHttpProxyAgent(settings) : new Agent(settings),
    );
    return agent;
  };
  return { fetch: fetchBy(agentOnce), readFile, close: async () => (await agent)?.close() };
};

/** `undici.request` in the shape of `fetch`, at half the cost or less (`npm run bench -- --only call`). It follows no redirect. */
function fetchBy(agentOnce: () => Promise<Dispatcher>): FetchLike {
  return async (url, init = {}) => {
    const agent = await agentOnce();
    const pathAt = url.indexOf('/', 'https://'.length);
    const { statusCode, headers, body } = await agent.request({
      origin: url.slice(0, pathAt),
      path: url.slice(pathAt),
      method: init.method as Dispatcher.HttpMethod,
      headers: { 'accept-encoding': 'gzip, br', 'user-agent': userAgent, ...(init.headers as Record<string, string>) },
      body: init.body as string | Uint8Array | undefined,
      signal: init.signal as AbortSignal | undefined,
    } as Dispatcher.RequestOptions);
    const get = (name: string): string | null => {
      const value = headers[name];
      return value === undefined ? null : String(value);
    };
    let reader: BodyReader | undefined;
    return {
      status: statusCode,
      headers: {
        get,
        forEach: (use) => {
          for (const name of Object.keys(headers)) use(get(name)!, name);
        },
      },
      body: { getReader: () => (reader ??= readerOf(decoded(body, get('content-encoding')), body)) },
    } as FetchResponse;
  };
}

/** The body decompressed. One in an encoding that was not requested stays as it is. */
function decoded(body: Readable, encoding: string | null): Readable {
  const name = encoding?.toLowerCase();
  const decoder =
    name === 'gzip' || name === 'x-gzip'
      ? createGunzip()
      : name === 'br'
        ? createBrotliDecompress()
        : name === 'deflate'
          ? createInflate()
          : undefined;
  if (decoder === undefined) return body;
  body.on('error', (error) => decoder.destroy(error));
  decoder.on('close', () => body.destroy());
  return body.pipe(decoder);
}

function readerOf(body: Readable, source: Readable): BodyReader {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  let hasData = false;
  if (source !== body) source.once('data', () => (hasData = true));
  return {
    read: async () => {
      try {
        return (await chunks.next()) as Awaited<ReturnType<BodyReader['read']>>;
      } catch (error) {
        // Some proxies announce a compressed body and send an empty one.
        if (!hasData && /^(Z_BUF_ERROR|ERR__ERROR_FORMAT)/.test((error as NodeJS.ErrnoException).code ?? ''))
          return { done: true };
        throw error;
      }
    },
    cancel: async () => {
      body.on('error', () => {});
      body.destroy();
    },
  };
}

async function readFile(path: string, maxBytes: number): Promise<Uint8Array> {
  let file: FileHandle | undefined;
  try {
    // Non-blocking, because opening a pipe waits for its other end.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await file.stat();
    // The size of a device or a pipe is not known.
    if (!stats.isFile()) refuse('path must be a regular file');
    if (stats.size > maxBytes) throw tooLarge();
    const bytes = await file.readFile();
    // The file may have grown since it was checked.
    if (bytes.length > maxBytes) throw tooLarge();
    return bytes;
  } catch (cause) {
    if (cause instanceof PortcullisError) throw cause;
    throw new PortcullisError('INVALID_INPUT', 'the file cannot be read; see cause', { cause });
  } finally {
    await file?.close();
  }
}
