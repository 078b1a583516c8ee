/**
 * Every known operation of the service, typed.
 *
 * @packageDocumentation
 */
export { createClient, createPartialClient } from '../api/client/node-client.js';
export * from './client-tasks.js';
export * from './client-types.js';
