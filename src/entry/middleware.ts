/**
 * Middleware for servers: an adapter for fetch handlers on Node, screening of requests, readiness and metrics.
 *
 * @packageDocumentation
 */
export { type ErrorCode, isPortcullisError, PortcullisError } from '../core/errors.js';
export type { FetchContext, FetchHandler, FetchService } from '../servers/http/fetch-handler.js';
export { type NodeHandler, type NodeHandlerOptions, toNodeHandler } from '../servers/http/node-handler.js';
