export { createClient, createClientOf } from '../api/client/web-client.js';
export * from './client-types.js';
