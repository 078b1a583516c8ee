/**
 * The whole service offline, with state and faults, to build and test against.
 *
 * @packageDocumentation
 */
export type { Listening, ListenOptions } from '../service/listen.js';
export { createService, type ServedService, type ServerOptions } from '../service/server.js';
export * from './service-types.js';
