import type { VerdictReason } from 'portcullis';
import type { Judgment, Look } from './judge.js';
import { type LoggedRequest, okStatus, shardDigitsOf } from './requests.js';
import { countText, durationText } from './shown.js';

/** What was sent to check a text, since it was entered. The verdict and the journey both say it. */
export interface Sending {
  readonly words: string;
  /** Why nothing was sent; empty otherwise. */
  readonly why: string;
  /** The requests of this check; the earlier one if its remembered answer decides. */
  readonly requests: readonly LoggedRequest[];
  readonly isEarlier: boolean;
}

/** Read from the log each time, because a check may end before its request begins. */
export function sendingOf(judgment: Judgment, questions: readonly LoggedRequest[]): Sending {
  const { before, verdict, looks } = judgment;
  const about = questions.filter((request) => isAbout(request, looks));
  const asked = about.filter((request) => !before.has(request));
  const sent = asked.filter(({ outcome }) => outcome !== 'refused');
  const common = { why: '', requests: asked, isEarlier: false };
  if (sent.length > 0) {
    const took = durationText(Math.max(...sent.map(({ durationMs }) => durationMs)));
    const state = sent.every(({ isDone }) => isDone) ? took : 'still open';
    return { ...common, words: `The check sent ${countText(sent.length, 'request')} about it (${state}).` };
  }
  if (asked.length > 0) {
    const refused = `${countText(asked.length, 'request')} refused, because offline is simulated`;
    return { ...common, words: `The check sent nothing about it: ${refused}.` };
  }
  const kept = remembered[verdict.reason];
  if (kept === undefined) return { ...common, words: 'The check sent nothing about it.', why: whyNothing(judgment) };
  const earlier = about.find((request) => isAnswered(request, looks));
  // An earlier answer has its age, so that a confirmation never seems to come from nowhere.
  const when = earlier === undefined ? 'earlier' : `${durationText(Date.now() - earlier.endedAtMs)} ago`;
  const words = `${kept} ${when}, remembered; nothing about it was sent now.`;
  return { words, why: '', requests: earlier === undefined ? [] : [earlier], isEarlier: true };
}

/** The reasons that need an answer of the server. */
const remembered: Partial<Record<VerdictReason, string>> = {
  confirmed: 'Confirmed',
  'confirmed-earlier': 'Confirmed',
  disproved: 'Answered',
};

const isHit = ({ found }: Look): boolean => found !== null && found.heldIn !== 'nothing';

/** A request for a shard names no prefix. */
function isAbout({ prefixes, path }: LoggedRequest, looks: readonly Look[]): boolean {
  if (prefixes.length === 0) return looks.some((look) => isHit(look) && look.prefix.startsWith(shardDigitsOf(path) ?? ''));
  return looks.some(({ prefix }) => prefixes.includes(prefix));
}

function isAnswered({ answered, prefixes, outcome }: LoggedRequest, looks: readonly Look[]): boolean {
  return prefixes.length === 0 ? outcome === okStatus : looks.some(({ prefix }) => Object.hasOwn(answered ?? {}, prefix));
}

function whyNothing({ explanation, looks, verdict: { reason } }: Judgment): string {
  if (explanation.override !== null) return 'Your own choice in this browser decides.';
  if (looks.every(({ found }) => found === null)) return 'There is no list to search.';
  if (!looks.some(isHit)) return 'None of the prefixes is in the list.';
  if (reason === 'listed') return 'The list contains the whole hash.';
  return reason === 'offline' ? 'The server cannot be asked now.' : '';
}
