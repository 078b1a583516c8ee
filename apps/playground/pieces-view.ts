import type { Verdict, VerdictStatus } from 'portcullis';
import { button, byId, element } from './dom.js';
import { numberText, shown } from './shown.js';
import type { Subject } from './subject.js';
import { signs, titles } from './verdict-words.js';

/** Pieces shown as buttons; all of them are checked. */
const maxPieces = 20;

/** Characters of a piece on its button. */
const maxPieceLength = 48;

export interface Piece {
  readonly subject: Subject;
  readonly verdict: Verdict;
}

/** Shows the assets found in a text, the worst verdict first. */
export function showPieces(pieces: readonly Piece[], chosen: Subject, choose: (subject: Subject) => void): void {
  const list = byId('pieces', HTMLElement);
  const focused = [...list.children].indexOf(document.activeElement!);
  const buttons = pieces.slice(0, maxPieces).map(({ subject, verdict: { status } }) => {
    const sign = element('span', 'piece-sign', signs[status]);
    sign.setAttribute('aria-hidden', 'true');
    const made = button('', () => choose(subject));
    made.append(sign, element('span', 'hidden', `${titles[status]}: `), shown(subject.text, maxPieceLength));
    made.dataset['status'] = status;
    made.setAttribute('aria-pressed', String(subject === chosen));
    return made;
  });
  list.replaceChildren(...buttons);
  // The pressed button was replaced by a new one.
  buttons[focused]?.focus();
  byId('pieces-summary', HTMLElement).textContent = summaryOf(pieces);
  const left = pieces.length - buttons.length;
  byId('pieces-more', HTMLElement).textContent =
    left === 0 ? '' : `And ${numberText(left)} more, none of them with a worse verdict.`;
  byId('pieces-frame', HTMLFieldSetElement).hidden = false;
}

export function hidePieces(): void {
  byId('pieces-frame', HTMLFieldSetElement).hidden = true;
  byId('pieces', HTMLElement).replaceChildren();
}

/** `unknown` before `clear`, because it may hide a scam. */
const worstFirst: readonly VerdictStatus[] = ['blocked', 'unconfirmed', 'unknown', 'not-listable', 'allowed', 'clear'];

export function sorted(pieces: readonly Piece[]): readonly Piece[] {
  const rank = ({ verdict }: Piece): number => worstFirst.indexOf(verdict.status);
  return [...pieces].sort((a, b) => rank(a) - rank(b));
}

/** How many have the worst verdict: `1 of 3 is blocked`. */
export function summaryOf(pieces: readonly Piece[]): string {
  const [worst] = pieces;
  if (worst === undefined) return '';
  const { status } = worst.verdict;
  const count = pieces.filter(({ verdict }) => verdict.status === status).length;
  const what = titles[status].toLowerCase();
  return `${numberText(count)} of ${numberText(pieces.length)} ${count === 1 ? 'is' : 'are'} ${what}`;
}
