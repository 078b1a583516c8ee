import { networkOf } from '../../core/assets/web/network-of.js';
import { replaceHidden, replaceTowers } from '../../core/visible-text.js';
import { ExpiringMap } from './expiring-map.js';
import { KeyedRates } from './keyed-rates.js';
import { invalidRequest, oauthError } from './oauth-error.js';
import { digest, randomText } from './oauth-secrets.js';
import { isRedirectAddress, isSameRedirect } from './redirect-addresses.js';
import { Seal } from './seal.js';

/** An application that asks users to sign in. Whatever it says of itself is unverified. */
export interface OAuthClient {
  readonly id: string;
  /** Safe to show. */
  readonly name: string;
  readonly redirects: readonly string[];
}

/** Fetches the document that describes a client. It refuses addresses of private networks. */
export type FetchDocument = (url: string) => Promise<FetchedDocument>;

export interface FetchedDocument {
  readonly status: number;
  readonly text: string;
  /** The `Content-Type`, empty if the server sent none. If it is given, only JSON describes a client, because hosts also store what strangers upload. */
  readonly contentType?: string | undefined;
}

/** More than any application has. */
const maxRedirects = 10;
const maxNameLength = 80;
/** In all redirect addresses of one application, which are a part of its id; an id must fit in the parameter of an address. */
const maxRedirectChars = 1_000;

/** As long as a sign-in can be renewed, with time to spare. */
const registeredMs = 90 * 24 * 3_600_000;
/** Far more applications than anyone uses: about 2 MB. Only users with a key fill it. */
const maxApproved = 10_000;
/** A client document may change. */
const documentMs = 300_000;
/** Of approved applications, and as many of others: strangers displace only one another's. */
const maxDocuments = 1_000;
/**
 * Of one network, or of an approved application: each is a request to a server that a stranger chose. A limit of a host would let strangers
 * lock out its users.
 */
const documentsPerMinute = 10;

interface Registration extends Pick<OAuthClient, 'name' | 'redirects'> {
  readonly atMs: number;
  /** Two applications that say the same of themselves are two. */
  readonly nonce: string;
}

/** The applications that this server knows: registered ones (RFC 7591), and those whose id is the address of their description. */
export class OAuthClients {
  /** The id of a registered one is what it registered, so that nothing is kept for a stranger. */
  private readonly seal = new Seal<Registration>();
  /** The keys of the users who approved them first, by the digest of the id. */
  private readonly approved: ExpiringMap<string>;
  private readonly approvedDocuments: ExpiringMap<OAuthClient>;
  private readonly otherDocuments: ExpiringMap<OAuthClient>;
  /** Descriptions that are being fetched. */
  private readonly running = new Map<string, Promise<OAuthClient>>();
  private readonly fetches: KeyedRates;
  private readonly now: () => number;
  private readonly fetchDocument: FetchDocument;

  constructor(now: () => number, fetchDocument: FetchDocument) {
    this.fetchDocument = fetchDocument;
    this.now = now;
    this.approved = new ExpiringMap(maxApproved, registeredMs, now, (apiKey) => apiKey);
    this.approvedDocuments = new ExpiringMap(maxDocuments, documentMs, now);
    this.otherDocuments = new ExpiringMap(maxDocuments, documentMs, now);
    this.fetches = new KeyedRates(documentsPerMinute, now);
  }

  /** Registers a client. All are public: what an application on a user's device keeps is no secret. */
  register(text: string): OAuthClient {
    const { name, redirects } = described(parsed(text));
    return { id: this.seal.close({ name, redirects, atMs: this.now(), nonce: randomText().slice(0, 22) }), name, redirects };
  }

  async find(id: string, sender: string | undefined): Promise<OAuthClient> {
    if (!isDocumentAddress(id)) return this.registered(id);
    const key = digest(id);
    const isApproved = this.approved.get(key) !== undefined;
    const documents = isApproved ? this.approvedDocuments : this.otherDocuments;
    const known = documents.get(key) ?? this.running.get(key);
    if (known !== undefined) return known;
    // An approved one has a rate of its own, which strangers can spend only while it has no description anyway.
    if (isApproved) this.fetches.take(key, 'Too many requests for this application.');
    else this.fetches.take(networkOf(sender ?? ''), 'Too many unknown applications.');
    const fetching = this.describe(id).finally(() => this.running.delete(key));
    this.running.set(key, fetching);
    const client = await fetching;
    documents.set(key, client);
    return client;
  }

  /** A user with a key has approved it: its description is fetched whatever else strangers ask for. */
  approve({ id }: OAuthClient, apiKey: string): void {
    // A registered one is never fetched.
    if (!isDocumentAddress(id)) return;
    const key = digest(id);
    this.approved.set(key, this.approved.get(key) ?? apiKey);
  }

  clear(): void {
    this.seal.change();
    this.approved.clear();
    this.approvedDocuments.clear();
    this.otherDocuments.clear();
  }

  private registered(id: string): OAuthClient {
    const registration = this.seal.open(id);
    if (registration === undefined || this.now() - registration.atMs > registeredMs) {
      throw oauthError('invalid_client', 'The application is not registered. Connect it again.');
    }
    const { name, redirects } = registration;
    return { id, name, redirects };
  }

  private async describe(id: string): Promise<OAuthClient> {
    let answer: FetchedDocument;
    try {
      answer = await this.fetchDocument(id);
    } catch {
      // The reason would tell strangers what this server can reach.
      throw oauthError('invalid_client', 'The description of the application cannot be fetched.');
    }
    if (answer.status !== 200) throw oauthError('invalid_client', 'The description of the application is not there.');
    if (!isJson.test(answer.contentType ?? 'application/json')) {
      throw oauthError('invalid_client', 'The description of the application is not served as application/json.');
    }
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

const isJson = /^application\/(?:[\w!#$&^.+-]+\+)?json\s*(?:;|$)/i;

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
  const chars = redirects.reduce<number>((sum, one) => sum + (typeof one === 'string' ? one.length : 0), 0);
  if (chars > maxRedirectChars) {
    throw oauthError('invalid_redirect_uri', `All redirect_uris together must have at most ${maxRedirectChars} characters.`);
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

/** Without what could hide, reorder or cover the text around it. */
function shown(name: string): string {
  const text = replaceHidden(name.slice(0, 4 * maxNameLength).normalize('NFC'), () => ' ').replace(/ +/g, ' ');
  const short = Array.from(replaceTowers(text, () => ''))
    .slice(0, maxNameLength)
    .join('')
    .trim();
  // Marks alone are drawn on something else.
  return /[^\p{M} ]/u.test(short) ? short : 'An application without a name';
}
