export { createClient, createClientOf } from '../client/server.js';
export * from './client-types.js';
