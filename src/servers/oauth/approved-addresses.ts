import type { OAuthClient } from './oauth-clients.js';
import { digest } from './oauth-secrets.js';
import { Seal } from './seal.js';

/** As long as a sign-in can be renewed, with time to spare. */
const keptSeconds = 90 * 24 * 3_600;
/** The latest; more applications than a person connects in that time. */
const maxAddresses = 20;
/** Of a digest: 96 bits. */
const markLength = 16;

const cookieName = 'portcullis-approved';

/**
 * Which applications may be answered at which addresses, as the user of one browser approved it. That browser keeps it, sealed: what one
 * user approves says nothing about what another one trusts.
 */
export class ApprovedAddresses {
  private readonly seal = new Seal<readonly string[]>();

  includes(request: Request, client: OAuthClient, redirect: string): boolean {
    return this.of(request).includes(markOf(client, redirect));
  }

  /** The cookie that a browser keeps after an approval. */
  with(request: Request, client: OAuthClient, redirect: string, isSecure: boolean): string {
    const mark = markOf(client, redirect);
    const marks = [...this.of(request).filter((one) => one !== mark), mark].slice(-maxAddresses);
    // Lax, because the application's link to this server leads there from another site.
    const rules = `Path=/oauth/authorize; HttpOnly; SameSite=Lax; Max-Age=${keptSeconds}${isSecure ? '; Secure' : ''}`;
    return `${cookieName}=${this.seal.close(marks)}; ${rules}`;
  }

  clear(): void {
    this.seal.change();
  }

  private of(request: Request): readonly string[] {
    const [, sealed = ''] = /(?:^|; )portcullis-approved=([\w.-]{1,1000})(?:;|$)/.exec(request.headers.get('cookie') ?? '') ?? [];
    return this.seal.open(sealed) ?? [];
  }
}

/** Programs on this device get another port each time. */
function markOf({ id }: OAuthClient, redirect: string): string {
  const { origin, protocol, hostname } = new URL(redirect);
  return digest(JSON.stringify([id, protocol === 'http:' ? hostname : origin])).slice(0, markLength);
}
