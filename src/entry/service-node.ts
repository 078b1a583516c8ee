export type { Listening, ListenOptions } from '../service/listen.js';
export { createService, type ServedService, type ServerOptions } from '../service/server.js';
export * from './service-types.js';
