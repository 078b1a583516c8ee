import type { SignalLike } from '../errors.js';

/**
 * The part of the Fetch standard that is used, structural, because a bare engine has no such types and a host may bring its own
 * `fetch`. The global `fetch` of every platform is one.
 */
export type FetchLike = {
  // A method, because only methods are compared both ways: the platforms' own types take more than we give and give more than we take.
  bivariant(url: string, init?: FetchInit): Promise<FetchResponse>;
}['bivariant'];

export interface FetchInit {
  method?: string;
  headers?: unknown;
  body?: unknown;
  redirect?: string;
  credentials?: string;
  cache?: string;
  signal?: unknown;
}

export interface FetchResponse {
  readonly status: number;
  readonly type?: string;
  readonly redirected?: boolean;
  /** Of the last request, where redirects were followed. */
  readonly url?: string;
  readonly headers: { get(name: string): string | null };
  readonly body?: FetchBody | null;
  arrayBuffer(): Promise<ArrayBuffer>;
}

export interface FetchBody {
  getReader(): BodyReader;
}

export interface BodyReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(reason?: unknown): Promise<unknown>;
}

/** What a platform with `fetch` has besides. */
export interface Host {
  readonly setTimeout: (run: () => void, delayMs: number) => unknown;
  readonly clearTimeout: (timer: unknown) => void;
  readonly AbortController?: new () => AbortControllerLike;
}

export interface AbortControllerLike {
  readonly signal: SignalLike;
  abort(reason?: unknown): void;
}

export const host: Host = globalThis as unknown as Host;
