import type { FullOperation } from '../../../api/operations/all-operations.js';
import type { Key, Organization, State } from '../state/state.js';
import { Problem } from './problem.js';

/** Whose key this is. */
export function keyOf(state: State, headers: Headers): Key {
  const value = headers.get('x-api-key') || /^Bearer (.+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  const key = value === undefined ? undefined : state.all('keys').find((candidate) => candidate.value === value);
  if (key === undefined)
    throw new Problem(401, value === undefined ? 'An API key is needed in X-API-KEY.' : 'The API key is not valid.');
  return key;
}

/**
 * The organization a call is about: the one it names by slug, guild or group, else the only one the key reaches. An unknown one is
 * 404, one of others 403; a key of several that names none is 401 where the row needs one.
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
    // Several organizations name themselves.
    if (row.scoped === 'org' && !Array.isArray(fields.get('slugs')))
      throw new Problem(401, 'No organization can be told from the key; name one by its slug.');
    return null;
  }
  if (named === null) throw new Problem(404, 'There is no such organization.');
  if (!key.organizationIds.includes(named.id)) throw new Problem(403, 'The key has no access to this organization.');
  return named;
}

/** `undefined`: none is named; `null`: there is none of that name. */
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
