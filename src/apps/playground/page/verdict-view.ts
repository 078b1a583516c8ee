import { byId, setText } from './dom.js';
import type { Judgment } from './judge.js';
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
  /** The text for screen readers; empty while there is no verdict. */
  readonly announced?: string;
}

/**
 * Shows the verdict as a sign and color, and as words for screen readers.
 *
 * @param summary About all pieces of a message
 */
export function showVerdict(judgment: Judgment, summary: string): void {
  const { status, reason, action } = judgment.verdict;
  const title = titles[status];
  const words = reasonText(judgment);
  put({
    status,
    reason,
    sign: signs[status],
    title,
    words,
    facts: [`${status}, ${reason}`, `action: ${action}`, ...factsOf(judgment)].join(' · '),
    announced: `${summary === '' ? '' : `${summary}. `}${title}. ${words}`,
  });
}

export function showNoVerdict(): void {
  const words = 'Type or paste something above, or choose an example.';
  put({ status: 'none', sign: '·', title: 'Nothing checked yet', words });
}

/** Replaces the verdict of the previous text. */
export function showChecking(): void {
  put({ status: 'checking', sign: '…', title: 'Checking…', words: 'There is no verdict yet.' });
}

/** For a check that ends without a verdict. */
export function showFailure(words: string): void {
  const title = 'Not checked';
  put({ status: 'failed', sign: '?', title, words, announced: `${title}. ${words}` });
}

function put({ status, reason = '', sign, title, words, facts = '', announced = '' }: Content): void {
  const frame = byId('verdict', HTMLElement);
  Object.assign(frame.dataset, { status, reason });
  frame.setAttribute('aria-busy', String(status === 'checking'));
  const texts = { 'verdict-sign': sign, 'verdict-title': title, 'verdict-reason': words, 'verdict-facts': facts };
  for (const [id, text] of Object.entries({ ...texts, announcement: announced })) setText(byId(id, HTMLElement), text);
}

function factsOf({ verdict: { ageMs }, timing, asked }: Judgment): string[] {
  const sent = asked.filter(({ outcome }) => outcome !== 'refused').length;
  const refused = asked.length - sent;
  return [
    timeText(timing),
    sent === 0 ? 'nothing was sent' : countText(sent, 'request'),
    ...(refused === 0 ? [] : [`${countText(refused, 'request')} refused by the Offline switch`]),
    ...(ageMs === undefined ? [] : [`list ${durationText(ageMs)} old`]),
  ];
}
