import type { FullOperation } from '../../../api/operations/all-operations.js';
import { requireReached } from '../handlers/handler-context.js';
import type { State } from '../state/state.js';
import type { Key, Organization } from '../state/state-tables.js';
import { Problem } from './problem.js';

/** The key of a request. */
export function keyOf(state: State, headers: Headers): Key {
  const value = headers.get('x-api-key') || /^Bearer (.+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  const key = value === undefined ? undefined : state.all('keys').find((candidate) => candidate.value === value);
  if (key === undefined)
    throw new Problem(401, value === undefined ? 'The API key is missing; send it in X-API-KEY.' : 'The API key is invalid.');
  return key;
}

/**
 * The organization of a call: the one it names by slug, guild or group, or the only one that the key reaches. An unknown one is a
 * 404, one out of reach a 403. If the key reaches several and the call names none, that is a 401 for operations that need one.
 */
export function organizationFor(
  state: State,
  key: Key,
  row: FullOperation,
  fields: ReadonlyMap<string, unknown>,
): Organization | null {
  const named = organizationNamed(state, fields);
  if (named === undefined) {
    const [only, second] = key.organizationIds;
    const organization = only === undefined || second !== undefined ? undefined : state.get('organizations', only);
    if (organization !== undefined) return organization;
    // A call that names several organizations has no single one.
    if (row.scoped === 'org' && !Array.isArray(fields.get('slugs')))
      throw new Problem(401, 'The key has access to several organizations; pass the slug of one.');
    return null;
  }
  return requireReached(key, named ?? undefined);
}

/** `undefined` if the call names none, `null` if the named one does not exist. */
function organizationNamed(state: State, fields: ReadonlyMap<string, unknown>): Organization | null | undefined {
  const organizations = state.all('organizations');
  const slug = fields.get('slug') ?? fields.get('organizationSlug');
  if (typeof slug === 'string') return organizations.find((one) => one.slug === slug) ?? null;
  const guild = fields.get('discordGuildId');
  if (typeof guild === 'string') return organizations.find((one) => one.discordGuildIds.includes(guild)) ?? null;
  const group = fields.get('telegramGroupId');
  if (typeof group === 'string') return organizations.find((one) => one.telegramGroupIds.includes(group)) ?? null;
  return undefined;
}
