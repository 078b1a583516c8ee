import type { SignalLike } from '../errors.js';

/**
 * The part of `fetch` this package uses. The global `fetch` of every platform fits; so does one of your own. Structural, because bare
 * engines have no types for it.
 */
export type FetchLike = {
  // A method, because only the parameters of methods are bivariant: the platforms' own types accept and return more than these.
  bivariant(url: string, init?: FetchInit): Promise<FetchResponse>;
}['bivariant'];

export interface FetchInit {
  method?: string;
  headers?: unknown;
  body?: unknown;
  redirect?: string;
  credentials?: string;
  cache?: string;
  referrerPolicy?: string;
  signal?: unknown;
}

export interface FetchResponse {
  readonly status: number;
  readonly type?: string;
  readonly redirected?: boolean;
  /** The address of the last request, if redirects were followed. */
  readonly url?: string;
  readonly headers: {
    get(name: string): string | null;
    /** Calls a function with each header, whose name is in lower case. */
    forEach?(use: (value: string, name: string) => void): void;
  };
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

/** Globals that every platform with `fetch` also has. */
export interface Globals {
  readonly setTimeout: (run: () => void, delayMs: number) => unknown;
  readonly clearTimeout: (timer: unknown) => void;
  readonly AbortController?: new () => AbortControllerLike;
}

export interface AbortControllerLike {
  readonly signal: SignalLike;
  abort(reason?: unknown): void;
}

export const globals: Globals = globalThis as unknown as Globals;
