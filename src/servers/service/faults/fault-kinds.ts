/** Every fault and what happens. The type, the validation and the table of docs/service.md come from here. */
export const faultKinds = {
  delay: 'The response is sent `delayMs` later, in real time.',
  hang: 'There is no response.',
  reset: 'The connection breaks before the response.',
  cut: 'The connection breaks in the middle of the body.',
  'wrong-length': 'The announced length is larger than the body.',
  'wrong-type': 'The content type of JSON is HTML.',
  'bad-gzip': 'The body is declared as gzip but is not.',
  'gzip-bomb': 'A small gzip body unpacks to 100 MiB.',
  status: 'The response is an error with `status`.',
  'rate-limit': 'The response is a 429, with `retryAfter` as its `Retry-After` header.',
  redirect: 'The response is a redirect to `location`.',
  'captive-portal': 'The response is a 200 with a login page, as in a hotel.',
  flip: 'One byte in the middle of the body is wrong.',
  'stale-token': 'The version document always has the token `stale`.',
  'moving-token': 'The version document has different tokens on every call.',
  'lying-count': 'The version document has counts that are 17 too high.',
} as const;

/** The kinds of simulated failures. */
export type FaultKind = keyof typeof faultKinds;
