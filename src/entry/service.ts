export { createService, listen } from '../servers/service/web-service.js';
export * from './service-types.js';
