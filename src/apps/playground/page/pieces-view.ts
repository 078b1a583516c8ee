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

/** The assets found in a text, the worst verdict first. */
export class PiecesView {
  private readonly frame = byId('pieces-frame', HTMLFieldSetElement);
  private readonly summary = byId('pieces-summary', HTMLElement);
  private readonly list = byId('pieces', HTMLElement);
  private readonly more = byId('pieces-more', HTMLElement);

  show(pieces: readonly Piece[], chosen: Subject, choose: (subject: Subject) => void): void {
    const offered = pieces.slice(0, maxPieces);
    const focused = [...this.list.children].indexOf(document.activeElement!);
    const buttons = offered.map(({ subject, verdict: { status } }) => {
      const made = button('', () => choose(subject));
      made.append(
        element('span', 'piece-sign', signs[status]),
        element('span', 'hidden', `${titles[status]}: `),
        shown(subject.text, maxPieceLength),
      );
      made.firstElementChild!.setAttribute('aria-hidden', 'true');
      made.dataset['status'] = status;
      made.setAttribute('aria-pressed', String(subject === chosen));
      return made;
    });
    this.list.replaceChildren(...buttons);
    // The pressed button was replaced by a new one.
    buttons[focused]?.focus();
    this.summary.textContent = summaryOf(pieces);
    const left = pieces.slice(maxPieces);
    this.more.textContent = left.length === 0 ? '' : `And ${numberText(left.length)} more, none of them with a worse verdict.`;
    this.frame.hidden = false;
  }

  hide(): void {
    this.frame.hidden = true;
    this.list.replaceChildren();
  }
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
