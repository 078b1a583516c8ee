import { refuse } from '../../core/errors.js';
import type { FetchLike } from '../../core/http/fetch.js';
import type { AgentOptions } from './client-types.js';

/** The differences between Node and other platforms. */
export interface Platform {
  readonly fetch: FetchLike;
  /** Reads a file; one larger than `maxBytes` is rejected before it is read. */
  readonly readFile: (path: string, maxBytes: number) => Promise<Uint8Array>;
  /** Closes idle connections. */
  readonly close: () => Promise<void>;
}

export type PlatformMaker = (agent: AgentOptions) => Platform;

/** Browsers, workers, Bun, Deno and React Native. */
export const webPlatform: PlatformMaker = () => ({
  // Looked up for each call, because a test or a monitor may replace it later.
  fetch: (url, init) => (globalThis as unknown as { fetch: FetchLike }).fetch(url, init),
  readFile: async () => refuse('{ path } works on Node only'),
  close: async () => {},
});
