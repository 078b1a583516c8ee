/**
 * Every known operation of the service, typed.
 *
 * @packageDocumentation
 */
export { createClient, createClientOf } from '../client/server.js';
export * from './client-types.js';
