import { PortcullisError } from 'portcullis';
import type { Client } from 'portcullis/client';

/** An organization as login and whoami print it. */
export interface Organization {
  readonly slug: string;
  readonly name: string;
}

/** The organizations that the client's key can act for. */
export async function organizationsOf(client: Client, signal: AbortSignal): Promise<readonly Organization[]> {
  const answer: unknown = await client.account.userOrgs({}, { signal });
  const { organizations } = Object(answer) as { organizations?: unknown };
  const isKnown = Array.isArray(organizations) && organizations.every((one) => typeof Object(one).slug === 'string');
  if (!isKnown) throw new PortcullisError('INVALID_RESPONSE', 'the response does not list the organizations of the key');
  return (organizations as Organization[]).map(({ slug, name }) => ({ slug, name }));
}

export function slugsOf(organizations: readonly Organization[] | null): string {
  return (organizations ?? []).map(({ slug }) => slug).join(', ');
}
