import type { FullOperation } from '../../../api/operations/all-operations.js';
import { maxUploadFiles } from '../../../api/operations/attachments.js';
import { facetsOf } from '../../../api/operations/kinds.js';
import type { Operation } from '../../../api/operations/operation.js';
import * as z from '../../../api/operations/zod.js';
import { isPortcullisError } from '../../../core/errors.js';
import type { Context, HandlerCall } from '../handlers/handler-context.js';
import { handlers } from '../handlers/handlers.js';
import { storeFiles } from '../records/uploads.js';
import { grouped } from '../state/grouped.js';
import { keyOf, organizationFor } from './access.js';
import { Problem } from './problem.js';
import { fieldsOfBody, filesOf } from './read-body.js';
import type { Match } from './router.js';
import * as answers from './service-answer.js';
import { rowFor, shapeOf } from './service-rows.js';

/** Runs a change of the state as a transaction, and resolves once it is stored. */
export type Commit = <T>(work: () => T) => Promise<T>;

/** Answers a request to an operation; a rejection is a response too. */
export async function operate(
  context: Context,
  commit: Commit,
  request: Request,
  match: Match,
  origin: string,
  nested: boolean,
): Promise<Response> {
  const { params } = match;
  const row = rowFor(context.settings, match.row);
  try {
    const key = keyOf(context, request.headers, origin);
    const prepare = row.upload ? prepareUpload : prepareCall;
    const { fields, run } = await prepare(request, row, params);
    const organization = organizationFor(context.state, key, row, fields);
    const work = run({ ...context, key, organization, base: origin });
    const result = await commit(() => {
      request.signal.throwIfAborted();
      return work();
    });
    return answers.json(result, 200, row.deprecated ? { deprecation: 'true' } : {});
  } catch (error) {
    if (error instanceof Problem) return answers.refusal(error, nested);
    // The caller can fix a full state; other failures are internal.
    if (isPortcullisError(error) && error.code === 'LIMIT_EXCEEDED')
      return answers.refusal(new Problem(400, `${error.message}.`), nested);
    throw error;
  }
}

interface Prepared {
  /** The fields that may name an organization. */
  readonly fields: ReadonlyMap<string, unknown>;
  /** Checks the input, and returns a function that does the work. */
  readonly run: (call: HandlerCall) => () => unknown;
}

async function prepareCall(request: Request, row: FullOperation, params: Match['params']): Promise<Prepared> {
  const isGet = row.method === 'GET';
  const fields = new Map(isGet ? fieldsOfQuery(row, new URL(request.url).searchParams) : await fieldsOfBody(request));
  const missing = row.pathInBody ? [...params.keys()].find((name) => !fields.has(name)) : undefined;
  for (const [name, value] of fieldsOfPath(row, params)) {
    if (fields.has(name) && fields.get(name) !== value) throw new Problem(400, `${name} differs between path and body.`);
    fields.set(name, value);
  }
  const handle = handlers[row.name as keyof typeof handlers] as (call: HandlerCall, input: unknown) => unknown;
  return {
    fields,
    run: (call) => {
      if (missing !== undefined) throw new Problem(400, `${missing} is missing in the body.`);
      const input = inputOf(row, fields);
      return () => handle(call, input);
    },
  };
}

async function prepareUpload(request: Request, row: FullOperation): Promise<Prepared> {
  const fileName = fieldsOfQuery(row, new URL(request.url).searchParams).get('fileName');
  const files = await filesOf(request, typeof fileName === 'string' ? fileName : undefined);
  if (files.length > maxUploadFiles) throw new Problem(400, `At most ${maxUploadFiles} files can be uploaded at once.`);
  return { fields: new Map(), run: (call) => () => storeFiles(call, files) };
}

function inputOf(row: FullOperation, fields: ReadonlyMap<string, unknown>): unknown {
  const input = Object.fromEntries(fields);
  const checked = check(row, input);
  if (checked.success) return checked.data;
  // The client's own list of issues would put its chunk into this bundle, and make every client larger.
  const issues = checked.error.issues.slice(0, maxIssues).map(({ path, message }) => ({
    path: path.join('.'),
    message: isMissing(input, path) ? 'is missing' : message,
  }));
  throw new Problem(400, '', { issues });
}

/** A body of 5 MiB may be wrong in a million places. */
const maxIssues = 100;

function check(row: FullOperation, input: unknown): ReturnType<typeof z.safeParse> {
  try {
    return z.safeParse(row.input, input);
  } catch (error) {
    // The checker passes all issues to one call, and engines allow some 100,000 arguments.
    if (error instanceof RangeError) throw new Problem(400, 'The input has too many errors.');
    throw error;
  }
}

/** Whether an input has no value at a path. */
function isMissing(input: unknown, path: readonly PropertyKey[]): boolean {
  return path.reduce<unknown>((value, key) => Object(value)[key], input) === undefined;
}

/** The schema inside optional and nullable wrappers. */
function inner(type: z.core.$ZodType): z.core.$ZodType {
  const { innerType } = type._zod.def as { innerType?: z.core.$ZodType };
  return innerType === undefined ? type : inner(innerType);
}

function elementOf(type: z.core.$ZodType): z.core.$ZodType | undefined {
  return (type._zod.def as { element?: z.core.$ZodType }).element;
}

/**
 * Converts a text from a query or path to the type of the schema. A text that cannot be converted stays a text, and the schema rejects it.
 */
function readAs(text: string, type: z.core.$ZodType): unknown {
  const { type: kind } = (facetsOf(inner(type)) ?? {}) as { type?: string | readonly string[] };
  if ((kind === 'number' || kind === 'integer') && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** The fields of a query, by the schema of the row. A list repeats its name. */
function fieldsOfQuery(row: Operation, query: URLSearchParams): Map<string, unknown> {
  const shape = shapeOf(row);
  const fields = new Map<string, unknown>();
  // Asking for each name would read a query of many names as often as it has names.
  for (const [name, texts] of grouped(query)) {
    const type = Object.hasOwn(shape, name) ? shape[name] : undefined;
    const element = type && elementOf(inner(type));
    if (type === undefined) fields.set(name, texts[0]);
    else if (element)
      fields.set(
        name,
        texts.map((text) => readAs(text, element)),
      );
    else fields.set(name, texts.length > 1 ? texts : readAs(texts[0] ?? '', type));
  }
  return fields;
}

function fieldsOfPath(row: Operation, params: ReadonlyMap<string, string>): [string, unknown][] {
  const shape = shapeOf(row);
  return [...params].map(([name, text]) => [name, shape[name] === undefined ? text : readAs(text, shape[name])]);
}
