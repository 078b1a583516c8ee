/** What a server knows about a request beyond the `Request`. */
export interface FetchContext {
  /** The address of the other end of the connection: the client, or the last proxy. */
  readonly address?: string | undefined;
  /** Takes work that goes on after the response, so that its failure ends no process. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
}

/** Answers a request, as workers and other runtimes write it. */
export type FetchHandler = (request: Request, context: FetchContext) => Response | Promise<Response>;

/** Something that answers requests, such as a relay. */
export interface FetchService {
  /** Answers a request. */
  fetch(request: Request, context: FetchContext): Response | Promise<Response>;
}
