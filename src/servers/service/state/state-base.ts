import { PortcullisError } from '../../../core/errors.js';
import type { Counters, Edit, State } from './state.js';

/** A line of a file; its payload is `null` where it was cut or changed. */
export interface Line {
  readonly payload: string | null;
  readonly bytes: number;
}

/** What a base begins with. */
export interface BaseHeader extends Counters {
  /** The format, so that another one is not misread. */
  readonly format: number;
  /** The journal that goes on where the base ends. */
  readonly generation: number;
  /** Journals from this generation on, up to its own, are wholly in the base. */
  readonly since: number;
}

const baseFormat = 1;

/**
 * A state as texts, one a line: a header, every record, and an end that says how many, so that a base that was cut is seen. The whole
 * is never one text, which could be longer than a text can be.
 */
export function* textsOfBase(state: State, journals: Pick<BaseHeader, 'generation' | 'since'>, sizes: Sizes): Generator<string> {
  const header: BaseHeader = { format: baseFormat, ...journals, ...state.counters };
  yield JSON.stringify(header);
  let count = 0;
  for (const edit of state.records()) {
    const text = JSON.stringify(edit);
    sizes.set(edit[1], text.length);
    count++;
    yield text;
  }
  yield JSON.stringify({ end: count });
}

/** Reads a base into a state; `null` where there is none. */
export async function readBase(
  lines: AsyncIterable<Line> | null,
  path: string,
  state: State,
): Promise<(BaseHeader & { readonly bytes: number }) | null> {
  if (lines === null) return null;
  let header: BaseHeader | undefined;
  let [bytes, count, ended] = [0, 0, false];
  for await (const line of lines) {
    if (line.payload === null || ended) refuse(`the state in ${path} is damaged; move it and its journal away to begin anew`);
    bytes += line.bytes;
    const value = JSON.parse(line.payload) as BaseHeader | Edit | { readonly end: number };
    if (header === undefined) {
      header = value as BaseHeader;
      if (header.format !== baseFormat) refuse(`the state in ${path} has the format of another version of this package`);
    } else if ('end' in value) ended = value.end === count;
    else {
      state.apply([value as Edit]);
      count++;
    }
  }
  if (header === undefined || !ended) refuse(`the state in ${path} is cut; move it and its journal away to begin anew`);
  state.counters = header;
  return { ...header, bytes };
}

/** The length of every record as JSON, and of all together. */
export class Sizes {
  total = 0;
  private readonly lengths = new Map<number, number>();

  /** Counts a record in the place of the one that had its id; 0 where it is gone. Gives the way back. */
  set(id: number, length: number): () => void {
    const before = this.lengths.get(id) ?? 0;
    this.total += length - before;
    if (length === 0) this.lengths.delete(id);
    else this.lengths.set(id, length);
    return () => this.set(id, before);
  }
}

function refuse(what: string): never {
  throw new PortcullisError('INVALID_ARTIFACT', what);
}
