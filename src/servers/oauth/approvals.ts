import { TokenBucket } from '../../core/token-bucket.js';
import { approvalPage, problemPage } from './approval-page.js';
import { ExpiringMap } from './expiring-map.js';
import { mayRedirectTo, type OAuthClient, type OAuthClients } from './oauth-clients.js';
import { OAuthError } from './oauth-error.js';
import { fieldIn, fieldsIn, formOf } from './oauth-form.js';
import { type OAuthGrants, sameResource } from './oauth-grants.js';
import { digest, randomText } from './oauth-secrets.js';

/** Where a request was sent: the issuer, and the addresses that tokens can be for, the default first. */
export interface Place {
  readonly issuer: string;
  readonly resources: readonly string[];
}

/** A request of an application that waits for the user. */
interface Waiting {
  readonly client: OAuthClient;
  readonly redirect: string;
  readonly state: string | undefined;
  readonly resource: string;
  readonly challenge: string;
  /** The digest of the browser's cookie, so that no other browser can answer. */
  readonly browser: string;
  readonly attempts: number;
}

/** Time to read the page and to find the key. */
const waitMs = 600_000;
const maxWaiting = 1_000;
/** Wrong keys for one request. */
const maxAttempts = 5;
const wrongKeysPerMinute = 30;

const cookieName = 'portcullis-approval';

/** Asks the user to approve each connection, and sends a code to the application. */
export class Approvals {
  private readonly waiting: ExpiringMap<Waiting>;
  private readonly wrongKeys = new TokenBucket(wrongKeysPerMinute, { refillsOnClockBack: true });
  private readonly clients: OAuthClients;
  private readonly grants: OAuthGrants;
  private readonly isValidKey: (key: string) => boolean;
  private readonly now: () => number;

  constructor(clients: OAuthClients, grants: OAuthGrants, isValidKey: (key: string) => boolean, now: () => number) {
    this.clients = clients;
    this.grants = grants;
    this.isValidKey = isValidKey;
    this.now = now;
    this.waiting = new ExpiringMap(maxWaiting, waitMs, now);
  }

  /** Shows the page. Errors go to the application only once its redirect address is known to be its own. */
  async ask(request: Request, place: Place): Promise<Response> {
    const fields = fieldsIn(new URL(request.url).searchParams);
    const client = await this.clients.find(fieldIn(fields, 'client_id'));
    const redirect = fields.get('redirect_uri') ?? (client.redirects.length === 1 ? client.redirects[0]! : '');
    if (!mayRedirectTo(client, redirect)) {
      throw new OAuthError('invalid_request', 'The redirect_uri is not one that the application registered.');
    }
    const state = fields.get('state');
    try {
      const [challenge, resource] = [challengeIn(fields), resourceIn(fields, place)];
      const browser = cookieOf(request) ?? randomText();
      return this.show({ client, redirect, state, resource, challenge, browser: digest(browser), attempts: 0 }, place, browser);
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      return sendTo(redirect, { error: error.error, error_description: error.message, state, iss: place.issuer });
    }
  }

  /** Handles the user's answer. */
  async answer(request: Request, place: Place): Promise<Response> {
    // Only the page itself may answer. A browser that says where a form comes from says it in one of these.
    const from = request.headers.get('origin');
    const site = request.headers.get('sec-fetch-site');
    if ((from !== null && from !== place.issuer) || (site !== null && site !== 'same-origin')) {
      return problemPage('The answer comes from another page.', 403);
    }
    const fields = await formOf(request);
    const nonce = fields.get('nonce') ?? '';
    const question = this.waiting.get(nonce);
    const browser = cookieOf(request);
    if (question === undefined || browser === undefined || digest(browser) !== question.browser) {
      return problemPage('This request was answered or has expired. Start again in the application.');
    }
    // Whatever the answer is, it is the only one.
    this.waiting.delete(nonce);
    const { client, redirect, state, resource, challenge } = question;
    if (fields.get('decision') !== 'allow') return sendTo(redirect, { error: 'access_denied', state, iss: place.issuer });
    const apiKey = fields.get('key')?.trim() ?? '';
    if (!this.isValidKey(apiKey)) return this.askAgain(question, place, browser);
    this.clients.keep(client);
    const code = this.grants.codeFor({ clientId: client.id, redirect, resource, challenge, apiKey });
    return sendTo(redirect, { code, state, iss: place.issuer });
  }

  clear(): void {
    this.waiting.clear();
  }

  private askAgain(question: Waiting, place: Place, browser: string): Response {
    const attempts = question.attempts + 1;
    const { redirect, state } = question;
    if (attempts >= maxAttempts) return sendTo(redirect, { error: 'access_denied', state, iss: place.issuer });
    if (this.wrongKeys.take(1, this.now()) > 0) return problemPage('Too many wrong keys. Try again in a minute.', 429);
    return this.show({ ...question, attempts }, place, browser, 'This key is not valid.');
  }

  private show(question: Waiting, { issuer }: Place, browser: string, problem?: string): Response {
    const nonce = randomText();
    this.waiting.set(nonce, question);
    const secure = issuer.startsWith('https:') ? '; Secure' : '';
    const cookie = `${cookieName}=${browser}; Path=/oauth/authorize; HttpOnly; SameSite=Strict; Max-Age=${waitMs / 1_000}${secure}`;
    const { client, redirect, resource } = question;
    return approvalPage({ application: client.name, redirect, resource, nonce, problem }, cookie);
  }
}

/** The cookie of an earlier request, so that two can wait in one browser. */
const cookieOf = (request: Request): string | undefined =>
  /(?:^|; )portcullis-approval=([\w-]{43})(?:;|$)/.exec(request.headers.get('cookie') ?? '')?.[1];

function challengeIn(fields: ReadonlyMap<string, string>): string {
  if (fields.get('response_type') !== 'code') throw new OAuthError('unsupported_response_type', 'response_type must be code.');
  const challenge = fieldIn(fields, 'code_challenge');
  // Without a method it would be `plain`, which protects nobody whose request was seen.
  if (fields.get('code_challenge_method') !== 'S256')
    throw new OAuthError('invalid_request', 'code_challenge_method must be S256.');
  if (!/^[\w-]{43}$/.test(challenge)) throw new OAuthError('invalid_request', 'code_challenge is malformed.');
  return challenge;
}

function resourceIn(fields: ReadonlyMap<string, string>, { resources }: Place): string {
  const given = fields.get('resource');
  const resource = given === undefined ? resources[0] : resources.find((one) => sameResource(one, given));
  if (resource === undefined) throw new OAuthError('invalid_target', `resource must be one of ${resources.join(', ')}.`);
  return resource;
}

/** `iss` tells a client of several servers which of them answered (RFC 9207). */
function sendTo(redirect: string, fields: Readonly<Record<string, string | undefined>>): Response {
  const url = new URL(redirect);
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) url.searchParams.set(name, value);
  return new Response(null, { status: 303, headers: { location: url.href, 'cache-control': 'no-store' } });
}
