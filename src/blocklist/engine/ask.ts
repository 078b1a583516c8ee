import type { SignalLike } from '../../core/errors.js';
import { waitFor } from '../../core/http/bounded.js';
import type { Confirmer } from '../ask/confirmer.js';
import { createScreenBudget, type ScreenBudget } from '../ask/screen-budget.js';
import type { Answer, Answers, Wanted } from '../rules/judge-hit.js';
import type { CheckedList } from './checker.js';

/** A list whose source can be asked about hits. */
export interface AskedList extends CheckedList {
  readonly confirmer: Confirmer | null;
}

/** How the sources are asked about hits. */
export interface Ask {
  /** Whether to wait for the source even where it gave an answer earlier. */
  readonly waitsForAll: boolean;
  /** Whether to ask sources at once about what their global caches lack. */
  readonly usesCaches: boolean;
  /** A hit without an answer by the deadline gets the answer `deadline`; its request continues. */
  askFor(wanted: readonly Wanted<AskedList>[], deadlineMs: number, signal: SignalLike | undefined): Promise<Answers<AskedList>>;
}

/** All hits at once. */
export const askAtOnce: Ask = {
  waitsForAll: false,
  usesCaches: true,
  askFor: (wanted, deadlineMs, signal) => askAbout(wanted, deadlineMs, signal, false),
};

/** @param isPaid Whether the budget of `screen` covers them. */
async function askAbout(
  wanted: readonly Wanted<AskedList>[],
  deadlineMs: number,
  signal: SignalLike | undefined,
  isPaid: boolean,
): Promise<ReadonlyMap<AskedList, ReadonlyMap<number, Answer>>> {
  const answers = new Map<AskedList, Map<number, Answer>>();
  const asked: Promise<void>[] = [];
  for (const [list, some] of byList(wanted)) {
    const own = new Map<number, Answer>();
    answers.set(list, own);
    for (const { prefix, algoVersion } of some) {
      own.set(prefix, { failure: 'deadline' });
      asked.push(list.confirmer!.ask(prefix, algoVersion, isPaid).then((answer) => void own.set(prefix, answer)));
    }
  }
  const leftMs = await waitFor(deadlineMs, signal, () => Promise.all(asked));
  // A copy, because late answers are still added to the maps.
  return leftMs > 0 ? answers : new Map([...answers].map(([list, own]) => [list, new Map(own)]));
}

/** Each prefix once. */
function byList(wanted: readonly Wanted<AskedList>[]): Map<AskedList, Wanted<AskedList>[]> {
  const lists = new Map<AskedList, Map<number, Wanted<AskedList>>>();
  for (const one of wanted) {
    const own = lists.get(one.list) ?? new Map<number, Wanted<AskedList>>();
    lists.set(one.list, own);
    if (!own.has(one.prefix)) own.set(one.prefix, one);
  }
  return new Map([...lists].map(([list, own]) => [list, [...own.values()]]));
}

/**
 * As many hits at a time as the budget of `screen` covers, and again after a pause of the source. Waiting for these does not count towards
 * the deadline.
 */
export const askInPortions: Ask = {
  waitsForAll: true,
  // The caches are for pages that are opened. This asks about hits only.
  usesCaches: false,
  async askFor(wanted, deadlineMs, signal) {
    const answers = new Map<AskedList, ReadonlyMap<number, Answer>>();
    for (const [list, some] of byList(wanted)) {
      const found = new Map<number, Answer>();
      answers.set(list, found);
      const confirmer = list.confirmer!;
      const budget = budgetOf(confirmer);
      for (let open = some; open.length > 0; ) {
        const count = Math.min(open.length, confirmer.maxPerRequest, confirmer.prefixesPerMinute);
        // All of them if the source is not waited for any longer.
        const asked = (await budget.take(count, signal)) ? open.slice(0, count) : open;
        const portion = (await askAbout(asked, deadlineMs, signal, true)).get(list)!;
        for (const [prefix, answer] of portion) found.set(prefix, answer);
        const again = asked.filter(({ prefix }) => mayAnswerLater(portion.get(prefix)!) && budget.isPatient());
        open = [...again, ...open.slice(asked.length)];
      }
    }
    return answers;
  },
};

/** A source has one budget, whatever is screened at the same time. */
const budgets = /* @__PURE__ */ new WeakMap<Confirmer, ScreenBudget>();

function budgetOf(confirmer: Confirmer): ScreenBudget {
  const known = budgets.get(confirmer);
  if (known !== undefined) return known;
  const budget = createScreenBudget(confirmer);
  budgets.set(confirmer, budget);
  return budget;
}

function mayAnswerLater(answer: Answer): boolean {
  return 'failure' in answer && (answer.failure === 'offline' || answer.failure === 'budget');
}
