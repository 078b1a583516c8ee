import type { FetchContext } from '../../http/fetch-handler.js';
import { type Listening, type ListenOptions, listenOn } from '../../http/node-server.js';
import { Problem } from './problem.js';
import { refusal } from './service-answer.js';

/**
 * Serves a fetch handler over HTTP, on Node: a relay, a webhook receiver, several handlers behind one port. On the default host it
 * answers only under the names of this machine.
 *
 * @throws PortcullisError `INVALID_INPUT`; `NETWORK` when the port cannot be opened
 */
export function listenWith(
  answer: (request: Request, context: FetchContext) => Promise<Response>,
  options?: ListenOptions,
): Promise<Listening> {
  return listenOn(
    {
      answer,
      refusal: ({ status, message, headers }) => refusal(new Problem(status, status === 500 ? '' : message), false, headers),
    },
    options,
  );
}
