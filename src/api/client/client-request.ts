import { PortcullisError, refuse, type SignalLike } from '../../core/errors.js';
import type { HttpRequest } from '../../core/http/send.js';
import { facetsOf } from '../operations/kinds.js';
import type { Method, Operation, Route } from '../operations/operation.js';
import * as z from '../operations/zod.js';
import { encoded, invalid, invalidInput, issuesOf } from './client-issues.js';
import type { Platform } from './client-platform.js';
import type { ClientOptions } from './client-types.js';
import { uploadOf } from './upload.js';

/**
 * Limit for a JSON body, in characters. The service publishes no limit; its largest documented input, a thousand assets, takes a
 * tenth of this.
 */
const maxBodyLength = 8 * 1024 * 1024;

export type Input = Readonly<Record<string, unknown>>;

/** An input that names its organization, or several, keeps them. A guild or a group belongs to one. */
export function inputWithSlug(
  { slugAs }: Pick<Operation, 'slugAs'>,
  input: Input,
  slug: string | undefined,
  extra?: Input,
): Input {
  if (slugAs === null || slug === undefined) return input;
  const given: Input = { ...extra, ...input };
  const { slugs, discordGuildId = slugs, telegramGroupId = discordGuildId } = given;
  const isNamed = given[slugAs] !== undefined || (telegramGroupId as unknown[] | undefined)?.length;
  return isNamed ? input : { ...input, [slugAs]: slug };
}

/** Checks an input and makes its request, without the headers of the client. */
export async function requestOf(
  row: Operation,
  { baseUrl, paths = {} }: Pick<ClientOptions, 'baseUrl' | 'paths'>,
  input: unknown,
  extra: Readonly<Record<string, unknown>> = {},
  platform: Platform,
  signal: SignalLike | undefined,
): Promise<HttpRequest> {
  const { method, path } = routeOf(row, paths[row.name]);
  const more = Object.entries(extra);
  const checked = checkedInput(row, input, extra);
  const fields = fieldsOf(row, checked);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = segmentOf(name, fields.get(name));
    if (!row.pathInBody) fields.delete(name);
    return value;
  });
  for (const [name, value] of more) fields.set(name, value);
  const url = baseUrl + filled;
  if (row.upload) {
    const { query, headers, body } = await uploadOf(checked, platform, signal);
    return { method, url: url + queryOf([...query, ...more]), headers, body };
  }
  if (method === 'GET') return { method, url: url + queryOf(fields), headers: {} };
  return { method, url, ...jsonBody(Object.fromEntries(fields)) };
}

/** @throws LIMIT_EXCEEDED, INVALID_INPUT */
export function jsonBody(value: unknown): Pick<HttpRequest, 'headers' | 'body'> {
  let body: string | undefined;
  try {
    body = JSON.stringify(value);
  } catch (cause) {
    throw new PortcullisError('INVALID_INPUT', 'the input cannot be written as JSON', { cause });
  }
  // A function has no JSON.
  if (typeof body !== 'string') throw invalid('', 'cannot be written as JSON');
  if (body.length > maxBodyLength)
    throw new PortcullisError('LIMIT_EXCEEDED', `the input has more than ${maxBodyLength} characters`);
  return { headers: { 'content-type': 'application/json' }, body };
}

/**
 * The input as its schema reads it.
 *
 * @throws INVALID_INPUT, also if `extra` has a field of the schema, which would replace a checked one
 */
export function checkedInput({ input: schema }: Operation, input: unknown, extra: object = {}): object {
  const shape = shapeOf(schema);
  const known = Object.keys(extra).find((name) => Object.keys(shape).includes(name));
  if (known !== undefined) throw invalid(`extra.${known}`, 'is a field of the input');
  try {
    const checked = z.check(schema, input);
    if (checked.issues.length > 0) throw invalidInput(issuesOf(checked));
    return checked.value as object;
  } catch (error) {
    // zod overflows the stack on a hundred thousand invalid items.
    throw error instanceof RangeError ? invalid('', 'has too many errors') : error;
  }
}

function shapeOf(schema: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> {
  return (schema as z.core.$ZodObject)._zod.def.shape;
}

/** The fields as they are sent: times are strings. */
function fieldsOf({ input }: Operation, data: object): Map<string, unknown> {
  const shape = shapeOf(input);
  const fields = new Map<string, unknown>();
  for (const [name, value] of Object.entries(data)) {
    const time = value instanceof Date ? isoOf(value, name) : value;
    // An unknown field may be named like a method of `Object.prototype`, and this lookup then finds that method.
    const { innerType } = (shape[name]?._zod?.def ?? {}) as { innerType?: z.core.$ZodType };
    const { format } = ((innerType && facetsOf(innerType)) ?? {}) as { format?: unknown };
    // By its format, because comparing with the kind itself would bring it into every bundle.
    if (value !== undefined) fields.set(name, format === 'date' ? dayOf(time as string) : time);
  }
  return fields;
}

function isoOf(time: Date, name: string): string {
  if (Number.isNaN(time.getTime())) throw invalid(name, 'must be a valid Date');
  return time.toISOString();
}

/** The day of a time in UTC. */
function dayOf(time: string): string {
  return time.length === 10 ? time : new Date(time).toISOString().slice(0, 10);
}

function routeOf(row: Operation, route: string | undefined): { method: Method; path: string } {
  const [path = row.path, method = row.method] = (route?.split(' ').reverse() ?? []) as [string?, Method?];
  if (method === null || path === null) {
    throw new PortcullisError('PATH_UNKNOWN', `the route of ${row.name} is not published; set it in paths`);
  }
  return { method, path };
}

/** Whether a text can be a value of the option `paths`. Dot segments would lead out of `baseUrl`. */
export function isRoute(text: string): text is Route {
  return /^(?!.*\/(\.|%2[eE]){1,2}(\/|$))((GET|POST|PATCH|DELETE) )?\/[!"$->@-[\]-~]*$/.test(text);
}

/** Checks the option `paths` of a function. */
export function requireRoutes(
  where: string,
  paths: Readonly<Record<string, string>> = {},
  isName: (name: string) => boolean,
): void {
  for (const [name, route] of Object.entries(paths)) {
    if (!isName(name)) refuse(`${where}: paths must have names of operations only`);
    if (!isRoute(route)) refuse(`${where}: paths.${name} must look like 'POST /path'`);
  }
}

/** A value as one segment of a path. One or two dots would lead elsewhere, however they are encoded. */
function segmentOf(name: string, value: unknown): string {
  const text = String(value ?? '');
  if (/^\.{0,2}$/.test(text)) throw invalid(name, 'must not be empty, "." or ".."');
  return encoded(text, name);
}

/**
 * The only place that writes queries. Provisional, because the service's format for lists and booleans is not published: a list
 * repeats its name, a boolean is `true` or `false`, and `null` is omitted.
 */
export function queryOf(fields: Iterable<readonly [string, unknown]>): string {
  const pairs: string[] = [];
  for (const [name, value] of fields) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item === null || item === undefined) continue;
      const text = item instanceof Date ? isoOf(item, name) : item;
      if (typeof text === 'object') throw invalid(name, 'must not be an object in a query');
      pairs.push(`${encoded(name, name)}=${encoded(String(text), name)}`);
    }
  }
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
