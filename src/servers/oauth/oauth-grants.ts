import { ExpiringMap } from './expiring-map.js';
import { OAuthError } from './oauth-error.js';
import { digest, provesChallenge, randomText } from './oauth-secrets.js';

/** What a user approved: this application may act with this key at this address. */
export interface Approval {
  readonly clientId: string;
  readonly resource: string;
  readonly apiKey: string;
}

/** An approval with what proves that a code is exchanged by whoever asked for it. */
export interface CodeApproval extends Approval {
  readonly redirect: string;
  readonly challenge: string;
}

/** Tokens for an application. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresInSeconds: number;
}

/** A sign-in and its current tokens; of each only the digest. */
interface Grant extends Approval {
  readonly refresh: string;
  /** The newest first. */
  readonly accesses: readonly { readonly digest: string; readonly untilMs: number }[];
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
/** A call that is under way when its token is refreshed still counts. */
const accessesKept = 2;
/** About 5 MB. */
const maxGrants = 10_000;
const maxCodes = 10_000;

const ofGrant = /^(pca|pcr)\.([\w-]{43})\.([\w-]{43})$/;

/** Codes and tokens. A code works once, and so does a refresh token: a second use ends the sign-in, because one of the two users stole it. */
export class OAuthGrants {
  private readonly codes: ExpiringMap<Code>;
  private readonly grants: ExpiringMap<Grant>;
  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
    this.codes = new ExpiringMap(maxCodes, codeKeptMs, now);
    this.grants = new ExpiringMap(maxGrants, grantMs, now);
  }

  /** A code for an approval. */
  codeFor(approval: CodeApproval): string {
    const code = randomText();
    this.codes.set(digest(code), { approval, untilMs: this.now() + codeMs, grantId: undefined });
    return code;
  }

  /** Tokens for a code. */
  exchange(code: string, given: { clientId: string; redirect: string; verifier: string; resource: string | undefined }): Tokens {
    const key = digest(code);
    const found = this.codes.get(key);
    if (found === undefined) throw invalidGrant('The code is invalid or has expired.');
    const { approval, untilMs, grantId } = found;
    if (grantId !== undefined) {
      this.grants.delete(grantId);
      throw invalidGrant('The code was used before. The sign-in has been ended.');
    }
    if (untilMs <= this.now()) throw invalidGrant('The code is invalid or has expired.');
    if (given.clientId !== approval.clientId) throw invalidGrant('The code belongs to another application.');
    if (given.redirect !== approval.redirect) throw invalidGrant('The redirect_uri is not the one of the request.');
    if (!provesChallenge(given.verifier, approval.challenge)) throw invalidGrant('The code_verifier is wrong.');
    requireResource(approval, given.resource);
    const { clientId, resource, apiKey } = approval;
    const id = randomText();
    this.codes.set(key, { ...found, grantId: id });
    return this.renew(id, { clientId, resource, apiKey, refresh: '', accesses: [] });
  }

  /** New tokens for a refresh token, which ends with that. */
  refresh(token: string, given: { clientId: string; resource: string | undefined }): Tokens {
    const [, kind, id = '', secret = ''] = ofGrant.exec(token) ?? [];
    const grant = this.grants.get(id);
    if (kind !== 'pcr' || grant === undefined) throw invalidGrant('The refresh token is invalid or has expired.');
    if (given.clientId !== grant.clientId) throw invalidGrant('The refresh token belongs to another application.');
    if (digest(secret) !== grant.refresh) {
      this.grants.delete(id);
      throw invalidGrant('The refresh token was used before. The sign-in has been ended.');
    }
    requireResource(grant, given.resource);
    return this.renew(id, grant);
  }

  /** The key behind an access token for a resource, or `null`. */
  keyFor(token: string, resource: string): string | null {
    const [, kind, id = '', secret = ''] = ofGrant.exec(token) ?? [];
    const grant = this.grants.get(id);
    if (kind !== 'pca' || grant?.resource !== resource) return null;
    const given = digest(secret);
    return grant.accesses.some((access) => access.digest === given && this.now() < access.untilMs) ? grant.apiKey : null;
  }

  /** Ends the sign-in of either token. */
  revoke(token: string, clientId: string): void {
    const [, , id = ''] = ofGrant.exec(token) ?? [];
    if (this.grants.get(id)?.clientId === clientId) this.grants.delete(id);
  }

  clear(): void {
    this.codes.clear();
    this.grants.clear();
  }

  private renew(id: string, grant: Grant): Tokens {
    const [access, refresh] = [randomText(), randomText()];
    const newest = { digest: digest(access), untilMs: this.now() + accessMs };
    this.grants.set(id, {
      ...grant,
      refresh: digest(refresh),
      accesses: [newest, ...grant.accesses].slice(0, accessesKept),
    });
    return { accessToken: `pca.${id}.${access}`, refreshToken: `pcr.${id}.${refresh}`, expiresInSeconds: accessMs / 1_000 };
  }
}

const invalidGrant = (message: string): OAuthError => new OAuthError('invalid_grant', message);

/** The address with or without a slash at its end, as clients spell it both ways. */
export const sameResource = (one: string, other: string): boolean => one.replace(/\/$/, '') === other.replace(/\/$/, '');

function requireResource({ resource }: Approval, given: string | undefined): void {
  if (given !== undefined && !sameResource(given, resource)) {
    throw new OAuthError('invalid_target', 'The resource is not the one that the user approved.');
  }
}
