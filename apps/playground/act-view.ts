import { type Blocklist, isPortcullisError } from 'portcullis';
import type { Box } from './box.js';
import { type Action, answerReuseMs, type Changes, maybeKey, nothingToChange } from './change.js';
import { byId, setText } from './dom.js';
import type { Judgment } from './judge.js';
import { shown } from './shown.js';
import { looksLikeKey } from './subject.js';

/** The buttons that change the list, the asset they would change, and the result. */
export interface ActView {
  /** @param judgment `awaited` while the text is being checked: a press then waits for the verdict. */
  show(judgment: Judgment | 'awaited' | null): void;
  /** The shown result is about the previous text. */
  clear(): void;
}

export function actViewOf(changes: Changes, box: Box, blocklist: Blocklist): ActView {
  const result = byId('act-result', HTMLElement);
  const forget = byId('forget', HTMLButtonElement);
  let isBusy = false;

  async function press(change: (judgment: Judgment) => Promise<string>): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    setText(result, 'Working …');
    try {
      const judgment = await box.current();
      if (judgment === null) return setText(result, nothingChecked);
      setText(result, await change(judgment));
      await box.check();
      setTimeout(() => void box.check(), answerReuseMs);
    } catch (error) {
      const isOurs = isPortcullisError(error);
      setText(result, isOurs ? `It failed: ${error.code}.` : 'It could not be sent: the server did not respond.');
    } finally {
      isBusy = false;
    }
  }

  function targetText(judgment: Judgment): string {
    if (looksLikeKey(judgment.subject)) return maybeKey;
    const [block, allow] = actions.map((action) => changes.target(action, judgment));
    if (block === undefined || allow === undefined) return nothingToChange;
    if (block === allow) return `Both apply to ${shown(block)}.`;
    const { labels } = changes;
    return `“${labels.block}” applies to ${shown(block)}. “${labels.allow}” applies to ${shown(allow)}, which is the listed entry.`;
  }

  const canRun = (action: Action, judgment: Judgment): boolean =>
    changes.target(action, judgment) !== undefined && !looksLikeKey(judgment.subject);

  setText(byId('act-note', HTMLElement), changes.note);
  for (const action of actions) {
    const made = byId(action, HTMLButtonElement);
    setText(made, changes.labels[action]);
    made.addEventListener('click', () => void press((judgment) => changes.run(action, judgment)));
  }
  forget.addEventListener('click', () => void press((judgment) => forgetOverride(blocklist, judgment)));
  return {
    show(judgment) {
      const isAwaited = judgment === 'awaited';
      const shownText = isAwaited ? '' : judgment === null ? nothingChecked : targetText(judgment);
      setText(byId('act-target', HTMLElement), shownText);
      for (const action of actions) {
        const isThere = judgment !== null && (isAwaited || canRun(action, judgment));
        byId(action, HTMLButtonElement).disabled = !isThere;
      }
      const hasOverride = judgment !== null && !isAwaited && judgment.explanation.override !== null;
      if (!hasOverride && document.activeElement === forget) byId('block', HTMLButtonElement).focus();
      forget.hidden = !hasOverride;
    },
    clear() {
      if (!isBusy) setText(result, '');
    },
  };
}

const actions = ['block', 'allow'] as const;

const nothingChecked = 'Type a link or an address first.';

async function forgetOverride(blocklist: Blocklist, { explanation: { override } }: Judgment): Promise<string> {
  if (override === null) return 'You have not blocked or allowed it in this browser.';
  await blocklist.removeOverride(override.expression);
  return `Your choice about ${shown(override.expression)} is removed.`;
}
