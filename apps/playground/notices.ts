import type { Blocklist } from 'portcullis';
import { button, byId, element } from './dom.js';
import type { Requests } from './requests.js';
import { durationText, numberText } from './shown.js';

interface Notice {
  readonly text: string;
  readonly canRetry?: boolean;
}

/** Warnings about the list or the browser that limit what a verdict means. */
export class Notices {
  private readonly frame = byId('notices', HTMLElement);
  /** Events that have no state to read later, by their kind. */
  private readonly told = new Map<string, string>();
  private shownTexts = '';
  private readonly requests: Requests;

  constructor(requests: Requests) {
    this.requests = requests;
  }

  listenTo(blocklist: Blocklist): void {
    blocklist.on('stale', ({ ageMs }) =>
      this.report('stale', `The list is too old (${durationText(ageMs)}) to say what is not on it.`),
    );
    blocklist.on('frozen', ({ sinceMs }) =>
      this.report('frozen', `The list has not changed for ${durationText(sinceMs)}; its publisher may have stopped.`),
    );
    blocklist.on('mismatch', () =>
      this.report('mismatch', 'The list lacks entries that it must contain, so a miss proves nothing.'),
    );
    blocklist.on('damaged', ({ name }) =>
      this.report('damaged', `The stored file ${name} is damaged and will be fetched again.`),
    );
    blocklist.on('error', ({ where, error }) => {
      // Caused by simulating offline.
      if (where === 'confirm' && this.requests.isOffline) return;
      if (where !== 'sync')
        this.report(where, `${where === 'store' ? 'Storing the list' : 'A request to the server'} failed: ${error.code}.`);
    });
    blocklist.on('changed', () => {
      for (const kind of ['frozen', 'mismatch', 'damaged']) this.told.delete(kind);
    });
    blocklist.on('confirm', ({ error }) => {
      if (error === undefined) this.told.delete('confirm');
    });
  }

  /** Changes the page only if the texts differ, because screen readers read each change aloud. */
  show(blocklist: Blocklist, retry: () => void): void {
    const notices = this.noticesOf(blocklist);
    const texts = JSON.stringify(notices.map(({ text }) => text));
    if (texts === this.shownTexts) return;
    this.shownTexts = texts;
    const rows = notices.map(({ text, canRetry }) => {
      const buttons = canRetry ? [button('Try again', retry)] : [];
      return element('div', 'notice', element('p', '', text), ...buttons);
    });
    this.frame.replaceChildren(...rows);
  }

  private report(kind: string, text: string): void {
    this.told.set(kind, text);
  }

  private noticesOf(blocklist: Blocklist): Notice[] {
    const { isOffline } = this.requests;
    const status = blocklist.status();
    const { list, lastError, failures } = status.sources[0]!;
    // Changes with each attempt, so that a retry that fails is seen and read aloud.
    const failed = `The last ${failures > 1 ? `${numberText(failures)} syncs` : 'sync'} failed (${lastError?.code}).`;
    const notices: Notice[] = [];
    // A sync that finds nothing new makes the list fresh again.
    if (list?.isStale === false) this.told.delete('stale');
    if (!status.isSound) notices.push({ text: 'This browser computes wrong hashes; every verdict is “unknown”.' });
    if (list === null && lastError !== null) {
      const text = isOffline
        ? 'There is no list yet, and simulating offline blocks fetching it. Nothing can be checked.'
        : `There is no list yet. ${failed} Nothing can be checked.`;
      notices.push({ text, canRetry: true });
    }
    if (list !== null && lastError !== null && !isOffline) {
      const text = `${failed} Checks use the list that is already here.`;
      notices.push({ text, canRetry: true });
    }
    if (!status.isStored) {
      notices.push({
        text: 'This browser stores nothing for this page, as in a private window. The list is kept in memory until the page is closed.',
      });
    }
    for (const [kind, text] of this.told) if (kind !== 'store' || status.isStored) notices.push({ text });
    return notices;
  }
}
