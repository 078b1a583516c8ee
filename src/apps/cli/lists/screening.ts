import { setTimeout as sleep } from 'node:timers/promises';
import type { CheckInput } from '../../../blocklist/checks/question.js';
import type { Verdict } from '../../../blocklist/verdict.js';
import { ASSET_TYPES, type AssetType } from '../../../core/assets/asset-types.js';
import { pieceBytes } from '../operation/upload-files.js';
import type { Line, LineProblem } from './input-lines.js';

/** Why a line cannot be looked up. The names are API. */
export type BadLine = LineProblem | 'not-json' | 'no-content' | 'type-unknown' | 'chain-unknown';

/** A line, and what is asked about it. */
export type Asked =
  | { readonly line: number; readonly input: CheckInput; readonly error?: undefined }
  | { readonly line: number; readonly error: BadLine };

/** How long a batch waits for more of what comes bit by bit. */
const gatherMs = 10;

/** Pieces put together to larger ones, as long as they come at once, so that all there is to ask about them is asked together. */
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
      // Whoever waits for it next sees that it failed.
      next.catch(() => {});
      const patience = new AbortController();
      const late = sleep(gatherMs, null, { signal: patience.signal }).catch(() => null);
      while (bytes < pieceBytes) {
        const step = await Promise.race([next, late]);
        if (step === null || step.done) break;
        held.push(step.value);
        bytes += step.value.length;
        next = iterator.next();
        next.catch(() => {});
      }
      patience.abort();
      yield held.length === 1 ? first.value : Buffer.concat(held);
    }
  } finally {
    // It would wait for what may never come.
    void iterator.return?.().catch(() => {});
  }
}

/** Lines as they are, or NDJSON: texts and objects with `content`, `type` and `chain`. */
export class LineReader {
  private readonly reading: (content: string) => CheckInput;
  private isJson: boolean | undefined;

  /** @param isJson Where it is not said, the first line tells: no asset begins with `{`. */
  constructor(reading: (content: string) => CheckInput, isJson: boolean | undefined) {
    this.reading = reading;
    this.isJson = isJson;
  }

  /** `null` for an empty one. */
  read({ number: line, text, problem }: Line): Asked | null {
    if (text === null) return { line, error: problem ?? 'not-utf8' };
    if (text.trim() === '') return null;
    this.isJson ??= text.trimStart().startsWith('{');
    return this.isJson ? this.readJson(line, text) : { line, input: this.reading(text) };
  }

  private readJson(line: number, text: string): Asked {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return { line, error: 'not-json' };
    }
    if (typeof value === 'string') return { line, input: this.reading(value) };
    const { content, type, chain } = Object(value) as Record<string, unknown>;
    if (typeof content !== 'string') return { line, error: 'no-content' };
    const knownType = typeOf(type);
    if (knownType === null) return { line, error: 'type-unknown' };
    if (!isAbsent(chain) && typeof chain !== 'string') return { line, error: 'chain-unknown' };
    const input = this.reading(content);
    if (knownType === undefined && isAbsent(chain)) return { line, input };
    // What a line does not say, the call says of all of them.
    const common = typeof input === 'string' ? { content } : input;
    return { line, input: { ...common, ...(knownType && { type: knownType }), ...(typeof chain === 'string' && { chain }) } };
  }
}

const types: ReadonlySet<string> = new Set(ASSET_TYPES);

/** In any case, as `--type` takes it. `undefined`: none is said; `null`: it is none that is known. */
function typeOf(given: unknown): AssetType | undefined | null {
  if (isAbsent(given)) return undefined;
  // Not `String(…)`: of a list of one type that is the type.
  const name = typeof given === 'string' ? given.toUpperCase() : '';
  return types.has(name) ? (name as AssetType) : null;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

/** The answer to a line. Of a secret nothing is repeated. */
export function answerOf(line: number, input: CheckInput, { status, action, reason, asset, expression }: Verdict): string {
  const content = reason === 'secret' ? null : typeof input === 'string' ? input : input.content;
  // Written out, because nearly every line ends here, and only what others wrote needs escapes.
  const said = `{"line":${line},"input":${JSON.stringify(content)},"status":"${status}","action":"${action}","reason":"${reason}"`;
  if (asset === undefined && expression === undefined) return `${said}}`;
  return `${said},${JSON.stringify({ type: asset?.type, canonical: asset?.canonical, expression }).slice(1)}`;
}
