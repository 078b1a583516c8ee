import { refuse } from '../../core/errors.js';
import { type Service, type ServiceOptions, serviceOf } from './service.js';

/** Creates a service that answers in this process, with its state in memory. */
export function createService(options: ServiceOptions = {}): Service {
  const { state } = Object(options) as { state?: unknown };
  if (state !== undefined && state !== 'memory') refuse("state must be 'memory': files need Node");
  return serviceOf(options);
}
