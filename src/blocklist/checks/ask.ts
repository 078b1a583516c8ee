import { hasCode, type SignalLike } from '../../core/errors.js';
import { bounded } from '../../core/http/bounded.js';
import type { Answer } from '../confirm/confirmer.js';
import type { Answers, CheckedList, Wanted } from './checker.js';

/** Asks about all hits at once. A hit without an answer by the deadline gets the answer `deadline`; the request continues. */
export async function askAbout(wanted: readonly Wanted[], deadlineMs: number, signal: SignalLike | undefined): Promise<Answers> {
  const answers = new Map<CheckedList, Map<number, Answer>>();
  const asked: Promise<void>[] = [];
  for (const { list, prefix, algoVersion } of wanted) {
    const own = answers.get(list) ?? new Map<number, Answer>();
    answers.set(list, own);
    if (own.has(prefix)) continue;
    own.set(prefix, { failure: 'deadline' });
    asked.push(list.confirmer!.ask(prefix, algoVersion).then((answer) => void own.set(prefix, answer)));
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
