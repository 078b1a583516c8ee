import type { Asset } from '../../../core/assets/asset.js';
import type { Context } from '../handlers/handler-context.js';
import { ensureAsset, parseAsset, setStatus } from '../records/asset-records.js';
import { addDetection } from '../records/detection-records.js';
import type { Key, Organization } from './state-tables.js';

/** The keys of the sample data. */
export const sampleKeys = {
  /** A key of the organization `example-wallet`. */
  organization: 'key-example-wallet',
  /** A key of a user with access to both organizations. */
  user: 'key-example-user',
} as const;

export function newOrganization(slug: string, createdAtMs: number): Omit<Organization, 'id'> {
  return {
    slug,
    name: slug
      .split('-')
      .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
      .join(' '),
    createdAtMs,
    contactUrl: null,
    discordGuildIds: [],
    telegramGroupIds: [],
    services: { reporting: true, reviewing: true, protection: true, takedowns: true, detection: true, darkWebMonitoring: false },
    takedownsAutomated: true,
    obligatoryAdminApproval: false,
    subscriptionStatus: 'ACTIVE',
  };
}

const blocked = [
  'https://scam-mint.example/',
  'https://claim-airdrop.example/',
  'https://wallet-support.test/',
  'https://pages.example/giveaway',
  '0x52908400098527886E0F7030069857D2E4169EE7',
] as const;

const allowed = ['https://example.com/', 'https://example.org/'] as const;

const unknown = ['https://new-mint.example/', '0x8617E340B3D01FA5F11F306F4090FD50E238070D'] as const;

/** Fills a new state with reserved names only, so that no record refers to a real site or person. */
export function sample(context: Context, data: 'sample' | 'empty'): void {
  const { state, clock } = context;
  const nowMs = clock.now();
  const wallet = state.add('organizations', {
    ...newOrganization('example-wallet', nowMs),
    contactUrl: 'https://example.com/contact',
    discordGuildIds: ['100000000000000001'],
    telegramGroupIds: ['-1000000001'],
  });
  const exchange = state.add('organizations', newOrganization('example-exchange', nowMs));
  const user = state.add('users', { fullName: 'Robin Example', email: 'robin@example.com', role: 'CUSTOMER' });
  const keys: Omit<Key, 'id'>[] = [
    { value: sampleKeys.organization, organizationIds: [wallet.id], userId: null },
    { value: sampleKeys.user, organizationIds: [wallet.id, exchange.id], userId: user.id },
  ];
  for (const key of keys) state.add('keys', key);
  if (data === 'empty') return;
  state.add('brands', { organizationId: wallet.id, name: 'Example Wallet', slug: 'example-wallet', type: 'ORGANIZATION' });
  const seeding = { ...context, organization: wallet };
  for (const text of blocked) setStatus(seeding, ensureAsset(context, parseAsset(text) as Asset), 'BLOCKED', 'seed');
  for (const text of allowed) setStatus(seeding, ensureAsset(context, parseAsset(text) as Asset), 'ALLOWED', 'seed');
  const undecided = unknown.map((text) => ensureAsset(context, parseAsset(text) as Asset));
  const config = state.add('configs', {
    organizationId: wallet.id,
    source: 'ASSET_CHECK',
    title: 'Submitted assets',
    description: null,
    cron: '0 * * * *',
    config: { terms: ['mint'] },
    brandId: null,
    status: 'ENABLED',
    createdAtMs: nowMs,
    lastRunAtMs: nowMs,
    deleted: false,
  });
  for (const { id } of undecided) addDetection(context, config, id);
}
