import { maxAlgoVersionLength } from '../../blocklist/formats/version-document.js';
import { fromUtf8 } from '../../core/bytes.js';
import { isPortcullisError } from '../../core/errors.js';
import { bounded } from '../../core/http/bounded.js';
import { readBody } from '../../core/http/bounded-body.js';
import { HttpRefusal } from '../../core/http/http-refusal.js';
import { badRequest } from '../http/refusal-response.js';
import { tooLarge } from './relay-answers.js';

/** A client's request to confirm prefixes. */
export interface Question {
  readonly algoVersion: string | number;
  /** Without duplicates. */
  readonly prefixes: readonly number[];
}

/** Bytes of a question: two thousand prefixes with some white space. */
const maxBodyBytes = 32 * 1024;

/** Longest wait for a question, in milliseconds. */
const bodyTimeoutMs = 10_000;

/** Reads the body with limits on bytes, time and prefixes. Other fields are ignored. */
export async function questionOf(request: Request, maxPrefixes: number): Promise<Question> {
  const text = fromUtf8(await bodyOf(request));
  let body: unknown;
  try {
    body = text === null ? undefined : JSON.parse(text);
  } catch {
    throw badRequest('the body is not JSON');
  }
  if (typeof body !== 'object' || body === null) throw badRequest('the body is not a JSON object');
  const { algoVersion, prefixes } = body as Record<string, unknown>;
  if (!isAlgoVersion(algoVersion)) throw badRequest('algoVersion must be a number or a short string');
  if (!Array.isArray(prefixes) || prefixes.length === 0) throw badRequest('prefixes must be a non-empty array');
  if (prefixes.length > maxPrefixes) throw tooLarge(`prefixes must have at most ${maxPrefixes} items`);
  const read = prefixes.map((prefix: unknown) => {
    if (typeof prefix !== 'string' || !/^[\da-f]{8}$/i.test(prefix)) throw badRequest('every prefix must have 8 hex digits');
    return Number.parseInt(prefix, 16);
  });
  return { algoVersion, prefixes: [...new Set(read)] };
}

function isAlgoVersion(value: unknown): value is string | number {
  if (typeof value === 'string') return value.length <= maxAlgoVersionLength && /^[\x20-\x7e]+$/.test(value);
  return typeof value === 'number' && Number.isFinite(value);
}

async function bodyOf(request: Request): Promise<Uint8Array> {
  const limit = {
    maxBytes: maxBodyBytes,
    tooLarge: (): HttpRefusal => tooLarge(`the body is larger than ${maxBodyBytes} bytes`),
  };
  try {
    return await bounded(bodyTimeoutMs, undefined, (signal) => readBody(request, { ...limit, signal }));
  } catch (error) {
    if (error instanceof HttpRefusal) throw error;
    if (isPortcullisError(error) && error.code === 'TIMEOUT')
      throw new HttpRefusal(408, 'TIMEOUT', 'the body did not arrive in time');
    throw badRequest('the body cannot be read');
  }
}
