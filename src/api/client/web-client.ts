import { type OperationGroups, operationGroups } from '../operations/operation-groups.js';
import { makeClient } from './client.js';
import { webPlatform } from './client-platform.js';
import type { AnyGroups, ClientOptions, PartialClient } from './client-types.js';

/** A client of every operation, over the platform's `fetch`. */
export function createClient(options: ClientOptions): Client {
  return makeClient(operationGroups, options, webPlatform);
}

/** A client of the given groups only: `createPartialClient({ assets, reports }, options)`. The bundle holds only those. */
export function createPartialClient<Groups extends AnyGroups>(groups: Groups, options: ClientOptions): PartialClient<Groups> {
  return makeClient(groups, options, webPlatform);
}

/** A client of every operation. */
export interface Client extends PartialClient<OperationGroups> {}
