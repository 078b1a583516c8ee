import { table } from '../operations/table.js';
import { clientOf } from './client.js';
import { nodePlatform } from './node.js';
import type { ClientOf, ClientOptions, Groups } from './types.js';
import type { Client } from './web.js';

/** A client of every operation, over a pool of connections of its own. */
export function createClient(options: ClientOptions): Client {
  return clientOf(table, options, nodePlatform);
}

/** A client of the groups given and no others. */
export function createClientOf<Table extends Groups>(groups: Table, options: ClientOptions): ClientOf<Table> {
  return clientOf(groups, options, nodePlatform);
}
