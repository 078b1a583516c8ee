import type { FullOperation } from '../../../api/operations/all-operations.js';
import { type Context, requireReached } from '../handlers/handler-context.js';
import type { State } from '../state/state.js';
import type { Key, Organization } from '../state/state-tables.js';
import { Problem } from './problem.js';

/**
 * The key of a request. A bearer token is for the tool server: the API takes the key in its own header only, or an access token in its
 * place (provisional).
 */
export function keyOf({ state, keyBehind }: Context, headers: Headers, origin: string): Key {
  const given = headers.get('x-api-key');
  if (!given) throw new Problem(401, 'The API key is missing; send it in the X-API-KEY header.');
  const key = keyWith(state, keyBehind(given, origin));
  if (key === undefined) throw new Problem(401, 'The API key is invalid.');
  return key;
}

export const keyWith = (state: State, value: string): Key | undefined =>
  state.all('keys').find((candidate) => candidate.value === value);

/**
 * The organization of a call: the one it names by slug, guild or group, or the only one that the key reaches. An unknown one is a
 * 404, one out of reach a 403. If the key reaches several and the call names none, that is a 401 for operations that need one; two
 * different ones are a 400 (provisional).
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
  // A key of one organization and any other slug disagree, whether that exists or not.
  if (named === null && row.name === 'organizationAssetsList' && key.organizationIds.length === 1)
    throw new Problem(403, 'The key belongs to another organization than the slug names.');
  return requireReached(key, named ?? undefined);
}

/** `undefined` if the call names none, `null` if the named one does not exist. */
function organizationNamed(state: State, fields: ReadonlyMap<string, unknown>): Organization | null | undefined {
  const organizations = state.all('organizations');
  const named = Object.entries(namings).flatMap(([field, names]) => {
    const text = fields.get(field);
    return typeof text === 'string' ? [organizations.find((one) => names(one, text)) ?? null] : [];
  });
  if (new Set(named).size > 1)
    throw new Problem(400, 'The slug, guild and group name different organizations; pass one of them.');
  return named[0];
}

/** The fields that may name an organization, and how. */
const namings: Readonly<Record<string, (organization: Organization, text: string) => boolean>> = {
  slug: ({ slug }, text) => slug === text,
  organizationSlug: ({ slug }, text) => slug === text,
  discordGuildId: ({ discordGuildIds }, text) => discordGuildIds.includes(text),
  telegramGroupId: ({ telegramGroupIds }, text) => telegramGroupIds.includes(text),
};
