import { PortcullisError, refuse } from '../../core/errors.js';
import { type Service, type ServiceOptions, serviceOf } from './service.js';

/** Creates a service that answers in this process, with its state in memory. */
export function createService(options: ServiceOptions = {}): Service {
  const { state } = Object(options) as { state?: unknown };
  if (state !== undefined && state !== 'memory') refuse("state must be 'memory': files need Node");
  return serviceOf(options);
}

/** Listening needs Node; elsewhere the platform itself serves a fetch handler. */
export async function listen(): Promise<never> {
  throw new PortcullisError('INVALID_INPUT', 'listen needs Node; hand the handler to this platform’s own server');
}
