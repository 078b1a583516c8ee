import type { Judgment } from './judge.js';
import { countText, durationText } from './shown.js';

/** What this check sent. If an earlier answer decides, its age, so that a confirmation never seems to come from nowhere. */
export function sentText({ asked, earlier, verdict: { reason } }: Judgment): string {
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
