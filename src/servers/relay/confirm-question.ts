import { maxAlgoVersionLength } from '../../blocklist/formats/version-document.js';
import { fromUtf8 } from '../../core/bytes.js';
import { badRequest } from '../http/refusal-response.js';
import { shortBody, tooLarge } from '../http/request-body.js';

/** A client's request to confirm prefixes. */
export interface Question {
  readonly algoVersion: string | number;
  /** Without duplicates. */
  readonly prefixes: readonly number[];
}

/** Bytes of a question: two thousand prefixes with some white space. */
const maxBodyBytes = 32 * 1024;

/** Reads the body with limits on bytes, time and prefixes. Other fields are ignored. */
export async function questionOf(request: Request, maxPrefixes: number): Promise<Question> {
  const text = fromUtf8(await shortBody(request, maxBodyBytes));
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
