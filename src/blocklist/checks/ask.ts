import { hasCode, type SignalLike } from '../../core/errors.js';
import { bounded } from '../../core/http/bounded.js';
import type { Answer } from '../confirm/confirmer.js';
import type { Answers, CheckedList, Wanted } from './checker.js';

/** How the sources are asked about hits. */
export interface Ask {
  /** Whether to wait for the source even where it gave an answer earlier. */
  readonly waitsForAll: boolean;
  /** A hit without an answer by the deadline gets the answer `deadline`; its request continues. */
  askFor(wanted: readonly Wanted[], deadlineMs: number, signal: SignalLike | undefined): Promise<Answers>;
}

/** All hits at once. */
export const askAtOnce: Ask = {
  waitsForAll: false,
  askFor: (wanted, deadlineMs, signal) => askAbout(wanted, deadlineMs, signal, false),
};

/** @param isPaid Whether the budget of `screen` covers them. */
export async function askAbout(
  wanted: readonly Wanted[],
  deadlineMs: number,
  signal: SignalLike | undefined,
  isPaid: boolean,
): Promise<Answers> {
  const answers = new Map<CheckedList, Map<number, Answer>>();
  const asked: Promise<void>[] = [];
  for (const [list, some] of byList(wanted)) {
    const own = new Map<number, Answer>();
    answers.set(list, own);
    for (const { prefix, algoVersion } of some) {
      own.set(prefix, { failure: 'deadline' });
      asked.push(list.confirmer!.ask(prefix, algoVersion, isPaid).then((answer) => void own.set(prefix, answer)));
    }
  }
  try {
    await bounded(deadlineMs, signal, () => Promise.all(asked));
  } catch (error) {
    if (!hasCode(error, 'TIMEOUT')) throw error;
    // A copy, because late answers are still added to the maps.
    return new Map([...answers].map(([list, own]) => [list, new Map(own)]));
  }
  return answers;
}

/** Each prefix once. */
export function byList(wanted: readonly Wanted[]): Map<CheckedList, Wanted[]> {
  const lists = new Map<CheckedList, Map<number, Wanted>>();
  for (const one of wanted) {
    const own = lists.get(one.list) ?? new Map<number, Wanted>();
    lists.set(one.list, own);
    if (!own.has(one.prefix)) own.set(one.prefix, one);
  }
  return new Map([...lists].map(([list, own]) => [list, [...own.values()]]));
}
