import { isPortcullisError } from 'portcullis';

/** What the library says last about a connection that failed: a code, or that it failed. */
const vague = /: (fetch failed|[A-Z][A-Z\d_]+)$/;

/** The message of an error, with a name in front; that of a failed connection with address and cause, each once. */
export function errorText(error: Error, name?: string): string {
  const message = name === undefined || error.message.includes(name) ? error.message : `${name}: ${error.message}`;
  const cause = isPortcullisError(error) && error.code === 'NETWORK' ? deepestMessage(error.cause) : undefined;
  if (cause === undefined) return message;
  const [, address = ''] = /^\w+ E[A-Z]+( \S+)$/.exec(cause) ?? [];
  const bare = cause.slice(0, cause.length - address.length);
  if (message.includes(bare)) return message;
  const what = message.replace(vague, '');
  if (address === '' || !what.includes(address.trim())) return `${what}: ${cause}`;
  // Named as the place already: `the relay at 127.0.0.1:9`, or in the URL of a list, which stays whole.
  const short = what.replace(` at${address}`, '');
  return `${short}: ${short === what ? bare : cause}`;
}

/** The system's own message is below those of the library and of fetch: `connect ECONNREFUSED 127.0.0.1:9`. */
function deepestMessage(error: unknown): string | undefined {
  let found: string | undefined;
  let at: unknown = error;
  for (let depth = 0; depth < maxDepth && at instanceof Object; depth++) {
    const { message, cause, errors } = at as { message?: unknown; cause?: unknown; errors?: unknown };
    if (typeof message === 'string' && message !== '' && !isPortcullisError(at)) found = message;
    // A host with several addresses: one error for each.
    at = cause ?? (Array.isArray(errors) ? errors[0] : undefined);
  }
  // A URL in it may hold a token.
  return found?.replace(/[?#]\S+/g, '?…').slice(0, maxLength);
}

/** Causes may form a cycle. */
const maxDepth = 8;

/** The system's messages are short; those of a proxy or a library may be a page. */
const maxLength = 200;
