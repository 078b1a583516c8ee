import { known, type PortcullisError } from '../../core/errors.js';
import { type Redact, redactor, withoutSecrets } from '../../core/http/redact.js';
import type { HttpAnswer } from '../../core/http/send.js';
import type { ResponseMeta } from './client-types.js';

type Headers = Readonly<Record<string, string>>;

/** Levels, and fields or items at each, of what the service says about one asset; a person reads a handful. */
const maxDepth = 4;
const maxWidth = 100;

/** A copy of the error without secrets, with the headers of the response that it is about. */
export function cleaned(error: PortcullisError, sent: Headers, operation: string, response?: HttpAnswer): PortcullisError {
  const redact = redactor(sent);
  const { issues, assets } = error;
  const copies = { issues: issues?.map((issue) => copyOf(issue, redact)), assets: assets?.map((asset) => copyOf(asset, redact)) };
  return Object.assign(withoutSecrets(error, sent, operation), known(copies), response && metaOf(response, sent));
}

/** Deeper values are left out. */
function copyOf(value: unknown, redact: Redact, depth = maxDepth): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return undefined;
  const fields = Object.entries(value).slice(0, maxWidth);
  const copies = fields.map(([name, field]) => [redact(name), copyOf(field, redact, depth - 1)] as const);
  return Array.isArray(value) ? copies.map(([, copy]) => copy) : Object.fromEntries(copies);
}

/** The status and headers of a response, without cookies, which are secrets of the service. */
export function metaOf({ status, headers: received }: HttpAnswer, sent: Headers): ResponseMeta {
  const redact = redactor(sent);
  const headers: Record<string, string> = {};
  received.forEach?.((value, name) => {
    if (name !== 'set-cookie') headers[redact(name)] = redact(value);
  });
  return known({ status, headers, requestId: headers['x-request-id'] });
}
