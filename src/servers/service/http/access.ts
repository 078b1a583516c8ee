import type { FullOperation } from '../../../api/operations/all-operations.js';
import { type Context, requireReached } from '../handlers/handler-context.js';
import type { State } from '../state/state.js';
import type { Key, Organization } from '../state/state-tables.js';
import { Problem } from './problem.js';
import { shapeOf } from './service-rows.js';

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
 * 404, one out of reach a 403. If the call names none and the key does not have exactly one, that is a 401 for operations that need one;
 * two different ones are a 400 (provisional).
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
    const slugs = fields.get('slugs');
    if (row.scoped === 'org' && !(Array.isArray(slugs) && slugs.length > 0)) throw new Problem(401, adviceFor(key, row));
    return null;
  }
  // An empty slug belongs to nobody, so it cannot disagree with the key.
  const isOther = named === null && row.slugAs !== null && fields.get(row.slugAs) !== '';
  if (isOther && row.unknownSlug === 403 && key.organizationIds.length === 1)
    throw new Problem(403, 'The key belongs to another organization than the slug names.');
  return requireReached(key, named ?? undefined);
}

/** Why a key alone names no organization, and what to do. */
function adviceFor({ organizationIds }: Key, row: FullOperation): string {
  if (organizationIds.length === 0) return 'The key has access to no organization; use a key of one.';
  const field = (['slug', 'organizationSlug'] as const).find((name) => Object.hasOwn(shapeOf(row), name));
  return field === undefined
    ? 'The key has access to several organizations and this operation takes no slug; use a key of one organization.'
    : `The key has access to several organizations; pass the slug of one as ${field}.`;
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
