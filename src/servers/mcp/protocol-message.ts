import { isRecord } from '../../core/errors.js';
import { parsed } from './tool-json.js';

/** Codes of the protocol. */
const parseError = -32_700;
export const invalidRequest = -32_600;
const invalidParams = -32_602;

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
export type ReadMessage = { readonly message: Readonly<Record<string, unknown>> } | { readonly refusal: ErrorMessage };

/**
 * Reads a message of JSON-RPC 2.0, as far as every method has the same rules. The library drops a line that is none, and answers an
 * `initialize` without its fields with a dump of its schema.
 */
export function readMessage(text: string): ReadMessage {
  const message = parsed(text);
  if (message === undefined) return { refusal: errorMessage(parseError, 'the message is not JSON') };
  if (Array.isArray(message)) return { refusal: errorMessage(invalidRequest, 'batches are not supported; send one message') };
  if (!isRecord(message)) return { refusal: errorMessage(invalidRequest, 'a message must be a JSON object') };
  // The ids of responses are those of our requests, which an answer must not seem to be for.
  const isRequest = message['result'] === undefined && message['error'] === undefined;
  const id = isRequest && isId(message['id']) ? message['id'] : null;
  const problem = problemOf(message);
  if (problem !== undefined) return { refusal: errorMessage(invalidRequest, problem, id) };
  const missing = message['method'] === 'initialize' ? missingOf(message['params']) : undefined;
  if (missing !== undefined) return { refusal: errorMessage(invalidParams, `initialize needs ${missing}`, id) };
  return { message };
}

const isId = (value: unknown): value is string | number => typeof value === 'string' || Number.isSafeInteger(value);

function problemOf({ jsonrpc, id, method, params, result, error }: Readonly<Record<string, unknown>>): string | undefined {
  if (jsonrpc !== '2.0') return 'jsonrpc must be "2.0"';
  if (id !== undefined && !isId(id)) return 'id must be a string or a whole number';
  if (method === undefined && result === undefined && error === undefined) return 'method is missing';
  if (method !== undefined && typeof method !== 'string') return 'method must be a string';
  if (params !== undefined && !isRecord(params)) return 'params must be an object';
  return undefined;
}

function missingOf(params: unknown): string | undefined {
  const { protocolVersion, clientInfo, capabilities } = isRecord(params) ? params : {};
  if (typeof protocolVersion !== 'string') return 'protocolVersion, a string such as "2025-11-25"';
  const { name, version } = isRecord(clientInfo) ? clientInfo : {};
  if (typeof name !== 'string' || typeof version !== 'string') return 'clientInfo with a name and a version';
  return isRecord(capabilities) ? undefined : 'capabilities, an object';
}
