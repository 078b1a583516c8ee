export { createClient, createPartialClient } from '../api/client/web-client.js';
export * from './client-common.js';
