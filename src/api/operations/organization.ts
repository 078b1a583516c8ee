import * as z from 'zod/mini';
import { draft, flag, id, number, numberOrText, open, provisional, text, time } from './fields.js';
import { array, between, listOf, loose, made, object, ruled, sized, strict, unshown } from './kinds.js';
import { type About, read, write } from './operation.js';
import { legalDocuments } from './records.js';
import * as enums from './value-lists.js';

/** Unique in the organization; case-sensitive. */
const groupName = /* @__PURE__ */ sized(1, 255);
const groupRef = /* @__PURE__ */ made(() => object({ id: number, name: text }));

/** Assets, groups and brands of an organization. */
export const organization = /* @__PURE__ */ made(() => ({
  /** List all brands of the organization. */
  brands: read('organizationBrands', 'GET', {
    input: strict({ slug: provisional(text) }),
    essential: 'brands',
    output: object({
      brands: array(
        // The types of colors, terms, tickers, documents and trademarks are provisional, because only their names are published.
        loose({
          id: z.optional(number),
          name: z.optional(text),
          type: z.optional(open('brandType')),
          slug: provisional(text),
          avatarUrl: z.optional(z.nullable(text)),
          websiteUrl: z.optional(z.nullable(text)),
          twitterHandle: z.optional(z.nullable(text)),
          brandColors: provisional(unshown),
          includedTerms: provisional(array(text)),
          excludedTerms: provisional(array(text)),
          tickers: provisional(array(text)),
          useOrganizationDocs: z.optional(flag),
          legalDocuments: provisional(legalDocuments),
          trademarkRegistrations: provisional(array(unshown)),
          brandGroupId: draft(unshown),
        }),
      ),
    }),
  }),
  /** List the assets on the organization's allowlist. */
  assetsList: read('organizationAssetsList', 'GET /organization/assets', {
    slugAs: 'slug',
    paging: { style: 'next_page', items: 'assets', maxPageSize: 1_000 },
    input: strict({
      // 14 types are documented as filters; the service may accept others, and rejects those that it does not.
      type: z.optional(enums.assetType),
      groupId: z.optional(id),
      query: z.optional(text),
      per_page: z.optional(between(1, 1_000)),
      next_page: z.optional(text),
      slug: draft(text),
    }),
    output: object({
      assets: array(
        object({
          id: number,
          content: text,
          type: open('assetType'),
          status: open('assetStatus'),
          name: z.optional(z.nullable(text)),
          description: z.nullable(text),
          group: z.nullable(groupRef),
          createdAt: time,
          updatedAt: time,
        }),
      ),
      next_page: z.optional(z.nullable(numberOrText)),
    }),
  }),
  /** Add up to 1,000 assets to the allowlist. Each one succeeds or fails separately: read `results`. */
  assetsAdd: write('organizationAssetsAdd', 'POST /organization/assets', {
    input: strict({
      assets: listOf(
        strict({
          content: text,
          name: z.optional(text),
          description: z.optional(text),
          groupId: z.optional(id),
        }),
        1,
        1_000,
      ),
    }),
    essential: 'results.success',
    output: object({
      results: array(object({ content: text, success: flag, id: z.optional(number), error: z.optional(text) })),
      successCount: number,
      errorCount: number,
    }),
  }),
  /** Change the name, description or group of an asset on the allowlist; `null` clears a field. */
  assetsUpdate: write('organizationAssetsUpdate', 'PATCH /organization/assets/{assetId}', {
    repeatSafe: true,
    pathInBody: true,
    input: ruled(
      strict({
        assetId: id,
        name: z.optional(text),
        description: z.optional(z.nullable(text)),
        groupId: z.optional(z.nullable(id)),
      }),
      {
        'give name, description or groupId': ({ name, description, groupId }) =>
          name !== undefined || description !== undefined || groupId !== undefined,
      },
    ),
    essential: 'id',
    output: object({
      id: number,
      content: text,
      name: z.nullable(text),
      description: z.nullable(text),
      groupId: z.nullable(number),
    }),
  }),
  /** Remove an asset from the allowlist. It can be added again. */
  assetsRemove: write('organizationAssetsRemove', 'DELETE /organization/assets/{assetId}', {
    pathInBody: true,
    input: strict({ assetId: id }),
    essential: 'success',
    output: object({ success: flag, id: number }),
  }),
  /** List the groups of the allowlist, with the number of assets in each. */
  assetGroupsList: read('organizationAssetGroupsList', 'GET /organization/asset-groups', {
    input: strict({}),
    essential: 'groups',
    output: object({ groups: array(object({ id: number, name: text, assetCount: number })) }),
  }),
  /** Create a group for assets on the allowlist. */
  assetGroupsCreate: write('organizationAssetGroupsCreate', 'POST /organization/asset-groups', {
    input: strict({ name: groupName }),
    essential: 'id',
    output: groupRef,
  }),
  /** Rename a group. */
  assetGroupsUpdate: write('organizationAssetGroupsUpdate', 'PATCH /organization/asset-groups/{groupId}', {
    repeatSafe: true,
    pathInBody: true,
    input: strict({ groupId: id, name: groupName }),
    essential: 'id',
    output: groupRef,
  }),
  /** Delete a group permanently. Its assets stay on the allowlist, without a group. */
  assetGroupsDelete: write('organizationAssetGroupsDelete', 'DELETE /organization/asset-groups/{groupId}', {
    pathInBody: true,
    input: strict({ groupId: id }),
    essential: 'success',
    output: object({ success: flag, id: number, unassignedAssetCount: number }),
  }),
}));

export const aboutOrganization: About<typeof organization> = {
  brands: ['List all brands of the organization.', 'provisional public - public', { scoped: 'org' }],
  assetsList: ["List the assets on the organization's allowlist.", 'provisional public public public', { statuses: [404] }],
  assetsAdd: [
    'Add up to 1,000 assets to the allowlist. Each one succeeds or fails separately: read `results`.',
    'provisional public public public',
    { scoped: 'org', statuses: [404] },
  ],
  assetsUpdate: [
    'Change the name, description or group of an asset on the allowlist; `null` clears a field.',
    'provisional public public public',
    { scoped: 'org', statuses: [404] },
  ],
  assetsRemove: [
    'Remove an asset from the allowlist. It can be added again.',
    'provisional public public public',
    { scoped: 'org', statuses: [404] },
  ],
  assetGroupsList: [
    'List the groups of the allowlist, with the number of assets in each.',
    'provisional public - public',
    { scoped: 'org' },
  ],
  assetGroupsCreate: [
    'Create a group for assets on the allowlist.',
    'provisional public public public',
    { scoped: 'org', statuses: [409] },
  ],
  assetGroupsUpdate: ['Rename a group.', 'provisional public public public', { scoped: 'org', statuses: [404, 409] }],
  assetGroupsDelete: [
    'Delete a group permanently. Its assets stay on the allowlist, without a group.',
    'provisional public public public',
    { destructive: true, scoped: 'org', statuses: [404] },
  ],
};
