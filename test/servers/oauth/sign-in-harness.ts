import { createHash } from 'node:crypto';
import { createService, type ServedService, type ServerOptions } from 'portcullis/testing';
import { onTestFinished } from 'vitest';

export const origin = 'http://localhost:4040';
export const redirect = 'http://127.0.0.1:9999/callback';
export const verifier: string = 'v'.repeat(43);
export const challenge: string = createHash('sha256').update(verifier).digest('base64url');

/** A service with a clock that the test moves. */
export function startService(options: ServerOptions = {}): ServedService {
  const service = createService({ oauth: true, ...options });
  onTestFinished(() => service.close());
  return service;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // The answers of a server under test have any form.
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly json: any;
}

/** `address`: where the request comes from, as `listen` passes it. */
export type Sent = RequestInit & { readonly address?: string | undefined };

export async function send(service: ServedService, path: string, init?: Sent): Promise<Answered> {
  const response = await service.fetch(new URL(path, origin).href, { redirect: 'manual', ...init });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
}

export const sendForm = (
  service: ServedService,
  path: string,
  fields: Record<string, string>,
  headers = {},
  address?: string,
): Promise<Answered> => send(service, path, { method: 'POST', body: new URLSearchParams(fields), headers, address });

export const register = (
  service: ServedService,
  metadata: unknown = { client_name: 'Host', redirect_uris: [redirect] },
  { headers, ...more }: Sent = {},
): Promise<Answered> =>
  send(service, '/oauth/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(headers as Record<string, string>) },
    body: typeof metadata === 'string' ? metadata : JSON.stringify(metadata),
    ...more,
  });

export function question(clientId: string, change: Record<string, string | undefined> = {}): string {
  const fields = {
    client_id: clientId,
    redirect_uri: redirect,
    response_type: 'code',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'xyz',
    ...change,
  };
  const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `/oauth/authorize?${new URLSearchParams(given)}`;
}

/** What the page would send. */
export interface Page extends Answered {
  readonly nonce: string;
  readonly cookie: string;
}

export async function ask(service: ServedService, url: string): Promise<Page> {
  return pageOf(await send(service, url));
}

export function pageOf(answer: Answered): Page {
  const nonce = /name="nonce" value="([^"]+)"/.exec(answer.text)?.[1] ?? '';
  return { ...answer, nonce, cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' };
}

/** The cookie that a browser keeps of an answer. */
export const cookieOf = ({ headers }: Answered): string => headers.get('set-cookie')!.split(';')[0]!;

export const decide = (
  service: ServedService,
  { nonce, cookie }: Pick<Page, 'nonce' | 'cookie'>,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
  address?: string,
): Promise<Answered> =>
  sendForm(
    service,
    '/oauth/authorize',
    { nonce, decision: 'allow', key: service.key, ...fields },
    { cookie, ...headers },
    address,
  );

/** What the application receives. */
export const sentTo = ({ headers }: Answered): Record<string, string> =>
  Object.fromEntries(new URL(headers.get('location') ?? 'none:').searchParams);

/** A code for a new application. */
export async function codeOf(service: ServedService, change: Record<string, string | undefined> = {}) {
  const clientId: string = (await register(service)).json.client_id;
  const { code } = sentTo(await decide(service, await ask(service, question(clientId, change))));
  return { clientId, code: code! };
}

export const exchange = (service: ServedService, code: string, clientId: string, change: Record<string, string> = {}) =>
  sendForm(service, '/oauth/token', {
    grant_type: 'authorization_code',
    code,
    client_id: clientId,
    redirect_uri: redirect,
    code_verifier: verifier,
    ...change,
  });

export const refresh = (service: ServedService, token: string, clientId: string, change: Record<string, string> = {}) =>
  sendForm(service, '/oauth/token', { grant_type: 'refresh_token', refresh_token: token, client_id: clientId, ...change });

/** Tokens of a new sign-in. */
export async function signIn(service: ServedService, change: Record<string, string | undefined> = {}) {
  const { clientId, code } = await codeOf(service, change);
  const { json } = await exchange(service, code, clientId);
  return { clientId, code, access: json.access_token as string, refreshToken: json.refresh_token as string };
}
