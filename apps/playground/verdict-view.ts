import { byId, setText } from './dom.js';
import type { Judgment } from './judge.js';
import { reasonText, signs, titles } from './verdict-words.js';

interface Content {
  readonly status: string;
  readonly reason?: string;
  readonly sign: string;
  readonly title: string;
  readonly words: string;
  readonly sent?: string;
  /** The text for screen readers; empty while there is no verdict. */
  readonly announced?: string;
}

/**
 * Shows the verdict as a sign and color, and as words for screen readers.
 *
 * @param sent What was sent to check it
 * @param summary About all pieces of a message
 * @param notice About odd letters in the text
 */
export function showVerdict(judgment: Judgment, sent: string, summary: string, notice: string): void {
  const { status, reason } = judgment.verdict;
  const title = titles[status];
  const words = reasonText(judgment);
  put({
    status,
    reason,
    sign: signs[status],
    title,
    words,
    sent,
    announced: [summary === '' ? '' : `${summary}. `, `${title}. ${words}`, notice === '' ? '' : ` ${notice}`].join(''),
  });
}

/** Shows again what was sent, here and in the journey: it changes with time. Screen readers do not announce it. */
export function showSent(words: string): void {
  for (const id of ['verdict-sent', 'journey-sent']) {
    const line = document.getElementById(id);
    if (line !== null) setText(line, words);
  }
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

function put({ status, reason = '', sign, title, words, sent = '', announced = '' }: Content): void {
  const frame = byId('verdict', HTMLElement);
  Object.assign(frame.dataset, { status, reason });
  frame.setAttribute('aria-busy', String(status === 'checking'));
  const texts = { 'verdict-sign': sign, 'verdict-title': title, 'verdict-reason': words };
  const more = { 'verdict-sent': sent, announcement: announced };
  for (const [id, text] of Object.entries({ ...texts, ...more })) setText(byId(id, HTMLElement), text);
}
