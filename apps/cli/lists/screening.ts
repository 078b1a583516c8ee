import { setTimeout as sleep } from 'node:timers/promises';
import { ASSET_TYPES, type AssetType, type CheckInput, type Verdict } from 'portcullis';
import { jsonIn } from '../../shared/json-text.js';
import { printableJson } from '../terminal/print.js';
import { type Block, eachLine, type Line, type LineProblem } from './input-lines.js';
import { pieceBytes } from './open-file.js';

/** Why a line cannot be checked. The names are API. */
export type BadLine = LineProblem | 'not-json' | 'no-content' | 'type-unknown' | 'chain-unknown';

export type Asked =
  | { readonly line: number; readonly input: CheckInput; readonly error?: undefined }
  | { readonly line: number; readonly error: BadLine };

/** How long a batch waits for more input. */
const gatherMs = 10;

/** Joins pieces that arrive together, so that the questions about their lines go out together. */
export async function* gathered(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  let next = iterator.next();
  try {
    for (;;) {
      const first = await next;
      if (first.done) return;
      const held = [first.value];
      let bytes = first.value.length;
      next = iterator.next();
      // A failure is reported when the piece is awaited.
      next.catch(() => {});
      const timer = new AbortController();
      const late = sleep(gatherMs, null, { signal: timer.signal }).catch(() => null);
      while (bytes < pieceBytes) {
        const step = await Promise.race([next, late]);
        if (step === null || step.done) break;
        held.push(step.value);
        bytes += step.value.length;
        next = iterator.next();
        next.catch(() => {});
      }
      timer.abort();
      yield held.length === 1 ? first.value : Buffer.concat(held);
    }
  } finally {
    // Not awaited, because the input may never end.
    void iterator.return?.().catch(() => {});
  }
}

/** The input of a line; `null` for an empty line. */
export type LineReader = (line: Line) => Asked | null;

/** Reads lines as they are, or as NDJSON: strings, and objects with `content`, `type` and `chain`. */
export function lineReaderOf(reading: (content: string) => CheckInput, isJson: boolean): LineReader {
  return ({ number: line, text, problem }) => {
    if (text === null) return { line, error: problem ?? 'not-utf8' };
    if (text.trim() === '') return null;
    return isJson ? readJson(line, text, reading) : { line, input: reading(text) };
  };
}

/** Whether the first line of an input is NDJSON: no asset begins with `{`. `undefined` if no line of the block has a text. */
export function isJsonIn(block: Block): boolean | undefined {
  let isJson: boolean | undefined;
  eachLine(block, ({ text }) => {
    const start = text?.trimStart() ?? '';
    if (start !== '') isJson ??= start.startsWith('{');
  });
  return isJson;
}

function readJson(line: number, text: string, reading: (content: string) => CheckInput): Asked {
  const value = jsonIn(text);
  if (value === undefined) return { line, error: 'not-json' };
  if (typeof value === 'string') return { line, input: reading(value) };
  const { content, type, chain } = Object(value) as Record<string, unknown>;
  if (typeof content !== 'string') return { line, error: 'no-content' };
  const knownType = typeOf(type);
  if (knownType === null) return { line, error: 'type-unknown' };
  if (!isAbsent(chain) && typeof chain !== 'string') return { line, error: 'chain-unknown' };
  const input = reading(content);
  if (knownType === undefined && isAbsent(chain)) return { line, input };
  // The line's own type and chain override those of the call.
  const common = typeof input === 'string' ? { content } : input;
  return { line, input: { ...common, ...(knownType && { type: knownType }), ...(typeof chain === 'string' && { chain }) } };
}

const types: ReadonlySet<string> = new Set(ASSET_TYPES);

/** In upper or lower case, like `--type`. `undefined` if there is none, `null` if it is unknown. */
function typeOf(given: unknown): AssetType | undefined | null {
  if (isAbsent(given)) return undefined;
  // `String(…)` would turn an array of one type into that type.
  const name = typeof given === 'string' ? given.toUpperCase() : '';
  return types.has(name) ? (name as AssetType) : null;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

/** The answer to a line, as JSON that is safe to print. A secret is not repeated. */
export function answerOf(line: number, input: CheckInput, { status, action, reason, asset, expression }: Verdict): string {
  const content = reason === 'secret' ? null : typeof input === 'string' ? input : input.content;
  // Faster than JSON.stringify for the fields that need no escapes; nearly every line ends here.
  const said = `{"line":${line},"input":${jsonOf(content)},"status":"${status}","action":"${action}","reason":"${reason}"`;
  if (asset === undefined && expression === undefined) return `${said}}`;
  const found = JSON.stringify({ type: asset?.type, canonical: asset?.canonical, expression });
  return `${said},${printableJson(found).slice(1)}`;
}

/** ASCII that JSON and terminals show as it is. */
const plain = /^[ !#-[\]-~]*$/;

function jsonOf(content: string | null): string {
  return content !== null && plain.test(content) ? `"${content}"` : printableJson(JSON.stringify(content));
}
