import { isPortcullisError, PortcullisError, requireBytes } from '../../core/errors.js';
import { fetchableFrom } from '../../core/http/address.js';
import { bounded } from '../../core/http/bounded.js';
import type { Filled } from '../../core/options/read-options.js';
import type { ArtifactCall } from '../model/source.js';
import { type Downloaded, download, type IfChanged, plainValidator, tagCondition } from './download.js';
import { type Signal, type Transport, type TransportOptions, transportOf } from './source-options.js';

export type Content = string | Uint8Array;

export interface Fetched {
  /** `null` if it has not changed. */
  readonly content: Content | null;
  readonly ifChanged?: IfChanged | undefined;
}

/** Where a list as text comes from. */
export interface TextOrigin {
  content(signal: Signal, onProgress: ArtifactCall['onProgress'], ifChanged?: IfChanged): Promise<Fetched>;
  /** Passes on the content as it arrives, where it need not be held. */
  stream?(take: (part: Uint8Array) => Promise<void>, signal: Signal, onProgress: ArtifactCall['onProgress']): Promise<void>;
  /** A value that changes with the content, if it is available without downloading the content. */
  validator?(signal: Signal): Promise<string | undefined>;
  /** The content that the caller has passed itself. */
  readonly own?: Content | undefined;
  /** Whether even a much smaller list is intended. */
  readonly isProven: boolean;
}

/** The options of a list that say where it is. */
type Given = Filled<TransportOptions, 'fetch'> & {
  readonly text: string | undefined;
  readonly bytes: Uint8Array | undefined;
  readonly url: string | undefined;
  readonly read: (() => unknown) | undefined;
  readonly maxBytes: number;
};

export function textOriginOf(options: Given): TextOrigin {
  const { text, bytes, url, read, maxBytes } = options;
  const transport = transportOf(options);
  if (url !== undefined) return originOfUrl(url, transport, maxBytes);
  if (read !== undefined) {
    const content = async (signal: Signal): Promise<Fetched> => {
      const given = bounded(transport.artifactTimeoutMs, signal, async () => read());
      const content = await given.catch((cause: unknown) => {
        throw isPortcullisError(cause) ? cause : new PortcullisError('NETWORK', 'the read function failed', { cause });
      });
      return { content: checkedContent(content, maxBytes) };
    };
    return { content, isProven: false };
  }
  const content = checkedContent(text ?? bytes, maxBytes);
  return { content: async () => ({ content }), own: content, isProven: true };
}

function originOfUrl(url: string, transport: Transport, maxBytes: number): TextOrigin {
  const call = { ...transport, mayFetch: fetchableFrom(url), maxBytes, init: { cache: 'no-cache' } };
  return {
    isProven: false,
    async validator(signal) {
      try {
        const { headers } = await download(url, { ...call, artifactTimeoutMs: transport.timeoutMs, method: 'HEAD', signal });
        const mark = markOf(headers);
        if (mark !== undefined) return mark;
      } catch (error) {
        // Some hosts reject HEAD.
        const { status = 0 } = error as { status?: number };
        if (!((status >= 400 && status < 500 && status !== 429) || status === 501)) throw error;
      }
      return undefined;
    },
    async content(signal, onProgress, ifChanged) {
      const answer = await download(url, { ...call, ifChanged, signal, onProgress });
      return answer.status === 304 ? { content: null } : { content: answer.bytes, ifChanged: ifChangedSince(answer) };
    },
    async stream(take, signal, onProgress) {
      await download(url, { ...call, take, signal, onProgress });
    },
  };
}

function ifChangedSince(answer: Downloaded): IfChanged | undefined {
  const time = answer.headers.get('last-modified') ?? '';
  const hasTime = !answer.isCrossOrigin && answer.headers.get('etag') === null && plainValidator.test(time);
  return hasTime ? { 'if-modified-since': time } : tagCondition(answer);
}

/** A value that changes with the content, if the host gives one. */
function markOf(headers: Downloaded['headers']): string | undefined {
  const found = ['etag', 'last-modified'].map((name) => headers.get(name));
  return found.every((value) => value === null) ? undefined : JSON.stringify([...found, headers.get('content-length')]);
}

function checkedContent(content: unknown, maxBytes: number): Content {
  if (typeof content !== 'string') requireBytes(content, 'the list');
  if ((content as Content).length > maxBytes) {
    throw new PortcullisError('LIMIT_EXCEEDED', `the list is larger than ${maxBytes} bytes`);
  }
  return content as Content;
}
