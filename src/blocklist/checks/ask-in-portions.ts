import type { Answer, Confirmer } from '../confirm/confirmer.js';
import { createScreenBudget, type ScreenBudget } from '../confirm/screen-budget.js';
import { type Ask, askAbout, byList } from './ask.js';
import type { CheckedList } from './checker.js';

/**
 * As many hits at a time as the budget of `screen` covers, and again after a pause of the source. Waiting for these does not count towards
 * the deadline.
 */
export const askInPortions: Ask = {
  waitsForAll: true,
  async askFor(wanted, deadlineMs, signal) {
    const answers = new Map<CheckedList, ReadonlyMap<number, Answer>>();
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
