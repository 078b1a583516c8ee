import { known } from '../../../core/errors.js';
import { announceStatus } from '../delivery/announcements.js';
import { Problem } from '../http/problem.js';
import { ensureAsset, isBlockOfOthers, parseAsset, refusalWords, setStatus, shown } from '../records/asset-records.js';
import { pageOf } from '../records/paging.js';
import type { AssetRecord, BrandRecord, GroupRecord, MembershipRecord } from '../state/state-tables.js';
import { absentDocument, type HandlerCall, type Handlers, iso, organizationOf } from './handler-context.js';

/** The `groupId` of a list request that selects assets without a group. */
const ungrouped = -1;

export const organizationHandlers = {
  organizationBrands(call) {
    const brands = call.state.where('brands', 'organizationId', organizationOf(call).id);
    return { brands: brands.map(brandView) };
  },

  organizationAssetsList(call, { type, groupId, query, per_page: size = 100, next_page: cursor }) {
    const { state } = call;
    const wanted = query?.toLowerCase() ?? '';
    const found = membershipsOf(call).filter((membership) => {
      const asset = state.get('assets', membership.assetId)!;
      return (
        (type === undefined || asset.type === type) &&
        (groupId === undefined || membership.groupId === (groupId === ungrouped ? null : groupId)) &&
        [asset.content, membership.name, membership.description].some((text) => text?.toLowerCase().includes(wanted))
      );
    });
    const page = pageOf(found, cursor, size);
    return {
      assets: page.items.map((membership) => {
        const { id, content, type: assetType, status } = state.get('assets', membership.assetId)!;
        const group = membership.groupId === null ? undefined : state.get('groups', membership.groupId);
        return {
          id,
          content,
          type: assetType,
          status,
          name: membership.name,
          description: membership.description,
          group: group === undefined ? null : { id: group.id, name: group.name },
          createdAt: iso(membership.createdAtMs),
          updatedAt: iso(membership.updatedAtMs),
        };
      }),
      next_page: page.next,
    };
  },

  organizationAssetsAdd(call, { assets }) {
    // As documented, an unknown group fails the whole call; any other mistake fails only its item.
    for (const { groupId } of assets) if (groupId !== undefined) groupOf(call, groupId);
    const results = assets.map((item) => {
      const added = addAsset(call, item);
      return typeof added === 'string'
        ? { content: shown(item.content), success: false, error: added }
        : { content: item.content, success: true, id: added.id };
    });
    const successCount = results.filter(({ success }) => success).length;
    return { results, successCount, errorCount: results.length - successCount };
  },

  organizationAssetsUpdate(call, { assetId, name, description, groupId }) {
    const { state, clock } = call;
    const { membership, asset } = ownAsset(call, assetId);
    if (groupId !== undefined && groupId !== null) groupOf(call, groupId);
    const changed = state.change('memberships', membership.id, {
      ...known({ name, description, groupId }),
      updatedAtMs: clock.now(),
    });
    return {
      id: asset.id,
      content: asset.content,
      name: changed.name,
      description: changed.description,
      groupId: changed.groupId,
    };
  },

  organizationAssetsRemove(call, { assetId }) {
    const { state } = call;
    const { membership, asset } = ownAsset(call, assetId);
    state.remove('memberships', membership.id);
    // provisional: the status after the removal, which is not documented.
    const isAllowedByOthers = state.all('memberships').some((one) => one.assetId === asset.id);
    if (asset.status === 'ALLOWED' && !isAllowedByOthers) announceStatus(call, setStatus(call, asset, 'UNKNOWN', 'allowlist'));
    return { success: true, id: asset.id };
  },

  organizationAssetGroupsList(call) {
    const { state } = call;
    const groups = state.where('groups', 'organizationId', organizationOf(call).id);
    return {
      groups: groups.map(({ id, name }) => ({ id, name, assetCount: state.where('memberships', 'groupId', id).length })),
    };
  },

  organizationAssetGroupsCreate(call, { name }) {
    refuseTaken(call, name);
    const { id } = call.state.add('groups', { organizationId: organizationOf(call).id, name });
    return { id, name };
  },

  organizationAssetGroupsUpdate(call, { groupId, name }) {
    const { id } = groupOf(call, groupId);
    refuseTaken(call, name, id);
    call.state.change('groups', id, { name });
    return { id, name };
  },

  organizationAssetGroupsDelete(call, { groupId }) {
    const { state } = call;
    const { id } = groupOf(call, groupId);
    const left = state.where('memberships', 'groupId', id);
    for (const membership of left) state.change('memberships', membership.id, { groupId: null, updatedAtMs: call.clock.now() });
    state.remove('groups', id);
    return { success: true, id, unassignedAssetCount: left.length };
  },
} satisfies Partial<Handlers>;

/** provisional: the types of colors, terms and tickers. Nothing but the name is kept. */
function brandView({ id, name, slug, type }: BrandRecord) {
  return {
    id,
    name,
    slug,
    type,
    brandColors: [],
    includedTerms: [name.toLowerCase()],
    excludedTerms: [],
    tickers: [],
    avatarUrl: null,
    websiteUrl: null,
    twitterHandle: null,
    useOrganizationDocs: true,
    legalDocuments: { letterOfAuthorization: absentDocument, powerOfAttorney: absentDocument },
    trademarkRegistrations: [],
  };
}

function membershipsOf(call: HandlerCall): readonly MembershipRecord[] {
  return call.state.where('memberships', 'organizationId', organizationOf(call).id);
}

interface Item {
  readonly content: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly groupId?: number | undefined;
}

/** The asset, or why it was not added. */
function addAsset(call: HandlerCall, { content, name, description, groupId }: Item): AssetRecord | string {
  const organization = organizationOf(call);
  const parsed = parseAsset(content);
  if ('refused' in parsed) return `The format is not recognized: ${refusalWords[parsed.refused]}.`;
  const known = call.state.assetBy(parsed.type, parsed.canonical);
  if (membershipsOf(call).some(({ assetId }) => assetId === known?.id))
    return 'It is already on the allowlist of the organization.';
  // provisional: as with an unblock, only the organization that blocked it, or something above it, may lift the block.
  if (isBlockOfOthers(call, content, organization.id)) return 'It is blocked by another organization; open a dispute first.';
  const asset = known ?? ensureAsset(call, parsed);
  const nowMs = call.clock.now();
  call.state.add('memberships', {
    organizationId: organization.id,
    assetId: asset.id,
    name: name ?? null,
    description: description ?? null,
    groupId: groupId ?? null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  });
  const allowed = setStatus(call, asset, 'ALLOWED', 'allowlist');
  if (allowed.status !== asset.status) announceStatus(call, allowed);
  return allowed;
}

function ownAsset(call: HandlerCall, assetId: number): { membership: MembershipRecord; asset: AssetRecord } {
  const organization = organizationOf(call);
  const memberships = call.state.where('memberships', 'assetId', assetId);
  const membership = memberships.find((one) => one.organizationId === organization.id);
  if (membership !== undefined) return { membership, asset: call.state.get('assets', assetId)! };
  if (memberships.length > 0) throw new Problem(403, 'The asset belongs to another organization.');
  throw new Problem(404, 'The organization has no such asset.');
}

function groupOf(call: HandlerCall, groupId: number): GroupRecord {
  const group = call.state.get('groups', groupId);
  if (group === undefined) throw new Problem(404, 'There is no such group.');
  if (group.organizationId !== organizationOf(call).id) throw new Problem(403, 'The group belongs to another organization.');
  return group;
}

function refuseTaken(call: HandlerCall, name: string, except?: number): void {
  const groups = call.state.where('groups', 'organizationId', organizationOf(call).id);
  if (groups.some((group) => group.name === name && group.id !== except))
    throw new Problem(409, 'The organization already has a group with this name.');
}
