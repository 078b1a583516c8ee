import { refuse } from '../errors.js';
import { type Kind, record } from '../options/read-options.js';

/** Headers that only the client or the transport may set. */
const ownHeaders = /^(x-api-key|content-type|content-length|host|connection|transfer-encoding|accept-encoding)$/;

/** The headers under lower-case names, so that a later one replaces an earlier one. A name is repeated only if it is a known one. */
export const headers: Kind<Record<string, string>> = (value = {}, path) =>
  Object.fromEntries(
    Object.entries(record(value, path)).map(([given, text]) => {
      const name = given.toLowerCase();
      if (!/^[\w-]+$/.test(name)) refuse(`${path} must not have an invalid name`);
      if (ownHeaders.test(name)) refuse(`${path} must not have ${name}, which the client sets`);
      if (typeof text !== 'string' || !/^[\t -~\x80-\xff]*$/.test(text))
        refuse(`${path} must have strings that a header can have`);
      return [name, text];
    }),
  );
