import { type Table, table } from '../operations/operation-table.js';
import { clientOf } from './client.js';
import { webPlatform } from './client-platform.js';
import type { ClientOf, ClientOptions, Groups } from './client-types.js';

/** A client of every operation, over the platform's `fetch`. */
export function createClient(options: ClientOptions): Client {
  return clientOf(table, options, webPlatform);
}

/** A client of the groups given and no others: `createClientOf({ assets, reports }, options)`, for a bundle that holds only those. */
export function createClientOf<Table extends Groups>(groups: Table, options: ClientOptions): ClientOf<Table> {
  return clientOf(groups, options, webPlatform);
}

/** A client of every operation. */
export interface Client extends ClientOf<Table> {}
