/**
 * A fetch handler that serves a list to clients without a key.
 *
 * @packageDocumentation
 */
export { type ErrorCode, isPortcullisError, PortcullisError } from '../errors.js';
export type { FetchLike } from '../http/fetch.js';
export type { RelayContext, RelayEvent, RelayOptions, RelayRoute } from '../relay/options.js';
export { createRelay, type Relay } from '../relay/relay.js';
