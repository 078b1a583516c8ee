import { table } from '../operations/operation-table.js';
import { clientOf } from './client.js';
import type { ClientOf, ClientOptions, Groups } from './client-types.js';
import { nodePlatform } from './node-platform.js';
import type { Client } from './web-client.js';

/** A client of every operation, over a pool of connections of its own. */
export function createClient(options: ClientOptions): Client {
  return clientOf(table, options, nodePlatform);
}

/** A client of the groups given and no others. */
export function createClientOf<Table extends Groups>(groups: Table, options: ClientOptions): ClientOf<Table> {
  return clientOf(groups, options, nodePlatform);
}
