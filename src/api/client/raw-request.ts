import { refuse } from '../../core/errors.js';
import type { HttpRequest } from '../../core/http/send.js';
import { unshown } from '../operations/kinds.js';
import { type Method, type Operation, write } from '../operations/operation.js';
import { invalid } from './client-issues.js';
import { isRoute, jsonBody, queryOf } from './client-request.js';
import type { RawInput } from './client-types.js';

/** A row for a request that the table does not have. */
export function rawRow(method: string, path: string): Operation {
  // The path is checked like one in `paths`, which knows no PUT.
  if (!isRoute(`${method.replace('PUT', 'POST')} ${path}`)) refuse("a request must look like 'GET', '/path'");
  const row = write(`${method} ${path}`, method as Method, { input: unshown, output: unshown });
  return { ...row, path, repeatSafe: method === 'GET' };
}

/** Whether the caller wrote the path and the input. */
export function isRaw({ input }: Operation): boolean {
  return input === unshown;
}

export function rawRequestOf({ method, path }: Operation, baseUrl: string, { query = {}, body }: RawInput): HttpRequest {
  if (method === 'GET' && body !== undefined) throw invalid('body', 'must be absent in a GET');
  const url = baseUrl + path + queryOf(Object.entries(query));
  return { method: method!, url, headers: {}, ...(body !== undefined && jsonBody(body)) };
}
