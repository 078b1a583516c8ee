export type { Store, StoreHead } from '../blocklist/model/store.js';
export { type Reach, type StoreContract, storeContract } from '../blocklist/stores/store-contract.js';
export { isPortcullisError, PortcullisError } from '../core/errors.js';
export type { FaultKind } from '../servers/service/faults/fault-kinds.js';
export type { Fault } from '../servers/service/faults/faults.js';
export type {
  Chats,
  LoggedRequest,
  OAuthOptions,
  Published,
  Service,
  ServiceLimits,
  ServiceOptions,
  ServiceRequestInit,
} from '../servers/service/service.js';
export { sampleKeys } from '../servers/service/state/sample.js';
export type { Clock } from '../servers/service/state/service-clock.js';
export type { DeliveryRecord, Snapshot } from '../servers/service/state/state-tables.js';
