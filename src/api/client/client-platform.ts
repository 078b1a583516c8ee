import { refuse } from '../../core/errors.js';
import type { FetchLike } from '../../core/http/fetch.js';
import type { AgentOptions } from './client-types.js';
import type { Turns } from './turns.js';

/** The differences between Node and other platforms. */
export interface Platform {
  /** @param onSend Called when a request leaves, if the platform has `turns`. No other tells. */
  fetchFor(onSend: () => void): FetchLike & { readonly isOurs?: boolean };
  /** The requests that its connections let run at once. */
  readonly turns?: Turns;
  /** Reads a file; one larger than `maxBytes` is rejected before it is read. */
  readonly readFile: (path: string, maxBytes: number) => Promise<Uint8Array>;
  /** Closes idle connections. */
  readonly close: () => Promise<void>;
}

export type PlatformMaker = (agent: AgentOptions) => Platform;

/** Browsers, workers, Bun, Deno and React Native. */
export const webPlatform: PlatformMaker = () => ({
  // Looked up for each call, because a test or a monitor may replace it later.
  fetchFor: () => (url, init) => (globalThis as unknown as { fetch: FetchLike }).fetch(url, init),
  readFile: async () => refuse('{ path } works on Node only'),
  close: async () => {},
});
