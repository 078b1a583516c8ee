import { constants, type FileHandle, open } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { joined } from '../../core/bytes.js';
import { PortcullisError, refuse, type SignalLike } from '../../core/errors.js';
import type { BodyReader, FetchLike, FetchResponse } from '../../core/http/fetch.js';
import { version } from '../../core/version.js';
import type { PlatformMaker } from './client-platform.js';
import { createTurns } from './turns.js';
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
  return {
    fetchFor: (onSend) => Object.assign(fetchBy(agentOnce, onSend), { isOurs: true }),
    turns: createTurns(maxConnections),
    readFile,
    close: async () => (await agent)?.close(),
  };
};

/** What a reader may leave unread before the connection is paused. */
const maxHeldBytes = 65_536;

/**
 * undici in the shape of `fetch`, at a third of the cost (`npm run bench -- --only call`). It follows no redirect. `dispatch` makes no
 * stream for a body, which `request` does, so that a call with our limits takes about as long as a bare `undici.request`.
 */
function fetchBy(agentOnce: () => Promise<Dispatcher>, onSend: () => void): FetchLike {
  return async (url, init = {}) => {
    const agent = await agentOnce();
    const pathAt = url.indexOf('/', 'https://'.length);
    const options = {
      origin: url.slice(0, pathAt),
      path: url.slice(pathAt),
      method: init.method as Dispatcher.HttpMethod,
      headers: { 'accept-encoding': 'gzip, br', 'user-agent': userAgent, ...(init.headers as Record<string, string>) },
      body: init.body as string | Uint8Array | undefined,
    } as Dispatcher.DispatchOptions;
    return new Promise((resolve, reject) => {
      agent.dispatch(options, exchange(init.signal as SignalLike | undefined, onSend, resolve, reject));
    });
  };
}

/** Receives one response. An abort ends it at any time. */
function exchange(
  signal: SignalLike | undefined,
  onSend: () => void,
  resolve: (response: FetchResponse) => void,
  reject: (error: Error) => void,
): Dispatcher.DispatchHandler {
  let controller: Dispatcher.DispatchController | undefined;
  let chunks: Uint8Array[] = [];
  let heldBytes = 0;
  let fault: Error | undefined;
  let isComplete = false;
  // There is one reader.
  let wake = (): void => {};

  const abort = (): void => controller?.abort((signal?.reason as Error | undefined) ?? new Error('cancelled'));
  const end = (error?: Error): void => {
    signal?.removeEventListener('abort', abort);
    isComplete = true;
    fault = error;
    wake();
  };
  const reader: BodyReader = {
    read: async () => {
      while (chunks.length === 0 && !isComplete) await new Promise<void>((resume) => (wake = resume));
      if (chunks.length === 0) {
        if (fault) throw fault;
        return { done: true };
      }
      const value = joined(chunks, heldBytes);
      chunks = [];
      heldBytes = 0;
      if (controller?.paused) controller.resume();
      return { done: false, value };
    },
    cancel: async () => abort(),
  };
  signal?.addEventListener('abort', abort);
  return {
    onRequestStart(started) {
      controller = started;
      // Aborted while its connection was made.
      if (signal?.aborted) abort();
      else onSend();
    },
    onResponseStart(_, status, headers) {
      // Not the response yet.
      if (status < 200) return;
      resolve(responseOf(status, headers, reader));
    },
    onResponseData(_, chunk) {
      chunks.push(chunk);
      heldBytes += chunk.length;
      if (heldBytes > maxHeldBytes) controller?.pause();
      wake();
    },
    onResponseEnd: () => end(),
    onResponseError(_, error) {
      end(error);
      reject(error);
    },
  };
}

function responseOf(status: number, headers: IncomingHttpHeaders, raw: BodyReader): FetchResponse {
  const get = (name: string): string | null => {
    const value = headers[name];
    return value === undefined ? null : String(value);
  };
  let reader: BodyReader | undefined;
  return {
    status,
    headers: {
      get,
      forEach: (use) => {
        for (const name of Object.keys(headers)) use(get(name)!, name);
      },
    },
    body: { getReader: () => (reader ??= decoded(raw, get('content-encoding'))) },
  } as FetchResponse;
}

const decoders: ReadonlyMap<string, () => Transform> = /* @__PURE__ */ new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['br', createBrotliDecompress],
  ['deflate', createInflate],
]);

/** The decompressed body. A body in an encoding that was not requested is returned unchanged. */
function decoded(raw: BodyReader, encoding: string | null): BodyReader {
  const decoder = decoders.get(encoding?.toLowerCase() ?? '')?.();
  if (decoder === undefined) return raw;
  let hasData = false;
  async function* pieces(): AsyncGenerator<Uint8Array, void, void> {
    for (;;) {
      const { value } = await raw.read();
      if (value === undefined) return;
      hasData = true;
      yield value;
    }
  }
  const source = Readable.from(pieces());
  source.on('error', (error) => decoder.destroy(error));
  decoder.on('close', () => void raw.cancel());
  const chunks = source.pipe(decoder)[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
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
      decoder.on('error', () => {});
      decoder.destroy();
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
