import { type Blocklist, isPortcullisError } from 'portcullis';
import type { Box } from './box.js';
import { type Action, answerReuseMs, type Changes } from './change.js';
import { byId, setText } from './dom.js';
import type { Judgement } from './judge.js';
import { shown } from './shown.js';

/** The buttons that change the list, the asset they would change, and the result. */
export class ActView {
  private readonly target = byId('act-target', HTMLElement);
  private readonly result = byId('act-result', HTMLElement);
  private readonly forget = byId('forget', HTMLButtonElement);
  private readonly changes: Changes;
  private readonly box: Box;
  private isBusy = false;

  constructor(changes: Changes, box: Box, blocklist: Blocklist) {
    this.changes = changes;
    this.box = box;
    setText(byId('act-note', HTMLElement), changes.note);
    for (const action of ['block', 'allow'] as const) {
      const made = byId(action, HTMLButtonElement);
      setText(made, changes.labels[action]);
      made.addEventListener('click', () => void this.press((judgement) => changes.run(action, judgement)));
    }
    this.forget.addEventListener('click', () => void this.press((judgement) => forgetOverride(blocklist, judgement)));
  }

  show(judgement: Judgement | null): void {
    setText(this.target, judgement === null ? '' : this.targetText(judgement));
    const hasOverride = judgement !== null && judgement.explanation.override !== null;
    if (!hasOverride && document.activeElement === this.forget) byId('block', HTMLButtonElement).focus();
    this.forget.hidden = !hasOverride;
  }

  /** The result belongs to the previous text. */
  clear(): void {
    if (!this.isBusy) setText(this.result, '');
  }

  private async press(change: (judgement: Judgement) => Promise<string>): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    setText(this.result, 'Working …');
    try {
      const judgement = await this.box.current();
      if (judgement === null) return setText(this.result, 'Nothing is checked yet; type something first.');
      setText(this.result, await change(judgement));
      await this.box.check();
      setTimeout(() => void this.box.check(), answerReuseMs);
    } catch (error) {
      setText(
        this.result,
        isPortcullisError(error) ? `It failed: ${error.code}.` : 'It could not be sent: the server did not respond.',
      );
    } finally {
      this.isBusy = false;
    }
  }

  private targetText(judgement: Judgement): string {
    const named = (action: Action): string | undefined => this.changes.target(action, judgement);
    const [block, allow] = [named('block'), named('allow')];
    if (judgement.verdict.reason === 'secret' || block === undefined || allow === undefined) return '';
    if (block === allow) return `Both apply to ${shown(block)}.`;
    return `Block applies to ${shown(block)}. Allow lifts ${shown(allow)}, which is the listed entry.`;
  }
}

async function forgetOverride(blocklist: Blocklist, { explanation: { override } }: Judgement): Promise<string> {
  if (override === null) return 'This browser has no override for it.';
  await blocklist.removeOverride(override.expression);
  return `The override for ${shown(override.expression)} is removed.`;
}
