import { ads } from './ads.js';
import { documents } from './documents.js';
import { media } from './media.js';
import { messengers } from './messengers.js';
import { packages } from './packages.js';
import type { Table } from './platform-table.js';
import { shops } from './shops.js';
import { social } from './social.js';
import { stores } from './stores.js';
import { wallets } from './wallets.js';

type Group = 'ads' | 'documents' | 'media' | 'messengers' | 'packages' | 'shops' | 'social' | 'stores' | 'wallets';

export const groups: Readonly<Record<Group, Table>> = {
  ads,
  social,
  messengers,
  media,
  stores,
  shops,
  packages,
  documents,
  wallets,
};

/** Every table; where two platforms share a host, the narrower one comes first. */
export const tables: readonly Table[] = /* @__PURE__ */ Object.values(groups);
