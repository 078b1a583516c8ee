import { PortcullisError } from '../../core/errors.js';
import { optional, readOptions, that } from '../../core/options/read-options.js';
import type { ServedService, ServerOptions } from './node-service.js';
import { serviceOf } from './service.js';
import { type ServiceValues, serviceKinds } from './service-options.js';

/** A service in this process, with its state in memory. It has the type of Node's, and rejects what only Node and Deno can do. */
export function createService(options?: ServerOptions): ServedService {
  const kinds = { ...serviceKinds(), state: optional(that('left out, because only Node and Deno can keep a file', isMemory)) };
  return {
    ...serviceOf(readOptions<ServiceValues>('createService', kinds, options)),
    listen,
  };
}

const isMemory = (state: unknown): boolean => state === 'memory';

/** Listening needs Node or Deno; elsewhere the platform itself serves a fetch handler. */
export async function listen(): Promise<never> {
  throw new PortcullisError(
    'INVALID_INPUT',
    'listening needs Node or Deno; on Bun pass the handler to Bun.serve({ fetch }), in a worker export it as fetch',
  );
}
