import { refuse } from '../errors.js';

/** Headers that only the client or the transport may set. */
const ownHeaders = /^(x-api-key|content-type|content-length|host|connection|transfer-encoding|accept-encoding)$/;

/**
 * The headers under lower-case names, so that a later one replaces an earlier one. No message repeats a value.
 *
 * @throws PortcullisError `INVALID_INPUT` for a name or a value that cannot be sent, or a header the caller may not set
 */
export function checkedHeaders(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([given, value]) => {
      const name = given.toLowerCase();
      if (!/^[\w-]+$/.test(name)) refuse('a header has an invalid name');
      if (ownHeaders.test(name)) refuse(`the header ${name} is set by the client`);
      if (typeof value !== 'string' || !/^[\t -~\x80-\xff]*$/.test(value)) refuse(`the header ${name} has an invalid value`);
      return [name, value];
    }),
  );
}
