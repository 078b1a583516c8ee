import type { Context } from '../handlers/handler-context.js';
import { newOrganization, sampleKeys } from './sample.js';

/**
 * Sets the keys to those of the sample data and the options, whatever a stored state has: keys that are no longer in the options become
 * invalid. Organizations that a key names and that do not exist are added.
 */
export function setKeys({ state, clock }: Context, keys: Readonly<Record<string, readonly string[]>>): void {
  const ofSample = Object.values<string>(sampleKeys);
  for (const { id, value } of state.all('keys'))
    if (!ofSample.includes(value) && !Object.hasOwn(keys, value)) state.remove('keys', id);
  for (const [value, slugs] of Object.entries(keys)) {
    const organizationIds = [...new Set(slugs)].map((slug) => {
      const organization = state.all('organizations').find((one) => one.slug === slug);
      return (organization ?? state.add('organizations', newOrganization(slug, clock.now()))).id;
    });
    const known = state.all('keys').find((key) => key.value === value);
    if (known === undefined) state.add('keys', { value, organizationIds, userId: null });
    else if (known.organizationIds.join() !== organizationIds.join()) state.change('keys', known.id, { organizationIds });
  }
}
