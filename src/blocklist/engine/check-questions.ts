import { type SignalLike, throwIfAborted } from '../../core/errors.js';
import { runInSlices, runNow, type Sliced } from '../../core/slices.js';
import type { CheckOptions } from '../model/blocklist-options.js';
import { checkValuesOf } from '../model/blocklist-options.js';
import type { CheckInput, Question } from '../model/question.js';
import { merge, type SourceFinding, type Verdict } from '../model/verdict.js';
import type { SureMissVerdict, Wanted } from '../rules/judge-hit.js';
import type { Ask, AskedList } from './ask.js';
import type { Checker, ListsLook } from './checker.js';

/** Lookups between two pauses: 2 to 10 ms of work on a server's core. */
const lookupsPerSlice = 2_000;

/** A hit is hashed completely and its asset is read, which costs as much as this many misses. */
const lookupsPerHit = 16;

/**
 * Reads the same generations twice: first to find what the source must confirm, then with its answers. What was confirmed earlier is
 * blocked at once, and asked about for later checks.
 *
 * @param inputs Texts without hints become questions only if they are not sure misses.
 * @throws ABORTED
 */
export async function checkQuestions(
  inputs: readonly (string | Question)[],
  questionOf: (text: string) => Question,
  checker: Checker<AskedList>,
  deadlineMs: number,
  signal: SignalLike | undefined,
  { askFor, waitsForAll, usesCaches }: Ask,
  isFrame: boolean,
): Promise<Verdict[]> {
  throwIfAborted(signal);
  const generations = checker.generations();
  const wanted: Wanted<AskedList>[] = [];
  /** Of one question. */
  const found: Wanted<AskedList>[] = [];
  const caches = checker.caches.map(({ generation }) => generation);
  const firstLook: ListsLook<AskedList> = { generations, caches, wanted: found, isFrame };
  const usesReal = usesCaches && caches.length > 0;
  const waitsFor = ({ status, reason }: SourceFinding): boolean =>
    status === 'unconfirmed' || (waitsForAll && reason === 'confirmed-earlier');
  const questions: Question[] = [];
  const finding = each(
    inputs,
    (input, at) => {
      const miss = typeof input === 'string' && !usesReal ? checker.findSureMiss(input, generations) : null;
      if (miss !== null) return miss;
      const question = typeof input === 'string' ? questionOf(input) : input;
      questions[at] = question;
      found.length = 0;
      const first = checker.find(question, firstLook);
      if (waitsFor(first)) wanted.push(...found);
      // There is nothing to confirm if one list has already decided.
      else if (first.reason === 'confirmed-earlier') askBehind(found);
      return usesReal && first.status !== 'blocked' ? findAtOnce(question, first) : first;
    },
    usesReal ? () => lookupsPerHit : workOf,
  );
  /** What is blocked by what a source said before, or the finding of the lists, while the source is asked. */
  const findAtOnce = (question: Question, first: SourceFinding): SourceFinding => {
    found.length = 0;
    const atOnce = checker.findAtOnce(question, firstLook);
    if (atOnce?.status !== 'blocked') {
      wanted.push(...found);
      return first;
    }
    if (atOnce.reason === 'confirmed-earlier') askBehind(found);
    return atOnce;
  };
  // Nearly every check fits in one slice, whatever is found.
  const isShort = inputs.length * lookupsPerHit <= lookupsPerSlice;
  const findings = isShort ? runNow(finding) : await runInSlices(finding, signal);
  const answers = wanted.length === 0 ? undefined : await askFor(wanted, deadlineMs, signal);
  const look: ListsLook<AskedList> = answers === undefined ? firstLook : { generations, caches, answers, isFrame };
  const concluding = each(
    findings,
    (first, at) => {
      const question = questions[at];
      if (question === undefined) return first as SureMissVerdict;
      const isOpen = answers !== undefined && waitsFor(first);
      const own = isOpen ? checker.find(question, look) : first;
      const atOnce = usesReal && own.status !== 'blocked' ? checker.findAtOnce(question, look) : null;
      return checker.verdict(atOnce === null ? own : merge([own, atOnce]), question);
    },
    (_, at) => (usesReal ? lookupsPerHit : workOf(findings[at]!)),
  );
  return isShort ? runNow(concluding) : runInSlices(concluding, signal);
}

/** The answers are for later checks. A request that cannot be made changes nothing. */
function askBehind(wanted: readonly Wanted<AskedList>[]): void {
  for (const { list, prefix, algoVersion } of wanted) void list.confirmer!.ask(prefix, algoVersion);
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

/** Validated options of a check. */
export interface CheckCall {
  readonly signal: SignalLike | undefined;
  readonly deadlineMs: number;
  readonly isFrame: boolean;
  readonly isPasted: boolean;
}

/** @throws PortcullisError `INVALID_INPUT`, `ABORTED`, and what `requireOpen` throws */
export function checkCallOf(options: CheckOptions | undefined, requireOpen: () => void, defaultDeadlineMs: number): CheckCall {
  const { signal, deadlineMs = defaultDeadlineMs, loading, isPasted } = checkValuesOf(options);
  requireOpen();
  throwIfAborted(signal);
  return { signal, deadlineMs, isFrame: loading === 'frame', isPasted };
}

/** @throws TypeError */
export function requireInputs(inputs: unknown): asserts inputs is Iterable<CheckInput> {
  const isIterable = typeof (inputs as Partial<Iterable<CheckInput>> | null)?.[Symbol.iterator] === 'function';
  if (isIterable && typeof inputs !== 'string') return;
  throw new TypeError('inputs must be an iterable; use check() for one input, and screen() for an async iterable');
}
