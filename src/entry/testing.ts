export { createService, listen } from '../servers/service/web-service.js';
export * from './testing-common.js';
