import { refuse } from '../../core/errors.js';
import type { FetchLike } from '../../core/http/fetch.js';
import type { AgentOptions } from './client-types.js';

/** What differs between Node and everywhere else. */
export interface Platform {
  readonly fetch: FetchLike;
  /** The bytes of a file, refused unread past `bytesMax`. */
  readonly readFile: (path: string, bytesMax: number) => Promise<Uint8Array>;
  /** Ends what keeps connections. */
  readonly close: () => Promise<void>;
}

export type PlatformMaker = (agent: AgentOptions) => Platform;

/** Browsers, workers, Bun, Deno, React Native: what they all have. */
export const webPlatform: PlatformMaker = () => ({
  // Looked up at each call, so that one that is replaced later, by a test or a monitor, is seen.
  fetch: (url, init) => (globalThis as unknown as { fetch: FetchLike }).fetch(url, init),
  readFile: async () => refuse('only Node reads files by path'),
  close: async () => {},
});
