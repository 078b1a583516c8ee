import { PortcullisError } from '../../../core/errors.js';
import type { Edit, State } from './state.js';
import type { BaseHeader, Line } from './state-base.js';

/** What a journal begins with. */
export interface JournalHeader {
  /** The base it goes on from. */
  readonly generation: number;
  /** Made before there was a base: alone and without a change it says nothing. */
  readonly first: boolean;
}

/** Where the two files are. */
interface Paths {
  readonly path: string;
  readonly journalPath: string;
}

/** A journal's line for changed records, each a text already. Where chance stands belongs to them: nothing it gave is given again. */
export function textOfChanges(edits: readonly string[], state: State): string {
  return `[${state.counters.random},[${edits.join()}]]`;
}

/** Reads a journal into the state of its base, and tells which one it is and where its last whole line ends; `null` where nothing was ever kept. */
export async function readChanges(
  lines: AsyncIterable<Line> | null,
  base: BaseHeader | null,
  { path, journalPath }: Paths,
  state: State,
): Promise<{ readonly generation: number; readonly bytes: number } | null> {
  if (lines === null && base === null) return null;
  if (lines === null) refuse(`the journal ${journalPath} is missing; put it back, or move ${path} away to begin anew`);
  let header: JournalHeader | undefined;
  let [bytes, count, cut] = [0, 0, false];
  for await (const line of lines) {
    count++;
    // Only the last line can have been cut by a death, and never the first. What follows an earlier one was acknowledged.
    if (cut || (header === undefined && line.payload === null)) {
      const what = `the journal ${journalPath} is damaged in line ${cut ? count - 1 : 1}`;
      refuse(`${what}; put back copies of it and of ${path}, or move both away to begin anew`);
    }
    if (line.payload === null) {
      cut = true;
      continue;
    }
    bytes += line.bytes;
    if (header === undefined) {
      header = JSON.parse(line.payload) as JournalHeader;
      if (base === null || header.generation === base.generation) continue;
      // A death between a base and its journal leaves the journal of the base before, which is wholly in this one.
      if (header.generation >= base.since && header.generation < base.generation) return { ...header, bytes };
      refuse(`the journal ${journalPath} is not the one of ${path}; put that one back, or move both away to begin anew`);
    }
    if (base === null) continue;
    const [random, edits] = JSON.parse(line.payload) as [number, Edit[]];
    state.apply(edits);
    state.counters = { nextId: 0, random };
  }
  if (header === undefined) refuse(`the journal ${journalPath} is empty; put it back, or move ${path} away to begin anew`);
  if (base !== null) return { ...header, bytes };
  // The first start makes the journal, then the base, and can die between.
  if (header.first && count === 1) return null;
  refuse(`the state ${path} is missing, and its journal is there; put it back, or move ${journalPath} away to begin anew`);
}

function refuse(what: string): never {
  throw new PortcullisError('INVALID_ARTIFACT', what);
}
