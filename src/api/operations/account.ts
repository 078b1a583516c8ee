import { flag, provisional, text } from './fields.js';
import { array, loose, made, madeObject, object, strict, typed, unshown } from './kinds.js';
import { type About, read, write } from './operation.js';
import * as answers from './provisional-answers.js';
import { type UserOrganization, type UserOrganizationSchema, userOrganization } from './records.js';
import * as z from './zod.js';

/** The part of an organization that more than a draft names. */
const withSlug = /* @__PURE__ */ madeObject(() => ({
  /** The organization, by its slug. */ slug: text,
}));
const organizationsAnswer = /* @__PURE__ */ madeObject(() => ({
  /** The organizations. */ organizations: array(userOrganization as UserOrganizationSchema),
}));
interface OrganizationsAnswer extends z.output<typeof organizationsAnswer> {}

/** The user and the organizations behind a key. */
export const account = /* @__PURE__ */ made(() => ({
  /** Check whether the key is valid. */
  validate: read('validate', 'GET', {
    input: strict({}),
    output: typed<answers.ValidateAnswer>(),
  }),
  /** Get the user who owns the key. */
  userMe: read('userMe', 'POST', {
    input: strict({}),
    output: typed<answers.UserMeAnswer>(),
  }),
  /** Change the user's profile and settings. */
  userMeUpdate: write('userMeUpdate', 'POST', {
    input: loose({}),
    output: typed<answers.UserMeUpdateAnswer>(),
  }),
  /** List the organizations the key can access, with their services. Other calls take their `slug`. */
  userOrgs: read('userOrgs', 'POST', {
    input: loose({
      /** Only organizations with this state. Its form is not published. */ subscriptionStatus: z.optional(unshown),
      /** Only organizations with these services. Its form is not published. */ services: z.optional(unshown),
      /** Only organizations with, or without, this setting. */ obligatoryAdminApproval: z.optional(flag),
      /** Only what contains this text. */ query: provisional(text),
    }),
    essential: 'organizations.slug',
    output: typed<OrganizationsAnswer>(
      object({
        /** The organizations. */ organizations: array(withSlug),
      }),
    ),
  }),
  /** Get one organization by its slug. */
  userOrgsGet: read('userOrgsGet', 'GET /user/orgs/{slug}', {
    slugAs: 'slug',
    input: strict({
      /** The organization, by its slug. */ slug: text,
    }),
    essential: 'slug',
    output: typed<UserOrganization>(withSlug),
  }),
}));

export const aboutAccount: About<typeof account> = {
  validate: ['provisional public - provisional', { output: answers.validateAnswer }],
  userMe: ['provisional public - provisional', { output: answers.userMeAnswer }],
  userMeUpdate: [
    'provisional public provisional provisional',
    {
      effect: ['changes', 'Overwrites the given fields of the profile and settings of the owner of the key.'],
      output: answers.userMeUpdateAnswer,
    },
  ],
  userOrgs: ['provisional public public draft', { output: organizationsAnswer }],
  userOrgsGet: ['provisional public - draft', { statuses: [404], output: userOrganization }],
};
