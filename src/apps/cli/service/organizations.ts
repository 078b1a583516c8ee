import type { Client } from 'portcullis/client';

/** An organization as login and whoami print it. */
export interface Organization {
  readonly slug: string;
  readonly name: string;
}

/** The organizations that the client's key can act for. */
export async function organizationsOf(client: Client, signal: AbortSignal): Promise<readonly Organization[]> {
  const { organizations } = await client.account.userOrgs({}, { signal });
  return organizations.map(({ slug, name }) => ({ slug, name }));
}

export function slugsOf(organizations: readonly Organization[] | null): string {
  return (organizations ?? []).map(({ slug }) => slug).join(', ');
}
