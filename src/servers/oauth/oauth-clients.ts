import { AddressRates, type Rates } from './address-rates.js';
import { ExpiringMap } from './expiring-map.js';
import { invalidRequest, oauthError } from './oauth-error.js';
import { randomText } from './oauth-secrets.js';
import { isRedirectAddress, isSameRedirect } from './redirect-addresses.js';

/** An application that asks users to sign in. Whatever it says of itself is unverified. */
export interface OAuthClient {
  readonly id: string;
  /** Safe to show. */
  readonly name: string;
  readonly redirects: readonly string[];
}

/** Fetches the document that describes a client. It refuses addresses of private networks. */
export type FetchDocument = (url: string) => Promise<{ readonly status: number; readonly text: string }>;

/** More than any application has. */
const maxRedirects = 10;
const maxNameLength = 80;

/** Far more applications than anyone uses. Strangers who register more displace only one another's. */
const maxClients = 1_000;
const hourMs = 3_600_000;
/** As long as a sign-in can be renewed, with time to spare. */
const usedMs = 90 * 24 * hourMs;
/** A client document may change. */
const documentMs = 300_000;
/** A host registers once. In ten minutes, the time to approve one, all together displace only their own. */
const registrationsPerMinute: Rates = { each: 20, total: 60 };
/** Each is a request to a server that a stranger chose. */
const documentsPerMinute: Rates = { each: 10, total: 30 };

/** The applications that this server knows: registered ones (RFC 7591), and those whose id is the address of their description. */
export class OAuthClients {
  /** Registered, but no user has approved one yet: what a stranger can fill. */
  private readonly fresh: ExpiringMap<OAuthClient>;
  private readonly used: ExpiringMap<OAuthClient>;
  private readonly documents: ExpiringMap<OAuthClient>;
  private readonly registrations: AddressRates;
  private readonly fetches: AddressRates;
  private readonly fetchDocument: FetchDocument;

  constructor(now: () => number, fetchDocument: FetchDocument) {
    this.fetchDocument = fetchDocument;
    this.fresh = new ExpiringMap(maxClients, hourMs, now);
    this.used = new ExpiringMap(maxClients, usedMs, now);
    this.documents = new ExpiringMap(maxClients, documentMs, now);
    this.registrations = new AddressRates(registrationsPerMinute, now);
    this.fetches = new AddressRates(documentsPerMinute, now);
  }

  /** Registers a client. All are public: what an application on a user's device keeps is no secret. */
  register(text: string, sender: string | undefined, isPage: boolean): OAuthClient {
    // A page that someone visits has the address of that person, whose own programs it must not lock out.
    this.registrations.take(sender, 'Too many registrations.', isPage ? ' page' : '');
    const client = { id: randomText(), ...described(parsed(text)) };
    this.fresh.set(client.id, client);
    return client;
  }

  async find(id: string, sender: string | undefined): Promise<OAuthClient> {
    const known = this.used.get(id) ?? this.fresh.get(id) ?? this.documents.get(id);
    if (known !== undefined) return known;
    if (!isDocumentAddress(id)) throw oauthError('invalid_client', 'The application is not registered. Connect it again.');
    this.fetches.take(sender, 'Too many unknown applications.');
    const client = await this.describe(id);
    this.documents.set(id, client);
    return client;
  }

  /** A user has approved it. */
  keep(client: OAuthClient): void {
    // Its description may change, so it is only ever kept for a few minutes.
    if (isDocumentAddress(client.id)) return;
    this.fresh.delete(client.id);
    this.used.set(client.id, client);
  }

  clear(): void {
    for (const clients of [this.fresh, this.used, this.documents]) clients.clear();
  }

  private async describe(id: string): Promise<OAuthClient> {
    let answer: { readonly status: number; readonly text: string };
    try {
      answer = await this.fetchDocument(id);
    } catch {
      // The reason would tell strangers what this server can reach.
      throw oauthError('invalid_client', 'The description of the application cannot be fetched.');
    }
    if (answer.status !== 200) throw oauthError('invalid_client', 'The description of the application is not there.');
    const document = parsed(answer.text);
    if (document['client_id'] !== id) {
      throw oauthError('invalid_client', 'The description of the application is that of another one.');
    }
    if ((document['token_endpoint_auth_method'] ?? 'none') !== 'none') {
      throw oauthError('invalid_client', 'Only token_endpoint_auth_method none is supported.');
    }
    return { id, ...described(document) };
  }
}

export const mayRedirectTo = ({ redirects }: OAuthClient, given: string): boolean =>
  isRedirectAddress(given) && redirects.some((redirect) => isSameRedirect(redirect, given));

/** The host that a client's description came from, if its id is the address of one. Only that host could publish it. */
export const describingHost = ({ id }: OAuthClient): string | undefined => (isDocumentAddress(id) ? new URL(id).host : undefined);

/** `http` as well, which only a fetch that allows private addresses accepts. The path tells it from the id of an origin. */
function isDocumentAddress(id: string): boolean {
  if (!/^https?:\/\//.test(id) || !URL.canParse(id)) return false;
  const { href, pathname, hash } = new URL(id);
  return href === id && pathname !== '/' && hash === '';
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw oauthError('invalid_client_metadata', 'The description of the application is not a JSON object.');
}

function described(metadata: Readonly<Record<string, unknown>>): Pick<OAuthClient, 'name' | 'redirects'> {
  const { client_name: name = 'An application', redirect_uris: redirects } = metadata;
  if (!Array.isArray(redirects) || redirects.length === 0 || redirects.length > maxRedirects) {
    throw oauthError('invalid_redirect_uri', `Send redirect_uris with 1 to ${maxRedirects} addresses.`);
  }
  for (const redirect of redirects) {
    if (typeof redirect !== 'string' || !isRedirectAddress(redirect)) {
      throw oauthError(
        'invalid_redirect_uri',
        'A redirect URI must use https, or http to this device, and have no fragment, user name or unescaped special character.',
      );
    }
  }
  if (typeof name !== 'string') throw invalidRequest('client_name must be a string.');
  return { name: shown(name), redirects: redirects as string[] };
}

/** Without what could hide or reorder the text around it. */
const shown = (name: string): string =>
  Array.from(name.slice(0, 4 * maxNameLength).replace(/[\p{C}\p{Z}]+/gu, ' '))
    .slice(0, maxNameLength)
    .join('')
    .trim() || 'An application without a name';
