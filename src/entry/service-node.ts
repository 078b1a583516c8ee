/**
 * The whole service offline, with state and faults, to build and test against.
 *
 * @packageDocumentation
 */
export { type ListenContext, type Listening, type ListenOptions, listenWith as listen } from '../servers/service/http/listen.js';
export { createService, type ServedService, type ServerOptions } from '../servers/service/node-service.js';
export * from './service-types.js';
