import type { SignalLike } from '../../core/errors.js';
import { runInSlices, runNow, type Sliced } from '../../core/slices.js';
import type { SourceFinding, Verdict } from '../verdict.js';
import { askAbout } from './ask.js';
import type { Checker, Look, Wanted } from './checker.js';
import type { Question } from './question.js';

/** Lookups between two pauses: 2 to 10 ms of work on a server's core. */
const lookupsPerSlice = 2_000;

/** A hit is hashed completely and its asset is read, which costs as much as this many misses. */
const lookupsPerHit = 16;

/**
 * Reads the same generations twice: first to find what the source must confirm, then with its answers.
 *
 * @throws ABORTED
 */
export async function checkQuestions(
  questions: readonly Question[],
  checker: Checker,
  deadlineMs: number,
  signal: SignalLike | undefined,
): Promise<Verdict[]> {
  const generations = checker.generations();
  const wanted: Wanted[] = [];
  const finding = each(questions, (question) => firstFinding(checker, question, { generations, wanted }), workOf);
  const findings = await runInSlices(finding, signal);
  const look: Look = wanted.length === 0 ? { generations } : { generations, answers: await askAbout(wanted, deadlineMs, signal) };
  const concluding = each(
    questions,
    (question, at) => verdictOf(checker, question, findings[at]!, look),
    (_, at) => workOf(findings[at]!),
  );
  // Nearly every check fits in one slice, whatever is found.
  return questions.length * lookupsPerHit <= lookupsPerSlice ? runNow(concluding) : runInSlices(concluding, signal);
}

function firstFinding(checker: Checker, question: Question, look: Look & { readonly wanted: Wanted[] }): SourceFinding {
  const wantedBefore = look.wanted.length;
  const finding = checker.find(question, look);
  // There is nothing to confirm if one list has already decided.
  if (!isOpen(finding)) look.wanted.length = wantedBefore;
  return finding;
}

function verdictOf(checker: Checker, question: Question, first: SourceFinding, look: Look): Verdict {
  const finding = look.answers !== undefined && isOpen(first) ? checker.find(question, look) : first;
  return checker.verdict(finding, question);
}

/** Whether an answer of the source could change it. */
function isOpen({ status, reason }: SourceFinding): boolean {
  return status === 'unconfirmed' || reason === 'confirmed-earlier';
}

/** Measured in lookups that miss. */
function workOf({ expression }: SourceFinding): number {
  return expression === undefined ? 1 : lookupsPerHit;
}

/** Maps each item, and yields whenever it has done a slice's work. */
function* each<From, To>(
  items: readonly From[],
  make: (item: From, at: number) => To,
  work: (made: To, at: number) => number,
): Sliced<To[]> {
  const all: To[] = [];
  let done = 0;
  for (let at = 0; at < items.length; at++) {
    const made = make(items[at]!, at);
    all.push(made);
    done += work(made, at);
    if (done >= lookupsPerSlice) {
      done = 0;
      yield;
    }
  }
  return all;
}
