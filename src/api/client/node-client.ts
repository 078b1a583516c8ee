import { operationGroups } from '../operations/operation-groups.js';
import { makeClient } from './client.js';
import type { AnyGroups, ClientOptions, PartialClient } from './client-types.js';
import { nodePlatform } from './node-platform.js';
import type { Client } from './web-client.js';

/** A client of every operation, with its own pool of connections. */
export function createClient(options: ClientOptions): Client {
  return makeClient(operationGroups, options, nodePlatform);
}

/** A client of the given groups only: `createPartialClient({ assets, reports }, options)`. */
export function createPartialClient<Groups extends AnyGroups>(groups: Groups, options: ClientOptions): PartialClient<Groups> {
  return makeClient(groups, options, nodePlatform);
}
