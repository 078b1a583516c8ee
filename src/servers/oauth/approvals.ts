import { networkOf } from '../../core/assets/web/network-of.js';
import { isThisMachine } from '../../core/http/address.js';
import { HttpRefusal } from '../../core/http/http-refusal.js';
import { approvalPage, problemPage } from './approval-page.js';
import { ApprovedAddresses } from './approved-addresses.js';
import { ExpiringMap } from './expiring-map.js';
import { KeyedRates } from './keyed-rates.js';
import { describingHost, mayRedirectTo, type OAuthClient, type OAuthClients } from './oauth-clients.js';
import { oauthError } from './oauth-error.js';
import { fieldIn, fieldsIn, formOf } from './oauth-form.js';
import { type OAuthGrants, sameResource } from './oauth-grants.js';
import { digest, randomText } from './oauth-secrets.js';
import { withParameters } from './redirect-addresses.js';
import { Seal } from './seal.js';

/** Where a request was sent: the issuer, and the addresses that tokens can be for, the default first. */
export interface Place {
  readonly issuer: string;
  readonly resources: readonly string[];
  /** The address of the sender, if the server knows it. */
  readonly sender: string | undefined;
}

/** A request of an application that waits for the user. The page holds it, sealed. */
interface Waiting {
  readonly id: string;
  readonly untilMs: number;
  readonly client: OAuthClient;
  readonly redirect: string;
  /** Whether the application named it, in which case it must do so again for the code. */
  readonly isRedirectGiven: boolean;
  readonly state: string | undefined;
  readonly resource: string;
  readonly challenge: string;
  /** The digest of the browser's cookie, so that no other browser can answer. */
  readonly browser: string;
  readonly attempts: number;
}

/** Time to read the page and to find the key. */
const waitMs = 600_000;
/** Beyond it the oldest answer is forgotten. Its page could then be sent again, but only by the same browser and with the key. */
const maxAnswered = 10_000;
/** Wrong keys for one request. */
const maxAttempts = 5;
/** More typing errors than a user makes. Keys are long random texts, so no rate lets anyone guess one. */
const wrongKeysPerMinute = 10;

const cookieName = 'portcullis-approval';

/** Asks the user to approve each connection, and sends a code to the application. */
export class Approvals {
  private readonly seal = new Seal<Waiting>();
  private readonly approved = new ApprovedAddresses();
  private readonly answered: ExpiringMap<true>;
  private readonly wrongKeys: KeyedRates;
  private readonly clients: OAuthClients;
  private readonly grants: OAuthGrants;
  private readonly isValidKey: (key: string) => boolean;
  private readonly now: () => number;

  constructor(clients: OAuthClients, grants: OAuthGrants, isValidKey: (key: string) => boolean, now: () => number) {
    this.clients = clients;
    this.grants = grants;
    this.isValidKey = isValidKey;
    this.now = now;
    this.answered = new ExpiringMap(maxAnswered, waitMs, now);
    this.wrongKeys = new KeyedRates(wrongKeysPerMinute, now);
  }

  /** Shows the page. An error goes to the application only if the user of this browser has approved it before: it could be any page. */
  async ask(request: Request, place: Place): Promise<Response> {
    // An image or a frame of any page could otherwise make this server fetch descriptions.
    if ((request.headers.get('sec-fetch-dest') ?? 'document') !== 'document') {
      return problemPage('Open this address in a window of its own.', 403);
    }
    const fields = fieldsIn(new URL(request.url).searchParams);
    const client = await this.clients.find(fieldIn(fields, 'client_id'), place.sender);
    const given = fields.get('redirect_uri');
    const redirect = given ?? (client.redirects.length === 1 ? client.redirects[0]! : '');
    if (!mayRedirectTo(client, redirect)) {
      throw oauthError('invalid_request', 'The redirect_uri is not one that the application registered.');
    }
    const state = fields.get('state');
    try {
      const [challenge, resource] = [challengeIn(fields), resourceIn(fields, place)];
      // Other characters make the sealed request several times as long.
      if (!/^[ -~]*$/.test(state ?? '')) throw oauthError('invalid_request', 'state must be printable ASCII.');
      const browser = cookieOf(request) ?? randomText();
      const named = { client, redirect, isRedirectGiven: given !== undefined, state, resource, challenge };
      return this.show({ ...named, ...this.newWait(), browser: digest(browser), attempts: 0 }, place, browser);
    } catch (error) {
      if (!(error instanceof HttpRefusal) || !this.approved.includes(request, client, redirect)) throw error;
      return sendTo(redirect, { error: error.code, error_description: error.message, state, iss: place.issuer });
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
    const fields = await formOf(request, 'nonce');
    const question = this.seal.open(fields.get('nonce') ?? '');
    const browser = cookieOf(request);
    if (question === undefined || !this.isWaiting(question) || browser === undefined || digest(browser) !== question.browser) {
      return problemPage('This request was answered or has expired. Start again in the application.');
    }
    const { client, redirect, isRedirectGiven, state, resource, challenge } = question;
    const apiKey = fields.get('key')?.trim() ?? '';
    const isAllowed = fields.get('decision') === 'allow';
    if (isAllowed && !this.isValidKey(apiKey)) {
      try {
        // The right key always passes: other senders must not lock its owner out.
        this.wrongKeys.take(networkOf(place.sender ?? ''), 'Too many wrong keys.');
      } catch (error) {
        if (!(error instanceof HttpRefusal)) throw error;
        return this.show(question, place, browser, error);
      }
    }
    // Whatever the answer is now, it is the only one.
    this.answered.set(question.id, true);
    if (!isAllowed) return this.denied(request, question, place);
    if (!this.isValidKey(apiKey)) return this.askAgain(request, question, place, browser);
    this.clients.approve(client, apiKey);
    const approval = { clientId: client.id, redirect, isRedirectGiven, resource, challenge, apiKey };
    const answer = sendTo(redirect, { code: this.grants.codeFor(approval), state, iss: place.issuer });
    answer.headers.append('set-cookie', this.approved.with(request, client, redirect, place.issuer.startsWith('https:')));
    return answer;
  }

  clear(): void {
    this.seal.change();
    this.approved.clear();
    this.answered.clear();
  }

  private newWait(): Pick<Waiting, 'id' | 'untilMs'> {
    return { id: randomText(), untilMs: this.now() + waitMs };
  }

  private isWaiting({ id, untilMs }: Waiting): boolean {
    return this.now() < untilMs && this.answered.get(id) === undefined;
  }

  private askAgain(request: Request, question: Waiting, place: Place, browser: string): Response {
    const attempts = question.attempts + 1;
    if (attempts >= maxAttempts) return this.denied(request, question, place);
    return this.show({ ...question, ...this.newWait(), attempts }, place, browser, wrongKey);
  }

  /** A program on this device waits for the answer. Any other address is a stranger's until this user approves it. */
  private denied(request: Request, { client, redirect, state }: Waiting, { issuer }: Place): Response {
    if (!this.approved.includes(request, client, redirect) && !isThisMachine(new URL(redirect).hostname)) {
      return problemPage('The application was denied, and gets nothing. You can close this page.', 403);
    }
    return sendTo(redirect, { error: 'access_denied', state, iss: issuer });
  }

  private show(question: Waiting, { issuer }: Place, browser: string, problem?: HttpRefusal): Response {
    const nonce = this.seal.close(question);
    const secure = issuer.startsWith('https:') ? '; Secure' : '';
    // With Strict, a link from another site would replace the cookie, and end a request that waits in another tab.
    const cookie = `${cookieName}=${browser}; Path=/oauth/authorize; HttpOnly; SameSite=Lax; Max-Age=${waitMs / 1_000}${secure}`;
    const { client, redirect, resource } = question;
    const shown = { application: client.name, describedBy: describingHost(client), redirect, resource, nonce };
    return approvalPage({ ...shown, problem }, cookie);
  }
}

const wrongKey = oauthError('access_denied', 'This key is not valid.');

/** The cookie of an earlier request, so that two can wait in one browser. */
const cookieOf = (request: Request): string | undefined =>
  /(?:^|; )portcullis-approval=([\w-]{43})(?:;|$)/.exec(request.headers.get('cookie') ?? '')?.[1];

function challengeIn(fields: ReadonlyMap<string, string>): string {
  if (fields.get('response_type') !== 'code') throw oauthError('unsupported_response_type', 'response_type must be code.');
  const challenge = fieldIn(fields, 'code_challenge');
  // A missing method means `plain`, which does not help once the request has leaked.
  if (fields.get('code_challenge_method') !== 'S256') throw oauthError('invalid_request', 'code_challenge_method must be S256.');
  if (!/^[\w-]{43}$/.test(challenge)) throw oauthError('invalid_request', 'code_challenge is malformed.');
  return challenge;
}

function resourceIn(fields: ReadonlyMap<string, string>, { resources }: Place): string {
  const given = fields.get('resource');
  const resource = given === undefined ? resources[0] : resources.find((one) => sameResource(one, given));
  if (resource === undefined) throw oauthError('invalid_target', `resource must be one of ${resources.join(', ')}.`);
  return resource;
}

/** `iss` tells a client of several servers which of them answered (RFC 9207). */
function sendTo(redirect: string, fields: Readonly<Record<string, string | undefined>>): Response {
  return new Response(null, {
    status: 303,
    headers: { location: withParameters(redirect, fields), 'cache-control': 'no-store' },
  });
}
