import { byId, element, setText } from './dom.js';
import type { LoggedRequest, Requests } from './requests.js';
import { bytesText, countText, shown } from './shown.js';

/** Two screens of a phone. */
const maxShown = 25;

export class LogView {
  private readonly sum = byId('log-sum', HTMLElement);
  private readonly list = byId('log', HTMLOListElement);

  show({ log, count, sentBytes, receivedBytes }: Requests): void {
    setText(this.sum, `${countText(count, 'request')}, ${bytesText(sentBytes)} sent, ${bytesText(receivedBytes)} received.`);
    this.list.replaceChildren(...log.slice(0, maxShown).map(row));
  }
}

function row({ method, path, outcome, sentBytes, receivedBytes, durationMs, prefixes }: LoggedRequest): HTMLLIElement {
  const isRefused = outcome === 'refused';
  const facts = [
    `${bytesText(sentBytes)} sent`,
    `${bytesText(receivedBytes)} received`,
    ...(isRefused ? [] : [outcome === 'pending' ? 'pending' : String(outcome), `${Math.round(durationMs)} ms`]),
    ...(prefixes.length === 0 || isRefused ? [] : [`prefixes ${prefixes.map((prefix) => shown(prefix)).join(' ')}`]),
  ];
  const line = element(
    'p',
    '',
    ...(isRefused ? [element('span', 'refused', 'refused by the Offline switch'), ' · '] : []),
    facts.join(' · '),
  );
  return element('li', '', element('p', 'mono', `${method} ${shown(path)}`), line);
}
