import type { Context } from '../handlers/handler-context.js';
import type { ServiceOptions } from '../service-options.js';
import { newOrganization, sampleKeys } from './sample.js';
import type { Organization } from './state-tables.js';

type Given = Required<Pick<ServiceOptions, 'keys' | 'chats'>>;

/**
 * Sets the keys to those of the sample data and the options, and the chats that the options name, whatever a stored state has: keys that
 * are no longer in the options become invalid. Organizations that an option names and that do not exist are added.
 */
export function setOptions(context: Context, { keys, chats }: Given): void {
  const { state } = context;
  const ofSample = Object.values<string>(sampleKeys);
  for (const { id, value } of state.all('keys'))
    if (!ofSample.includes(value) && !Object.hasOwn(keys, value)) state.remove('keys', id);
  for (const [value, slugs] of Object.entries(keys)) {
    const organizationIds = [...new Set(slugs)].map((slug) => organizationWith(context, slug).id);
    const known = state.all('keys').find((key) => key.value === value);
    if (known === undefined) state.add('keys', { value, organizationIds, userId: null });
    else if (known.organizationIds.join() !== organizationIds.join()) state.change('keys', known.id, { organizationIds });
  }
  for (const [slug, ids] of Object.entries(chats)) {
    const { id, ...organization } = organizationWith(context, slug);
    const { discordGuildIds, telegramGroupIds } = { ...organization, ...ids };
    state.change('organizations', id, { discordGuildIds, telegramGroupIds });
  }
}

function organizationWith({ state, clock }: Context, slug: string): Organization {
  const organization = state.all('organizations').find((one) => one.slug === slug);
  return organization ?? state.add('organizations', newOrganization(slug, clock.now()));
}
