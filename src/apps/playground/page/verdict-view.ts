import { byId, setText } from './dom.js';
import type { Judgement } from './judge.js';
import { countText, durationText } from './shown.js';
import { timeText } from './stopwatch.js';
import { reasonText, signs, titles } from './verdict-words.js';

interface Content {
  readonly status: string;
  readonly reason?: string;
  readonly sign: string;
  readonly title: string;
  readonly words: string;
  readonly facts?: string;
  /** For screen readers; empty while there is no verdict. */
  readonly announced?: string;
}

/** The verdict as a sign and colour, and as words for screen readers. */
export class VerdictView {
  private readonly frame = byId('verdict', HTMLElement);
  private readonly sign = byId('verdict-sign', HTMLElement);
  private readonly title = byId('verdict-title', HTMLElement);
  private readonly reason = byId('verdict-reason', HTMLElement);
  private readonly facts = byId('verdict-facts', HTMLElement);
  private readonly announcement = byId('announcement', HTMLElement);

  /** `summary` is about all pieces of a message. */
  show(judgement: Judgement, summary: string): void {
    const { status, reason, action } = judgement.verdict;
    const title = titles[status];
    const words = reasonText(judgement);
    this.put({
      status,
      reason,
      sign: signs[status],
      title,
      words,
      facts: [`${status}, ${reason}`, `action: ${action}`, ...factsOf(judgement)].join(' · '),
      announced: `${summary === '' ? '' : `${summary}. `}${title}. ${words}`,
    });
  }

  showNothing(): void {
    const words = 'Type or paste something above, or choose an example.';
    this.put({ status: 'none', sign: '·', title: 'Nothing checked yet', words });
  }

  /** Replaces the verdict of the previous text. */
  showChecking(): void {
    this.put({ status: 'checking', sign: '…', title: 'Checking…', words: 'There is no verdict yet.' });
  }

  /** For a check that ends without a verdict. */
  showFailure(words: string): void {
    const title = 'Not checked';
    this.put({ status: 'failed', sign: '?', title, words, announced: `${title}. ${words}` });
  }

  private put({ status, reason = '', sign, title, words, facts = '', announced = '' }: Content): void {
    this.frame.dataset['status'] = status;
    this.frame.dataset['reason'] = reason;
    this.frame.setAttribute('aria-busy', String(status === 'checking'));
    setText(this.sign, sign);
    setText(this.title, title);
    setText(this.reason, words);
    setText(this.facts, facts);
    setText(this.announcement, announced);
  }
}

function factsOf({ verdict: { ageMs }, timing, asked }: Judgement): string[] {
  const sent = asked.filter(({ outcome }) => outcome !== 'refused').length;
  const refused = asked.length - sent;
  return [
    timeText(timing),
    sent === 0 ? 'nothing was sent' : countText(sent, 'request'),
    ...(refused === 0 ? [] : [`${countText(refused, 'request')} refused by the Offline switch`]),
    ...(ageMs === undefined ? [] : [`list ${durationText(ageMs)} old`]),
  ];
}
