/**
 * To test with: the whole service offline, with state and faults, and the suite that every store passes.
 *
 * @packageDocumentation
 */

export type { DrainOptions } from '../servers/http/drain-server.js';
export type { FetchContext } from '../servers/http/fetch-handler.js';
export type { Listening, ListenOptions } from '../servers/http/node-server.js';
export { listenWith as listen } from '../servers/service/http/listen.js';
export { createService, type ServedService, type ServerOptions } from '../servers/service/node-service.js';
export * from './testing-common.js';
