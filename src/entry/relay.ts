/**
 * A fetch handler that serves a list to clients without a key.
 *
 * @packageDocumentation
 */
export { type ErrorCode, isPortcullisError, PortcullisError } from '../core/errors.js';
export type { FetchLike } from '../core/http/fetch.js';
export { createRelay, type Relay } from '../servers/relay/relay.js';
export type { RelayContext, RelayEvent, RelayOptions } from '../servers/relay/relay-options.js';
export type { RelayRoute } from '../servers/relay/relay-routes.js';
