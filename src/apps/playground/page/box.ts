import { ASSET_TYPES, type Blocklist, isPortcullisError } from 'portcullis';
import type { PlaygroundConfig } from '../playground-config.js';
import { button, byId } from './dom.js';
import { JourneyView } from './journey-view.js';
import { type Judgement, judge } from './judge.js';
import { keepText, keptText } from './kept-text.js';
import { type Piece, PiecesView, sorted, summaryOf } from './pieces-view.js';
import type { Requests } from './requests.js';
import { shown } from './shown.js';
import { type Subject, type Subjects, subjectsOf } from './subject.js';
import { VerdictView } from './verdict-view.js';

/** A pause in typing: what is half typed need not be checked. */
const typingMs = 250;

/** The text box, and what is shown of what is in it. */
export class Box {
  private readonly text = byId('text', HTMLTextAreaElement);
  private readonly type = byId('type', HTMLSelectElement);
  private readonly piecesView = new PiecesView();
  private readonly verdictView = new VerdictView();
  private readonly journeyView = new JourneyView();
  private readonly tools: { readonly blocklist: Blocklist; readonly requests: Requests };
  /** Another text is in the box, or another piece of it is looked at. */
  onText: () => void = () => {};
  /** `null` while there is none for what is in the box. */
  onJudgement: (judgement: Judgement | null) => void = () => {};
  private judgement: Judgement | null = null;
  private subjects: Subjects = [];
  /** Without a choice the worst is shown. */
  private chosen: Subject | null = null;
  private typing: ReturnType<typeof setTimeout> | undefined;
  /** What was typed last is not read yet. */
  private isTyping = false;
  /** The newest check; older ones say nothing any more. */
  private newest: Promise<void> = Promise.resolve();
  private turn = 0;

  constructor(blocklist: Blocklist, requests: Requests) {
    this.tools = { blocklist, requests };
    this.type.append(...ASSET_TYPES.map((type) => new Option(type)));
    if (this.text.value === '') this.text.value = keptText();
    if (this.text.value !== '') this.verdictView.showChecking();
    this.text.addEventListener('input', () => {
      clearTimeout(this.typing);
      this.isTyping = true;
      this.forget();
      this.typing = setTimeout(() => void this.take(), typingMs);
    });
    this.type.addEventListener('change', () => this.takeAnew());
  }

  start(): void {
    void this.take();
  }

  /** Examples as buttons that fill the box. */
  offer({ examples }: PlaygroundConfig): void {
    const buttons = examples.map(({ name, text }) =>
      button(shown(name), () => {
        this.text.value = text;
        this.type.value = '';
        this.takeAnew();
      }),
    );
    byId('examples-frame', HTMLElement).hidden = buttons.length === 0;
    byId('examples', HTMLElement).replaceChildren(...buttons);
  }

  /** Of what is in the box this very moment: what a button does must not be done to what was there before. */
  async current(): Promise<Judgement | null> {
    // Another piece may turn out to be the worst meanwhile.
    this.chosen ??= this.judgement?.subject ?? null;
    await (this.isTyping ? this.take() : this.check());
    return this.judgement;
  }

  /** Looks at the same again, with what is known now. */
  check(): Promise<void> {
    if (this.subjects === 'too-much' || this.subjects.length === 0) return Promise.resolve();
    this.newest = this.judgeAll(this.subjects, ++this.turn);
    return this.newest;
  }

  private async judgeAll(subjects: readonly Subject[], turn: number): Promise<void> {
    const { blocklist, requests } = this.tools;
    const before = new Set(requests.log);
    try {
      const verdicts = await blocklist.checkMany(subjects.map(({ input }) => input));
      if (turn !== this.turn) return this.newest;
      const pieces = sorted(subjects.map((subject, at): Piece => ({ subject, verdict: verdicts[at]! })));
      const { subject, verdict } = pieces.find((piece) => piece.subject === this.chosen) ?? pieces[0]!;
      const judgement = judge(subject, verdict, before, this.tools);
      this.judgement = judgement;
      const isMessage = subjects.length > 1 || subject.text !== this.text.value;
      if (isMessage) this.piecesView.show(pieces, subject, (piece) => this.choose(piece));
      this.verdictView.show(judgement, isMessage ? summaryOf(pieces) : '');
      this.journeyView.show(judgement);
      this.onJudgement(judgement);
      void this.fillIn(judgement);
    } catch (error) {
      if (turn !== this.turn) return this.newest;
      this.judgement = null;
      this.piecesView.hide();
      this.journeyView.showNothing();
      this.onJudgement(null);
      this.verdictView.showFailure(
        `The check itself failed${isPortcullisError(error) ? ` (${error.code})` : ''}. Nothing is known about it.`,
      );
    }
  }

  /** An answer that came too late for its check is remembered, and may say more than was known then. */
  private async fillIn(judgement: Judgement): Promise<void> {
    if (judgement.asked.every(({ isDone }) => isDone)) return;
    await Promise.all(judgement.asked.map(({ done }) => done));
    if (judgement !== this.judgement) return;
    this.journeyView.show(judgement);
    if (judgement.asked.some(({ answered }) => answered !== null)) await this.check();
  }

  private choose(subject: Subject): void {
    this.chosen = subject;
    this.judgement = null;
    this.onText();
    this.verdictView.showChecking();
    this.journeyView.showNothing();
    void this.check();
  }

  private takeAnew(): void {
    this.forget();
    void this.take();
  }

  /** What is shown is of another text. */
  private forget(): void {
    this.turn++;
    this.newest = Promise.resolve();
    this.judgement = null;
    this.chosen = null;
    this.subjects = [];
    this.piecesView.hide();
    this.journeyView.showNothing();
    if (this.text.value.trim() === '') this.verdictView.showNothing();
    else this.verdictView.showChecking();
    this.onText();
    this.onJudgement(null);
  }

  /** Reads what is in the box. */
  private take(): Promise<void> {
    clearTimeout(this.typing);
    this.isTyping = false;
    const text = this.text.value;
    const type = ASSET_TYPES.find((name) => name === this.type.value);
    this.subjects = text.trim() === '' ? [] : subjectsOf(text, type);
    keepText(text, this.subjects);
    if (this.subjects === 'too-much') {
      this.verdictView.showFailure(
        'It is too much to search: more than 10,000 links and addresses, or more than four million characters.',
      );
      return Promise.resolve();
    }
    if (this.subjects.length > 0) return this.check();
    this.verdictView.showNothing();
    this.journeyView.showNothing();
    return Promise.resolve();
  }
}
