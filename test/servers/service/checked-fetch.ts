import { createRequire } from 'node:module';
import { type OperationName, openApi } from 'portcullis/client';
import { undeclaredFields } from './undeclared-fields.js';

type Check = { (value: unknown): boolean; errors?: unknown };
interface Ajv {
  addSchema(schema: object, key: string): void;
  compile(schema: object): Check;
}
// The JSON Schema validator inside the OpenAPI validator, for the dialect of OpenAPI 3.1.
const ofValidator = createRequire(createRequire(import.meta.url).resolve('@seriousme/openapi-schema-validator'));
const { default: Ajv2020 } = ofValidator('ajv/dist/2020.js') as { default: new (options: object) => Ajv };
const { default: addFormats } = ofValidator('ajv-formats') as { default: (ajv: Ajv) => void };

interface Described {
  readonly operationId: OperationName;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, object>> };
  readonly responses: Readonly<Record<string, { $ref?: string }>>;
}
const document = openApi() as { paths: Record<string, Record<string, Described>> };

const [strict, reading] = [{}, { coerceTypes: 'array' }].map((options) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, ...options });
  addFormats(ajv);
  ajv.addSchema(document, 'https://api.example/');
  return ajv;
}) as [Ajv, Ajv];
const checks = new Map<string, Check>();

/** Its route is not published, so the document does not have it. */
const withoutPath = 'metricsBlockedByFirstReportSource';

type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

const templates = Object.keys(document.paths).map((template) => ({
  template,
  pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '([^/]+)')}$`),
}));

interface Options {
  /** @default the platform's */
  readonly send?: Fetch;
  /** Whether requests that are rejected with 400 may violate the document. @default false */
  readonly mayBeRefused?: boolean;
}

/** A `fetch` that checks requests and answers against the OpenAPI document, and collects the differences and the fields that it lacks. */
export function checkedFetch(wrong: string[], { send = fetch, mayBeRefused = false }: Options = {}): typeof fetch {
  const refTo = (pointer: string[]) => ({
    $ref: `https://api.example/#/${pointer.map((part) => encodeURIComponent(part.replace(/~/g, '~0').replace(/\//g, '~1'))).join('/')}`,
  });
  const hold = (value: unknown, ajv: Ajv, pointer: string[], what: string): void => {
    const key = `${ajv === strict} ${pointer.join(' ')}`;
    const schema = ajv === strict ? refTo(pointer) : { type: 'object', properties: { value: refTo(pointer) } };
    const check = checks.get(key) ?? ajv.compile(schema);
    checks.set(key, check);
    if (!check(ajv === strict ? value : { value })) wrong.push(`${what}: ${JSON.stringify(check.errors)}`);
  };
  return async (input, init) => {
    const response = await send(String(input), init);
    const { pathname, searchParams } = new URL(String(input));
    const method = init?.method?.toLowerCase() ?? 'get';
    const { template, pattern } = templates.find((one) => one.pattern.test(pathname)) ?? {};
    const operation = template === undefined ? undefined : document.paths[template]?.[method];
    if (template === undefined || pattern === undefined || operation === undefined) {
      if (pathname !== '/metrics/blocked-by-first-report-source') wrong.push(`${method} ${pathname} is not described`);
      else if (response.ok) wrong.push(...undeclaredFields(withoutPath, await response.clone().json()));
      return response;
    }
    const at = ['paths', template, method];
    const what = `${method} ${pathname}`;
    const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
    const segments = pattern.exec(pathname)!.slice(1);
    const isRefused = mayBeRefused && response.status === 400;
    for (const [index, { name, in: where, required }] of (isRefused ? [] : (operation.parameters ?? [])).entries()) {
      const texts = where === 'path' ? [decodeURIComponent(segments[names.indexOf(name)]!)] : searchParams.getAll(name);
      if (texts.length === 0 && required) wrong.push(`${what}: ${name} is missing`);
      if (texts.length === 0) continue;
      hold(texts.length === 1 ? texts[0] : texts, reading, [...at, 'parameters', String(index), 'schema'], `${what} ${name}`);
    }
    const isJson = operation.requestBody?.content['application/json'] !== undefined;
    const headers = new Headers(init?.headers);
    if (response.status !== 401 && !headers.has('x-api-key')) wrong.push(`${what} was answered without a key`);
    if (isJson && init?.body && !isRefused && headers.get('content-type') !== 'application/json')
      wrong.push(`${what} was sent without the content type of JSON`);
    if (typeof init?.body === 'string' && isJson && !isRefused)
      hold(JSON.parse(init.body), strict, [...at, 'requestBody', 'content', 'application/json', 'schema'], what);
    const described = operation.responses[response.status];
    if (described === undefined) wrong.push(`${what} answers ${response.status}, which is not described`);
    else {
      const place = described.$ref?.slice(2).split('/') ?? [...at, 'responses', String(response.status)];
      const answer: unknown = await response.clone().json();
      hold(answer, strict, [...place, 'content', 'application/json', 'schema'], `${what} answers`);
      if (response.ok) wrong.push(...undeclaredFields(operation.operationId, answer).map((field) => `${field} is not declared`));
      if (response.headers.get('content-type') !== 'application/json')
        wrong.push(`${what} answers without the content type of JSON`);
    }
    return response;
  };
}
