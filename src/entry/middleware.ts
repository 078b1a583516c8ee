/**
 * Middleware for servers: an adapter for fetch handlers on Node, screening of requests, readiness and metrics.
 *
 * @packageDocumentation
 */
export { type ErrorCode, isPortcullisError, PortcullisError } from '../core/errors.js';
export { type DrainOptions, drainable } from '../servers/http/drain-server.js';
export type { FetchContext, FetchHandler, FetchService } from '../servers/http/fetch-handler.js';
export { type NodeHandler, type NodeHandlerOptions, toNodeHandler } from '../servers/http/node-handler.js';
export { type Metric, type MetricLabels, openMetrics } from '../servers/http/open-metrics.js';
export { blocklistMetrics } from '../servers/middleware/blocklist-metrics.js';
export { type ReadinessOptions, type ReadinessStatus, readiness } from '../servers/middleware/readiness.js';
export {
  type Picked,
  type ScreenedContent,
  type Screening,
  type ScreeningOptions,
  type ScreeningStatus,
  type ScreenPolicy,
  type ScreenRule,
  screeningOf,
} from '../servers/middleware/screen-content.js';
export {
  expressScreen,
  fastifyScreen,
  honoScreen,
  type PickContent,
  type ScreenContext,
  type ScreenFastifyReply,
  type ScreenFastifyRequest,
  type ScreenResponse,
} from '../servers/middleware/screens.js';
export { type WebhookReceiverOptions, webhookReceiver } from '../servers/middleware/webhook-receiver.js';
