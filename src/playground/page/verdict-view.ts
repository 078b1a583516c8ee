import { byId, setText } from './dom.js';
import type { Judgement } from './judge.js';
import { countText, durationText, shown } from './shown.js';
import { timeText } from './stopwatch.js';
import { reasons, signs, titles } from './words.js';

/** The verdict at a glance, and in words for who listens. */
export class VerdictView {
  private readonly frame = byId('verdict', HTMLElement);
  private readonly sign = byId('verdict-sign', HTMLElement);
  private readonly title = byId('verdict-title', HTMLElement);
  private readonly reason = byId('verdict-reason', HTMLElement);
  private readonly facts = byId('verdict-facts', HTMLElement);
  private readonly announcement = byId('announcement', HTMLElement);

  show({ verdict, timing, asked }: Judgement): void {
    const { status, reason, expression, ageMs } = verdict;
    this.frame.dataset['status'] = status;
    this.frame.dataset['reason'] = reason;
    setText(this.sign, signs[status]);
    setText(this.title, titles[status]);
    const listed = expression === undefined ? '' : `${shown(expression)} is listed. `;
    const words =
      (status === 'blocked' || status === 'unconfirmed' ? listed.replace('is listed', listedAs(status)) : '') + reasons[reason];
    setText(this.reason, words);
    const facts = [
      `${status}, ${reason}`,
      `action: ${verdict.action}`,
      timeText(timing),
      asked.length === 0 ? 'nothing was sent' : countText(asked.length, 'request'),
      ...(ageMs === undefined ? [] : [`list ${durationText(ageMs)} old`]),
    ];
    setText(this.facts, facts.join(' · '));
    setText(this.announcement, `${titles[status]}. ${words}`);
  }

  showNothing(): void {
    this.frame.dataset['status'] = 'none';
    this.frame.dataset['reason'] = '';
    setText(this.sign, '·');
    setText(this.title, 'Nothing checked yet');
    setText(this.reason, 'Type or paste something above, or take an example.');
    setText(this.facts, '');
    setText(this.announcement, '');
  }
}

function listedAs(status: 'blocked' | 'unconfirmed'): string {
  return status === 'blocked' ? 'is listed' : 'may be listed';
}
