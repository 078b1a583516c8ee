/** What a server knows about a request beyond the `Request`. */
export interface FetchContext {
  /** The address of the other end of the connection: the client, or the last proxy. */
  readonly address?: string | undefined;
  /** Takes work that goes on after the response, so that its failure ends no process. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
}

/** Answers a request, as workers and other runtimes write it. */
export type FetchHandler = (request: Request, context: FetchContext) => Response | Promise<Response>;

/**
 * Wraps a handler that takes a fetch `Request`.
 *
 * @throws TypeError for a request of Node's own server, at once: such a server ignores the response, and its client would wait forever
 */
export function fetchOnly(handler: FetchHandler): FetchHandler {
  return (request, context) => {
    if (typeof request.headers?.get !== 'function')
      throw new TypeError('the handler takes a Request; mount it on a server of Node with toNodeHandler()');
    return handler(request, context);
  };
}

/** Something that answers requests, such as a relay. */
export interface FetchService {
  /** Answers a request. */
  fetch(request: Request, context: FetchContext): Response | Promise<Response>;
}
