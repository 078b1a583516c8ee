import type { Context } from '../handlers/handler-context.js';
import { newOrganization, sampleKeys } from './sample.js';

/**
 * Makes the keys those of the sample data and of the options, whatever a kept state has: one that was added or changed since is there,
 * and one that was taken out is valid no more. Organizations they name are made where there are none.
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
