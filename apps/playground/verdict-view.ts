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
  /** What was sent, and when a remembered answer came. */
  readonly sent?: string;
  /** Technical facts, which are folded. */
  readonly facts?: string;
  /** The text for screen readers; empty while there is no verdict. */
  readonly announced?: string;
}

/**
 * Shows the verdict as a sign and color, and as words for screen readers.
 *
 * @param summary About all pieces of a message
 * @param notice About odd letters in the text
 */
export function showVerdict(judgment: Judgment, summary: string, notice: string): void {
  const { status, reason, action } = judgment.verdict;
  const title = titles[status];
  const words = reasonText(judgment);
  put({
    status,
    reason,
    sign: signs[status],
    title,
    words,
    sent: sentText(judgment),
    facts: [`${status}, ${reason}`, `action: ${action}`, ...factsOf(judgment)].join(' · '),
    announced: [summary === '' ? '' : `${summary}. `, `${title}. ${words}`, notice === '' ? '' : ` ${notice}`].join(''),
  });
}

/** Shows the present age of a remembered answer. Screen readers do not announce it. */
export function showAge(judgment: Judgment): void {
  setText(byId('verdict-sent', HTMLElement), sentText(judgment));
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

function put({ status, reason = '', sign, title, words, sent = '', facts = '', announced = '' }: Content): void {
  const frame = byId('verdict', HTMLElement);
  Object.assign(frame.dataset, { status, reason });
  frame.setAttribute('aria-busy', String(status === 'checking'));
  const texts = { 'verdict-sign': sign, 'verdict-title': title, 'verdict-reason': words };
  const more = { 'verdict-sent': sent, 'verdict-facts': facts, announcement: announced };
  byId('verdict-details', HTMLDetailsElement).hidden = facts === '';
  for (const [id, text] of Object.entries({ ...texts, ...more })) setText(byId(id, HTMLElement), text);
}

function factsOf({ verdict: { ageMs }, timing }: Judgment): string[] {
  return [timeText(timing), ...(ageMs === undefined ? [] : [`list ${durationText(ageMs)} old`])];
}

/** What this check sent. If an earlier answer decides, its age, so that a confirmation never seems to come from nowhere. */
function sentText({ asked, earlier, verdict: { reason } }: Judgment): string {
  const sent = asked.filter(({ outcome }) => outcome !== 'refused');
  const refused = asked.length - sent.length;
  if (sent.length > 0) {
    const ms = Math.max(...sent.map(({ durationMs }) => durationMs));
    return `${countText(sent.length, 'request')}, ${sent.every(({ isDone }) => isDone) ? durationText(ms) : 'still open'}.`;
  }
  if (refused > 0) return `Nothing was sent: ${countText(refused, 'request')} refused, because offline is simulated.`;
  const kept = remembered[reason as keyof typeof remembered];
  if (kept === undefined) return 'Nothing was sent.';
  const when = earlier === undefined ? 'before this page was opened' : `${durationText(Date.now() - earlier.endedAtMs)} ago`;
  return `${kept} ${when}, remembered; nothing was sent now.`;
}

/** The reasons that need an answer of the server. */
const remembered = {
  confirmed: 'Confirmed',
  'confirmed-earlier': 'Confirmed',
  disproved: 'Answered',
} as const;
