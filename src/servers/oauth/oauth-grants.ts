import type { HttpRefusal } from '../../core/http/http-refusal.js';
import { ExpiringMap } from './expiring-map.js';
import { oauthError } from './oauth-error.js';
import { digest, isSignature, provesChallenge, randomText, signatureOf } from './oauth-secrets.js';

/** What a user approved: this application may act with this key at this address. */
export interface Approval {
  readonly clientId: string;
  readonly resource: string;
  readonly apiKey: string;
}

/** An approval, with the PKCE challenge that binds its code to the client that started the request. */
export interface CodeApproval extends Approval {
  readonly redirect: string;
  /** Whether the request named it; then the exchange must do so, too. */
  readonly isRedirectGiven: boolean;
  readonly challenge: string;
}

/** Tokens for an application. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresInSeconds: number;
}

/** A sign-in. Its tokens are numbered and signed, so that none has to be kept to be known again, however old it is. */
interface Grant extends Approval {
  /** The number of the current pair of tokens. */
  readonly number: number;
  /** When the latest pairs were issued, the newest first. */
  readonly issuedMs: readonly number[];
}

interface Token {
  readonly kind: string;
  readonly grantId: string;
  readonly number: number;
}

interface Code {
  readonly approval: CodeApproval;
  readonly untilMs: number;
  /** The sign-in that it was exchanged for. */
  readonly grantId: string | undefined;
}

/** An application exchanges a code at once. */
const codeMs = 60_000;
/** A second exchange is noticed for this long. */
const codeKeptMs = 600_000;
const accessMs = 3_600_000;
/** Renewed with each refresh. */
const grantMs = 30 * 24 * 3_600_000;
/** A refresh token gives the current tokens again for this long after it was replaced: programs refresh at once, and retry late. */
const refreshGraceMs = 10_000;
/** A call that is under way when its token is refreshed still counts. */
const accessesKept = 2;
/** Renewals of one sign-in within the grace; beyond that a late retry ends it. */
const pairsKept = 5;
/** About 5 MB, or a hundred keys with all that one may have. */
const maxGrants = 10_000;
const maxCodes = 10_000;

const ofGrant = /^((pca|pcr)\.([\w-]{43})\.(\d{1,9}))\.([\w-]{43})$/;

/** Codes and tokens. A code works once, and so does a refresh token, but for a moment: a second use ends the sign-in, because one of the two stole it. */
export class OAuthGrants {
  private readonly codes: ExpiringMap<Code>;
  private readonly grants: ExpiringMap<Grant>;
  private readonly key: string = randomText();
  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
    this.codes = new ExpiringMap(maxCodes, codeKeptMs, now, ({ approval }) => approval.apiKey);
    this.grants = new ExpiringMap(maxGrants, grantMs, now, ({ apiKey }) => apiKey);
  }

  codeFor(given: CodeApproval): string {
    const code = randomText();
    // Ids of applications are long.
    const approval = { ...given, clientId: digest(given.clientId) };
    this.codes.set(digest(code), { approval, untilMs: this.now() + codeMs, grantId: undefined });
    return code;
  }

  exchange(
    code: string,
    given: { clientId: string; redirect: string | undefined; verifier: string; resource: string | undefined },
  ): Tokens {
    const key = digest(code);
    const found = this.codes.get(key);
    if (found === undefined) throw invalidGrant('The code is invalid or has expired.');
    const { approval, untilMs, grantId } = found;
    // Codes stay in histories and logs: reading one there must not be enough to end the sign-in.
    if (digest(given.clientId) !== approval.clientId) throw invalidGrant('The code belongs to another application.');
    if (given.redirect !== approval.redirect && (approval.isRedirectGiven || given.redirect !== undefined))
      throw invalidGrant('The redirect_uri is not the one of the request.');
    if (!provesChallenge(given.verifier, approval.challenge)) throw invalidGrant('The code_verifier is wrong.');
    requireResource(approval, given.resource);
    if (grantId !== undefined) {
      this.grants.delete(grantId);
      throw invalidGrant('The code was used before. The sign-in has been ended.');
    }
    if (untilMs <= this.now()) throw invalidGrant('The code is invalid or has expired.');
    const { clientId, resource, apiKey } = approval;
    const id = randomText();
    this.codes.set(key, { ...found, grantId: id });
    return this.renew(id, { clientId, resource, apiKey, number: 0, issuedMs: [] });
  }

  /** New tokens for a refresh token, which ends with that. */
  refresh(token: string, given: { clientId: string; resource: string | undefined }): Tokens {
    const { kind, grantId = '', number = 0 } = this.read(token) ?? {};
    const grant = this.grants.get(grantId);
    if (kind !== 'pcr' || grant === undefined) throw invalidGrant('The refresh token is invalid or has expired.');
    if (digest(given.clientId) !== grant.clientId) throw invalidGrant('The refresh token belongs to another application.');
    const isCurrent = number === grant.number;
    if (!isCurrent && !this.isJustReplaced(grant, number)) {
      this.grants.delete(grantId);
      throw invalidGrant('The refresh token was used before. The sign-in has been ended.');
    }
    requireResource(grant, given.resource);
    return isCurrent ? this.renew(grantId, grant) : this.tokensOf(grantId, grant);
  }

  /** The key behind an access token for a resource, or `null`. */
  keyFor(token: string, resource: string): string | null {
    const { kind, grantId = '', number = 0 } = this.read(token) ?? {};
    const grant = this.grants.get(grantId);
    if (kind !== 'pca' || grant?.resource !== resource) return null;
    const age = grant.number - number;
    return age < accessesKept && this.now() < accessUntilMs(grant, age) ? grant.apiKey : null;
  }

  /** Ends the sign-in of either token. */
  revoke(token: string, clientId: string): void {
    const { grantId = '' } = this.read(token) ?? {};
    if (this.grants.get(grantId)?.clientId === digest(clientId)) this.grants.delete(grantId);
  }

  clear(): void {
    this.codes.clear();
    this.grants.clear();
  }

  private renew(id: string, grant: Grant): Tokens {
    const issuedMs = [this.now(), ...grant.issuedMs].slice(0, pairsKept);
    const renewed = { ...grant, number: grant.number + 1, issuedMs };
    this.grants.set(id, renewed);
    return this.tokensOf(id, renewed);
  }

  private isJustReplaced({ number: current, issuedMs }: Grant, number: number): boolean {
    const replacedMs = issuedMs[current - number - 1];
    return replacedMs !== undefined && Math.abs(this.now() - replacedMs) < refreshGraceMs;
  }

  private tokensOf(id: string, grant: Grant): Tokens {
    const { number } = grant;
    const [accessToken, refreshToken] = [this.signed(`pca.${id}.${number}`), this.signed(`pcr.${id}.${number}`)];
    return {
      accessToken,
      refreshToken,
      expiresInSeconds: Math.max(0, Math.floor((accessUntilMs(grant, 0) - this.now()) / 1_000)),
    };
  }

  private signed(text: string): string {
    return `${text}.${signatureOf(this.key, text)}`;
  }

  /** A token of this server, current or not; `null` for anything that it did not give. */
  private read(token: string): Token | null {
    const [, text = '', kind = '', grantId = '', number, signature = ''] = ofGrant.exec(token) ?? [];
    return text !== '' && isSignature(signature, this.key, text) ? { kind, grantId, number: Number(number) } : null;
  }
}

/** @param age How many pairs are newer */
const accessUntilMs = ({ issuedMs }: Grant, age: number): number => (issuedMs[age] ?? Number.NEGATIVE_INFINITY) + accessMs;

const invalidGrant = (message: string): HttpRefusal => oauthError('invalid_grant', message);

/** The address with or without a slash at its end, as clients spell it both ways. */
export const sameResource = (one: string, other: string): boolean => one.replace(/\/$/, '') === other.replace(/\/$/, '');

function requireResource({ resource }: Approval, given: string | undefined): void {
  if (given !== undefined && !sameResource(given, resource)) {
    throw oauthError('invalid_target', 'The resource is not the one that the user approved.');
  }
}
