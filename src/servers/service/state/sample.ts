import type { Asset } from '../../../core/assets/asset.js';
import type { Context } from '../handlers/handler-context.js';
import { ensureAsset, parseAsset, setStatus } from '../records/asset-records.js';
import type { Key, Organization } from './state.js';

/**
 * What a new service begins with: two organizations, their keys, and a handful of assets. Reserved names only: example domains, the
 * documentation's addresses and numbers, so that nothing here can be somebody's.
 */
export const sampleKeys = {
  /** Of one organization, `example-wallet`. */
  organization: 'key-example-wallet',
  /** Of a user who reaches both organizations. */
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
  for (const text of unknown) ensureAsset(context, parseAsset(text) as Asset);
}
