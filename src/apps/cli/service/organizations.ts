import type { Client } from '../../../api/client/web-client.js';

/** An organization as login and whoami name it. */
export interface Organization {
  readonly slug: string;
  readonly name: string;
}

/** Those that the client's key reaches. */
export async function organizationsOf(client: Client, signal: AbortSignal): Promise<readonly Organization[]> {
  const { organizations } = await client.account.userOrgs({}, { signal });
  return organizations.map(({ slug, name }) => ({ slug, name }));
}
