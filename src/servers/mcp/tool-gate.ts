import { isKey } from '../../core/http/api-key.js';
import { errorMessage } from './protocol-message.js';
import type { ToolServerSettings } from './tool-server-options.js';

/** Either the key of a request (`undefined` if none is needed), or the response that rejects it. */
export type Entrance = { readonly apiKey: string | undefined } | { readonly rejection: Response };

/** Checks where a request comes from and whose it is, before its body is read. The library for the protocol checks none of this. */
export async function enter(request: Request, settings: ToolServerSettings): Promise<Entrance> {
  const { hosts, origins, clientFor, verifyToken } = settings;
  // A page whose name resolves to this machine would otherwise reach the server as if it were local.
  if (!hosts.includes(new URL(request.url).hostname.toLowerCase())) return reject(403, 'host not allowed; set the option hosts');
  if (!isOwnOrigin(request) && !isAllowed(request.headers.get('origin'), origins)) {
    return reject(403, 'origin not allowed; set the option origins');
  }
  if (request.method === 'OPTIONS') return { rejection: new Response(null, { status: 204 }) };
  // Checked before the credentials, so that a client that asks for a stream gets 405, not 401.
  if (request.method !== 'POST') return { rejection: rejectionOf(405, 'only POST is supported', { allow: 'POST, OPTIONS' }) };
  if (clientFor === undefined) return { apiKey: undefined };
  const key = request.headers.get('x-api-key');
  const [, token] = /^bearer +([!-~]{1,4096})$/i.exec(request.headers.get('authorization') ?? '') ?? [];
  const given = key ?? token;
  if (given === undefined) return challenge(request, settings, 'credentials are missing');
  if (!isKey(given)) return challenge(request, settings, 'the key is malformed');
  // Whichever header has it: the service would take a token that is for its API.
  const apiKey = verifyToken === undefined ? given : await verifyToken(given, request.url);
  if (apiKey !== null && isKey(apiKey)) return { apiKey };
  return challenge(request, settings, 'the key or token is invalid or has expired', key === null);
}

/** A page of this very server, whose name has been checked. */
const isOwnOrigin = (request: Request): boolean => request.headers.get('origin') === new URL(request.url).origin;

/** Other programs than browsers send no origin. */
const isAllowed = (origin: string | null, origins: readonly string[]): boolean =>
  origin === null || origins.includes(origin.toLowerCase());

/** @param isToken Whether a bearer token was refused, which RFC 6750 has a code for */
function challenge(
  request: Request,
  { resourceMetadataUrl, verifyToken }: ToolServerSettings,
  problem: string,
  isToken = false,
): Entrance {
  const parts = [
    ...(isToken ? ['error="invalid_token"'] : []),
    ...(resourceMetadataUrl === undefined ? [] : [`resource_metadata="${new URL(resourceMetadataUrl, request.url).href}"`]),
  ];
  const accepted = `send ${verifyToken === undefined ? 'a key' : 'a key or a token'} in the header x-api-key, or as authorization: Bearer`;
  return {
    rejection: rejectionOf(401, `${problem}; ${accepted}`, {
      'www-authenticate': ['Bearer', parts.join(', ')].join(' ').trim(),
    }),
  };
}

const reject = (status: number, message: string): Entrance => ({ rejection: rejectionOf(status, message) });

/** The HTTP status is its code, which is outside the range that the protocol reserves. */
export function rejectionOf(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json(errorMessage(status, message), { status, headers });
}

/** Lets the page of an allowed origin read the response. */
export function withCors(response: Response, request: Request, { origins }: ToolServerSettings): Response {
  const origin = request.headers.get('origin');
  if (origin === null || !origins.includes(origin.toLowerCase())) return response;
  const { headers } = response;
  headers.set('access-control-allow-origin', origin);
  headers.append('vary', 'origin');
  headers.set('access-control-expose-headers', 'WWW-Authenticate');
  if (request.method === 'OPTIONS') {
    headers.set('access-control-allow-methods', 'POST');
    headers.set(
      'access-control-allow-headers',
      'authorization, content-type, mcp-method, mcp-name, mcp-protocol-version, x-api-key',
    );
    headers.set('access-control-max-age', '600');
  }
  return response;
}
