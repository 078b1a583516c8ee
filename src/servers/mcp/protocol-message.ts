import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { isRecord } from '../../core/errors.js';
import { extentProblem, type Json, parsed } from './tool-json.js';

/** Codes of the protocol. */
const parseError = -32_700;
export const invalidRequest = -32_600;
const methodNotFound = -32_601;
const invalidParams = -32_602;

/** The HTTP statuses of a refusal, as the official library answers. */
export const statusOf = ({ error }: ErrorMessage): number =>
  error.code === methodNotFound ? 404 : error.code === invalidParams ? 200 : 400;

/** An error as a message. */
export interface ErrorMessage {
  readonly jsonrpc: '2.0';
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string };
}

export function errorMessage(code: number, message: string, id: string | number | null = null): ErrorMessage {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

/** One message, or the answer to a text that is none. */
export type ReadMessage = { readonly message: JSONRPCMessage } | { readonly refusal: ErrorMessage };

/** What messages are read with, of the official library. */
export type MessageRules = Pick<typeof import('@modelcontextprotocol/server'), 'specTypeSchemas' | 'PROTOCOL_VERSION_META_KEY'>;

type Schemas = MessageRules['specTypeSchemas'];
type SchemaName = keyof Schemas;

/** Methods whose fields are checked before the library sees them, because it answers with a dump of its schema. */
const schemaOf: Readonly<Record<string, SchemaName>> = {
  initialize: 'InitializeRequest',
  ping: 'PingRequest',
  'tools/list': 'ListToolsRequest',
  'tools/call': 'CallToolRequest',
  'resources/list': 'ListResourcesRequest',
  'resources/templates/list': 'ListResourceTemplatesRequest',
  'resources/read': 'ReadResourceRequest',
  'prompts/list': 'ListPromptsRequest',
  'prompts/get': 'GetPromptRequest',
};

/** Reads one message, of HTTP or of standard input. What is wrong with it is a sentence, and the same for both. */
export function readMessage(text: string, rules: MessageRules): ReadMessage {
  const { specTypeSchemas } = rules;
  // Before it is parsed, because a million brackets take a second.
  const extent = extentProblem(text);
  if (extent !== undefined) {
    const edge = idAt(text.slice(0, edgeLength), text.slice(-edgeLength));
    return { refusal: errorMessage(invalidRequest, `the message ${extent}`, edge) };
  }
  const fields = parsed(text);
  if (fields === undefined) return { refusal: errorMessage(parseError, 'the message is not JSON') };
  if (Array.isArray(fields)) return { refusal: errorMessage(invalidRequest, 'batches are not supported; send one message') };
  if (!isRecord(fields)) return { refusal: errorMessage(invalidRequest, 'a message must be a JSON object') };
  const kind = kindOf(fields);
  // The ids of responses are those of our requests, which an answer must not seem to be for.
  const id = kind === 'JSONRPCRequest' && isId(fields['id']) ? fields['id'] : null;
  // Before the schemas see it.
  const problem = basicProblem(fields) ?? lengthProblem(fields) ?? problemBy(specTypeSchemas[kind], fields);
  if (problem !== undefined) return { refusal: errorMessage(invalidRequest, problem, id) };
  const { method = '', params } = fields as { readonly method?: string; readonly params?: Json };
  if (id !== null && method === 'initialize' && isStateless(params, rules)) {
    return { refusal: errorMessage(methodNotFound, `revision ${stateless} has no initialize`, id) };
  }
  const isChecked = id !== null && Object.hasOwn(schemaOf, method);
  const inParams = isChecked ? problemBy(specTypeSchemas[schemaOf[method]!], { method, params }) : undefined;
  if (inParams !== undefined) return { refusal: errorMessage(invalidParams, `${method}: ${inParams}`, id) };
  return { message: fields as unknown as JSONRPCMessage };
}

/** In this revision and later ones each request names its revision, and there is no `initialize`. */
const stateless = '2026-07-28';

function isStateless(params: Json = {}, { PROTOCOL_VERSION_META_KEY: key }: MessageRules): boolean {
  const named = isRecord(params['_meta']) ? params['_meta'][key] : undefined;
  return typeof named === 'string' && named >= stateless;
}

const isId = (value: unknown): value is string | number => typeof value === 'string' || Number.isSafeInteger(value);

function kindOf({ id, result, error }: Json): SchemaName {
  if (error !== undefined) return 'JSONRPCErrorResponse';
  if (result !== undefined) return 'JSONRPCResultResponse';
  return id === undefined ? 'JSONRPCNotification' : 'JSONRPCRequest';
}

/** What the schemas would say less plainly. */
function basicProblem({ jsonrpc, id, method, params, result, error }: Json): string | undefined {
  if (jsonrpc !== '2.0') return 'jsonrpc must be "2.0"';
  if (id !== undefined && !isId(id)) return 'id must be a string or a whole number';
  if (method === undefined && result === undefined && error === undefined) return 'method is missing';
  // The schema of requests accepts a list.
  if (params !== undefined && !isRecord(params)) return 'params must be an object';
  return undefined;
}

/** Where the id of a message that is too large is looked for. */
export const edgeLength = 300;

/** The id of a request as clients write it: at its start, or at its end. `null` if it is neither, or for a response, whose id is one of ours. */
export function idAt(head: string, tail: string): string | number | null {
  const [, first] = /^\{"jsonrpc":"2\.0","id":(\d{1,15}|"[^"\\]{1,100}"),"method":/.exec(head) ?? [];
  // A single brace ends the message itself.
  const [, last] = (head.startsWith('{"method":') && /,"jsonrpc":"2\.0","id":(\d{1,15}|"[^"\\]{1,100}")\}\s*$/.exec(tail)) || [];
  const id = first ?? last;
  return id === undefined ? null : (JSON.parse(id) as string | number);
}

/** Of all but the arguments of a tool; a few icons of a client as data have 60,000. */
const maxOutside = 200_000;

function lengthProblem(fields: Json): string | undefined {
  const isCall = fields['method'] === 'tools/call';
  const outside = isCall ? { ...fields, params: { ...(fields['params'] as Json), arguments: undefined } } : fields;
  if (JSON.stringify(outside).length <= maxOutside) return undefined;
  return `the message${isCall ? ' without arguments' : ''} must have at most ${maxOutside} characters`;
}

/** The first problem that a schema finds. */
function problemBy(schema: Schemas[SchemaName], value: Json): string | undefined {
  const result: unknown = schema['~standard'].validate(value);
  if (result instanceof Promise) {
    // A failed check ends up as a rejected promise, which would end the process if it were not handled.
    result.catch(() => {});
    return 'the message cannot be read';
  }
  const [issue] = (result as { readonly issues?: readonly SchemaIssue[] }).issues ?? [];
  if (issue === undefined) return undefined;
  const { path, keys } = issue;
  if (keys !== undefined) return `unknown field ${JSON.stringify(keys[0]!.slice(0, maxNameLength))}`;
  const field = path.join('.').slice(0, maxNameLength);
  const given = path.reduce<unknown>((at, name) => (at as Json | undefined)?.[name], value);
  if (given === undefined) return `${field} is missing`;
  const expected = [issue, ...(issue.errors ?? []).flat()].flatMap((one) => words[one.expected ?? ''] ?? []);
  return `${field} must be ${expected.join(' or ') || 'as the protocol says'}`;
}

/** As far as issues of the library have these fields. */
interface SchemaIssue {
  readonly path: readonly string[];
  readonly expected?: string;
  readonly keys?: readonly string[];
  /** Of each alternative. */
  readonly errors?: readonly (readonly SchemaIssue[])[];
}

const words: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** Of a name that an error repeats. */
const maxNameLength = 60;
