/**
 * Every known operation of the service, typed; and their table: schemas, how certain each part is, the OpenAPI document.
 *
 * @packageDocumentation
 */
export { createClient, createPartialClient } from '../api/client/node-client.js';
export * from './client-common.js';
