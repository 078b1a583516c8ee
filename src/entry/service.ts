export { createService } from '../service/web.js';
export * from './service-types.js';
