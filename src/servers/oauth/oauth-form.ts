import { fromUtf8 } from '../../core/bytes.js';
import { readBody } from '../../core/http/bounded-body.js';
import { invalidRequest, oauthError } from './oauth-error.js';

/** Several times the longest URLs and the longest key, in percent-encoding. */
const maxBodyBytes = 32 * 1024;

/** The longest address that browsers and servers agree on, and more than any other value has. */
export const maxValueLength = 2_048;

export async function formText(request: Request): Promise<string> {
  const tooLarge = (): Error => oauthError('invalid_request', `The body exceeds ${maxBodyBytes} bytes.`, { status: 413 });
  const text = fromUtf8(await readBody(request, { maxBytes: maxBodyBytes, tooLarge }));
  if (text === null) throw invalidRequest('The body is not UTF-8.');
  return text;
}

/** @param longer A field that may be as long as the body */
export async function formOf(request: Request, longer?: string): Promise<ReadonlyMap<string, string>> {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers.get('content-type') ?? '')) {
    throw invalidRequest('The Content-Type must be application/x-www-form-urlencoded.');
  }
  return fieldsIn(new URLSearchParams(await formText(request)), longer);
}

/** Rejects repeated parameters, because parsers differ on which one counts. A parameter without a value counts as missing. */
export function fieldsIn(parameters: URLSearchParams, longer?: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of parameters) {
    if (fields.has(name)) throw invalidRequest(`The parameter ${name.slice(0, 40)} is there twice.`);
    if (value.length > maxValueLength && name !== longer)
      throw invalidRequest(`The parameter ${name.slice(0, 40)} exceeds ${maxValueLength} characters.`);
    if (value !== '') fields.set(name, value);
  }
  return fields;
}

export function fieldIn(fields: ReadonlyMap<string, string>, name: string): string {
  const value = fields.get(name);
  if (value === undefined) throw invalidRequest(`The parameter ${name} is missing.`);
  return value;
}
