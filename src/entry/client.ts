export { createClient, createPartialClient } from '../api/client/web-client.js';
export * from './client-tasks.js';
export * from './client-types.js';
