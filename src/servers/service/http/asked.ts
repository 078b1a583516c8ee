import { utf8 } from '../../../core/bytes.js';
import type { BodyMessage } from '../../../core/http/bounded-body.js';
import type { FetchInit } from '../../../core/http/fetch.js';

/** What the service reads of a request. A `Request` fits. */
export interface Asked extends BodyMessage {
  readonly method: string;
  readonly url: string;
  readonly signal: Pick<AbortSignal, 'throwIfAborted'>;
}

/** A request of this process, from the arguments of a `fetch` whose headers are an object and whose body is a text or bytes. */
export function askedBy(url: string, { method = 'GET', headers, body, signal }: FetchInit): Asked {
  const byName = new Map(Object.entries(Object(headers)).map(([name, value]) => [name.toLowerCase(), String(value)]));
  const bytes = typeof body === 'string' ? utf8(body) : ((body as Uint8Array | undefined) ?? new Uint8Array(0));
  return {
    method,
    url,
    headers: { get: (name) => byName.get(name.toLowerCase()) ?? null },
    signal: (signal as AbortSignal | undefined) ?? new AbortController().signal,
    arrayBuffer: async () => new Uint8Array(bytes).buffer,
  };
}
