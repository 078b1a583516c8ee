import { ASSET_TYPES, type Blocklist, isPortcullisError } from 'portcullis';
import type { Example } from '../shared/playground-config.js';
import { type Oddities, odditiesOf } from './deceptive-text.js';
import { button, byId, setText } from './dom.js';
import { showJourney, showNoJourney } from './journey-view.js';
import { type Judgment, judge } from './judge.js';
import { hidePieces, type Piece, showPieces, sorted, summaryOf } from './pieces-view.js';
import type { Requests } from './requests.js';
import { countText, shown } from './shown.js';
import { looksLikeKey, type Subject, type Subjects, subjectsOf } from './subject.js';
import { tabMemory } from './tab-memory.js';
import { showAge, showChecking, showFailure, showNoVerdict, showVerdict } from './verdict-view.js';

/** A pause in typing, after which the text is checked. */
const typingPauseMs = 250;

/** The text box and the views of its content. */
export class Box {
  private readonly text = byId('text', HTMLTextAreaElement);
  private readonly type = byId('type', HTMLSelectElement);
  private readonly tools: { readonly blocklist: Blocklist; readonly requests: Requests };
  /** Called when the text changes or another piece is chosen. */
  onText: () => void = () => {};
  /** Called with a verdict, and when the box starts to wait for one or is emptied. */
  onJudgment: (judgment: Judgment | 'awaited' | null) => void = () => {};
  private judgment: Judgment | null = null;
  private subjects: Subjects = [];
  /** About the whole text. */
  private notice = '';
  /** `null` shows the piece with the worst verdict. */
  private chosen: Subject | null = null;
  private typing: ReturnType<typeof setTimeout> | undefined;
  /** The text has changed and has not been processed yet. */
  private isTyping = false;
  /** The latest check; results of earlier ones are dropped. */
  private newest: Promise<void> = Promise.resolve();
  private turn = 0;

  constructor(blocklist: Blocklist, requests: Requests) {
    this.tools = { blocklist, requests };
    this.type.append(...ASSET_TYPES.map((type) => new Option(type)));
    this.text.addEventListener('input', () => {
      clearTimeout(this.typing);
      this.isTyping = true;
      this.forget();
      this.typing = setTimeout(() => void this.take(), typingPauseMs);
    });
    this.type.addEventListener('change', () => this.takeChosen());
    // What was confirmed earlier is blocked before the answer arrives, and a check ends at its deadline.
    blocklist.on('confirm', ({ error }) => {
      const { reason } = this.judgment?.verdict ?? {};
      if (error === undefined && (reason === 'confirmed-earlier' || reason === 'deadline')) void this.check();
    });
  }

  start(): void {
    if (this.text.value === '') {
      this.text.value = keptText() ?? '';
      // Typing replaces it.
      this.text.select();
    }
    if (this.text.value !== '') showChecking();
    this.text.focus({ preventScroll: true });
    void this.take(false);
  }

  /** Shows the age of a remembered answer as it grows. */
  tick(): void {
    if (this.judgment !== null) showAge(this.judgment);
  }

  /** Shows the examples as buttons that fill the box, and loads the first one if nothing was ever entered in this tab. */
  offer(examples: readonly Example[]): void {
    const buttons = examples.map(({ name, text }) =>
      button(shown(name), () => {
        this.text.value = text;
        this.type.value = '';
        this.takeChosen();
      }),
    );
    byId('examples-frame', HTMLElement).hidden = buttons.length === 0;
    byId('examples', HTMLElement).replaceChildren(...buttons);
    const [first] = examples;
    if (first === undefined || this.text.value !== '' || keptText() !== null) return;
    this.text.value = first.text;
    // Typing replaces it.
    this.text.select();
    this.takeChosen();
  }

  /** Judges the current text first, so that a button never acts on the previous one. */
  async current(): Promise<Judgment | null> {
    // Keeps the shown piece, even if the check finds a worse one.
    this.chosen ??= this.judgment?.subject ?? null;
    await (this.isTyping ? this.take() : this.check());
    return this.judgment;
  }

  /** Checks the same text again, because the list or an answer has changed. */
  check(): Promise<void> {
    if (this.subjects === 'too-much' || this.subjects.length === 0) return Promise.resolve();
    this.newest = this.judgeAll(this.subjects, ++this.turn);
    return this.newest;
  }

  private async judgeAll(subjects: readonly Subject[], turn: number): Promise<void> {
    const { blocklist, requests } = this.tools;
    const before = new Set(requests.log.filter(({ isDone }) => isDone));
    try {
      const verdicts = await blocklist.checkMany(subjects.map(({ input }) => input));
      if (turn !== this.turn) return this.newest;
      const pieces = sorted(subjects.map((subject, at): Piece => ({ subject, verdict: verdicts[at]! })));
      const { subject, verdict } = pieces.find((piece) => piece.subject === this.chosen) ?? pieces[0]!;
      const judgment = judge(subject, verdict, before, this.tools);
      this.judgment = judgment;
      const isMessage = subjects.length > 1 || subject.text !== this.text.value;
      if (isMessage) showPieces(pieces, subject, (piece) => this.choose(piece));
      showVerdict(judgment, isMessage ? summaryOf(pieces) : '', this.notice);
      showJourney(judgment);
      this.onJudgment(judgment);
      void this.fillIn(judgment);
    } catch (error) {
      if (turn !== this.turn) return this.newest;
      this.judgment = null;
      hidePieces();
      showNoJourney();
      this.onJudgment(null);
      showFailure(`The check failed${isPortcullisError(error) ? ` (${error.code})` : ''}. There is no verdict.`);
    }
  }

  /** Checks again when an answer arrives after its check has ended. */
  private async fillIn(judgment: Judgment): Promise<void> {
    if (judgment.asked.every(({ isDone }) => isDone)) return;
    await Promise.all(judgment.asked.map(({ done }) => done));
    if (judgment !== this.judgment) return;
    showJourney(judgment);
    if (judgment.asked.some(({ answered }) => answered !== null)) await this.check();
  }

  private choose(subject: Subject): void {
    this.chosen = subject;
    this.judgment = null;
    this.onText();
    this.onJudgment('awaited');
    showChecking();
    showNoJourney();
    void this.check();
  }

  private takeChosen(): void {
    this.forget();
    void this.take();
  }

  /** Clears what is shown about the previous text. */
  private forget(): void {
    this.turn++;
    this.newest = Promise.resolve();
    this.judgment = null;
    this.chosen = null;
    this.subjects = [];
    hidePieces();
    showNoJourney();
    this.showNotice('');
    const isEmpty = this.text.value.trim() === '';
    if (isEmpty) showNoVerdict();
    else showChecking();
    this.onText();
    this.onJudgment(isEmpty ? null : 'awaited');
  }

  private showNotice(notice: string): void {
    this.notice = notice;
    setText(byId('text-notice', HTMLElement), notice);
  }

  /**
   * Reads the text and checks it.
   *
   * @param isKept Whether the text comes from the user, and is kept across reloads
   */
  private take(isKept = true): Promise<void> {
    clearTimeout(this.typing);
    this.isTyping = false;
    const text = this.text.value;
    const type = ASSET_TYPES.find((name) => name === this.type.value);
    this.subjects = text.trim() === '' ? [] : subjectsOf(text, type);
    if (isKept) keepText(text, this.subjects);
    const assets = this.subjects === 'too-much' ? [] : this.subjects.flatMap((subject) => subject.assets);
    this.showNotice(oddityText(odditiesOf(text, assets)));
    if (this.subjects === 'too-much') {
      this.onJudgment(null);
      showFailure(
        'The text is too long to search: it has more than 10,000 links and addresses, or more than four million characters.',
      );
      return Promise.resolve();
    }
    if (this.subjects.length > 0) return this.check();
    showNoVerdict();
    showNoJourney();
    this.onJudgment(null);
    return Promise.resolve();
  }
}

/** The name of the text in the memory of the tab. */
const key = 'portcullis-playground-text';

/** Longer than any link that people open. */
const maxLength = 4_096;

/** Keeps one link or address across reloads; a message might contain a secret that is not recognized. */
function keepText(text: string, subjects: Subjects): void {
  const [only, ...others] = subjects === 'too-much' ? [] : subjects;
  const isKept =
    only !== undefined &&
    others.length === 0 &&
    only.assets.length > 0 &&
    only.text === text &&
    text.length <= maxLength &&
    !looksLikeKey(only);
  // An empty text is kept, too: the box then stays empty.
  tabMemory.write(key, isKept ? text : '');
}

/** `null` in a tab in which nothing was checked yet. */
const keptText = (): string | null => tabMemory.read(key);

/** Of each kind; a message can have thousands. */
const maxNamed = 3;

/** The notice about an odd text; empty if nothing is odd. */
function oddityText({ mixed, hidden }: Oddities): string {
  const sentences = mixed
    .slice(0, maxNamed)
    .map(
      ({ label, encoded, scripts }) =>
        `“${shown(label)}” (${encoded}) mixes ${scripts.join(' and ')} letters, as a look-alike of another name does.`,
    );
  if (mixed.length > maxNamed) sentences.push(`${countText(mixed.length - maxNamed, 'more name')} mix letters, too.`);
  if (hidden.length > 0) {
    const named = [...hidden.slice(0, maxNamed), ...(hidden.length > maxNamed ? ['…'] : [])].join(', ');
    sentences.push(`The text contains invisible characters (${named}), which can hide or reorder what you read.`);
  }
  return sentences.length === 0 ? '' : `Look closely. ${sentences.join(' ')} This notice does not change the verdict.`;
}
