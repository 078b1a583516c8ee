import type { Blocklist } from 'portcullis';
import type { PlaygroundConfig } from '../config.js';
import { button, byId } from './dom.js';
import { JourneyView } from './journey-view.js';
import { type Judgement, judge } from './judge.js';
import type { Requests } from './requests.js';
import { shown } from './shown.js';
import { type Subject, subjectsOf } from './subject.js';
import { VerdictView } from './verdict-view.js';

/** A pause in typing: what is half typed need not be checked. */
const typingMs = 250;

/** Characters of a piece of a text on its button. */
const pieceMax = 48;

/** The text box, and what is shown of what is in it. */
export class Box {
  private readonly text = byId('text', HTMLTextAreaElement);
  private readonly piecesFrame = byId('pieces-frame', HTMLFieldSetElement);
  private readonly pieces = byId('pieces', HTMLElement);
  private readonly verdictView = new VerdictView();
  private readonly journeyView = new JourneyView();
  private readonly blocklist: Blocklist;
  private readonly requests: Requests;
  private readonly refresh: () => void;
  private judgement: Judgement | null = null;
  private chosen = 0;
  private subjects: readonly Subject[] = [];
  private typing: ReturnType<typeof setTimeout> | undefined;
  /** What was typed last is not read yet. */
  private isTyping = false;
  /** The newest check; older ones say nothing any more. */
  private turn = 0;

  constructor(blocklist: Blocklist, requests: Requests, refresh: () => void) {
    this.blocklist = blocklist;
    this.requests = requests;
    this.refresh = refresh;
    this.text.addEventListener('input', () => {
      clearTimeout(this.typing);
      this.isTyping = true;
      this.typing = setTimeout(() => void this.take(), typingMs);
    });
    void this.take();
  }

  /** Examples as buttons that fill the box. */
  offer({ examples }: PlaygroundConfig): void {
    const buttons = examples.map(({ name, text }) =>
      button(shown(name), () => {
        this.text.value = text;
        void this.take();
      }),
    );
    byId('examples-frame', HTMLElement).hidden = buttons.length === 0;
    byId('examples', HTMLElement).replaceChildren(...buttons);
  }

  /** Of what is in the box this very moment: what a button does must not be done to what was there before. */
  async current(): Promise<Judgement | null> {
    await (this.isTyping ? this.take() : this.check());
    return this.judgement;
  }

  /** Looks at the same again, with what is known now. */
  async check(): Promise<void> {
    const subject = this.subjects[this.chosen];
    if (subject === undefined) return;
    this.turn++;
    const { turn } = this;
    const judgement = await judge(subject, this.blocklist, this.requests);
    if (turn !== this.turn) return;
    this.judgement = judgement;
    this.verdictView.show(judgement);
    this.journeyView.show(judgement);
    this.refresh();
  }

  /** Reads what is in the box. */
  private take(): Promise<void> {
    clearTimeout(this.typing);
    this.isTyping = false;
    this.judgement = null;
    const text = this.text.value;
    this.chosen = 0;
    this.subjects = text.trim() === '' ? [] : subjectsOf(text);
    this.showPieces();
    if (this.subjects.length > 0) return this.check();
    this.turn++;
    this.verdictView.showNothing();
    this.journeyView.showNothing();
    return Promise.resolve();
  }

  private showPieces(): void {
    const isWhole = this.subjects.every(({ text }) => text === this.text.value);
    this.piecesFrame.hidden = isWhole;
    const buttons = isWhole
      ? []
      : this.subjects.map(({ text }, at) => {
          const made = button(shown(text, pieceMax), () => {
            this.chosen = at;
            this.judgement = null;
            buttons.forEach((other, place) => {
              other.setAttribute('aria-pressed', String(place === at));
            });
            void this.check();
          });
          made.setAttribute('aria-pressed', String(at === 0));
          return made;
        });
    this.pieces.replaceChildren(...buttons);
  }
}
