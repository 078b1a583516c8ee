import type { Blocklist } from 'portcullis';
import { button, byId, element } from './dom.js';
import type { Requests } from './requests.js';
import { durationText } from './shown.js';

interface Notice {
  readonly text: string;
  readonly button?: { readonly text: string; readonly onClick: () => void };
}

/** What whoever looks at the page should know before they believe it. */
export class Notices {
  private readonly frame = byId('notices', HTMLElement);
  /** What happened once, by its kind. */
  private readonly told = new Map<string, string>();
  private shownTexts = '';
  private readonly requests: Requests;

  constructor(requests: Requests) {
    this.requests = requests;
  }

  listenTo(blocklist: Blocklist): void {
    blocklist.on('stale', ({ ageMs }) =>
      this.tell('stale', `The list became too old (${durationText(ageMs)}) to say what is not on it.`),
    );
    blocklist.on('frozen', ({ sinceMs }) =>
      this.tell('frozen', `Nothing of the list has changed for ${durationText(sinceMs)}: its publisher may have stopped.`),
    );
    blocklist.on('mismatch', () => this.tell('mismatch', 'Known entries are not in the list, so its misses say nothing.'));
    blocklist.on('damaged', ({ name }) => this.tell('damaged', `What was stored as ${name} was damaged, and is fetched again.`));
    blocklist.on('error', ({ where, error }) => {
      // What the switch refuses is no failure.
      if (where === 'confirm' && this.requests.isOffline) return;
      if (where !== 'sync') this.tell(where, `${where === 'store' ? 'The store' : 'A question'} failed: ${error.code}.`);
    });
    blocklist.on('changed', () => {
      for (const kind of ['frozen', 'mismatch', 'damaged']) this.told.delete(kind);
    });
    blocklist.on('confirm', ({ error }) => {
      if (error === undefined) this.told.delete('confirm');
    });
  }

  /** Writes anew only where something else is to be said: it is read aloud. */
  show(blocklist: Blocklist, retry: () => void): void {
    const notices = this.noticesOf(blocklist, retry);
    const texts = JSON.stringify(notices.map(({ text }) => text));
    if (texts === this.shownTexts) return;
    this.shownTexts = texts;
    const rows = notices.map(({ text, button: more }) => {
      const row = element('div', 'notice', element('p', '', text));
      if (more !== undefined) row.append(button(more.text, more.onClick));
      return row;
    });
    this.frame.replaceChildren(...rows);
  }

  private tell(kind: string, text: string): void {
    this.told.set(kind, text);
  }

  private noticesOf(blocklist: Blocklist, retry: () => void): Notice[] {
    const { isOffline } = this.requests;
    const status = blocklist.status();
    const { list, lastError } = status.sources[0]!;
    const notices: Notice[] = [];
    // A round that brings nothing new makes a list young again.
    if (list?.isStale === false) this.told.delete('stale');
    if (!status.isSound) notices.push({ text: 'This browser computes wrong hashes, so every verdict is unknown.' });
    if (list === null && lastError !== null) {
      const text = isOffline
        ? 'There is no list yet, and the switch keeps it away. Nothing can be called clear.'
        : `There is no list yet: its server cannot be used now (${lastError.code}). Nothing can be called clear.`;
      notices.push({ text, button: { text: 'Try again', onClick: retry } });
    }
    if (list !== null && lastError !== null && !isOffline) {
      const text = `The last sync failed (${lastError.code}). Checks go on with the list there is.`;
      notices.push({ text, button: { text: 'Try again', onClick: retry } });
    }
    if (!status.isStored) {
      notices.push({
        text: 'This browser keeps nothing for this page, as in a private window: the list is in memory and goes with the page.',
      });
    }
    for (const [kind, text] of this.told) if (kind !== 'store' || status.isStored) notices.push({ text });
    return notices;
  }
}
