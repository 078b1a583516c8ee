import { createBlocklist } from 'portcullis';
import { createClient } from 'portcullis/client';
import { type Metric, openMetrics } from 'portcullis/middleware';
import type { ObliviousGateway } from 'portcullis/ohttp';
import { createRelay } from 'portcullis/relay';
import { type FetchContext, listen, type Service } from 'portcullis/testing';
import { toBase64 } from '../../../src/core/base64.js';
import { serviceActions } from '../playground/actions.js';
import { createPlayground } from '../playground/playground.js';
import type { ApiKey } from './connection.js';
import { requireUrl } from './given-url.js';

/** The path of the page. The API has the root. */
const pagePath = '/playground/';

/** The paths of the tools and of the metadata that tells clients how to sign in. */
const toolsPath = '/mcp';
const metadataPath: string = `/.well-known/oauth-protected-resource${toolsPath}`;

const gatewayPath = '/ohttp';

/** What load balancers and Prometheus ask for. */
const monitorPaths: readonly string[] = ['/healthz', '/metrics'];

export interface Where {
  readonly port: number;
  readonly host: string;
  /** The address that clients use, if it differs from the one it listens on. */
  readonly publicUrl?: string | undefined;
}

export interface Served {
  /** The address that clients use. */
  readonly url: string;
  readonly listening: string;
  readonly pageUrl: string;
  /** The `baseUrl` of clients without a key; a published list needs none. */
  readonly relayUrl?: string | undefined;
  /** Where agents find the tools. */
  readonly toolsUrl?: string | undefined;
  /** Where relays of Oblivious HTTP send what they get. */
  readonly gateway?: { readonly url: string /** Base64 */; readonly keyList: string } | undefined;
  /** Requests under way have `graceMs` to finish. @default 0 */
  close(options?: { readonly graceMs: number }): Promise<void>;
}

/** The page's buttons would soon use up the documented ten reviews a day. */
export const limits = { reviewsPerDay: 1_000 } as const;

type Answer = (request: Request, context: FetchContext) => Promise<Response>;

export interface ServiceParts {
  /** Whether pages of other origins may call. */
  readonly isOpen?: boolean;
  /** Serves tools for agents, at `toolsPath`. */
  readonly tools?: ServedTools | undefined;
}

export interface ServedTools {
  readonly names: string | undefined;
  readonly isReadOnly: boolean;
  /** Whether the service lets users sign in. */
  readonly hasSignIn: boolean;
}

/** An embedded service with the API at the root, and its relay and page below the page's path. */
export function serveService(
  service: Service,
  where: Where,
  { isOpen = false, tools: served }: ServiceParts = {},
): Promise<Served> {
  const fetch = service.fetch;
  return serve(where, async (origin, relayUrl) => {
    const relay = createRelay({
      baseUrl: origin,
      apiKey: service.key,
      publicUrl: relayUrl,
      allowInsecureHttp: true,
      fetch,
      // All clients are on this machine, so one address has the rate that strangers would share.
      clientPerMinute: 12_000,
      // The page shows the effect of its buttons at once.
      versionTtlMs: 1_000,
      confirmTtlMs: 0,
    });
    const client = createClient({ baseUrl: origin, apiKey: service.key, allowInsecureHttp: true, fetch });
    const actions = serviceActions({ client, publish: () => service.publish() });
    const playground = await createPlayground({ relay, actions, path: pagePath, origin });
    const api: Answer = (request, { address }) => service.fetch(request, { address });
    const rest = isOpen ? api : sameOriginOnly(origin, api);
    const own = { page: playground.fetch, monitor: relay.fetch, relayUrl };
    if (served === undefined) return { ...own, rest, closing: [relay, client] };
    const tools = await serviceTools(service, origin, where.publicUrl !== undefined, isOpen, served);
    return {
      ...own,
      rest: (request, context) => (new URL(request.url).pathname === toolsPath ? tools.fetch(request) : rest(request, context)),
      closing: [relay, client, tools],
      toolsUrl: origin + toolsPath,
    };
  });
}

/** Tools over the service and its list. Each request brings its own key. */
async function serviceTools(service: Service, origin: string, isPublic: boolean, isOpen: boolean, served: ServedTools) {
  const { createToolServer } = await import('portcullis/mcp');
  const api = { baseUrl: origin, allowInsecureHttp: true, fetch: service.fetch };
  const blocklist = createBlocklist({ ...api, apiKey: service.key });
  const serverFor = (origins: readonly string[]) =>
    createToolServer({
      blocklist,
      clientFor: (apiKey) => createClient({ ...api, apiKey, paths: service.paths }),
      paths: service.paths,
      verifyToken: served.hasSignIn ? service.verifyToken : undefined,
      tools: served.names,
      readOnly: served.isReadOnly,
      origins,
      // A client compares it with the address that it uses, and this machine has several names.
      resourceMetadataUrl: served.hasSignIn ? (isPublic ? origin + metadataPath : metadataPath) : undefined,
      hosts: [new URL(origin).hostname, 'localhost', '127.0.0.1', '[::1]'],
    });
  const server = serverFor([]);
  const fetch = (request: Request): Promise<Response> => {
    const from = request.headers.get('origin');
    // The server takes a list of origins, and these are all of them.
    const isPage = isOpen && from !== null && /^https?:\/\/[^/?#@\s]+$/.test(from);
    return (isPage ? serverFor([from]) : server).fetch(request);
  };
  return { fetch, close: () => blocklist.close() };
}

/** The sign-in decides itself which pages may call. */
const isSignIn = (pathname: string): boolean => /^\/(\.well-known\/oauth-|oauth\/)/.test(pathname);

/** The sample keys are public, so pages of other origins in a browser on this machine must not reach the API. */
function sameOriginOnly(origin: string, answer: Answer): Answer {
  return async (request, context) => {
    const from = request.headers.get('origin');
    const { pathname, origin: own } = new URL(request.url);
    if (from === null || from === origin || from === own || isSignIn(pathname)) return answer(request, context);
    const body = { message: 'cross-origin request rejected; allow it with --cors', code: 'FORBIDDEN' };
    return Response.json(body, { status: 403 });
  };
}

export interface RelayedService {
  readonly baseUrl: string;
  readonly apiKey: ApiKey;
  /** The number of own proxies between clients and the relay. */
  readonly trustForwardedFor?: number | undefined;
  readonly gateway?: ObliviousGateway | undefined;
}

/** A relay of another service at the root, with the page. */
export function serveRelay({ baseUrl, apiKey, trustForwardedFor, gateway }: RelayedService, where: Where): Promise<Served> {
  if (where.publicUrl !== undefined) requireUrl(where.publicUrl, '--public-url');
  return serve(where, async (origin, relayUrl) => {
    const trusted = trustForwardedFor === undefined ? {} : { trustForwardedFor };
    const relay = createRelay({ baseUrl, apiKey, publicUrl: relayUrl, ...trusted, ...(gateway && { ohttp: gateway }) });
    const playground = await createPlayground({ relay, path: pagePath, origin, examples: [] });
    return { page: playground.fetch, rest: relay.fetch, monitor: relay.fetch, closing: [relay], relayUrl, gateway };
  });
}

/** A published list at the root, with the page. */
export function serveFolder(answer: Answer, where: Where, gateway?: ObliviousGateway): Promise<Served> {
  return serve(where, async (origin) => {
    const playground = await createPlayground({ published: '../', path: pagePath, origin });
    const wrapped = gateway?.wrap(answer, gatewayPath) ?? answer;
    const rest: Answer = async (request, context) => wrapped(request, context);
    const monitor = publishedMonitor(answer, origin, () => gateway?.metrics() ?? []);
    return { page: playground.fetch, rest, monitor, closing: [], gateway };
  });
}

interface Parts {
  readonly page: Answer;
  /** Handles the requests that are not for the page. */
  readonly rest: Answer;
  /** Answers `monitorPaths`. */
  readonly monitor: Answer;
  readonly closing: readonly { close(): Promise<void> }[];
  readonly relayUrl?: string;
  readonly toolsUrl?: string;
  /** Answers at `gatewayPath`. */
  readonly gateway?: ObliviousGateway | undefined;
}

async function serve(where: Where, partsFor: (origin: string, relayUrl: string) => Promise<Parts>): Promise<Served> {
  let answer: Answer = async () => new Response(null, { status: 503, headers: { 'retry-after': '1' } });
  // Listens first, because the parts need the port.
  const names = where.publicUrl === undefined ? [] : [new URL(where.publicUrl).host];
  const listening = await listen((request, context) => answer(request, context), { port: where.port, host: where.host, names });
  try {
    const origin = where.publicUrl === undefined ? listening.url : new URL(where.publicUrl).origin;
    const { page, rest, monitor, closing, relayUrl, toolsUrl, gateway } = await partsFor(origin, `${origin}${pagePath}blocklist`);
    answer = async (request, context) => {
      const { pathname } = new URL(request.url);
      if (pathname === '/' && request.method === 'GET')
        return new Response(null, { status: 302, headers: { location: pagePath } });
      if (monitorPaths.includes(pathname.replace(/\/$/, ''))) return monitor(request, context);
      return `${pathname}/`.startsWith(pagePath) ? page(request, context) : rest(request, context);
    };
    return {
      url: origin,
      listening: listening.url,
      pageUrl: origin + pagePath,
      relayUrl,
      toolsUrl,
      gateway: gateway && { url: origin + gatewayPath, keyList: toBase64(gateway.keyList()) },
      async close(options) {
        await listening.close(options);
        for (const part of closing) await part.close();
      },
    };
  } catch (error) {
    await listening.close();
    throw error;
  }
}

/** Says whether a published list can be served, and how many entries it has. */
export function publishedMonitor(
  answer: (request: Request, context: object) => Promise<Response>,
  origin: string,
  more: () => readonly Metric[] = () => [],
) {
  return async (request: Request): Promise<Response> => {
    const { method } = request;
    if (method !== 'GET' && method !== 'HEAD') return new Response(null, { status: 405, headers: { allow: 'GET, HEAD' } });
    const entries = await entriesOf(await answer(new Request(`${origin}/version.json`), {}));
    const response = new URL(request.url).pathname.startsWith('/healthz') ? healthOf(entries) : metricsOf(entries, more());
    return method === 'GET' ? response : new Response(null, response);
  };
}

/** `null` if the list cannot be read. */
async function entriesOf(response: Response): Promise<number | null> {
  if (!response.ok) return null;
  try {
    const version = (await response.json()) as { snapshot: { count: number }; recent: { count: number }; covers?: number };
    return version.snapshot.count - (version.covers ?? 0) + version.recent.count;
  } catch {
    return null;
  }
}

function healthOf(entries: number | null): Response {
  const isReady = entries !== null;
  const body = { ready: isReady, status: isReady ? 'ready' : 'no-list' };
  return Response.json(body, { status: isReady ? 200 : 503, headers: { 'cache-control': 'no-store' } });
}

function metricsOf(entries: number | null, more: readonly Metric[]): Response {
  const loaded = { name: 'portcullis_list_loaded', type: 'gauge', help: '1 if the list can be read.' } as const;
  const size = { name: 'portcullis_list_entries', type: 'gauge', help: 'Entries of the list.' } as const;
  return openMetrics([
    { ...loaded, samples: [[{}, Number(entries !== null)]] },
    { ...size, samples: [[{}, entries ?? 0]] },
    ...more,
  ]);
}
