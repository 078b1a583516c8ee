import type { CheckInput, Verdict } from 'portcullis';
import { joined } from '../../../src/core/bytes.js';
import { type Block, eachLine } from './input-lines.js';
import { type Hints, readingWith } from './inputs.js';
import { answerOf, lineReaderOf } from './screening.js';
import { Tally } from './verdict-lines.js';

/** How lines are read, and which of them are written. A message can carry it to another thread. */
export interface LinePlan extends Hints {
  readonly isJson: boolean;
  /** The number of the last line that an earlier run answered. */
  readonly skipped: number;
  readonly only: ReadonlySet<Verdict['status']>;
}

/** The answers to a block, without those of its open lines. A message can carry them to another thread. */
export interface BlockAnswers {
  /** UTF-8 that is safe to print. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly open: readonly OpenLine[];
  /** Lines that were not skipped, empty ones included. */
  readonly lines: number;
  /** Lines that could not be read. */
  readonly bad: number;
  readonly counts: Tally['counts'];
}

/** A line whose verdict is not known without asking. */
export interface OpenLine {
  readonly line: number;
  readonly input: CheckInput;
  /** The place of its answer in `bytes`. */
  readonly at: number;
}

const encoder = new TextEncoder();

/** @param test The verdict of an input; `null` if it is not known without asking. */
export function answersOf(block: Block, plan: LinePlan, test: (input: CheckInput) => Verdict | null): BlockAnswers {
  const { skipped, only, isJson } = plan;
  const read = lineReaderOf(readingWith(plan), isJson);
  const tally = new Tally();
  const open: OpenLine[] = [];
  /** What is before the open lines, and behind the last one. */
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let at = 0;
  let text = '';
  let lines = 0;
  let bad = 0;
  const endPart = (): void => {
    const part = encoder.encode(text);
    parts.push(part);
    at += part.length;
    text = '';
  };
  // A skipped block is not even decoded.
  if (block.first + block.lines - 1 > skipped) {
    eachLine(block, (line) => {
      if (line.number <= skipped) return;
      lines++;
      const asked = read(line);
      if (asked === null) return;
      if (asked.error !== undefined) {
        bad++;
        text += `${JSON.stringify(asked)}\n`;
        return;
      }
      const { input } = asked;
      const verdict = test(input);
      if (verdict === null) {
        endPart();
        open.push({ line: asked.line, input, at });
        return;
      }
      tally.add(verdict);
      if (only.has(verdict.status)) text += `${answerOf(asked.line, input, verdict)}\n`;
      if (text.length > maxPartLength) endPart();
    });
  }
  endPart();
  return { bytes: joined(parts, at) as Uint8Array<ArrayBuffer>, open, lines, bad, counts: tally.counts };
}

/** A short text stays in the cache of the processor until it is encoded (decision 0060). */
const maxPartLength = 4_096;

/** The bytes with the answers to the open lines in their places. */
export function completed({ bytes, open }: BlockAnswers, answers: readonly string[]): Uint8Array {
  if (open.length === 0) return bytes;
  const parts = open.flatMap(({ at }, index) => [bytes.subarray(open[index - 1]?.at ?? 0, at), Buffer.from(answers[index]!)]);
  return Buffer.concat([...parts, bytes.subarray(open.at(-1)!.at)]);
}
