export { createClient, createClientOf } from '../client/web.js';
export * from './client-types.js';
