export { isPortcullisError, PortcullisError } from '../errors.js';
export type { Clock } from '../service/clock.js';
export type { Fault, FaultKind } from '../service/faults.js';
export { sampleKeys } from '../service/sample.js';
export type { LoggedRequest, Published, Service, ServiceLimits, ServiceOptions } from '../service/service.js';
export type { DeliveryRecord, Snapshot } from '../service/state.js';
