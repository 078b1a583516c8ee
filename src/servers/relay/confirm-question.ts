import { algoVersionLengthMax } from '../../blocklist/formats/version-document.js';
import { fromUtf8 } from '../../core/bytes.js';
import { readAll } from '../../core/http/bounded-body.js';
import type { BodyReader } from '../../core/http/fetch.js';
import { badRequest, Refusal, tooLarge } from './relay-answers.js';
import { within } from './relay-flights.js';

/** What a client asks to be confirmed. */
export interface Question {
  readonly algoVersion: string | number;
  /** Each once. */
  readonly prefixes: readonly number[];
}

/** Bytes of a question: two thousand prefixes, written with a space or two. */
const bodyBytesMax = 32 * 1024;

/** Longest wait for a question, in milliseconds: a client that sends a byte a minute holds a connection and little else. */
const bodyWaitMs = 10_000;

/** Reads the body, with bounds on bytes, time and prefixes. What else it says is not read and goes nowhere. */
export async function questionOf(request: Request, prefixesMax: number): Promise<Question> {
  const bytes = await bodyOf(request);
  const text = fromUtf8(bytes);
  let body: unknown;
  try {
    body = text === null ? undefined : JSON.parse(text);
  } catch {
    throw badRequest('the body is no JSON');
  }
  if (typeof body !== 'object' || body === null) throw badRequest('the body is no JSON object');
  const { algoVersion, prefixes } = body as Record<string, unknown>;
  if (!isAlgoVersion(algoVersion)) throw badRequest('algoVersion is missing, or no short text or number');
  if (!Array.isArray(prefixes) || prefixes.length === 0) throw badRequest('prefixes is missing or empty');
  if (prefixes.length > prefixesMax) throw tooLarge(`at most ${prefixesMax} prefixes are taken at once`);
  const read = prefixes.map((prefix: unknown) => {
    if (typeof prefix !== 'string' || !/^[\da-f]{8}$/i.test(prefix)) throw badRequest('every prefix has 8 hex digits');
    return Number.parseInt(prefix, 16);
  });
  return { algoVersion, prefixes: [...new Set(read)] };
}

function isAlgoVersion(value: unknown): value is string | number {
  if (typeof value === 'string') return value.length <= algoVersionLengthMax && /^[\x20-\x7e]+$/.test(value);
  return typeof value === 'number' && Number.isFinite(value);
}

async function bodyOf(request: Request): Promise<Uint8Array> {
  const large = (): Refusal => tooLarge(`a body has at most ${bodyBytesMax} bytes`);
  if (Number(request.headers.get('content-length')) > bodyBytesMax) throw large();
  let reader: BodyReader | undefined;
  try {
    reader = request.body?.getReader() as BodyReader | undefined;
    if (reader === undefined) throw badRequest('a body is missing');
    return await within(readAll(reader, { maxBytes: bodyBytesMax, tooLarge: large }), bodyWaitMs);
  } catch (error) {
    reader?.cancel().catch(() => {});
    if (error instanceof Refusal) throw error;
    if ((error as { code?: unknown } | null)?.code === 'TIMEOUT')
      throw new Refusal(408, 'TIMEOUT', 'the body did not come in time');
    throw badRequest('the body cannot be read');
  }
}
