import * as z from 'zod/mini';
import { flag, provisional, text } from './fields.js';
import { loose, made, strict, unshown } from './kinds.js';
import { type About, read, write } from './operation.js';
import { userOrganization } from './records.js';

/** The user and the organizations behind a key. */
export const account = /* @__PURE__ */ made(() => ({
  /** Is this key valid? */
  validate: read('validate', 'GET /validate', {
    input: strict({}),
    output: unshown,
  }),
  /** The user behind the key. */
  userMe: read('userMe', 'POST /user/me', {
    input: strict({}),
    output: unshown,
  }),
  /** Change the user's profile and settings. */
  userMeUpdate: write('userMeUpdate', 'POST /user/me/update', {
    input: loose({}),
    output: unshown,
  }),
  /** The organizations the key reaches, with their services. Their `slug` is what other calls ask for. */
  userOrgs: read('userOrgs', 'POST /user/orgs', {
    input: loose({
      subscriptionStatus: z.optional(unshown),
      services: z.optional(unshown),
      obligatoryAdminApproval: z.optional(flag),
      query: provisional(text),
    }),
    output: z.object({ organizations: z.array(userOrganization) }),
  }),
  /** One organization by its slug. */
  userOrgsGet: read('userOrgsGet', 'GET /user/orgs/{slug}', {
    slugAs: 'slug',
    input: strict({ slug: text }),
    output: userOrganization,
  }),
}));

export const aboutAccount: About<typeof account> = {
  validate: ['Is this key valid?', 'provisional public - provisional'],
  userMe: ['The user behind the key.', 'provisional public - provisional'],
  userMeUpdate: ["Change the user's profile and settings.", 'provisional public provisional provisional'],
  userOrgs: [
    'The organizations the key reaches, with their services. Their `slug` is what other calls ask for.',
    'provisional public public draft',
  ],
  userOrgsGet: ['One organization by its slug.', 'provisional public - draft', { statuses: [404] }],
};
