import { isThisMachine } from '../../core/http/address.js';
import { HttpRefusal } from '../../core/http/http-refusal.js';
import { forwardedFor } from '../http/forwarded-for.js';
import { problemPage } from './approval-page.js';
import { Approvals, type Place } from './approvals.js';
import { type FetchDocument, OAuthClients } from './oauth-clients.js';
import { invalidRequest, oauthError } from './oauth-error.js';
import { fieldIn, formOf, formText } from './oauth-form.js';
import { OAuthGrants, type Tokens } from './oauth-grants.js';

/** Options of `createAuthorizationServer`. */
export interface AuthorizationServerOptions {
  /** The origin that clients use. Without it, the origin of each request, which must be this device. */
  readonly issuer?: string | undefined;
  /** The paths of the resources that tokens can be issued for, the default first. */
  readonly resourcePaths: readonly string[];
  /** The number of own proxies that append to `X-Forwarded-For`. */
  readonly trustForwardedFor?: number | undefined;
  /** Whether this is the key of a user. */
  readonly isValidKey: (key: string) => boolean;
  readonly now: () => number;
  readonly fetchDocument: FetchDocument;
}

/** Lets users sign in: an application gets tokens in place of the user's key. */
export interface AuthorizationServer {
  /** Answers a request to one of its paths, and `null` for any other. */
  fetch(request: Request, sender: string | undefined): Promise<Response | null>;
  /** The key behind an access token for the resource at this address, or `null`. */
  keyFor(token: string, url: string): string | null;
  /** Ends all sign-ins. */
  clear(): void;
}

const serverMetadata = '/.well-known/oauth-authorization-server';
const resourceMetadata = '/.well-known/oauth-protected-resource';

type Answer = (request: Request, place: Place) => Promise<Response> | Response;

/** An OAuth 2.1 authorization server for public clients: codes with PKCE, and a user who approves each connection. */
export function createAuthorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const { issuer, resourcePaths, trustForwardedFor, isValidKey, now, fetchDocument } = options;
  const clients = new OAuthClients(now, fetchDocument);
  const grants = new OAuthGrants(now);
  const approvals = new Approvals(clients, grants, isValidKey, now);

  async function register(request: Request): Promise<Response> {
    // Browsers send a form without asking this server first, but not JSON.
    if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '')) {
      throw invalidRequest('The Content-Type must be application/json.');
    }
    const { id, name, redirects } = clients.register(await formText(request));
    return json(
      {
        client_id: id,
        client_id_issued_at: Math.floor(now() / 1_000),
        client_name: name,
        redirect_uris: redirects,
        grant_types: grantTypes,
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
      201,
    );
  }

  async function exchange(request: Request): Promise<Response> {
    const fields = await formOf(request);
    const [kind, clientId] = [fieldIn(fields, 'grant_type'), fieldIn(fields, 'client_id')];
    const resource = fields.get('resource');
    if (kind === 'authorization_code') {
      const [code, verifier] = [fieldIn(fields, 'code'), fieldIn(fields, 'code_verifier')];
      return tokens(grants.exchange(code, { clientId, redirect: fields.get('redirect_uri'), verifier, resource }));
    }
    if (kind === 'refresh_token') return tokens(grants.refresh(fieldIn(fields, 'refresh_token'), { clientId, resource }));
    throw oauthError('unsupported_grant_type', `grant_type must be ${grantTypes.join(' or ')}.`);
  }

  async function revoke(request: Request): Promise<Response> {
    const fields = await formOf(request);
    // The same answer for tokens that do not exist (RFC 7009).
    grants.revoke(fieldIn(fields, 'token'), fieldIn(fields, 'client_id'));
    return json({});
  }

  const routes: Readonly<Record<string, Readonly<Record<string, Answer>>>> = {
    [serverMetadata]: { GET: (_, place) => json(metadataOf(place)) },
    [resourceMetadata]: { GET: (_, place) => json(resourceOf(place, place.resources[0]!)) },
    ...Object.fromEntries(
      resourcePaths
        .filter((path) => path !== '/')
        .map((path) => [
          `${resourceMetadata}${path}`,
          { GET: (_: Request, place: Place) => json(resourceOf(place, place.issuer + path)) },
        ]),
    ),
    '/oauth/register': { POST: register },
    '/oauth/token': { POST: exchange },
    '/oauth/revoke': { POST: revoke },
  };

  /** Pages of every origin may call these: they prove themselves by what they send, and no browser adds anything to that. */
  async function call(methods: Readonly<Record<string, Answer>>, request: Request, place: Place): Promise<Response> {
    const allow = `${Object.keys(methods).join(', ')}, OPTIONS`;
    if (request.method === 'OPTIONS') {
      const preflight = {
        'access-control-allow-methods': allow,
        'access-control-allow-headers': '*',
        'access-control-max-age': '600',
      };
      return new Response(null, { status: 204, headers: preflight });
    }
    const answer = methods[request.method];
    if (answer === undefined) return json({ error: 'invalid_request', error_description: `Use ${allow}.` }, 405, { allow });
    try {
      return await answer(request, place);
    } catch (error) {
      if (!(error instanceof HttpRefusal)) throw error;
      return json({ error: error.code, error_description: error.message }, error.status, error.headers);
    }
  }

  /** What the user sees. */
  async function show(request: Request, place: Place): Promise<Response> {
    try {
      if (request.method === 'GET') return await approvals.ask(request, place);
      if (request.method === 'POST') return await approvals.answer(request, place);
      return problemPage('Open this address in a browser.', 405);
    } catch (error) {
      if (!(error instanceof HttpRefusal)) throw error;
      return problemPage(error.message, error.status, error.headers);
    }
  }

  function placeOf(origin: string, sender?: string): Place | null {
    const base = issuer ?? (isThisMachine(new URL(origin).hostname) ? origin : null);
    if (base === null) return null;
    return { issuer: base, resources: resourcePaths.map((path) => base + path.replace(/^\/$/, '')), sender };
  }

  return {
    async fetch(request, sender) {
      const { pathname, origin } = new URL(request.url);
      const methods = Object.hasOwn(routes, pathname) ? routes[pathname] : undefined;
      if (methods === undefined && pathname !== '/oauth/authorize') return null;
      const place = placeOf(origin, forwardedFor(request, trustForwardedFor) || sender);
      if (place === null) return problemPage('Set oauth.issuer to the origin that clients use.', 403);
      if (methods === undefined) return show(request, place);
      const response = await call(methods, request, place);
      response.headers.set('access-control-allow-origin', '*');
      return response;
    },
    keyFor(token, url) {
      const { origin, pathname } = new URL(url);
      const place = placeOf(origin);
      if (place === null || !isServedAs(place.issuer, origin)) return null;
      return grants.keyFor(token, place.issuer + pathname.replace(/\/$/, ''));
    },
    clear() {
      clients.clear();
      grants.clear();
      approvals.clear();
    },
  };
}

/** Whether a request that has this origin was sent to the issuer. A proxy that ends TLS keeps the host, or connects to this machine by its name. */
function isServedAs(issuer: string, origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return origin === issuer || isThisMachine(hostname) || (protocol === 'http:' && hostname === new URL(issuer).hostname);
}

const grantTypes = ['authorization_code', 'refresh_token'] as const;

const metadataOf = ({ issuer }: Place): object => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  registration_endpoint: `${issuer}/oauth/register`,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: grantTypes,
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  client_id_metadata_document_supported: true,
  authorization_response_iss_parameter_supported: true,
});

const resourceOf = ({ issuer }: Place, resource: string): object => ({
  resource,
  authorization_servers: [issuer],
  bearer_methods_supported: ['header'],
});

const tokens = ({ accessToken, refreshToken, expiresInSeconds }: Tokens): Response =>
  json({ access_token: accessToken, token_type: 'Bearer', expires_in: expiresInSeconds, refresh_token: refreshToken });

const json = (value: object, status = 200, headers: Readonly<Record<string, string>> = {}): Response =>
  Response.json(value, { status, headers: { 'cache-control': 'no-store', ...headers } });
