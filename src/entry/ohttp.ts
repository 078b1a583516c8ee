/**
 * Oblivious HTTP (RFC 9458): questions about hits that nobody can tie to who asks them. Needs the package `hpke`.
 *
 * @packageDocumentation
 */
export { type ObliviousOptions, oblivious } from '../blocklist/sources/oblivious.js';
export type { Oblivious } from '../blocklist/sources/source-options.js';
export { type ErrorCode, isPortcullisError, PortcullisError } from '../core/errors.js';
export type { FetchLike } from '../core/http/fetch.js';
export type { Kem } from '../core/ohttp/sealing.js';
export type { FetchContext, FetchHandler } from '../servers/http/fetch-handler.js';
export type { Metric, MetricLabels } from '../servers/http/open-metrics.js';
export {
  type GatewayEvent,
  type ObliviousGateway,
  type ObliviousGatewayOptions,
  type OpenedHandler,
  obliviousGateway,
} from '../servers/ohttp/gateway.js';
export {
  type GatewayKeyRecord,
  type GatewayKeys,
  type GatewayKeysOptions,
  type GeneratedGatewayKeys,
  generateGatewayKeys,
} from '../servers/ohttp/gateway-keys.js';
