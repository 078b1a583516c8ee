import { type Service, type ServiceOptions, serviceOf } from './service.js';

/** A service in this process, with its state in memory. */
export function createService(options: ServiceOptions = {}): Service {
  return serviceOf(options);
}
