import { draft, flag, id, number, numberOrText, open, provisional, text, time } from './fields.js';
import { array, between, listOf, loose, made, madeObject, object, objects, ruled, sized, strict, unshown } from './kinds.js';
import { type About, read, write } from './operation.js';
import { type LegalDocumentsSchema, legalDocuments } from './records.js';
import * as enums from './value-lists.js';
import * as z from './zod.js';

/** Unique in the organization; case-sensitive. */
const groupName = /* @__PURE__ */ sized(1, 255);
const groupRef = /* @__PURE__ */ madeObject(() => ({
  id: number,
  name: text,
}));

/** Assets, groups and brands of an organization. */
export const organization = /* @__PURE__ */ made(() => ({
  /** List all brands of the organization. */
  brands: read('organizationBrands', 'GET', {
    slugAs: 'slug',
    input: strict({
      /** The organization, by its slug. */ slug: provisional(text),
    }),
    essential: 'brands',
    output: object({
      /** The brands. */ brands: array(
        // The types of colors, terms, tickers, documents and trademarks are provisional, because only their names are published.
        loose({
          id: z.optional(number),
          name: z.optional(text),
          /** The type of brand. */ type: z.optional(open('brandType')),
          /** The slug of the brand. */ slug: provisional(text),
          /** The address of its picture. */ avatarUrl: z.optional(z.nullable(text)),
          /** Its website. */ websiteUrl: z.optional(z.nullable(text)),
          /** Its handle on Twitter. */ twitterHandle: z.optional(z.nullable(text)),
          /** Its colors. The type is not published. */ brandColors: provisional(unshown),
          /** Terms to look for. */ includedTerms: provisional(array(text)),
          /** Terms to leave out. */ excludedTerms: provisional(array(text)),
          /** Its ticker symbols. */ tickers: provisional(array(text)),
          /** Whether the legal documents are those of the organization. */ useOrganizationDocs: z.optional(flag),
          /** The documents that prove the right to act. */ legalDocuments: provisional(legalDocuments as LegalDocumentsSchema),
          /** Its trademarks. The fields of an entry are not published. */ trademarkRegistrations: provisional(array(unshown)),
          /** The group of the brand. */ brandGroupId: draft(unshown),
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
      /** Only assets of this type. */ type: z.optional(enums.assetType),
      /** Only assets of this group, by its id; `-1` for those without a group. */ groupId: z.optional(id),
      /** Only what contains this text. */ query: z.optional(text),
      /** Items of one page. */ per_page: z.optional(between(1, 1_000)),
      /** Where the page starts: the `next_page` of the page before it. */ next_page: z.optional(text),
      /** The organization, by its slug. */ slug: draft(text),
    }),
    output: object({
      assets: objects({
        id: number,
        /** The asset as text, such as a link or an address. */ content: text,
        /** The type of asset. */ type: open('assetType'),
        /** Whether it is blocked, allowed or unknown. */ status: open('assetStatus'),
        /** The name that it was given. */ name: z.optional(z.nullable(text)),
        /** The description that it was given. */ description: z.nullable(text),
        /** The group of the asset; `null` without one. */ group: z.nullable(groupRef),
        createdAt: time,
        updatedAt: time,
      }),
      /** Where the next page starts; `null` or absent on the last one. */ next_page: z.optional(z.nullable(numberOrText)),
    }),
  }),
  /** Add up to 1,000 assets to the allowlist. Each one succeeds or fails separately: read `results`. */
  assetsAdd: write('organizationAssetsAdd', 'POST /organization/assets', {
    input: strict({
      assets: listOf(
        strict({
          /** The asset as text, such as a link or an address. */ content: text,
          /** A name for the asset. */ name: z.optional(text),
          /** A description of the asset. */ description: z.optional(text),
          /** The group to put it in, by its id. */ groupId: z.optional(id),
        }),
        1,
        1_000,
      ),
    }),
    essential: 'results.success',
    output: object({
      /** One result for each asset. */ results: objects({
        /** The asset as text, such as a link or an address. */ content: text,
        /** Whether the asset was added. */ success: flag,
        /** The id of the asset, if it was added. */ id: z.optional(number),
        /** Why it was not added. */ error: z.optional(text),
      }),
      /** How many succeeded. */ successCount: number,
      /** How many failed. */ errorCount: number,
    }),
  }),
  /** Change the name, description or group of an asset on the allowlist; `null` clears description or group. */
  assetsUpdate: write('organizationAssetsUpdate', 'PATCH /organization/assets/{assetId}', {
    repeatSafe: true,
    pathInBody: true,
    input: ruled(
      strict({
        /** The asset, by its id. */ assetId: id,
        /** The new name. */ name: z.optional(text),
        /** The new description; `null` removes it. */ description: z.optional(z.nullable(text)),
        /** The new group, by its id; `null` for none. */ groupId: z.optional(z.nullable(id)),
      }),
      {
        'give name, description or groupId': ({ name, description, groupId }) =>
          name !== undefined || description !== undefined || groupId !== undefined,
      },
    ),
    essential: 'id',
    output: object({
      /** The id of the asset. */ id: number,
      /** The asset as text, such as a link or an address. */ content: text,
      /** The name; `null` without one. */ name: z.nullable(text),
      /** The description; `null` without one. */ description: z.nullable(text),
      /** The group, by its id; `null` without one. */ groupId: z.nullable(number),
    }),
  }),
  /** Remove an asset from the allowlist. It can be added again. */
  assetsRemove: write('organizationAssetsRemove', 'DELETE /organization/assets/{assetId}', {
    pathInBody: true,
    input: strict({
      /** The asset, by its id. */ assetId: id,
    }),
    essential: 'success',
    output: object({
      /** Whether it succeeded; a failed call is an error. */ success: flag,
      /** The id of the asset. */ id: number,
    }),
  }),
  /** List the groups of the allowlist, with the number of assets in each. */
  assetGroupsList: read('organizationAssetGroupsList', 'GET /organization/asset-groups', {
    input: strict({}),
    essential: 'groups',
    output: object({
      /** The groups. */ groups: objects({
        id: number,
        name: text,
        /** How many assets the group has. */ assetCount: number,
      }),
    }),
  }),
  /** Create a group for assets on the allowlist. */
  assetGroupsCreate: write('organizationAssetGroupsCreate', 'POST /organization/asset-groups', {
    input: strict({
      /** The name, which must be unique in the organization. */ name: groupName,
    }),
    essential: 'id',
    output: groupRef,
  }),
  /** Rename a group. */
  assetGroupsUpdate: write('organizationAssetGroupsUpdate', 'PATCH /organization/asset-groups/{groupId}', {
    repeatSafe: true,
    pathInBody: true,
    input: strict({
      /** The group, by its id. */ groupId: id,
      /** The new name, which must be unique in the organization. */ name: groupName,
    }),
    essential: 'id',
    output: groupRef,
  }),
  /** Delete a group permanently. Its assets stay on the allowlist, without a group. */
  assetGroupsDelete: write('organizationAssetGroupsDelete', 'DELETE /organization/asset-groups/{groupId}', {
    pathInBody: true,
    input: strict({
      /** The group, by its id. */ groupId: id,
    }),
    essential: 'success',
    output: object({
      /** Whether it succeeded; a failed call is an error. */ success: flag,
      /** The id of the group. */ id: number,
      /** How many assets have no group now. */ unassignedAssetCount: number,
    }),
  }),
}));

export const aboutOrganization: About<typeof organization> = {
  brands: ['provisional public provisional public'],
  assetsList: ['provisional public public public', { unknownSlug: 403, statuses: [404] }],
  assetsAdd: [
    'provisional public public public',
    {
      effect: ['changes', 'Puts assets on the allowlist, from which organization_assets_remove removes them.'],
      scoped: 'org',
      statuses: [404],
    },
  ],
  assetsUpdate: [
    'provisional public public public',
    { effect: ['changes', 'Overwrites the name, description or group of an asset.'], scoped: 'org', statuses: [404] },
  ],
  assetsRemove: [
    'provisional public public public',
    {
      effect: ['changes', 'Removes the asset from the allowlist; organization_assets_add adds it again.'],
      scoped: 'org',
      statuses: [404],
    },
  ],
  assetGroupsList: ['provisional public - public', { scoped: 'org' }],
  assetGroupsCreate: [
    'provisional public public public',
    { effect: ['adds', 'Adds a group, which organization_asset_groups_delete removes.'], scoped: 'org', statuses: [409] },
  ],
  assetGroupsUpdate: [
    'provisional public public public',
    { effect: ['changes', 'Overwrites the name of the group.'], scoped: 'org', statuses: [404, 409] },
  ],
  assetGroupsDelete: [
    'provisional public public public',
    { effect: ['ends', 'Deletes the group.'], scoped: 'org', statuses: [404] },
  ],
};
