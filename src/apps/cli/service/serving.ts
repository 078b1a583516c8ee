import { createClient } from '../../../api/client/node-client.js';
import { createRelay } from '../../../servers/relay/relay.js';
import { type Listening, listenWith } from '../../../servers/service/http/listen.js';
import type { Service } from '../../../servers/service/service.js';
import { serviceActions } from '../../playground/actions.js';
import { createPlayground } from '../../playground/playground.js';
import { fetchOf } from './connection.js';

/** Where the page is, beside an API that has the root for itself. */
const pagePath = '/playground/';

export interface Where {
  readonly port: number;
  readonly host: string;
  /** How others reach it, where that is another address than the one it listens on. */
  readonly publicUrl?: string | undefined;
}

export interface Served {
  /** As others reach it. */
  readonly url: string;
  /** Where it listens. */
  readonly listening: string;
  readonly pageUrl: string;
  /** What a client without a key takes for the service's address; a published list needs none. */
  readonly relayUrl?: string | undefined;
  close(): Promise<void>;
}

/** The documented ten a day would be used up by the buttons of the page. */
export const limits = { reviewsPerDay: 1_000 } as const;

type Answer = (request: Request) => Promise<Response>;

/**
 * An embedded service with its relay and its page: the API at the root, the others below the page's path.
 *
 * @param isOpen Whether pages of other origins may call the API
 */
export function serveService(service: Service, where: Where, isOpen = false): Promise<Served> {
  const fetch = fetchOf(service);
  return serve(where, async (origin, relayUrl) => {
    const relay = createRelay({
      baseUrl: origin,
      apiKey: service.key,
      publicUrl: relayUrl,
      allowInsecureHttp: true,
      fetch,
      // Who presses a button of the page wants to see what it did.
      versionTtlMs: 1_000,
      confirmTtlMs: 0,
    });
    const client = createClient({ baseUrl: origin, apiKey: service.key, allowInsecureHttp: true, fetch });
    const actions = serviceActions({ client, publish: () => service.publish() });
    const playground = await createPlayground({ relay, actions, path: pagePath, origin });
    return {
      page: playground.fetch,
      rest: isOpen ? (request) => service.fetch(request) : own(origin, (request) => service.fetch(request)),
      closing: [relay, client],
      relayUrl,
    };
  });
}

/** Its keys are known to everybody: no page of another origin in a browser of this machine may use them. */
function own(origin: string, answer: Answer): Answer {
  return async (request) => {
    const from = request.headers.get('origin');
    if (from === null || from === origin || from === new URL(request.url).origin) return answer(request);
    const body = { message: 'Pages of other origins may not call this; serve it with --cors.', code: 'FORBIDDEN' };
    return Response.json(body, { status: 403 });
  };
}

export interface RelayedService {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** A relay of a service that is somewhere else, at the root too, with the page. */
export function serveRelay({ baseUrl, apiKey }: RelayedService, where: Where): Promise<Served> {
  return serve(where, async (origin, relayUrl) => {
    const relay = createRelay({ baseUrl, apiKey, publicUrl: relayUrl });
    const playground = await createPlayground({ relay, path: pagePath, origin, examples: [] });
    return { page: playground.fetch, rest: (request) => relay.fetch(request), closing: [relay], relayUrl };
  });
}

/** Files of a published list at the root, as `answer` gives them out, with the page. */
export function serveFolder(answer: Answer, where: Where): Promise<Served> {
  return serve(where, async (origin) => {
    const playground = await createPlayground({ published: '../', path: pagePath, origin });
    return { page: playground.fetch, rest: answer, closing: [] };
  });
}

interface Parts {
  readonly page: Answer;
  /** What is asked for outside the page. */
  readonly rest: Answer;
  readonly closing: readonly { close(): Promise<void> }[];
  readonly relayUrl?: string;
}

async function serve(where: Where, partsFor: (origin: string, relayUrl: string) => Promise<Parts>): Promise<Served> {
  let answer: Answer = async () => new Response(null, { status: 503, headers: { 'retry-after': '1' } });
  // The parts have to know the port, which is known only now.
  const names = where.publicUrl === undefined ? [] : [new URL(where.publicUrl).host];
  const listening = await listenWith((request) => answer(request), { port: where.port, host: where.host, names });
  try {
    const origin = where.publicUrl === undefined ? listening.url : new URL(where.publicUrl).origin;
    const { page, rest, closing, relayUrl } = await partsFor(origin, `${origin}${pagePath}blocklist`);
    answer = async (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === '/' && request.method === 'GET')
        return new Response(null, { status: 302, headers: { location: pagePath } });
      return `${pathname}/`.startsWith(pagePath) ? page(request) : rest(request);
    };
    return {
      url: origin,
      listening: listening.url,
      pageUrl: origin + pagePath,
      relayUrl,
      close: () => closeAll(listening, closing),
    };
  } catch (error) {
    await listening.close();
    throw error;
  }
}

async function closeAll(listening: Listening, closing: Parts['closing']): Promise<void> {
  await listening.close();
  for (const part of closing) await part.close();
}
