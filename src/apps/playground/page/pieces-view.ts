import type { Verdict, VerdictStatus } from 'portcullis';
import { button, byId, element } from './dom.js';
import { numberText, shown } from './shown.js';
import type { Subject } from './subject.js';
import { signs, titles } from './verdict-words.js';

/** Pieces offered as buttons; all of them are checked. */
const piecesMax = 20;

/** Characters of a piece on its button. */
const pieceLengthMax = 48;

export interface Piece {
  readonly subject: Subject;
  readonly verdict: Verdict;
}

/** What is found in a text, the worst first. */
export class PiecesView {
  private readonly frame = byId('pieces-frame', HTMLFieldSetElement);
  private readonly summary = byId('pieces-summary', HTMLElement);
  private readonly list = byId('pieces', HTMLElement);
  private readonly more = byId('pieces-more', HTMLElement);

  show(pieces: readonly Piece[], chosen: Subject, choose: (subject: Subject) => void): void {
    const offered = pieces.slice(0, piecesMax);
    const focused = [...this.list.children].indexOf(document.activeElement!);
    const buttons = offered.map(({ subject, verdict: { status } }) => {
      const made = button('', () => choose(subject));
      made.append(
        element('span', 'piece-sign', signs[status]),
        element('span', 'hidden', `${titles[status]}: `),
        shown(subject.text, pieceLengthMax),
      );
      made.firstElementChild!.setAttribute('aria-hidden', 'true');
      made.dataset['status'] = status;
      made.setAttribute('aria-pressed', String(subject === chosen));
      return made;
    });
    this.list.replaceChildren(...buttons);
    // The button that was pressed is made anew.
    buttons[focused]?.focus();
    this.summary.textContent = summaryOf(pieces);
    const left = pieces.slice(piecesMax);
    this.more.textContent = left.length === 0 ? '' : `And ${numberText(left.length)} more, none of them worse.`;
    this.frame.hidden = false;
  }

  hide(): void {
    this.frame.hidden = true;
    this.list.replaceChildren();
  }
}

/** Not knowing is worse than being clear. */
const worstFirst: readonly VerdictStatus[] = ['blocked', 'unconfirmed', 'unknown', 'not-listable', 'allowed', 'clear'];

export function sorted(pieces: readonly Piece[]): readonly Piece[] {
  const rank = ({ verdict }: Piece): number => worstFirst.indexOf(verdict.status);
  return [...pieces].sort((a, b) => rank(a) - rank(b));
}

/** Of the worst: `1 of 3 is blocked`. */
export function summaryOf(pieces: readonly Piece[]): string {
  const [worst] = pieces;
  if (worst === undefined) return '';
  const { status } = worst.verdict;
  const count = pieces.filter(({ verdict }) => verdict.status === status).length;
  const what = titles[status].toLowerCase();
  return `${numberText(count)} of ${numberText(pieces.length)} ${count === 1 ? 'is' : 'are'} ${what}`;
}
