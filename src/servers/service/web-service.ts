import { PortcullisError, refuse } from '../../core/errors.js';
import type { ServedService, ServerOptions } from './node-service.js';
import { serviceOf } from './service.js';

/** A service in this process, with its state in memory. It has the type of Node's, and rejects what only Node and Deno can do. */
export function createService({ state = 'memory', ...options }: ServerOptions = {}): ServedService {
  if (state !== 'memory') refuse("the state can be kept in a file on Node and Deno only; leave out state, or pass 'memory'");
  return {
    ...serviceOf(options),
    listen,
  };
}

/** Listening needs Node or Deno; elsewhere the platform itself serves a fetch handler. */
export async function listen(): Promise<never> {
  throw new PortcullisError(
    'INVALID_INPUT',
    'listening needs Node or Deno; on Bun pass the handler to Bun.serve({ fetch }), in a worker export it as fetch',
  );
}
