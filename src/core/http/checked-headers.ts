import { refuse } from '../errors.js';

/** What is set by us, or by the transport. */
const ownHeaders = /^(x-api-key|content-type|content-length|host|connection|transfer-encoding|accept-encoding)$/;

/**
 * Headers under lower-case names, so that one takes the other's place. Refused where a name or a value cannot be sent, or is not the
 * caller's to set. No message repeats a value.
 *
 * @throws PortcullisError `INVALID_INPUT`
 */
export function checkedHeaders(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([given, value]) => {
      const name = given.toLowerCase();
      if (!/^[\w-]+$/.test(name)) refuse('a header cannot be sent');
      if (ownHeaders.test(name)) refuse(`the header ${name} is the client's own`);
      if (typeof value !== 'string' || !/^[\t -~\x80-\xff]*$/.test(value)) refuse(`the header ${name} cannot be sent`);
      return [name, value];
    }),
  );
}
