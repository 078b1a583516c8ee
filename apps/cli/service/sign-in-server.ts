import { isLoopback } from '../../../src/core/http/address.js';
import { readBody } from '../../../src/core/http/bounded-body.js';
import { exitCodes } from '../errors/exit-codes.js';
import { UsageError } from '../errors/usage.js';
import type { StoredSignIn } from './cli-config.js';

export interface SignInServer {
  readonly issuer: string;
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  readonly registerUrl: string;
  readonly revokeUrl: string | undefined;
}

export interface ReceivedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresAtMs: number;
}

/** More than a user waits for. */
export const requestMs = 10_000;
/** A command that signs out must not seem to hang. */
const revokeMs = 5_000;
/** Several times the longest answer. */
const maxAnswerBytes = 64 * 1024;

const metadataPath = '/.well-known/oauth-authorization-server';

/** Finds the sign-in of the service at an address. Everything that it names must be at the same origin. */
export async function findSignIn(apiUrl: string, signal: AbortSignal): Promise<SignInServer> {
  const { origin, protocol, hostname } = new URL(apiUrl);
  if (protocol !== 'https:' && !isLoopback(hostname)) {
    throw new UsageError('the sign-in needs a URL with https', 'tokens would travel the network in the clear');
  }
  const { status, fields } = await ask(origin + metadataPath, { signal });
  if (status === 404) {
    throw new UsageError('the service has no sign-in for browsers', 'store a key: portcullis login < key.txt');
  }
  const at = (name: string): string => {
    const url = fields[name];
    if (typeof url === 'string' && URL.canParse(url) && new URL(url).origin === origin) return url;
    throw unusable(`${name} is not at ${origin}`);
  };
  if (status !== 200 || fields['issuer'] !== origin) throw unusable('its metadata names another address');
  const methods = fields['code_challenge_methods_supported'];
  if (!Array.isArray(methods) || !methods.includes('S256')) throw unusable('it does not support S256');
  return {
    issuer: origin,
    authorizeUrl: at('authorization_endpoint'),
    tokenUrl: at('token_endpoint'),
    registerUrl: at('registration_endpoint'),
    revokeUrl: fields['revocation_endpoint'] === undefined ? undefined : at('revocation_endpoint'),
  };
}

/** Registers this command line, which gets an id and no secret. */
export async function registerAt({ registerUrl }: SignInServer, redirect: string, signal: AbortSignal): Promise<string> {
  const body = JSON.stringify({
    client_name: 'Portcullis command line',
    redirect_uris: [redirect],
    token_endpoint_auth_method: 'none',
  });
  const headers = { 'content-type': 'application/json' };
  const { status, fields } = await ask(registerUrl, { method: 'POST', headers, body, signal });
  const id = fields['client_id'];
  if (status !== 201 || typeof id !== 'string') throw unusable('it did not register the command line');
  return id;
}

/** Tokens for a code or for a refresh token. */
export async function tokensFor(
  tokenUrl: string,
  fields: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<ReceivedTokens> {
  const { status, fields: answer } = await ask(tokenUrl, { method: 'POST', body: new URLSearchParams(fields), signal });
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = answer;
  if (answer['error'] === 'invalid_grant') throw signInEnded();
  if (status !== 200 || typeof accessToken !== 'string' || typeof refreshToken !== 'string' || !(Number(seconds) > 0)) {
    throw unusable('it gave no tokens');
  }
  return { accessToken, refreshToken, expiresAtMs: Date.now() + Number(seconds) * 1_000 };
}

/** Ends a sign-in at its service. @returns whether the service confirmed it */
export async function revoke({ revokeUrl, refreshToken, clientId }: StoredSignIn): Promise<boolean> {
  if (revokeUrl === undefined) return false;
  const body = new URLSearchParams({ token: refreshToken, token_type_hint: 'refresh_token', client_id: clientId });
  try {
    return (await ask(revokeUrl, { method: 'POST', body, signal: AbortSignal.timeout(revokeMs) })).status === 200;
  } catch {
    return false;
  }
}

const signInEnded = (): UsageError =>
  new UsageError('the sign-in has ended', 'sign in again: portcullis login --browser', {
    code: 'UNAUTHORIZED',
    exitCode: exitCodes.authentication,
  });

const unusable = (why: string): UsageError =>
  new UsageError(`the sign-in of the service cannot be used: ${why}`, 'store a key: portcullis login < key.txt', {
    code: 'INVALID_RESPONSE',
    exitCode: exitCodes.network,
  });

async function ask(url: string, init: RequestInit & { readonly signal: AbortSignal }) {
  let response: Response;
  try {
    const signal = AbortSignal.any([init.signal, AbortSignal.timeout(requestMs)]);
    response = await fetch(url, { ...init, redirect: 'error', signal });
  } catch (cause) {
    init.signal.throwIfAborted();
    throw new UsageError('the sign-in of the service does not answer', 'try again later', {
      code: cause instanceof DOMException && cause.name === 'TimeoutError' ? 'TIMEOUT' : 'NETWORK',
      exitCode: exitCodes.network,
    });
  }
  return { status: response.status, fields: await fieldsOf(response) };
}

async function fieldsOf(response: Response): Promise<Readonly<Record<string, unknown>>> {
  try {
    const bytes = await readBody(response, { maxBytes: maxAnswerBytes, tooLarge: () => new Error('too large') });
    return Object(JSON.parse(new TextDecoder().decode(bytes))) as Record<string, unknown>;
  } catch {
    // Not an answer of a sign-in, whatever its status.
    return {};
  }
}
